package uiadapter_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/uiadapter"
)

const (
	plants  = "http://example.org/plants"
	hostile = "http://example.org/hostile"
	wide    = "http://example.org/wide"
	sct     = "http://snomed.info/sct"
	basic   = "http://example.org/basic"
)

// c is a concept of a test.
type c struct {
	code, display, definition string
	parents                   []string
	names                     []r4.Designation
	properties                []codesystem.Property
}

// build returns an index. The members of reference sets are rows from a code to another one.
func build(t testing.TB, header r4.CodeSystem, refsets map[string][][2]string, concepts ...c) *codesystem.Index {
	t.Helper()
	header.ResourceType, header.Status = "CodeSystem", "active"
	if header.Content == "" {
		header.Content = "complete"
	}
	b := codesystem.NewBuilder(&header)
	for _, concept := range concepts {
		entry := codesystem.Concept{Code: concept.code, Display: concept.display, Definition: concept.definition, Designations: concept.names, Properties: concept.properties, Parent: -1}
		for _, parent := range concept.parents {
			entry.Properties = append(entry.Properties, codesystem.Property{Code: "parent", Value: r4.Code(parent)})
		}
		if _, err := b.Add(&entry); err != nil {
			t.Fatal(err)
		}
	}
	for code, rows := range refsets {
		if err := b.AddRefset(code, []codesystem.RefsetColumn{{Name: "targetComponentId", Type: codesystem.RefsetConcept}}); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if err := b.AddMember(&codesystem.RefsetMember{Refset: code, Component: row[0], Active: true, EffectiveTime: "20250101", Values: []string{row[1]}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// plantSystem is a polyhierarchy in two languages, with properties and an inactive concept.
func plantSystem(t testing.TB, version string, more ...c) *codesystem.Index {
	german := func(text string) []r4.Designation { return []r4.Designation{{Language: "de", Value: text}} }
	return build(t, r4.CodeSystem{
		Header:   r4.Header{ID: "plants-" + version, URL: plants, Version: version, Name: "Plants", Title: "Plants of the garden", Language: "en"},
		Property: []r4.CodeSystemProperty{{Code: "height", Type: "integer", Description: "Height in centimetres"}},
	}, nil, append([]c{
		{code: "plant", display: "Plant", names: german("Pflanze")},
		{code: "tree", display: "Tree", parents: []string{"plant"}, names: german("Baum")},
		{code: "fruit", display: "Fruit plant", parents: []string{"plant"}, names: german("Obstpflanze")},
		{code: "herb", display: "Herb", parents: []string{"plant"}, names: german("Kraut")},
		{
			code: "apple", display: "Apple tree", definition: "A tree that bears apples.", parents: []string{"fruit", "tree"}, names: append(german("Apfelbaum"), r4.Designation{Language: "en", Value: "Malus domestica"}),
			properties: []codesystem.Property{{Code: "height", Value: r4.Value{Type: "Integer", Text: "400"}}, {Code: "grows-with", Value: r4.Code("mint")}},
		},
		{code: "pear", display: "Pear tree", parents: []string{"tree", "fruit"}},
		{code: "mint", display: "Mint", parents: []string{"herb"}},
		{code: "dwarf", display: "Dwarf apple tree", parents: []string{"apple"}},
		{code: "old", display: "Old apple tree", properties: []codesystem.Property{{Code: "inactive", Value: r4.Boolean(true)}, {Code: "replacedBy", Value: r4.Code("apple")}}},
	}, more...)...)
}

// attack is what hostile texts would like to be.
const attack = `<script>alert("1")</script><img src=x onerror=alert(2)>"' onclick="alert(3)`

// hostileSystem has texts and codes that would do harm if they were not texts.
func hostileSystem(t testing.TB) *codesystem.Index {
	override := "\u202eesrever\u202c"
	return build(t, r4.CodeSystem{Header: r4.Header{URL: hostile, Version: attack, Title: attack}}, nil,
		c{code: `a"><b>`, display: attack, definition: attack},
		c{
			code: "javascript:alert(4)", display: override, parents: []string{`a"><b>`}, names: []r4.Designation{{Language: `de" onload="x`, Value: attack}, {Use: &r4.Coding{Code: attack}, Value: "x"}},
			properties: []codesystem.Property{{Code: `p"<i>`, Value: r4.String("javascript:alert(5)")}, {Code: "link", Value: r4.String(`http://example.org/"><script>alert(6)</script>`)}, {Code: "to", Value: r4.Code("long")}},
		},
		c{code: "long", display: strings.Repeat("long ", 20_000), parents: []string{`a"><b>`}},
		c{code: "emoji", display: "👩‍🔬🧬 عربي \u2067x", parents: []string{"long"}},
	)
}

// wideSystem has a concept with many below it.
func wideSystem(t testing.TB, n int) *codesystem.Index {
	concepts := []c{{code: "top", display: "Top"}, {code: "second", display: "Second", parents: []string{"top"}}}
	for i := range n {
		concepts = append(concepts, c{code: fmt.Sprintf("n%05d", i), display: fmt.Sprintf("Number %05d", i), parents: []string{"top"}})
	}
	return build(t, r4.CodeSystem{Header: r4.Header{URL: wide, Name: "Wide"}}, nil, concepts...)
}

// clinicalSystem has the shape of SNOMED CT: tags, groups of attributes, reference sets.
func clinicalSystem(t testing.TB) *codesystem.Index {
	names := func(full, synonym string) []r4.Designation {
		return []r4.Designation{
			{Language: "en", Use: &r4.Coding{System: sct, Code: "900000000000003001"}, Value: full},
			{Language: "en", Use: &r4.Coding{System: sct, Code: "900000000000013009"}, Value: synonym},
		}
	}
	attribute := func(code, value string, group int) codesystem.Property {
		return codesystem.Property{Code: code, Value: r4.Code(value), Group: group}
	}
	return build(t, r4.CodeSystem{Header: r4.Header{URL: sct, Version: "http://snomed.info/sct/900000000000207008/version/20250101", Title: "SNOMED CT", Language: "en"}},
		map[string][][2]string{"900000000000527005": {{"300", "200"}}, "777": {{"200", "100"}}},
		c{code: "138875005", display: "Concept"},
		c{code: "404684003", display: "Finding", parents: []string{"138875005"}, names: names("Clinical finding (finding)", "Finding")},
		c{code: "123037004", display: "Body structure", parents: []string{"138875005"}, names: names("Body structure (body structure)", "Body structure")},
		c{code: "363698007", display: "Finding site", parents: []string{"138875005"}, names: names("Finding site (attribute)", "Finding site")},
		c{code: "116676008", display: "Associated morphology", parents: []string{"138875005"}, names: names("Associated morphology (attribute)", "Associated morphology")},
		c{code: "777", display: "A reference set", parents: []string{"138875005"}, names: names("A reference set (foundation metadata concept)", "A reference set")},
		c{code: "100", display: "Femur", parents: []string{"123037004"}, names: names("Femur structure (body structure)", "Femur")},
		c{code: "101", display: "Fracture form", parents: []string{"123037004"}, names: names("Fracture (morphologic abnormality)", "Fracture form")},
		c{
			code: "200", display: "Fracture of femur", parents: []string{"404684003"}, names: names("Fracture of femur (disorder)", "Broken thigh bone"),
			properties: []codesystem.Property{attribute("363698007", "100", 1), attribute("116676008", "101", 1), {Code: "sufficientlyDefined", Value: r4.Boolean(true)}},
		},
		c{code: "201", display: "Open fracture of femur", parents: []string{"200"}, names: names("Open fracture of femur (disorder)", "Open fracture of femur")},
		c{code: "300", display: "Fractured femur", names: names("Fractured femur (disorder)", "Fractured femur"), properties: []codesystem.Property{{Code: "inactive", Value: r4.Boolean(true)}}},
	)
}

// world returns an engine with the code systems of these tests, a value set and a map.
func world(t testing.TB) *engine.Engine {
	t.Helper()
	e := engine.New()
	builtIn := engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{URL: basic, Name: "Basic", Title: "Statuses of apples"}}, nil,
		c{code: "ripe", display: "Ripe apple"}, c{code: "unripe", display: "Unripe"}), "built in")
	builtIn.BuiltIn = true
	vs, err := r4.DecodeValueSet([]byte(`{"resourceType":"ValueSet","url":"http://example.org/vs/trees","title":"Trees","status":"active",
		"compose":{"include":[{"system":"` + plants + `","filter":[{"property":"concept","op":"is-a","value":"tree"}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	m, err := r4.DecodeConceptMap([]byte(`{"resourceType":"ConceptMap","url":"http://example.org/map","title":"Plants to findings","status":"active",
		"group":[{"source":"` + plants + `","target":"` + sct + `","element":[{"code":"apple","target":[{"code":"100","equivalence":"wider","comment":"roughly"}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Publish(
		engine.CodeSystemEntry(plantSystem(t, "1.0", c{code: "rose", display: "Rose", parents: []string{"plant"}}), "test"), engine.CodeSystemEntry(plantSystem(t, "2.0"), "test"),
		engine.CodeSystemEntry(hostileSystem(t), "test"), engine.CodeSystemEntry(wideSystem(t, 1200), "test"), engine.CodeSystemEntry(clinicalSystem(t), "test"),
		builtIn, engine.ValueSetEntry(vs, "test"), engine.ConceptMapEntry(m, "test"),
	); err != nil {
		t.Fatal(err)
	}
	return e
}

// serve returns the pages of an engine.
func serve(t testing.TB, e *engine.Engine) *uiadapter.Handler {
	t.Helper()
	h, err := uiadapter.New(uiadapter.Config{
		Engine: e, FHIR: http.HandlerFunc(described), Stored: true,
		Address: func(*http.Request) string { return "https://example.org/fhir" },
		Explain: func(err error) (int, string) {
			switch {
			case errors.Is(err, engine.ErrUnknownCode), errors.Is(err, engine.ErrUnknownSystem):
				return http.StatusNotFound, err.Error()
			case errors.Is(err, engine.ErrInvalidParameter), errors.Is(err, engine.ErrMissingParameter):
				return http.StatusBadRequest, err.Error()
			}
			return http.StatusInternalServerError, err.Error()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// address returns the address of a page below /ui with parameters, which follow as names and values.
func address(page string, pairs ...string) string {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return "/ui/" + page + "?" + values.Encode()
}

// open returns a page, or the part of a page that htmx asks for. The language is English unless the
// address has another one.
func open(t testing.TB, h http.Handler, address string, part bool) (status int, root *html.Node) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, address, http.NoBody)
	r.Header.Set("Accept-Language", "en")
	if part {
		r.Header.Set("Hx-Request", "true")
		r.Header.Set("Hx-Request-Type", "partial")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if root, err = html.Parse(strings.NewReader(string(body))); err != nil {
		t.Fatal(err)
	}
	return w.Code, root
}

// opened returns a page that must be there.
func opened(t testing.TB, h http.Handler, address string) *html.Node {
	t.Helper()
	status, root := open(t, h, address, false)
	if status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", address, status, text(root))
	}
	return root
}

// all returns the elements that have the attributes, given as names and values; "" as a value stands
// for any.
func all(root *html.Node, element string, pairs ...string) []*html.Node {
	var list []*html.Node
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || element != "" && n.Data != element {
			continue
		}
		fits := true
		for i := 0; i < len(pairs); i += 2 {
			value, has := attr(n, pairs[i])
			fits = fits && has && (pairs[i+1] == "" || value == pairs[i+1] || pairs[i] == "class" && strings.Contains(" "+value+" ", " "+pairs[i+1]+" "))
		}
		if fits {
			list = append(list, n)
		}
	}
	return list
}

// one returns the only such element.
func one(t testing.TB, root *html.Node, element string, pairs ...string) *html.Node {
	t.Helper()
	list := all(root, element, pairs...)
	if len(list) != 1 {
		t.Fatalf("%d elements <%s %v>, want 1, in: %.2000s", len(list), element, pairs, text(root))
	}
	return list[0]
}

func attr(n *html.Node, key string) (value string, has bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// text returns the text of a node, with single spaces.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.Type == html.ElementNode && !slices.Contains([]string{"bdi", "mark", "span", "code", "small", "b"}, d.Data):
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// texts returns the texts of nodes.
func texts(list []*html.Node) []string {
	s := make([]string, len(list))
	for i, n := range list {
		s[i] = text(n)
	}
	return s
}

// described is a FHIR interface that has nothing but a description of itself.
func described(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/openapi.json") {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, `{"tags":[{"name":"Server"}],"paths":{"/metadata":{"get":{"tags":["Server"],"summary":"Read"}}}}`) // in memory
}
