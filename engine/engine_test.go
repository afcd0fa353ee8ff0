package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// c is a concept of a test system: code, display, parents, and what else it has.
type c struct {
	code, display string
	parents       []string
	properties    []codesystem.Property
	designations  []r4.Designation
	definition    string
	extensions    r4.Extensions
}

func p(code string, v r4.Value) codesystem.Property { return codesystem.Property{Code: code, Value: v} }

func parents(codes ...string) []string { return codes }

// build makes an index.
func build(t testing.TB, header r4.CodeSystem, concepts ...c) *codesystem.Index {
	t.Helper()
	header.ResourceType = "CodeSystem"
	if header.Content == "" {
		header.Content = "complete"
	}
	if header.Status == "" {
		header.Status = "active"
	}
	b := codesystem.NewBuilder(&header)
	for _, x := range concepts {
		properties := x.properties
		for _, parent := range x.parents {
			properties = append(properties, p("parent", r4.Code(parent)))
		}
		if _, err := b.Add(&codesystem.Concept{
			Code: x.code, Display: x.display, Definition: x.definition,
			Properties: properties, Designations: x.designations, Extensions: x.extensions, Parent: -1,
		}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const animals = "http://example.org/animals"

// animalSystem is a small hierarchy with several parents, an inactive, an abstract and
// a deprecated concept, designations and properties.
func animalSystem(t testing.TB, version string) *codesystem.Index {
	no := false
	return build(t, r4.CodeSystem{
		Header:        r4.Header{ID: "animals-" + version, URL: animals, Version: version, Name: "Animals", Title: "Animals of the tests", Language: "en"},
		ValueSet:      "http://example.org/vs/all-animals",
		CaseSensitive: &no,
		Property: []r4.CodeSystemProperty{
			{Code: "legs", Type: "integer"},
			{Code: "sound", Type: "string"},
			{Code: "prey", Type: "code"},
			{Code: "inactive", Type: "boolean"},
			{Code: "notSelectable", Type: "boolean"},
			{Code: "status", Type: "code"},
		},
	},
		c{code: "animal", display: "Animal", properties: []codesystem.Property{p("notSelectable", r4.Boolean(true))}},
		c{code: "mammal", display: "Mammal", parents: parents("animal"), definition: "Has milk."},
		c{code: "pet", display: "Pet", parents: parents("animal")},
		c{
			code: "cat", display: "Cat", parents: parents("mammal", "pet"),
			properties: []codesystem.Property{p("legs", r4.Value{Type: "Integer", Text: "4"}), p("sound", r4.String("meow")), p("prey", r4.Code("mouse"))},
			designations: []r4.Designation{
				{Language: "de", Value: "Katze"},
				{Language: "de-CH", Value: "Büsi"},
				{Language: "fr", Value: "Chat", Use: &r4.Coding{System: "http://example.org/use", Code: "synonym"}},
			},
		},
		c{
			code: "dog", display: "Dog", parents: parents("mammal", "pet"),
			properties:   []codesystem.Property{p("legs", r4.Value{Type: "Integer", Text: "4"}), p("sound", r4.String("woof"))},
			designations: []r4.Designation{{Language: "de", Value: "Hund"}},
		},
		c{code: "mouse", display: "Mouse", parents: parents("mammal")},
		c{code: "bird", display: "Bird", parents: parents("animal"), properties: []codesystem.Property{p("legs", r4.Value{Type: "Integer", Text: "2"})}},
		c{code: "dodo", display: "Dodo", parents: parents("bird"), properties: []codesystem.Property{p("inactive", r4.Boolean(true))}},
		c{code: "fowl", display: "Fowl", parents: parents("bird"), properties: []codesystem.Property{p("status", r4.Code("deprecated"))}},
	)
}

const (
	colors = "http://example.org/colors"
	pets   = "http://example.org/vs/pets"
)

// zoo is an engine with the animals and a few value sets.
func zoo(t testing.TB, opts ...engine.Option) *engine.Engine {
	t.Helper()
	opts = append([]engine.Option{engine.WithClock(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) })}, opts...)
	e := engine.New(opts...)
	colorSystem := build(t, r4.CodeSystem{Header: r4.Header{ID: "colors", URL: colors, Name: "Colors"}},
		c{code: "red", display: "Red"}, c{code: "green", display: "Green"}, c{code: "cat", display: "Cat gray"})
	publish(t, e,
		engine.CodeSystemEntry(animalSystem(t, "1.0.0"), "test"),
		engine.CodeSystemEntry(colorSystem, "test"),
		valueSet(`{"id":"pets","url":"http://example.org/vs/pets","version":"7","name":"Pets","status":"active",
			"compose":{"include":[{"system":"http://example.org/animals","filter":[{"property":"concept","op":"descendent-of","value":"pet"}]}]}}`),
		valueSet(`{"id":"mixed","url":"http://example.org/vs/mixed","status":"draft","experimental":true,
			"compose":{"include":[{"system":"http://example.org/animals","concept":[{"code":"dog","display":"Good dog"},{"code":"cat"}]},
			{"system":"http://example.org/colors"}],"exclude":[{"system":"http://example.org/colors","concept":[{"code":"green"}]}]}}`),
		valueSet(`{"id":"broken","url":"http://example.org/vs/broken","status":"active",
			"compose":{"include":[{"system":"http://example.org/colors"},{"system":"http://example.org/missing"}]}}`),
	)
	return e
}

func publish(t testing.TB, e *engine.Engine, entries ...*engine.Entry) {
	t.Helper()
	if err := e.Publish(entries...); err != nil {
		t.Fatal(err)
	}
}

// valueSet makes an entry from the JSON of a value set, resourceType left out.
func valueSet(doc string) *engine.Entry { return engine.ValueSetEntry(decodeValueSet(doc), "test") }

func decodeValueSet(doc string) *r4.ValueSet {
	vs, err := r4.DecodeValueSet([]byte(`{"resourceType":"ValueSet",` + strings.TrimPrefix(doc, "{")))
	if err != nil {
		panic(err)
	}
	return vs
}

// codes joins the codes of an expansion.
func codes(r *engine.ExpandResult) string {
	list := make([]string, len(r.Entries))
	for i := range r.Entries {
		list[i] = r.Entries[i].Code
	}
	return strings.Join(list, " ")
}

func ptr[T any](v T) *T { return &v }

// Errors of the packages below that some requests give.
var (
	errImportCycle = valueset.ErrImportCycle
)
