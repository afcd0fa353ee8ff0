package ecl

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
)

// fuzzWorld has some of everything.
func fuzzWorld() *world {
	w := &world{detailed: true}
	for i, code := range []string{"100000", "100001", "100002", "100003", "100004", "100005"} {
		c := &worldConcept{code: code, module: worldModules[i%2], time: worldTimes[i%3], defined: i%2 == 0, display: worldWords[i], inactive: i == 5}
		if i > 0 {
			c.parents = w.concepts[i/2 : i/2+1]
			c.rels = []worldRel{{"100001", "Code", "100003", i % 3}, {"100002", "Code", "100004", i % 2}, {"100004", "Integer", "1", 0}}
		}
		c.descriptions = []worldDescription{{
			id: code + "0", text: worldWords[i], language: "en", use: synonymType, module: worldModules[0], time: worldTimes[0],
			accept: map[string]bool{worldDialect[0]: true},
		}}
		w.concepts = append(w.concepts, c)
	}
	w.concepts[2].descriptions[0].accept["100003"] = false
	w.refsets = []*worldRefset{{
		code:    "900000000000527005",
		columns: []codesystem.RefsetColumn{{Name: targetField, Type: codesystem.RefsetConcept}},
		rows:    []worldRow{{component: w.concepts[5], active: true, module: "900001", time: "20200101", values: []string{"100003"}}},
	}}
	return w
}

// FuzzEvaluate looks for panics, and for sets that disagree with single concepts.
func FuzzEvaluate(f *testing.F) {
	for _, p := range productions {
		for _, c := range p.cases {
			f.Add(c[0])
		}
	}
	f.Add("^ [targetComponentId] * {{ M targetComponentId = << 100001 }} {{ + HISTORY-MAX }}")
	f.Add("* : [0..1] { 100001 = * , [0..0] 100002 != 100004 } , R << 100001 = *")
	f.Add(`!!> (* {{ term = "h", dialect = en-us (prefer) }} . (100001 OR 100002))`)
	x := fuzzWorld().index(f)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		plan, err := Compile(x, e)
		if err != nil {
			if sentinelOf(err) == nil {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		set, err := plan.Set(context.Background())
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for o := range uint32(x.Len()) {
			if in, err := plan.Contains(context.Background(), o); err != nil || in != set.Contains(o) {
				t.Fatalf("%q: contains %s: %v %v", text, x.Code(o), in, err)
			}
		}
	})
}

// TestAlternateIdentifiers finds concepts by what other schemes call them.
func TestAlternateIdentifiers(t *testing.T) {
	w := fuzzWorld()
	w.concepts[2].rels = append(w.concepts[2].rels, worldRel{"705114005", "String", "54486-6", 0}, worldRel{"atc", "String", "C01 A", 0})
	x := w.index(t)
	for text, want := range map[string]string{
		"LOINC#54486-6": "100002", `"atc#C01 A"`: "100002", "code#100003": "100003", "example#100003": "100003",
		"LOINC#1": "", "code#1": "", "icd#A": "",
		"* : code#100001 = 100003 {{ C active = 1 }}": "100001",
	} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		set, err := Evaluate(context.Background(), x, e)
		if want == "" {
			if !errors.Is(err, ErrUnknownConcept) {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if o, ok := x.Find(want); err != nil || !ok || !set.Contains(o) {
			t.Errorf("%s: %v, %v", text, set, err)
		}
	}
}

// TestNumbers parses numbers of any precision, up to a length.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Repeat("1", longestNumber): true, strings.Repeat("1", longestNumber+1): false,
		"1e-999": true, "1E-1000": false, "1234567.25": true, "x": false, "": false,
	} {
		if _, ok := rational(text); ok != want {
			t.Errorf("%.20s, %d bytes: %v", text, len(text), ok)
		}
	}
}

// TestPatterns compares texts with patterns.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"cardi*opathy", "Cardiomyopathy", true},
		{"cardi*opathy", "atrial cardiopathy", false},
		{"*itis", "Tonsillitis", true},
		{"a*", "a", true},
		{"a*a", "a", false},
		{"*", "", true},
		{`a\*b`, "a*b", true},
		{`a\*b`, "axb", false},
		{`a\*`, "a*", true},
		{`a\\b`, `a\b`, true},
		{"resume", "Résumé", true},
		{"résumé", "RÉSUMÉ", true},
		{"résumé", "resume", false},
		{"*a*b*c*", "xxaxbxcx", true},
		{"*a*b*c*", "xxcxbxax", false},
	} {
		p := newPattern(c.pattern)
		if got := p.matches(c.text); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.text, got)
		}
	}
}
