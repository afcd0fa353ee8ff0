package uiadapter_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// hits returns the displays of the concepts that a page has, and other texts by which they were found.
func hits(root *html.Node) []string {
	var list []string
	for _, hit := range all(root, "a", "class", "hit") {
		list = append(list, text(all(hit, "span", "class", "name")[0]))
	}
	return list
}

func TestFind(t *testing.T) {
	h := serve(t, world(t))
	for _, tt := range []struct {
		name   string
		pairs  []string
		hits   []string
		status string
	}{
		{"words", []string{"q", "apple"}, []string{"Apple tree", "Old apple tree", "Dwarf apple tree"}, "3 concepts"},
		{"beginnings in any order", []string{"q", "tre ap"}, []string{"Apple tree", "Old apple tree", "Dwarf apple tree"}, "3 concepts"},
		{"another name", []string{"q", "malus"}, []string{"Apple tree Malus domestica"}, "1 concept"},
		{"a code", []string{"q", "dwarf"}, []string{"Dwarf apple tree"}, "1 concept"},
		{"one system", []string{"q", "fem", "system", sct}, []string{"Femur", "Fractured femur", "Fracture of femur", "Open fracture of femur"}, "4 concepts"},
		{"inactive", []string{"q", "apple", "system", plants, "status", "inactive"}, []string{"Old apple tree"}, "1 concept"},
		{"active", []string{"q", "femur", "system", sct, "status", "active"}, []string{"Femur", "Fracture of femur", "Open fracture of femur"}, "3 concepts"},
		{"a tag", []string{"q", "femur", "system", sct, "category", "disorder", "status", "active"}, []string{"Fracture of femur", "Open fracture of femur"}, "2 concepts"},
		{"a concept at the top", []string{"q", "tree", "system", plants, "category", "fruit"}, []string{"Pear tree", "Apple tree", "Dwarf apple tree"}, "3 concepts"},
		{"an older version", []string{"q", "rose", "system", plants, "version", "1.0"}, []string{"Rose"}, "1 concept"},
		{"in German", []string{"q", "baum", "lang", "de"}, []string{"Baum"}, "1 concept"},
		{"all of a system", []string{"system", plants, "status", "inactive"}, []string{"Old apple tree"}, "1 concept"},
		{"misspelled", []string{"q", "aple"}, []string{"Apple tree", "Old apple tree", "Dwarf apple tree"}, "Nothing has exactly this. Did you mean one of these?"},
		{"without a word", []string{"q", "apple xylophone", "system", plants}, []string{"Apple tree", "Old apple tree", "Dwarf apple tree"}, "Nothing has all these words. These have all but “xylophone”."},
		{"a code with its term", []string{"q", "200 |Fracture of femur|", "system", sct}, []string{"Fracture of femur"}, "Nothing has exactly this. Did you mean one of these?"},
		{"nothing", []string{"q", "photosynthesis"}, nil, "Nothing found, not even with another spelling. Try a synonym or fewer words."},
		{"in those of FHIR", []string{"q", "apple", "system", "fhir"}, []string{"Ripe apple"}, "1 concept"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := opened(t, h, address("", tt.pairs...))
			if got := hits(root); !slices.Equal(got, tt.hits) {
				t.Errorf("hits %q, want %q", got, tt.hits)
			}
			if got := text(one(t, root, "p", "role", "status")); got != tt.status {
				t.Errorf("status %q, want %q", got, tt.status)
			}
		})
	}
}

// What was sought is marked, and the address stays in the form.
func TestFindMarks(t *testing.T) {
	h := serve(t, world(t))
	root := opened(t, h, address("", "q", "appl TRE", "system", plants, "status", "active", "category", "fruit", "lang", "en"))
	if got := texts(all(root, "mark")); !slices.Equal(got, []string{"Appl", "tre", "appl", "tre"}) && !slices.Equal(got, []string{"Appl", "tre"}) {
		t.Errorf("marks %q", got)
	}
	for name, want := range map[string]string{"q": "appl TRE", "status": "active", "category": "fruit"} {
		if got, _ := attr(one(t, root, "input", "name", name), "value"); got != want {
			t.Errorf("the field %s has %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"system": plants, "lang": "en"} {
		chosen := one(t, one(t, root, "select", "name", name), "option", "selected", "")
		if got, _ := attr(chosen, "value"); got != want {
			t.Errorf("the choice %s has %q, want %q", name, got, want)
		}
	}
	for _, hit := range all(root, "a", "class", "hit") {
		if href, _ := attr(hit, "href"); !strings.Contains(href, "lang=en") {
			t.Errorf("the link %q lacks the language", href)
		}
	}
}

// Facets count what a choice would leave.
func TestFindFacets(t *testing.T) {
	h := serve(t, world(t))
	for _, tt := range []struct {
		pairs []string
		want  []string
	}{
		{[]string{"q", "femur", "system", sct}, []string{
			"all", "SNOMED CT 4", // code system
			"all 4", "active 3", "inactive 1", // status
			"all 4", "disorder 3", "body structure 1", // kind
		}},
		{[]string{"q", "femur", "system", sct, "status", "active"}, []string{
			"all", "SNOMED CT 4", "all 4", "active 3", "inactive 1", "all 3", "disorder 2", "body structure 1",
		}},
		{[]string{"q", "femur", "system", sct, "category", "body structure"}, []string{
			"all", "SNOMED CT 4", "all 1", "active 1", "all 4", "body structure 1", "disorder 3",
		}},
		{[]string{"q", "f"}, []string{
			"Plants of the garden 1", "SNOMED CT 8", "disorder 3", "attribute 1", "body structure 1", "finding 1", // the best four
			"all 9", "active 8", "inactive 1",
		}},
	} {
		root := opened(t, h, address("", tt.pairs...))
		got := texts(all(one(t, root, "aside"), "a"))
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.pairs, got, tt.want)
		}
	}
}

// Results are in pages, which lead to each other.
func TestFindPages(t *testing.T) {
	h := serve(t, world(t))
	next := address("", "q", "number", "system", wide)
	seen := map[string]bool{}
	pages := 0
	for next != "" {
		root := opened(t, h, next)
		pages++
		for _, hit := range hits(root) {
			if seen[hit] {
				t.Fatalf("%q is on two pages", hit)
			}
			seen[hit] = true
		}
		next = ""
		for _, a := range all(root, "a", "rel", "next") {
			href, _ := attr(a, "href")
			next = "/ui/" + strings.TrimPrefix(href, "./")
		}
	}
	if len(seen) != 1200 || pages != 24 {
		t.Errorf("%d concepts on %d pages, want 1200 on 24", len(seen), pages)
	}
}

// A part has what changes: the title, the status and the results.
func TestFindPart(t *testing.T) {
	h := serve(t, world(t))
	status, root := open(t, h, address("", "q", "apple"), true)
	if status != http.StatusOK || len(all(root, "header")) > 0 || len(all(root, "form")) > 0 {
		t.Errorf("status %d, %s", status, text(root))
	}
	if got := text(one(t, root, "title")); got != "apple – Find concepts · Roget" {
		t.Errorf("title %q", got)
	}
	if _, has := attr(one(t, root, "p", "role", "status"), "hx-swap-oob"); !has {
		t.Error("the status takes no other place")
	}
	later := one(t, root, "div", "class", "later")
	href, _ := attr(later, "hx-get")
	status, root = open(t, h, "/ui/"+strings.TrimPrefix(href, "./"), true)
	if got := hits(root); status != http.StatusOK || !slices.Equal(got, []string{"Ripe apple"}) || len(all(root, "p", "role", "status")) > 0 {
		t.Errorf("later: status %d, %q", status, got)
	}
}

// Code systems, value sets and maps are found by their names.
func TestFindNamed(t *testing.T) {
	h := serve(t, world(t))
	for sought, want := range map[string]string{
		"garden": "code system Plants of the garden", "trees": "value set Trees", "plants to": "map Plants to findings", "statuses": "code system Statuses of apples",
	} {
		named := all(opened(t, h, address("", "q", sought)), "section", "class", "named")
		if len(named) != 1 || !strings.HasPrefix(text(named[0]), want) {
			t.Errorf("%q: %q, want %q", sought, texts(named), want)
		}
	}
}

func TestFindErrors(t *testing.T) {
	h := serve(t, world(t))
	for _, tt := range []struct {
		pairs  []string
		status int
	}{
		{[]string{"q", strings.Repeat("x", 501)}, http.StatusBadRequest},
		{[]string{"q", "x", "status", "dead"}, http.StatusBadRequest},
		{[]string{"q", "x", "system", "http://nowhere"}, http.StatusNotFound},
		{[]string{"q", "%"}, http.StatusOK},
		{[]string{"q", "x", "from", "-5"}, http.StatusOK},
		{[]string{"q", "x", "lang", "no language"}, http.StatusOK},
	} {
		if status, root := open(t, h, address("", tt.pairs...), false); status != tt.status {
			t.Errorf("%.40q: status %d, want %d: %s", tt.pairs, status, tt.status, text(root))
		}
	}
}

// Without a loaded code system, those of FHIR are searched at once.
func TestFindBasicOnly(t *testing.T) {
	e := engine.New()
	builtIn := engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{URL: basic, Name: "Basic"}}, nil, c{code: "ripe", display: "Ripe apple"}), "built in")
	builtIn.BuiltIn = true
	if err := e.Publish(builtIn); err != nil {
		t.Fatal(err)
	}
	h := serve(t, e)
	if got := hits(opened(t, h, address("", "q", "apple"))); !slices.Equal(got, []string{"Ripe apple"}) {
		t.Errorf("hits %q", got)
	}
	if got := texts(all(opened(t, h, "/ui/tree"), "li", "class", "card")); len(got) != 1 {
		t.Errorf("code systems %q", got)
	}
	if root := opened(t, serve(t, engine.New()), "/ui/"); !strings.Contains(text(root), "roget load") {
		t.Error("an empty server does not say what to do")
	}
}

// The display of a code system that does not state its language stays, even if it has synonyms in the
// language of the reader.
func TestDisplayOfUnknownLanguage(t *testing.T) {
	e := engine.New()
	x := build(t, r4.CodeSystem{Header: r4.Header{URL: plants}}, nil,
		c{code: "water", display: "water", names: []r4.Designation{{Language: "en", Value: "H2O"}, {Language: "de", Value: "Wasser"}}})
	if err := e.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
		t.Fatal(err)
	}
	h := serve(t, e)
	for lang, want := range map[string]string{"": "water", "en": "water", "en-GB": "water", "de": "Wasser", "fr": "water"} {
		if got := text(one(t, opened(t, h, address("concept", "system", plants, "code", "water", "lang", lang)), "h1")); got != want {
			t.Errorf("in %q: %q, want %q", lang, got, want)
		}
	}
}

// Texts of language packs are found, also if they are misspelt, and by expressions.
func TestFindInLanguagePacks(t *testing.T) {
	e := world(t)
	pack := build(t, r4.CodeSystem{
		Header: r4.Header{
			URL: plants + "-it", Language: "it",
			Extension: json.RawMessage(`[{"url":"http://hl7.org/fhir/StructureDefinition/codesystem-supplement-type","valueCode":"lang-pack"}]`),
		},
		Content: "supplement", Supplements: plants,
	}, nil, c{code: "pear", display: "Pero comune"}, c{code: "mint", names: []r4.Designation{{Value: "Menta verde"}}})
	if err := e.Publish(engine.CodeSystemEntry(pack, "test")); err != nil {
		t.Fatal(err)
	}
	h := serve(t, e)
	for _, tt := range []struct {
		q, lang string
		hits    []string
	}{
		{"pero", "en", []string{"Pear tree Pero comune"}},
		{"pero", "it", []string{"Pero comune"}},
		{"verde", "en", []string{"Mint Menta verde"}},
		{"commune", "en", []string{"Pear tree Pero comune"}},
	} {
		for _, system := range []string{"", plants} {
			if got := hits(opened(t, h, address("", "q", tt.q, "lang", tt.lang, "system", system))); !slices.Equal(got, tt.hits) {
				t.Errorf("%+v in %q: %q", tt, system, got)
			}
		}
	}
	root := opened(t, h, address("ecl", "system", plants, "q", `* {{ term = "pero" }}`))
	if got := text(root); !strings.Contains(got, "Pear tree") || strings.Contains(got, "Mint") {
		t.Error(got)
	}
}
