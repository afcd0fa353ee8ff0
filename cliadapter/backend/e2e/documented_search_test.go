package e2e_test

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/resources/synth"
)

// TestDocumentedSearches asks a server with generated resources for all that the service
// documents: each search parameter, include, compartment and hierarchy of codes.
func TestDocumentedSearches(t *testing.T) {
	t.Parallel()
	data := datasetOf(t, documentedData(t))
	s := newLoaded(backendtest.Handler(t, "--store", "sqlite:"+filepath.Join(t.TempDir(), "roget.db"), "--timeout", "5m"))
	for _, f := range data.bundles {
		s.send(t, f)
	}
	for _, typ := range slices.Sorted(maps.Keys(documentedParams)) {
		t.Run(typ, func(t *testing.T) {
			records := data.of(typ)
			if len(records) == 0 {
				t.Fatal("there are none")
			}
			one := records[len(records)/2]
			s.finds(t, wanted{target: typ + "?_id=" + one.body.first("id"), hits: []*record{one}})
			for _, p := range documentedParams[typ] {
				most, fewest := 0, len(records)
				for _, w := range wantedSearches(records, typ, p[0], p[1], p[2]) {
					s.finds(t, w)
					most, fewest = max(most, len(w.hits)), min(fewest, len(w.hits))
				}
				if most == 0 {
					t.Errorf("%s: no %s has %s", p[0], typ, p[2])
				}
				if fewest == len(records) {
					t.Errorf("%s: all that is asked for finds all %d", p[0], len(records))
				}
			}
		})
	}
	t.Run("includes", func(t *testing.T) { s.includes(t, data) })
	t.Run("compartments", func(t *testing.T) { s.compartments(t, data) })
	t.Run("terminology", func(t *testing.T) { s.terminology(t, data) })
}

// documentedData returns the resources to search: a population, resources of each type, and
// affiliations with an endpoint.
func documentedData(t *testing.T) [][]byte {
	patients := uint64(150)
	if raceDetector {
		patients = 10
	}
	lines := slices.Concat(populate(t, 1, patients), generate(t, 2, 100))
	g, err := synth.New("OrganizationAffiliation", synth.Options{Seed: 3, Values: map[string]string{"endpoint_ref": "Endpoint/1"}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(10) {
		lines = append(lines, g.Append(nil, n))
	}
	return lines
}

// finds sends a search and compares the matches with the expected ones. A resource that is included
// on several pages counts once.
func (s *loaded) finds(t *testing.T, w wanted) {
	t.Helper()
	l := s.follow(t, "/baseR4/"+w.target+"&_count=1000&_total=accurate")
	s.same(t, w.target, l.matches, w.hits)
	once := slices.CompactFunc(slices.SortedFunc(slices.Values(l.included), compareFound), func(a, b found) bool { return compareFound(a, b) == 0 })
	s.same(t, w.target+": included", once, w.included)
}

func compareFound(a, b found) int {
	return cmp.Or(cmp.Compare(a.ResourceType, b.ResourceType), cmp.Compare(a.ID, b.ID))
}

// same compares resources that were found with records, in any order. What the server has
// built in is passed over.
func (s *loaded) same(t *testing.T, what string, got []found, want []*record) {
	t.Helper()
	keys := slices.DeleteFunc(s.allOrigins(got), func(key string) bool { return strings.HasPrefix(key, "unknown ") })
	var wanted []string
	for _, r := range want {
		wanted = append(wanted, r.key)
	}
	sameKeys(t, what, keys, wanted)
}

// includes asks for each type with what its includes name.
func (s *loaded) includes(t *testing.T, data *dataset) {
	t.Helper()
	at := map[string][]*record{} // by reference and canonical
	for _, r := range data.records {
		at[r.key] = append(at[r.key], r)
		if canonical := r.body.first("url"); canonical != "" {
			at[canonical] = append(at[canonical], r)
		}
	}
	for _, include := range documentedIncludes {
		typ, name, _ := strings.Cut(include, ":")
		i := slices.IndexFunc(documentedParams[typ], func(p [3]string) bool { return p[0] == name })
		p := documentedParams[typ][i]
		w := wanted{target: typ + "?" + url.Values{"_include": {include}}.Encode(), hits: data.of(typ)}
		there := map[*record]bool{}
		for _, r := range w.hits {
			for _, value := range exactValues(r, name, p[1], p[2]) {
				for _, to := range at[value] {
					if !there[to] {
						there[to] = true
						w.included = append(w.included, to)
					}
				}
			}
		}
		if len(w.included) == 0 {
			t.Errorf("%s: nothing to include", include)
		}
		s.finds(t, w)
	}
}

// compartments asks for the resources of patients, with and without a parameter, and for
// everything of them.
func (s *loaded) compartments(t *testing.T, data *dataset) {
	t.Helper()
	patients := spread(data.of("Patient"))
	for _, typ := range documentedCompartment {
		some := 0
		for _, patient := range patients {
			of := slices.DeleteFunc(data.of(typ), func(r *record) bool { return !belongs(r, patient.key) })
			some += len(of)
			s.finds(t, wanted{target: patient.key + "/" + typ + "?", hits: of})
			for _, p := range documentedParams[typ] {
				if p[1] == "token" {
					for _, w := range wantedSearches(of, typ, p[0], p[1], p[2]) {
						w.target = patient.key + "/" + w.target
						s.finds(t, w)
					}
				}
			}
		}
		if some == 0 {
			t.Errorf("%s: nothing belongs to the patients", typ)
		}
	}
	s.everything(t, data, patients)
}

// terminology asks for conditions by the hierarchy of their codes, and by value sets: one
// that lists codes and one of a part of the hierarchy.
func (s *loaded) terminology(t *testing.T, data *dataset) {
	t.Helper()
	clinic := s.follow(t, "/baseR4/CodeSystem?"+url.Values{"url": {synth.ClinicURL}}.Encode()).matches
	if len(clinic) != 1 {
		t.Fatalf("%d code systems %s", len(clinic), synth.ClinicURL)
	}
	below := map[string]map[string]bool{} // codes under a code, and itself
	parents := map[string][]*node{}
	for _, c := range parsed(t, clinic[0].text).at("concept") { // parents come first
		code := c.first("code")
		parents[code] = c.at("property.valueCode")
		for line := []*node{{text: code}}; len(line) > 0; line = append(line[1:], parents[line[0].text]...) {
			if below[line[0].text] == nil {
				below[line[0].text] = map[string]bool{}
			}
			below[line[0].text][code] = true
		}
	}
	conditions := data.of("Condition")
	of := func(codes map[string]bool) (hits, others []*record) {
		for _, r := range conditions {
			if codes[r.body.first("code.coding.code")] {
				hits = append(hits, r)
			} else {
				others = append(others, r)
			}
		}
		return hits, others
	}
	asked := 0
	for _, code := range slices.Sorted(maps.Keys(below)) {
		hits, others := of(below[code])
		if len(below[code]) < 3 || len(hits) == 0 || len(others) == 0 {
			continue
		}
		asked++
		set := "https://example.org/ValueSet/" + code
		s.put(t, "ValueSet", code, `{"resourceType":"ValueSet","id":"`+code+`","url":"`+set+`","status":"active","compose":{"include":[{"system":"`+synth.ClinicURL+
			`","filter":[{"property":"concept","op":"is-a","value":"`+code+`"}]}]}}`)
		s.finds(t, wanted{target: "Condition?" + url.Values{"code:below": {synth.ClinicURL + "|" + code}}.Encode(), hits: hits})
		s.finds(t, wanted{target: "Condition?" + url.Values{"code:in": {set}}.Encode(), hits: hits})
		s.finds(t, wanted{target: "Condition?" + url.Values{"code:not-in": {"ValueSet/" + code}}.Encode(), hits: others})
	}
	if asked < 3 {
		t.Errorf("%d concepts have some of the conditions below them", asked)
	}
	one := conditions[0].body.first("code.coding.code")
	hits, _ := of(map[string]bool{one: true})
	s.put(t, "ValueSet", "listed", `{"resourceType":"ValueSet","id":"listed","url":"https://example.org/ValueSet/listed","status":"active","compose":{"include":[{"system":"`+
		synth.ClinicURL+`","concept":[{"code":"`+one+`"}]}]}}`)
	s.finds(t, wanted{target: "Condition?code:in=https://example.org/ValueSet/listed", hits: hits})
}

// put stores a resource.
func (s *loaded) put(t *testing.T, typ, id, body string) {
	t.Helper()
	if a := answered(s.handler, request(http.MethodPut, "/"+typ+"/"+id, "application/fhir+json", body)); a.Code != http.StatusCreated {
		t.Fatalf("%s/%s: status %d: %s", typ, id, a.Code, short(a.Body.String()))
	}
}
