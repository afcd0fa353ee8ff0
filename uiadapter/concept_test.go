package uiadapter_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/roget-health/roget/codesystem/ecl"
	"github.com/roget-health/roget/resources/r4"
)

// section returns the text of the section with a heading.
func section(t *testing.T, root *html.Node, heading string) string {
	t.Helper()
	for _, h := range all(root, "h2") {
		if text(h) == heading {
			return strings.TrimSpace(strings.TrimPrefix(text(h.Parent), heading))
		}
	}
	t.Fatalf("no section %q in %.3000s", heading, text(root))
	return ""
}

func TestConcept(t *testing.T) {
	h := serve(t, world(t))
	root := opened(t, h, address("concept", "system", plants, "code", "apple"))
	if got := texts(all(one(t, root, "nav", "class", "path"), "li")); !slices.Equal(got, []string{"Plants of the garden", "Plant", "Tree"}) {
		t.Errorf("path %q", got)
	}
	if got := text(one(t, root, "h1")); got != "Apple tree" {
		t.Errorf("heading %q", got)
	}
	for heading, parts := range map[string][]string{
		"Names":            {"Apple tree", "Malus domestica", "Apfelbaum", "Display"},
		"Attributes":       {"grows-with", "Mint mint"},
		"Properties":       {"height 400"},
		"In the hierarchy": {"Parents 2", "Tree tree", "Fruit plant fruit", "2 paths lead here", "Children 1", "Dwarf apple tree dwarf", "Siblings 1 below", "Pear tree pear"},
		"History":          {"2.0", "1.0", "active"},
		"Concepts above":   {"Plant", "Fruit plant", "Apple tree"},
	} {
		got := section(t, root, heading)
		for _, part := range parts {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %q: %s", heading, part, got)
			}
		}
	}
	if !strings.Contains(text(root), "A tree that bears apples.") {
		t.Error("the definition is not there")
	}
}

func TestConceptInactive(t *testing.T) {
	h := serve(t, world(t))
	for _, tt := range []struct{ system, code, want string }{
		{plants, "old", "This code is inactive: do not use it in new data. replaced by Apple tree apple"},
		{sct, "300", "This code is inactive: do not use it in new data. same as Fracture of femur 200"},
	} {
		root := opened(t, h, address("concept", "system", tt.system, "code", tt.code))
		if got := text(one(t, root, "div", "class", "notice")); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.code, got, tt.want)
		}
	}
}

// The diagram of a definition has the concept, its parents and its attributes in groups.
func TestConceptMeaning(t *testing.T) {
	h := serve(t, world(t))
	root := opened(t, h, address("concept", "system", sct, "code", "200"))
	if got := section(t, root, "Attributes"); got != "Group 1 Finding site Femur 100 Associated morphology Fracture form 101" {
		t.Errorf("attributes %q", got)
	}
	drawing := all(root, "svg")[0]
	var boxes []string
	for _, g := range all(drawing, "g") {
		class, _ := attr(g, "class")
		var lines []string
		for _, line := range all(g, "text") {
			lines = append(lines, text(line))
		}
		boxes = append(boxes, strings.TrimPrefix(class, "box ")+" "+strings.Join(lines, " "))
	}
	want := []string{"focus Fracture of femur", "sign ≡", "concept Finding", "attribute Finding site", "concept Femur", "attribute Associated morphology", "concept Fracture form", "knot "}
	if !slices.Equal(boxes, want) {
		t.Errorf("boxes %q, want %q", boxes, want)
	}
	if got := text(one(t, drawing, "desc")); !strings.Contains(got, "Fracture of femur · 200 ≡ Finding · 404684003") {
		t.Errorf("described as %q", got)
	}
	if got := section(t, root, "Names"); strings.Count(got, "Fracture of femur (disorder)") != 1 || !strings.Contains(got, "Fully specified name") {
		t.Errorf("names %q", got)
	}
}

// What is to be copied can be read by programs.
func TestConceptCopies(t *testing.T) {
	h := serve(t, world(t))
	for _, tt := range []struct{ system, code, constraint string }{
		{sct, "200", "<< 200"}, {plants, "apple", "<< code#apple |Apple tree|"}, {hostile, "javascript:alert(4)", `<< code#"javascript:alert(4)" |esrever|`},
	} {
		root := opened(t, h, address("concept", "system", tt.system, "code", tt.code))
		copied := map[string]string{}
		for _, pre := range all(root, "pre") {
			id, _ := attr(pre, "id")
			copied[strings.TrimPrefix(id, "copy-")] = pre.FirstChild.Data
		}
		var coding r4.Coding
		if err := json.Unmarshal([]byte(copied["coding"]), &coding); err != nil || coding.System != tt.system || coding.Code != tt.code {
			t.Errorf("%s: Coding %s, %v", tt.code, copied["coding"], err)
		}
		var element struct{ Code string }
		if err := json.Unmarshal([]byte(copied["json"]), &element); err != nil || element.Code != tt.code {
			t.Errorf("%s: JSON %s, %v", tt.code, copied["json"], err)
		}
		if constraint, found := copied["ecl"]; found {
			if _, err := ecl.Parse(constraint); err != nil || constraint != tt.constraint {
				t.Errorf("%s: constraint %s, %v", tt.code, constraint, err)
			}
		} else if tt.code != "200" { // which is too short for an identifier of SNOMED CT
			t.Errorf("%s has no constraint", tt.code)
		}
		if request := copied["curl"]; !strings.HasPrefix(request, "curl -H 'Accept: application/fhir+json' 'https://example.org/fhir/CodeSystem/$lookup?code=") || strings.Count(request, "'") != 4 {
			t.Errorf("%s: request %s", tt.code, request)
		}
		for _, button := range all(root, "button", "data-copy", "") {
			id, _ := attr(button, "data-copy")
			one(t, root, "", "id", id)
		}
	}
}

func TestUses(t *testing.T) {
	h := serve(t, world(t))
	for _, tt := range []struct {
		system, code string
		want         []string
	}{
		{plants, "apple", []string{"Trees http://example.org/vs/trees", "to 100 Femur", "wider", "roughly", "Plants to findings", "It took the place of", "Old apple tree"}},
		{plants, "mint", []string{"No loaded value set has it.", "No loaded map names it.", "grows-with 1", "Apple tree apple"}},
		{sct, "100", []string{"from apple Apple tree", "narrower", "Finding site 1", "Fracture of femur 200"}},
		{sct, "200", []string{"A reference set 777", "same as Fractured femur 300"}},
	} {
		for _, part := range []bool{false, true} {
			status, root := open(t, h, address("uses", "system", tt.system, "code", tt.code), part)
			got := text(root)
			for _, want := range tt.want {
				if status != http.StatusOK || !strings.Contains(got, want) {
					t.Errorf("%s lacks %q: status %d: %s", tt.code, want, status, got)
				}
			}
		}
	}
}

func TestConceptErrors(t *testing.T) {
	h := serve(t, world(t))
	for _, tt := range []struct {
		pairs  []string
		status int
	}{
		{[]string{"system", plants, "code", "unicorn"}, http.StatusNotFound},
		{[]string{"system", "http://nowhere", "code", "x"}, http.StatusNotFound},
		{[]string{"system", plants}, http.StatusBadRequest},
		{[]string{"system", plants, "version", "1.0", "code", "rose"}, http.StatusOK},
		{[]string{"system", plants, "code", "rose"}, http.StatusNotFound},
	} {
		for _, page := range []string{"concept", "uses"} {
			if status, root := open(t, h, address(page, tt.pairs...), false); status != tt.status {
				t.Errorf("%s %q: status %d, want %d: %s", page, tt.pairs, status, tt.status, text(root))
			}
		}
	}
}

var keyOfText = regexp.MustCompile(`\b(concept|find|tree)\.[a-z]`)

// All texts of these rooms are there in all languages.
func TestLanguagesOfRooms(t *testing.T) {
	h := serve(t, world(t))
	for lang, want := range map[string]string{"en": "Show in the hierarchy", "de": "In der Hierarchie zeigen", "fr": "Montrer dans la hiérarchie", "es": "Mostrar en la jerarquía"} {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, address("concept", "system", plants, "code", "old"), http.NoBody)
		r.Header.Set("Accept-Language", lang)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		page := w.Body.String()
		if !strings.Contains(page, want) || keyOfText.MatchString(page) {
			t.Errorf("in %s: the page lacks %q or has a key of a text", lang, want)
		}
	}
}
