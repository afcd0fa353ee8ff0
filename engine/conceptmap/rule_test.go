package conceptmap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// text writes a clause as a rule does.
func (c clause) text() string {
	if c.operator == "" {
		return "IFA " + c.concept
	}
	return "IFA " + c.concept + " " + c.operator + " " + strconv.FormatFloat(c.value/1000, 'f', 3, 64) + " s"
}

// ruleText writes clauses as one rule.
func ruleText(list []clause) string {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.text())
	}
	return strings.Join(texts, " AND ")
}

func TestParseRule(t *testing.T) {
	for rule, want := range map[string]string{
		"TRUE": "", "OTHERWISE TRUE": "", " otherwise true ": "",
		"IFA 248152002 | Female (finding) |": "IFA 248152002",
		"IFA 248152002":                      "IFA 248152002",
		"IFA 445518008 | Age at onset of clinical finding (observable entity) | < 28.0 days": "IFA 445518008 < 2419200.000 s",
		"IFA 445518008 | x | >= 12.0 years AND IFA 445518008|x|<19 YEARS":                    "IFA 445518008 >= 378691200.000 s AND IFA 445518008 < 599594400.000 s",
		"ifa 424144002 = 1 month AND IFA 123456 | or (x) AND y |":                            "IFA 424144002 = 2629800.000 s AND IFA 123456",

		"":                                      "position 0: want TRUE, OTHERWISE TRUE or IFA",
		"OTHERWISE":                             "position 9: want TRUE",
		"TRUE AND TRUE":                         "position 5: want the end",
		"IFA 12345 | x |":                       "position 4: want an identifier of 6 to 18 digits",
		"IFA 248152002 | Female":                "position 14: the term has no end",
		"IFA 248152002 OR IFA 248153007":        "position 14: want AND or the end",
		"IFA 248152002 AND":                     "position 17: want TRUE, OTHERWISE TRUE or IFA",
		"IFA 445518008 => 1 a":                  "position 14: want <, <=, =, >= or >",
		"IFA 445518008 < 1.2.3 a":               "position 16: want a number",
		"IFA 445518008 < 12":                    "position 18: want a unit from seconds to years",
		"IFA 445518008 < 12 decades":            "position 19: want a unit from seconds to years",
		" x":                                    "position 1: want TRUE, OTHERWISE TRUE or IFA",
		"IFA 1234567890123456789":               "position 4: want an identifier of 6 to 18 digits",
		"IFA 123456789012345678 ||":             "IFA 123456789012345678",
		"TRUE" + strings.Repeat(" ", maxRule-4): "",
		"TRUE" + strings.Repeat(" ", maxRule-3): "position 4096: the rule is too long",
	} {
		list, err := parseRule(rule)
		got := ruleText(list)
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "at ")
		}
		if got != want {
			t.Errorf("%.60q: got %s, want %s", rule, got, want)
		}
	}
}

// FuzzParseRule: what is read has a normal form that reads the same; errors have a place in the text.
func FuzzParseRule(f *testing.F) {
	f.Add("IFA 445518008 | Age at onset of clinical finding (observable entity) | >= 12.0 years AND IFA 248152002 | Female (finding) |")
	f.Add("IFA 123456 | a || b | < 1 s")
	f.Fuzz(func(t *testing.T, rule string) {
		list, err := parseRule(rule)
		if err != nil {
			offset := -1
			if _, failed := fmt.Sscanf(err.Error(), "at position %d: ", &offset); failed != nil || offset < 0 || offset > len(rule) {
				t.Fatalf("%q: %v", rule, err)
			}
			return
		}
		normal := ruleText(list)
		if normal == "" || len(normal) > maxRule {
			return
		}
		again, err := parseRule(normal)
		if err != nil || ruleText(again) != normal {
			t.Fatalf("%q: %q, then %v", rule, normal, err)
		}
	})
}

// A ruled is a row of a map with rules.
type ruled struct {
	group, priority int
	rule, target    string
}

// The concepts of the tests, with their parents.
const source, disease, narrow, other = "32398004", "64572001", "10509002", "195967001"

var above = map[string]string{source: disease, narrow: source, other: disease}

// decided translates the source by rows and returns the targets with what was decided.
func decided(t failing, rows []ruled, facts ...r4.ConceptMapDependsOn) ([]Match, error) {
	t.Helper()
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: sct, Version: "1", Status: "active"}, Content: "complete"})
	for _, code := range []string{disease, source, narrow, other, male, female} {
		c := codesystem.Concept{Code: code, Parent: -1}
		if up := above[code]; up != "" {
			c.Properties = []codesystem.Property{{Code: "parent", Value: r4.Code(up)}}
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddRefset(icd10Map, []codesystem.RefsetColumn{
		{Name: "mapGroup", Type: codesystem.RefsetInteger}, {Name: "mapPriority", Type: codesystem.RefsetInteger}, {Name: "mapRule", Type: codesystem.RefsetString}, {Name: "mapTarget", Type: codesystem.RefsetString},
	}); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		m := codesystem.RefsetMember{Refset: icd10Map, Component: source, Active: true, Values: []string{fmt.Sprint(r.group), fmt.Sprint(r.priority), r.rule, r.target}}
		if err := b.AddMember(&m); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	set, _ := x.Refset(icd10Map)
	m, _ := NewRefset(x, set, "http://map")
	return m.Translate(context.Background(), Request{System: sct, Code: source, DependsOn: facts}, nil)
}

// say writes down targets and decisions.
func say(matches []Match) string {
	var list []string
	for i := range matches {
		list = append(list, matches[i].Concept.Code+" "+string(matches[i].Decided))
	}
	return strings.Join(list, ", ")
}

// about is a fact: a property without its prefix, =, and perhaps a system and |, and a value.
func about(text string) r4.ConceptMapDependsOn {
	property, value, _ := strings.Cut(text, "=")
	d := r4.ConceptMapDependsOn{Property: FactPrefix + property, Value: value}
	if system, code, found := strings.Cut(value, "|"); found {
		d.System, d.Value = system, code
	}
	return d
}

// TestRules evaluates rules in the shapes that the map to ICD-10 has: by gender, by age, and of
// concepts that are more specific.
func TestRules(t *testing.T) {
	infertile := []ruled{{1, 1, "IFA 248152002 | Female (finding) |", "N97.9"}, {1, 2, "IFA 248153007 | Male (finding) |", "N46"}, {1, 3, "OTHERWISE TRUE", ""}}
	bronchitis := []ruled{{1, 2, "OTHERWISE TRUE", "J40"}, {1, 1, "IFA 445518008 | Age at onset of clinical finding (observable entity) | < 15.0 years", "J20.9"}}
	specific := []ruled{
		{1, 1, "IFA " + narrow + " | x | AND IFA 424144002 | x | >= 65.0 years", "A1"},
		{1, 2, "IFA " + narrow + " | x |", "A2"},
		{1, 10, "OTHERWISE TRUE", "A9"},
		{2, 1, "TRUE", "B1"},
	}
	strange := []ruled{{1, 1, "IFA 1 | x |", "A"}, {1, 2, "IFA " + disease, "B"}, {1, 3, "TRUE", "C"}, {2, 1, "", "D"}, {3, 1, "", "E"}, {3, 2, "", "F"}}
	gender, finding, age, onset := aboutGender+"=", aboutFinding+"=", aboutAge+"=", aboutOnset+"="
	for _, tt := range []struct {
		rows  []ruled
		facts []string
		want  string
	}{
		{infertile, []string{gender + "female"}, "N97.9 decides"},
		{infertile, []string{gender + "http://hl7.org/fhir/administrative-gender|male"}, "N46 decides"},
		{infertile, []string{gender + sct + "|" + male}, "N46 decides"},
		{infertile, []string{finding + male}, "N46 decides"},
		{infertile, []string{gender + "other"}, " decides"},
		{infertile, []string{gender + "unknown"}, "N97.9 open, N46 open,  otherwise"},
		{infertile, []string{gender + "Frau"}, "error: want male, female, other, unknown or a concept"},
		{infertile, []string{gender + "http://other|female"}, "N97.9 open, N46 open,  otherwise"},
		{infertile, []string{gender + sct + "|" + female, gender + "Frau"}, "N97.9 decides"},
		{infertile, []string{gender + "unknown", gender + "Unknown"}, "N97.9 open, N46 open,  otherwise"},
		{bronchitis, []string{onset + "14.9 a"}, "J20.9 decides"},
		{bronchitis, []string{onset + "15 a", onset + "180 mo"}, "J40 decides"},
		{bronchitis, []string{age + "3 mo"}, "J20.9 open, J40 otherwise"},
		{bronchitis, []string{onset + "young"}, `error: at position 0: want a number`},
		{bronchitis, []string{onset + "1 a b"}, `error: at position 4: want the end`},
		{bronchitis, []string{onset + "1 a", onset + "2 a"}, "error: another time is given too"},
		{bronchitis, []string{onset + "http://loinc.org|1 a"}, "J20.9 open, J40 otherwise"},
		{bronchitis, []string{onset + "1 a", onset + "in the first year"}, "J20.9 decides"},
		{bronchitis, []string{onset + "http://loinc.org|x"}, "J20.9 open, J40 otherwise"},
		{bronchitis, []string{"272741003=1 a"}, "J20.9 open, J40 otherwise"}, // of another observable
		{[]ruled{{1, 1, "IFA 999999", "A"}, {1, 2, "TRUE", "B"}}, []string{finding + narrow}, "B decides"},
		{bronchitis, []string{"272741003=7771000"}, "J40 , J20.9 "}, // no fact of these
		{specific, []string{finding + narrow, age + "70 a"}, "A1 decides, B1 decides"},
		{specific, []string{finding + narrow}, "A1 open, A2 otherwise, B1 decides"},
		{specific, []string{finding + other}, "A9 decides, B1 decides"},
		{specific, []string{finding + "999"}, "error: no concept of " + sct + "|1"},
		{specific, []string{finding + narrow, finding + sct + "|999"}, "error: no concept of " + sct + "|1"},
		{specific, []string{finding + narrow, finding + "a text", finding + "http://hl7.org/fhir/sid/icd-10|J40"}, "A1 open, A2 otherwise, B1 decides"},
		{strange, []string{gender + "male"}, "A open, B otherwise, D decides, E open, F otherwise"}, // the source is a disease
	} {
		var facts []r4.ConceptMapDependsOn
		for _, text := range tt.facts {
			facts = append(facts, about(text))
		}
		matches, err := decided(t, tt.rows, facts...)
		got := say(matches)
		if err != nil {
			got = "error: " + err.Error()
			if want, ok := strings.CutPrefix(tt.want, "error: "); ok && errors.Is(err, ErrFact) && strings.Contains(got, want) {
				continue
			}
		}
		if got != tt.want {
			t.Errorf("%.60s: got %q, want %q", tt.facts, got, tt.want)
		}
	}
	matches, err := decided(t, append(specific[1:3:3], strange[0], strange[4], ruled{1, 3, "IFA 445518008 > 1 a AND IFA 445518008 < 2 a AND IFA 32398004", "X"}), about(age+"7 a"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range matches {
		got = append(got, m.Comment+" "+m.Product[len(m.Product)-1].Value)
	}
	if diff := cmp.Diff([]string{
		`Group 1, priority 1 is open, at position 4: want an identifier of 6 to 18 digits: "IFA 1 | x |". open`,
		`Group 1, priority 2 is open, it needs http://snomed.info/id/404684003: "IFA 10509002 | x |". open`,
		`Group 1, priority 3 is open, it needs http://snomed.info/id/445518008: "IFA 445518008 > 1 a AND IFA 445518008 < 2 a AND IFA 32398004". open`,
		`Group 1, priority 10 decides if none before it holds: "OTHERWISE TRUE". otherwise`,
		`Group 3, priority 1 decides: "". decides`,
	}, got); diff != "" {
		t.Error(diff)
	}
}

// A world is a patient of whom all is known.
type world struct {
	gender     string
	age, onset int // days
	findings   []string
}

// holds evaluates a clause.
func (w *world) holds(concept, operator string, limit int) bool {
	compare := func(n int) bool {
		switch operator {
		case "<":
			return n < limit
		case "<=":
			return n <= limit
		case "=":
			return n == limit
		case ">=":
			return n >= limit
		}
		return n > limit
	}
	switch concept {
	case male:
		return w.gender == "male"
	case female:
		return w.gender == "female"
	case aboutAge:
		return compare(w.age)
	case aboutOnset:
		return compare(w.onset)
	}
	for i := -1; i < len(w.findings); i++ {
		code := source
		if i >= 0 {
			code = w.findings[i]
		}
		for ; code != ""; code = above[code] {
			if code == concept {
				return true
			}
		}
	}
	return false
}

// TestRulesLaw compares rules with a search through all patients that the facts may be about: a clause
// is open if it holds for some of them only.
func TestRulesLaw(t *testing.T) {
	genders, ages := []string{"male", "female", "other"}, []int{0, 28, 4383, 23376, 30000}
	var worlds []world
	for _, gender := range genders {
		for _, age := range ages {
			for _, onset := range ages {
				for _, findings := range [][]string{nil, {narrow}, {other}, {other, narrow}} {
					worlds = append(worlds, world{gender, age, onset, findings})
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "pick") }
		is := rapid.SampledFrom(worlds).Draw(t, "patient")
		facts := []r4.ConceptMapDependsOn{about(aboutGender + "=unknown")}
		known := func(fact string) bool { return pick(fact, "not "+fact) == fact }
		var possible []world
		gender, age, onset, findings := known("gender"), known("age"), known("onset"), known("findings") && is.findings != nil
		for _, w := range worlds {
			if (!gender || w.gender == is.gender) && (!age || w.age == is.age) && (!onset || w.onset == is.onset) && (!findings || slices.Equal(w.findings, is.findings)) {
				possible = append(possible, w)
			}
		}
		if gender {
			facts = append(facts, about(aboutGender+"="+is.gender))
		}
		if age {
			facts = append(facts, about(fmt.Sprintf("%s=%d d", aboutAge, is.age)))
		}
		if onset {
			facts = append(facts, about(fmt.Sprintf("%s=%d days", aboutOnset, is.onset)))
		}
		for _, code := range is.findings {
			if findings {
				facts = append(facts, about(aboutFinding+"="+code))
			}
		}
		var rows []ruled
		var want []string
		for group := range rapid.IntRange(1, 3).Draw(t, "groups") {
			some, done := false, false
			for priority := range rapid.IntRange(1, 4).Draw(t, "rows") {
				row := ruled{group, priority, pick("TRUE", "OTHERWISE TRUE"), fmt.Sprint("t", group, priority)}
				all, any := true, true // whether each clause holds for all patients, and for some
				var texts []string
				for range rapid.IntRange(0, 2).Draw(t, "clauses") {
					concept, operator, limit := pick(male, female, disease, source, narrow, other, aboutAge, aboutOnset), "", 0
					text := pick("IFA ", "ifa  ") + concept + pick("", " | a (b) AND c | ")
					if concept == aboutAge || concept == aboutOnset {
						operator, limit = pick("<", "<=", "=", ">=", ">"), rapid.SampledFrom(ages[1:4]).Draw(t, "limit")
						text += operator + map[int]string{28: "28 d", 4383: "12.0 years", 23376: "64 a"}[limit]
					}
					texts = append(texts, text)
					holds := 0
					for i := range possible {
						if possible[i].holds(concept, operator, limit) {
							holds++
						}
					}
					all, any = all && holds == len(possible), any && holds > 0
				}
				if texts != nil {
					row.rule = strings.Join(texts, " AND ")
				}
				rows = append(rows, row)
				switch {
				case done || !any:
				case !all:
					some = true
					want = append(want, row.target+" open")
				case some:
					done = true
					want = append(want, row.target+" otherwise")
				default:
					done = true
					want = append(want, row.target+" decides")
				}
			}
		}
		matches, err := decided(t, rapid.Permutation(rows).Draw(t, "order"), facts...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Join(want, ", "), say(matches)); diff != "" {
			t.Fatalf("%+v\n%+v\n%s", rows, facts, diff)
		}
	})
}
