package r5_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/r5"
)

// A generator writes random resources that the tables of a version allow.
type generator struct {
	*rand.Rand
	tables *definitions.Tables
	depth  int
}

// resource returns a resource of a type.
func (g *generator) resource(name string) string {
	return g.object(g.tables.Type(name), `"resourceType":"`+name+`"`)
}

// object returns an object with every required element and some others.
func (g *generator) object(t *definitions.Type, first ...string) string {
	g.depth++
	defer func() { g.depth-- }()
	members := first
	chosen := map[string]bool{}
	for _, e := range t.Elements {
		if chosen[e.Name] || e.Max == 0 || e.JSON == "contained" || e.JSON == "modifierExtension" && t.Kind != definitions.BackboneType {
			continue
		}
		if e.Min == 0 && g.Float64()*float64(g.depth+1) > 0.8 || g.depth > 9 && e.Min == 0 {
			continue
		}
		if t.Name == "ConceptMap.group.element" && (e.JSON == "target" && chosen["noMap"] || e.JSON == "noMap") && g.IntN(3) > 0 {
			continue
		}
		if t.Name == "Extension" && e.Choice && g.depth > 2 {
			e = t.Element("valueString")
		} else if e.Choice {
			all := t.Choices(e.Name)
			e = all[g.IntN(len(all))]
		}
		chosen[e.Name] = true
		members = append(members, g.member(t, e)...)
	}
	if len(members) == len(first) || len(members) == 1 && strings.HasPrefix(members[0], `"id"`) { // an element needs more than an id
		if t.Element("extension") == nil {
			return "{" + strings.Join(append(first, `"id":"x"`), ",") + "}"
		}
		members = append(members, `"extension":[{"url":"http://example.org/z","valueCode":"c"}]`)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// member returns the members of an element: the value, and for a primitive sometimes what is beside.
func (g *generator) member(t *definitions.Type, e *definitions.Element) []string {
	if t.Name == "Extension" && e.JSON == "url" {
		return []string{fmt.Sprintf(`"url":"http://example.org/x%d"`, g.IntN(3))}
	}
	if e.JSON == "extension" && t.Name == "Extension" {
		return nil // it has a value
	}
	n := 1
	if e.Repeats() {
		n += g.IntN(3)
	}
	primitive := e.Type.Kind == definitions.PrimitiveType && e.TypeCode != "xhtml"
	var values, beside []string
	for range n {
		values = append(values, g.value(e))
		beside = append(beside, `{"id":"i`+fmt.Sprint(g.IntN(9))+`","extension":[{"url":"http://example.org/y","valueCode":"c"}]}`)
	}
	with := primitive && g.IntN(6) == 0 && e.JSON != "id" && e.JSON != "url"
	without := with && g.IntN(3) == 0 // a value is absent
	if without {
		values[0] = "null"
	}
	if !e.Repeats() {
		var out []string
		if !without {
			out = append(out, fmt.Sprintf("%q:%s", e.JSON, values[0]))
		}
		if with {
			out = append(out, fmt.Sprintf("%q:%s", "_"+e.JSON, beside[0]))
		}
		return out
	}
	var out []string
	if !without || n > 1 {
		out = append(out, fmt.Sprintf("%q:[%s]", e.JSON, strings.Join(values, ",")))
	}
	if with {
		out = append(out, fmt.Sprintf("%q:[%s]", "_"+e.JSON, strings.Join(beside, ",")))
	}
	return out
}

// value returns a value of an element.
func (g *generator) value(e *definitions.Element) string {
	if e.TypeCode == "Resource" {
		if e.JSON == "issues" {
			return `{"resourceType":"Basic"}`
		}
		names := g.tables.Resources()
		if g.depth > 3 {
			return `{"resourceType":"Patient","active":true}`
		}
		return g.resource(names[g.IntN(len(names))])
	}
	if e.Type.Kind != definitions.PrimitiveType {
		return g.object(e.Type)
	}
	if e.Binding != nil && g.IntN(20) > 0 {
		all := e.Binding.Codes()
		return fmt.Sprintf("%q", all[g.IntN(len(all))])
	}
	k := g.IntN(4)
	switch e.TypeCode {
	case "boolean":
		return fmt.Sprint(k%2 == 0)
	case "integer", "unsignedInt", "positiveInt":
		return fmt.Sprint(k + 1)
	case "decimal":
		return fmt.Sprintf("%d.%d0", k, k)
	case "integer64":
		return []string{`"0"`, `"12"`, `"-5"`, `"9007199254740993"`}[k]
	case "date":
		return `"2026-11-2` + fmt.Sprint(k) + `"`
	case "dateTime", "instant":
		return `"2026-11-2` + fmt.Sprint(k) + `T10:00:00Z"`
	case "time":
		return `"10:00:00"`
	case "base64Binary":
		return `"YWJj"`
	case "xhtml":
		return `"<div xmlns=\"http://www.w3.org/1999/xhtml\">x</div>"`
	case "uri", "url":
		return []string{`"http://example.org/a"`, `"http://example.org/b#c"`, `"urn:a"`, `"http://example.org/a/"`}[k]
	case "canonical":
		return []string{`"http://example.org/a"`, `"http://example.org/a|1"`, `"http://example.org/a|1|2"`, `"http://example.org/a|"`}[k]
	case "uuid":
		return `"urn:uuid:c757873d-ec9a-4326-a141-556f43239520"`
	case "oid":
		return `"urn:oid:1.2.3"`
	case "code":
		return []string{`"a"`, `"b"`, `"c d"`, `"a-2"`}[k]
	case "id":
		return `"id-` + fmt.Sprint(k) + `"`
	}
	return []string{`"text"`, `"Grüße \"q\""`, `"a\nb"`, `"é"`}[k]
}

func parse(t testing.TB, data []byte) *document.Document {
	t.Helper()
	d, err := document.Parse(data, r4.DefaultLimits())
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return d
}

// roundTrip checks that an R5 resource is the same after a conversion to R4 and back, and returns
// the R4 resource.
func roundTrip(t testing.TB, doc []byte) []byte {
	t.Helper()
	as4, err := r5.ToR4(doc)
	if err != nil {
		t.Fatalf("ToR4: %v\n%s", err, doc)
	}
	back, err := r5.FromR4(as4)
	if err != nil {
		t.Fatalf("FromR4: %v\nR4: %s\nR5: %s", err, as4, doc)
	}
	if diff := difference(parse(t, doc).Root(), parse(t, back).Root()); diff != "" {
		t.Fatalf("%s\nwas   %s\nin R4 %s", diff, doc, as4)
	}
	return as4
}

// difference returns the first difference of two values, "" if there is none.
func difference(was, is document.Value) string {
	if document.Equal(was, is) {
		return ""
	}
	if was.Kind() == document.Object && is.Kind() == document.Object {
		for member := range was.Members() {
			if diff := difference(member, is.Get(member.Name())); diff != "" {
				return diff
			}
		}
	}
	if was.Kind() == document.Array && was.Len() == is.Len() {
		for i := range was.Len() {
			if diff := difference(was.Index(i), is.Index(i)); diff != "" {
				return diff
			}
		}
	}
	return fmt.Sprintf("%s was %s and is %s", was.Path(""), was.Raw(), is.Raw())
}

// withoutPlace are the resources with an element that R4 cannot hold: the issues of a Bundle.
func withoutPlace(doc string) bool { return strings.Contains(doc, `"issues":`) }

// TestGenerated checks the round trip of generated resources of every type.
func TestGenerated(t *testing.T) {
	tables := definitions.R5()
	for _, name := range tables.Resources() {
		for seed := range uint64(300) {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), tables: tables}
			if doc := g.resource(name); !withoutPlace(doc) {
				roundTrip(t, []byte(doc))
			}
		}
	}
}

func FuzzGenerated(f *testing.F) {
	tables := definitions.R5()
	f.Add(uint64(1), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, typ uint8) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 2)), tables: tables}
		if doc := g.resource(tables.Resources()[int(typ)%len(tables.Resources())]); !withoutPlace(doc) {
			roundTrip(t, []byte(doc))
		}
	})
}
