package terminology_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/roget-health/roget/resources/sharedtest"
)

// What follows reads the files of ../shared with encoding/json alone, to know what the tools
// must answer.

// A classification is a code system as its file has it.
type classification struct {
	url   string
	codes map[string]*entry
	lower map[string]map[string]bool // children, once they are asked for
}

type entry struct {
	display      string
	parents      []string
	inactive     bool
	designations map[string][]string // by language
	properties   map[string][]string
}

type concept struct {
	Code, Display string
	Designation   []struct{ Language, Value string }
	Property      []map[string]any
	Concept       []concept
}

// classificationOf reads a CodeSystem.
func classificationOf(t testing.TB, doc []byte) *classification {
	t.Helper()
	var cs struct {
		URL     string
		Concept []concept
	}
	if err := json.Unmarshal(doc, &cs); err != nil {
		t.Fatal(err)
	}
	c := &classification{url: cs.URL, codes: map[string]*entry{}}
	c.add(cs.Concept, "")
	return c
}

func (c *classification) add(list []concept, parent string) {
	for i := range list {
		x := &list[i]
		e := c.codes[x.Code]
		if e == nil {
			e = &entry{designations: map[string][]string{}, properties: map[string][]string{}}
			c.codes[x.Code] = e
		}
		e.display = x.Display
		if parent != "" {
			e.parents = append(e.parents, parent)
		}
		for _, d := range x.Designation {
			e.designations[d.Language] = append(e.designations[d.Language], d.Value)
		}
		for _, p := range x.Property {
			name, value := p["code"].(string), ""
			for key, v := range p {
				if strings.HasPrefix(key, "value") {
					doc, _ := json.Marshal(v)
					value = strings.Trim(string(doc), `"`)
					if s, ok := v.(string); ok {
						value = s
					}
				}
			}
			switch {
			case name == "parent":
				e.parents = append(e.parents, value)
			case name == "inactive" && value == "true":
				e.inactive = true
			}
			e.properties[name] = append(e.properties[name], value)
		}
		c.add(x.Concept, x.Code)
	}
}

// ancestors returns a code and all above it.
func (c *classification) ancestors(code string) map[string]bool {
	all := map[string]bool{}
	var walk func(string)
	walk = func(code string) {
		if e := c.codes[code]; e != nil && !all[code] {
			all[code] = true
			for _, p := range e.parents {
				walk(p)
			}
		}
	}
	walk(code)
	return all
}

// below returns a code and all below it.
func (c *classification) below(root string) map[string]bool {
	all := map[string]bool{}
	var walk func(string)
	walk = func(code string) {
		if !all[code] {
			all[code] = true
			for child := range c.children(code) {
				walk(child)
			}
		}
	}
	walk(root)
	return all
}

// children returns the codes that have a parent.
func (c *classification) children(parent string) map[string]bool {
	if c.lower == nil {
		c.lower = map[string]map[string]bool{}
		for code, e := range c.codes {
			for _, p := range e.parents {
				if c.lower[p] == nil {
					c.lower[p] = map[string]bool{}
				}
				c.lower[p][code] = true
			}
		}
	}
	return c.lower[parent]
}

// withWords counts the codes with a text that has words beginning with all of some words.
func (c *classification) withWords(want []string) int {
	n := 0
	for code, e := range c.codes {
		texts := []string{code, e.display}
		for _, list := range e.designations {
			texts = append(texts, list...)
		}
		for _, text := range texts {
			if begins(text, want) {
				n++
				break
			}
		}
	}
	return n
}

func begins(text string, want []string) bool {
	have := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range want {
		found := false
		for _, h := range have {
			found = found || strings.HasPrefix(h, w)
		}
		if !found {
			return false
		}
	}
	return true
}

// mapping reads the targets of a ConceptMap by code.
func mapping(t testing.TB, doc []byte) map[string][]string {
	t.Helper()
	var m struct {
		Group []struct {
			Element []struct {
				Code   string
				Target []struct{ Code string }
			}
		}
	}
	if err := json.Unmarshal(doc, &m); err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, g := range m.Group {
		for _, e := range g.Element {
			for _, target := range e.Target {
				if target.Code != "" {
					all[e.Code] = append(all[e.Code], target.Code)
				}
			}
		}
	}
	return all
}

// An oracle knows what the files have.
type oracle struct {
	systems   map[string]*classification
	maps      map[string]map[string][]string
	valueSets map[string]map[string]bool // codes of value sets of R4, of those that list or take whole systems
}

func newOracle(t testing.TB) *oracle {
	t.Helper()
	o := &oracle{systems: map[string]*classification{}, maps: map[string]map[string][]string{}, valueSets: map[string]map[string]bool{}}
	for key, path := range map[string]string{
		"icd10": "icd10cm/CodeSystem-icd-10-cm.json.gz", "hpo": "hpo/CodeSystem-hpo.json.gz", "so": "so/CodeSystem-so.json.gz",
		"iso3166": "iso-codes/CodeSystem-iso-3166-1.json.gz", "icd9": "icd-gem/CodeSystem-icd-9-cm.json.gz",
	} {
		o.systems[key] = classificationOf(t, sharedtest.Unzipped(t, sharedtest.Path(t, "data/"+path)))
	}
	for key, path := range map[string]string{"10to9": "ConceptMap-icd-10-cm-to-icd-9-cm.json.gz", "9to10": "ConceptMap-icd-9-cm-to-icd-10-cm.json.gz"} {
		o.maps[key] = mapping(t, sharedtest.Unzipped(t, sharedtest.Path(t, "data/icd-gem/"+path)))
	}
	r4 := map[string]*classification{}
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/codesystems.ndjson.gz")) {
		c := classificationOf(t, line)
		r4[c.url] = c
	}
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/valuesets.ndjson.gz")) {
		var vs struct {
			URL     string
			Compose struct {
				Include []struct {
					System  string
					Concept []concept
				}
			}
		}
		if err := json.Unmarshal(line, &vs); err != nil {
			t.Fatal(err)
		}
		codes := map[string]bool{}
		for _, include := range vs.Compose.Include {
			for i := range include.Concept {
				codes[include.Concept[i].Code] = true
			}
			if c := r4[include.System]; c != nil && len(include.Concept) == 0 {
				for code := range c.codes {
					codes[code] = true
				}
			}
		}
		o.valueSets[vs.URL] = codes
	}
	for _, c := range r4 {
		o.systems[c.url] = c
	}
	for _, key := range []string{"icd10", "hpo", "so", "iso3166", "icd9"} {
		o.systems[o.systems[key].url] = o.systems[key]
	}
	return o
}
