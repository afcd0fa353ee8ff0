package patch

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// A content is what an operation puts into the resource.
type content struct {
	json   []byte // of the element; nil for a primitive without a value
	beside []byte // of the member "_name", nil for none
	typ    string // suffix of a choice, "Quantity"; "" for a backbone element or resource
}

// contentOf returns the value of a part: value[x], a resource, or for an element of an unnamed type
// parts that are called like its elements. typ is the type of the element, nil if unknown.
func (o *fhirOperation) contentOf(part document.Value, typ *definitions.Type) (content, error) {
	var c content
	given := 0
	for member := range part.Members() {
		name := member.Name()
		switch {
		case strings.HasPrefix(name, "value") && len(name) > len("value"):
			c.json, c.typ = member.Raw(), name[len("value"):]
			given++
		case strings.HasPrefix(name, "_value") && len(name) > len("_value"):
			c.beside, c.typ = member.Raw(), name[len("_value"):]
		case name == "resource":
			c.json = member.Raw()
			given++
		case name == "part":
			text, err := o.backbone(member, typ)
			if err != nil {
				return c, err
			}
			c.json = text
			given++
		}
	}
	if given > 1 || given == 0 && c.beside == nil {
		return c, unfit("the part %s must have one value", part.Get("name").Text())
	}
	return c, nil
}

// backbone returns the object of an element whose elements are given as parts.
func (o *fhirOperation) backbone(list document.Value, typ *definitions.Type) ([]byte, error) {
	type field struct {
		content
		element *definitions.Element
	}
	var names []string
	fields := map[string][]field{}
	for part := range list.Items() {
		name := part.Get("name").Text()
		var inner *definitions.Type
		if typ != nil {
			if e := typ.Element(name); e != nil {
				inner = e.Type
			}
		}
		c, err := o.contentOf(part, inner)
		if err != nil {
			return nil, err
		}
		e, err := member(typ, name, c.typ)
		if err != nil {
			return nil, err
		}
		if len(fields[e.JSON]) > 0 && !e.Repeats() {
			return nil, unfit("the part %s occurs twice", name)
		}
		if len(fields[e.JSON]) == 0 {
			names = append(names, e.JSON)
		}
		fields[e.JSON] = append(fields[e.JSON], field{c, e})
	}
	dst := []byte{'{'}
	add := func(name string, json []byte) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(r4.AppendString(dst, name), ':'), json...)
	}
	for _, name := range names {
		given := fields[name]
		if !given[0].element.Repeats() {
			if given[0].json != nil {
				add(name, given[0].json)
			}
			if given[0].beside != nil {
				add("_"+name, given[0].beside)
			}
			continue
		}
		var values, besides row
		for _, f := range given {
			values, besides = append(values, f.json), append(besides, f.beside)
		}
		if text := values.json(); text != nil {
			add(name, text)
		}
		if text := besides.json(); text != nil {
			add("_"+name, text)
		}
	}
	return append(dst, '}'), nil
}

// member returns the element with a name in paths, or the variant of a choice for the type of its
// new value.
func member(typ *definitions.Type, name, value string) (*definitions.Element, error) {
	if typ == nil {
		return nil, unfit("the type of the element that should contain %q is unknown", name)
	}
	if e := typ.Element(name); e != nil {
		return e, nil
	}
	choice := strings.TrimSuffix(name, "[x]")
	if e := typ.Element(choice + value); e != nil && e.Choice && e.Name == choice+"[x]" {
		return e, nil
	}
	if typ.Choices(choice+"[x]") != nil {
		return nil, unfit("%s.%s cannot be a %s", typ.Name, choice, value)
	}
	return nil, unfit("%s has no element %q", typ.Name, name)
}
