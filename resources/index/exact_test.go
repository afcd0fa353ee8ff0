package index

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestExact compares numbers with ranges: values in a range have its number, and other ranges have none.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := func(name string) string { return rapid.SampledFrom([]string{"", "a", "b", "Ab", "ab"}).Draw(t, name) }
		value := rapid.SampledFrom([]Value{
			{Kind: Token, Form: FormCoding, System: word("system"), Code: word("code")},
			{Kind: Token, Form: FormIdentifier, System: word("system"), Code: word("code")},
			{Kind: Reference, Type: "Patient", ID: word("id")},
			{Kind: Reference, URL: "http://example.org/" + word("url")},
			{Kind: Reference, System: word("system"), Code: word("code")},
			{Kind: URI, URL: "http://example.org/" + word("url")},
			{Kind: String, Text: word("text")},
		}).Draw(t, "value")
		f, asked := NewField(parameter), word("asked")
		f.strings = rapid.Bool().Draw(t, "strings")
		encoded := appendValue(nil, &value)
		numbers := AppendExact(nil, encoded)
		for name, ranges := range map[string][]Range{
			"Token": f.Token(word("of"), asked), "Code": f.Code(asked), "Reference": f.Reference(Key{Type: "Patient", ID: asked}), "ReferenceID": f.ReferenceID(asked),
			"Identifier": f.Identifier(word("of"), asked), "IdentifierValue": f.IdentifierValue(asked), "URL": f.URL("http://example.org/" + asked),
		} {
			found := false
			for i := range ranges {
				n, ok := ranges[i].Exact()
				if !ok {
					t.Fatalf("%s has no number", name)
				}
				found = found || slices.Contains(numbers, n)
			}
			if in := within(t, ranges, entriesOf(value)); in && !found {
				t.Fatalf("%s(%q): %+v is missed", name, asked, value)
			}
		}
		system, _ := f.System(asked)
		for name, ranges := range map[string][]Range{
			"Has": f.Has(), "System": system, "Prefix": f.Prefix("a" + asked), "Dates": f.Dates(GreaterEqual, Span[int64]{0, day}),
			"Near": f.Near(1, 1), "composite": f.First("", asked).Code("a"), "type": {TypeRange("Patient")},
		} {
			for i := range ranges {
				if n, ok := ranges[i].Exact(); ok {
					t.Fatalf("%s has the number %d", name, n)
				}
			}
		}
	})
}
