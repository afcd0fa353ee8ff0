package main_test

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	roget "github.com/roget-health/roget"
	"github.com/roget-health/roget/resources/synth"
)

// A wanted search is one with the resources it should find, and those that come along.
type wanted struct {
	target   string // path and query
	hits     []*record
	included []*record
}

// wantedSearches asks a parameter for values that the records have: one that most of them
// have, one in the middle and one that few have; each with what should be found. What
// matches is decided by the words of the specification alone.
func wantedSearches(records []*record, typ, name, kind, paths string) []wanted {
	switch kind {
	case "date":
		return wantedDates(records, typ, name, paths)
	case "string":
		return wantedStrings(records, typ, name, paths)
	}
	found := map[string][]*record{} // by what is asked
	for _, r := range records {
		for _, value := range slices.Compact(slices.Sorted(slices.Values(exactValues(r, name, kind, paths)))) {
			found[value] = append(found[value], r)
		}
	}
	values := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(found[a]), len(found[b])), cmp.Compare(a, b))
	})
	if some := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(found[v]) == len(records) }); len(some) > 0 {
		values = some // what tells records apart, where there is such a value
	}
	var list []wanted
	for _, value := range spread(values) {
		list = append(list, wanted{target: typ + "?" + url.Values{name: {value}}.Encode(), hits: found[value]})
	}
	return list
}

// spread gives the first of a list, the middle one and the last two, which are often the
// same code without and with its system.
func spread[T any](list []T) []T {
	n := len(list)
	if n <= 4 {
		return list
	}
	return []T{list[0], list[n/2], list[n-2], list[n-1]}
}

// exactValues gives the values by which a record is found, in all forms.
func exactValues(r *record, name, kind, paths string) []string {
	var values []string
	add := func(system, value string) {
		if value == "" {
			return
		}
		values = append(values, escaped(value))
		if system != "" {
			values = append(values, escaped(system)+"|"+escaped(value))
		}
	}
	for path := range strings.FieldsSeq(paths) {
		for _, n := range r.body.at(path) {
			switch kind {
			case "token":
				for _, token := range tokensOf(n) {
					add(token[0], token[1])
				}
			case "telecom":
				add("", n.first("value"))
			case "email", "phone":
				if n.first("system") == kind {
					add("", n.first("value"))
				}
			case "reference":
				to := n.first("reference")
				add("", to)
				if name == "patient" && strings.HasPrefix(to, "Patient/") {
					add("", strings.TrimPrefix(to, "Patient/"))
				}
			case "uri":
				add("", n.text)
			case "canonical":
				bare, _, _ := strings.Cut(n.text, "|")
				values = append(values, bare, n.text)
			case "artifact":
				if n.first("type") == name {
					add("", n.first("resource"))
				}
			case "characteristic":
				for _, code := range tokensOf(n.get("code")) {
					for _, value := range n.at("valueBoolean") {
						values = append(values, escaped(code[0])+"|"+escaped(code[1])+"$"+value.text)
					}
					values = append(values, escaped(code[0])+"|"+escaped(code[1])) // of R4
				}
			}
		}
	}
	return values
}

// tokensOf gives system and value of what tokens are compared with.
func tokensOf(n *node) (tokens [][2]string) {
	if n.kind != '{' {
		return [][2]string{{"", n.text}}
	}
	if n.get("coding") == nil {
		n = &node{kind: '{', names: []string{"coding"}, content: []*node{n}}
	}
	for _, c := range n.at("coding") {
		tokens = append(tokens, [2]string{c.first("system"), cmp.Or(c.first("code"), c.first("value"))})
	}
	return tokens
}

// escaped writes a value so that none of it separates.
func escaped(value string) string {
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`, `$`, `\$`, `|`, `\|`).Replace(value)
}

// folded gives a text without case, accents and runs of white space.
func folded(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
	return strings.Join(strings.Fields(text), " ")
}

// wantedStrings asks for the beginnings of texts.
func wantedStrings(records []*record, typ, name, paths string) []wanted {
	texts := map[*record][]string{}
	var asked []string
	for _, r := range records {
		for path := range strings.FieldsSeq(paths) {
			for _, n := range r.body.at(path) {
				for _, text := range stringsOf(n) {
					texts[r] = append(texts[r], folded(text))
					asked = append(asked, strings.ToUpper(text), string([]rune(text)[:min(4, len([]rune(text)))]))
				}
			}
		}
	}
	slices.Sort(asked)
	var list []wanted
	for _, value := range spread(slices.Compact(asked)) {
		w := wanted{target: typ + "?" + url.Values{name: {escaped(value)}}.Encode()}
		for _, r := range records {
			if slices.ContainsFunc(texts[r], func(text string) bool { return strings.HasPrefix(text, folded(value)) }) {
				w.hits = append(w.hits, r)
			}
		}
		list = append(list, w)
	}
	return list
}

// stringsOf gives the texts of a string, a HumanName or an Address.
func stringsOf(n *node) (texts []string) {
	if n.kind == '"' {
		return []string{n.text}
	}
	for _, part := range []string{"text", "family", "given", "prefix", "suffix", "line", "city", "district", "state", "country", "postalCode"} {
		for _, text := range n.at(part) {
			texts = append(texts, text.text)
		}
	}
	return texts
}

// A span is from a time to another one, which is not part of it.
type span struct{ from, to time.Time }

// spanOf gives the time that a date, a dateTime or a Period stands for.
func spanOf(n *node) span {
	if n.kind == '{' {
		s := span{time.Time{}, time.Unix(1<<40, 0)}
		if start := n.get("start"); start != nil {
			s.from = spanOf(start).from
		}
		if end := n.get("end"); end != nil {
			s.to = spanOf(end).to
		}
		return s
	}
	for _, layout := range []struct {
		text                string
		years, months, days int
		length              time.Duration
	}{
		{"2006", 1, 0, 0, 0}, {"2006-01", 0, 1, 0, 0}, {"2006-01-02", 0, 0, 1, 0}, {time.RFC3339, 0, 0, 0, time.Second},
	} {
		if at, err := time.Parse(layout.text, n.text); err == nil {
			return span{at, at.AddDate(layout.years, layout.months, layout.days).Add(layout.length)}
		}
	}
	panic("no date: " + n.text) // the data is wrong
}

// wantedDates asks for what is on, since and until a day in the middle of all, and between
// two.
func wantedDates(records []*record, typ, name, paths string) []wanted {
	spans := map[*record][]span{}
	var starts []string
	for _, r := range records {
		for path := range strings.FieldsSeq(paths) {
			for _, n := range r.body.at(path) {
				s := spanOf(n)
				spans[r] = append(spans[r], s)
				if !s.from.IsZero() {
					starts = append(starts, s.from.UTC().Format(time.DateOnly))
				}
			}
		}
	}
	if len(starts) == 0 {
		return nil
	}
	slices.Sort(starts)
	early, middle, late := starts[len(starts)/4], starts[len(starts)/2], starts[len(starts)*3/4]
	// By the words of R4: ge holds where the range above the value overlaps that of the
	// resource, or the value contains it; so le, with the range below.
	within := func(value span) func(span) bool {
		return func(s span) bool { return !s.from.Before(value.from) && !s.to.After(value.to) }
	}
	since := func(value span) func(span) bool {
		return func(s span) bool { return s.to.After(value.to) || within(value)(s) }
	}
	until := func(value span) func(span) bool {
		return func(s span) bool { return s.from.Before(value.from) || within(value)(s) }
	}
	day := func(text string) span { return spanOf(&node{kind: '"', text: text}) }
	var list []wanted
	for _, row := range []struct {
		values []string
		holds  []func(span) bool
	}{
		{[]string{middle}, []func(span) bool{within(day(middle))}},
		{[]string{middle[:4]}, []func(span) bool{within(day(middle[:4]))}},
		{[]string{"ge" + middle}, []func(span) bool{since(day(middle))}},
		{[]string{"le" + middle}, []func(span) bool{until(day(middle))}},
		{[]string{"ge" + early, "le" + late}, []func(span) bool{since(day(early)), until(day(late))}},
	} {
		w := wanted{target: typ + "?" + url.Values{name: row.values}.Encode()}
		for _, r := range records {
			all := true
			for _, holds := range row.holds {
				all = all && slices.ContainsFunc(spans[r], holds)
			}
			if all {
				w.hits = append(w.hits, r)
			}
		}
		list = append(list, w)
	}
	return list
}

// TestDocumentedSearches asks a server with generated resources for all that the service
// documents: each search parameter, include, compartment and hierarchy of codes.
func TestDocumentedSearches(t *testing.T) {
	data := datasetOf(t, documentedData(t))
	s := newLoaded(roget.Handler(t, "--store", "sqlite:"+filepath.Join(t.TempDir(), "roget.db"), "--timeout", "5m"))
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

// documentedData gives what is searched: a population, resources of each type, and
// affiliations with an endpoint.
func documentedData(t *testing.T) [][]byte {
	patients := uint64(150)
	if raceDetector {
		patients = 10
	}
	lines := slices.Concat(populate(t, 1, patients), generate(t, 2, 30))
	g, err := synth.New("OrganizationAffiliation", synth.Options{Seed: 3, Values: map[string]string{"endpoint_ref": "Endpoint/1"}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(10) {
		lines = append(lines, g.Append(nil, n))
	}
	return lines
}

// finds sends a search and compares what is found with what should be. What is included on
// several pages counts once.
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
