package index

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// convert appends the values that an element has for a parameter of a kind, as R4 defines for each
// kind and datatype (https://hl7.org/fhir/R4/search.html#table). Datatypes without a meaning for
// the kind have none.
func (b *builder) convert(dst []byte, kind definitions.ParamKind, item fhirpath.Item) []byte {
	switch kind {
	case definitions.Token:
		return appendTokens(dst, item)
	case definitions.String:
		return appendTexts(dst, item)
	case definitions.Date:
		if s, ok := timeOf(item); ok {
			return appendValue(dst, &Value{Kind: Date, Time: s})
		}
	case definitions.Reference:
		if v, ok := referenceOf(item); ok {
			return appendValue(dst, &v)
		}
	case definitions.Number:
		if s, ok := numberSpan(item); ok {
			return appendValue(dst, &Value{Kind: NumberKind, Number: s})
		}
	case definitions.Quantity:
		if v, ok := b.quantity(item); ok {
			return appendValue(dst, &v)
		}
	case definitions.URI:
		if text := item.Text(); text != "" {
			v := Value{Kind: URI, URL: text}
			if item.TypeName() == "canonical" {
				v.URL, v.Version, _ = strings.Cut(text, "|")
			}
			return appendValue(dst, &v)
		}
	case definitions.Special:
		if v, ok := positionOf(item); ok {
			return appendValue(dst, &v)
		}
	}
	return dst
}

// quantity returns the value of a quantity parameter. It is cached because several parameters often
// use the same element.
func (b *builder) quantity(item fhirpath.Item) (Value, bool) {
	ordinal := item.Value.Ordinal()
	for _, m := range b.quantities {
		if m.ordinal == ordinal {
			return m.value, m.ok
		}
	}
	v, ok := b.x.quantityOf(item)
	if len(b.quantities) < 8 && item.Value.Exists() {
		b.quantities = append(b.quantities, measured{ordinal, v, ok})
	}
	return v, ok
}

// texts are the members of datatypes that string parameters search.
var texts = map[string][]string{
	"HumanName": {"family", "given", "prefix", "suffix", "text"},
	"Address":   {"line", "city", "district", "state", "postalCode", "country", "text"},
}

// appendTexts appends the values of a string parameter.
func appendTexts(dst []byte, item fhirpath.Item) []byte {
	if text := item.Text(); text != "" {
		form := FormOther
		if item.Element != nil && strings.HasPrefix(item.Element.Path, "HumanName.") {
			form = FormWords
		}
		return appendText(dst, form, text)
	}
	members, known := texts[item.TypeName()]
	if !known || item.Kind() != document.Object {
		return dst
	}
	for _, name := range members {
		member := item.Value.Get(name)
		if member.Kind() == document.Array {
			for m := range member.Items() {
				dst = appendText(dst, FormWords, m.Text())
			}
		} else {
			dst = appendText(dst, FormWords, member.Text())
		}
	}
	return dst
}

func appendText(dst []byte, form Form, text string) []byte {
	if text == "" {
		return dst
	}
	return appendValue(dst, &Value{Kind: String, Form: form, Text: text})
}

// appendTokens appends the values of a token parameter.
func appendTokens(dst []byte, item fhirpath.Item) []byte {
	if item.Kind() != document.Object {
		text := item.Text()
		if text == "" {
			return dst
		}
		v := Value{Kind: Token, Code: text}
		switch {
		case item.Kind() == document.Bool:
			v.Form = FormBoolean
		case item.TypeName() == "string":
			v.Form = FormString
		case item.TypeName() == "code":
			v.Form = FormCode
			if item.Element != nil && item.Element.Binding != nil {
				v.System = item.Element.Binding.System(text)
			}
		}
		return appendValue(dst, &v)
	}
	switch item.TypeName() {
	case "CodeableConcept":
		return appendConcept(dst, item.Value)
	case "Coding":
		return appendCoding(dst, item.Value)
	case "Identifier":
		return appendIdentifier(dst, item.Value)
	case "ContactPoint":
		return appendContact(dst, item.Value)
	}
	return dst
}

func appendConcept(dst []byte, concept document.Value) []byte {
	for coding := range concept.Get("coding").Items() {
		dst = appendCoding(dst, coding)
	}
	if text := concept.Get("text").Text(); text != "" {
		dst = appendValue(dst, &Value{Kind: Token, Form: FormCoding, Text: text})
	}
	return dst
}

func appendCoding(dst []byte, coding document.Value) []byte {
	v := Value{Kind: Token, Form: FormCoding}
	for m := range coding.Members() {
		switch m.Name() {
		case "system":
			v.System = m.Text()
		case "code":
			v.Code = m.Text()
		case "display":
			v.Text = m.Text()
		}
	}
	if v.System == "" && v.Code == "" && v.Text == "" {
		return dst
	}
	return appendValue(dst, &v)
}

func appendIdentifier(dst []byte, identifier document.Value) []byte {
	v := Value{Kind: Token, Form: FormIdentifier}
	v.System, v.Code = identifier.Get("system").Text(), identifier.Get("value").Text()
	if kind := identifier.Get("type"); kind.Exists() {
		v.Text = kind.Get("text").Text()
		var codings []byte
		for coding := range kind.Get("coding").Items() {
			codings = appendCoding(codings, coding)
		}
		if len(codings) > 0 {
			v.components = appendBytes(nil, codings)
		}
	}
	if v.System == "" && v.Code == "" {
		return dst
	}
	return appendValue(dst, &v)
}

// appendContact appends a ContactPoint as a token of its system, and another one of its use.
func appendContact(dst []byte, contact document.Value) []byte {
	v := Value{Kind: Token, Form: FormContact, System: contact.Get("system").Text(), Code: contact.Get("value").Text()}
	switch v.System {
	case "phone", "fax", "pager", "sms":
		v.Form = FormPhone
	}
	if v.Code == "" {
		return dst
	}
	dst = appendValue(dst, &v)
	if use := contact.Get("use").Text(); use != "" {
		v.System = use
		dst = appendValue(dst, &v)
	}
	return dst
}

// referenceOf returns the value of a reference parameter: a Reference, canonical or uri, or a
// contained resource itself.
func referenceOf(item fhirpath.Item) (Value, bool) {
	v := Value{Kind: Reference}
	if item.Kind() != document.Object {
		url := item.Text()
		if item.TypeName() == "canonical" {
			url, v.Version, _ = strings.Cut(url, "|")
		}
		v.URL = url
		return v, url != ""
	}
	if item.Type != nil && item.Type.Kind == definitions.ResourceType {
		v.Type, v.ID = item.TypeName(), item.Value.Get("id").Text()
		return v, v.ID != ""
	}
	v.Text = item.Value.Get("display").Text()
	reference := item.Value.Get("reference").Text()
	v.refer(reference)
	if v.Type == "" {
		v.Type = item.Value.Get("type").Text()
	}
	if identifier := item.Value.Get("identifier"); identifier.Exists() {
		v.System, v.Code = identifier.Get("system").Text(), identifier.Get("value").Text()
	}
	return v, reference != "" || v.Code != "" || v.Text != ""
}

// refer parses a reference. Type/id and Type/id/_history/n are resources of this server; everything
// else except a fragment is a URL. If an absolute URL ends with type and id, they are kept, too.
func (v *Value) refer(reference string) {
	if reference == "" || reference[0] == '#' {
		return
	}
	path := reference
	version := ""
	if i := strings.LastIndex(path, "/_history/"); i > 0 {
		path, version = path[:i], path[i+len("/_history/"):]
	}
	slash := strings.LastIndexByte(path, '/')
	if slash <= 0 || slash == len(path)-1 {
		v.URL = reference
		return
	}
	typ := path[strings.LastIndexByte(path[:slash], '/')+1 : slash]
	if len(typ) == slash {
		v.Type, v.ID, v.Version = typ, path[slash+1:], version
		return
	}
	v.URL, v.Version = path, version
	if typ != "" && 'A' <= typ[0] && typ[0] <= 'Z' && !strings.ContainsAny(typ, ".:") {
		v.Type, v.ID = typ, path[slash+1:]
	}
}

// timeOf returns the time of a date, dateTime, instant or Period, or for a Timing from the first to
// the last event.
func timeOf(item fhirpath.Item) (Span[int64], bool) {
	if item.Kind() != document.Object {
		return parseDate(item.Text())
	}
	if item.TypeName() != "Timing" {
		return periodOf(item.Value)
	}
	s, found := Span[int64]{Latest, Earliest}, false
	add := func(t Span[int64], ok bool) {
		if ok {
			s.Low, s.High, found = min(s.Low, t.Low), max(s.High, t.High), true
		}
	}
	for event := range item.Value.Get("event").Items() {
		add(parseDate(event.Text()))
	}
	add(periodOf(item.Value.Get("repeat").Get("boundsPeriod")))
	return s, found
}

// periodOf returns the time of a Period, which includes the whole of its end.
func periodOf(period document.Value) (Span[int64], bool) {
	start, hasStart := parseDate(period.Get("start").Text())
	end, hasEnd := parseDate(period.Get("end").Text())
	s := Span[int64]{Earliest, Latest}
	if hasStart {
		s.Low = start.Low
	}
	if hasEnd {
		s.High = max(end.High, s.Low)
	}
	return s, hasStart || hasEnd
}

// positionOf returns the coordinates of a Location.position.
func positionOf(item fhirpath.Item) (Value, bool) {
	latitude, ok1 := degrees(item.Value.Get("latitude"))
	longitude, ok2 := degrees(item.Value.Get("longitude"))
	return Value{Kind: Position, Latitude: latitude, Longitude: longitude}, ok1 && ok2
}
