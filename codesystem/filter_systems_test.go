package codesystem

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

// inWords builds a small system at a url that has its own filters: LP1 above LP2 above the terms
// 1-8 and 2-6, which are in the list LL1 and the group LG1.
func inWords(t *testing.T, url string) *Index {
	t.Helper()
	h := header(url)
	insensitive := false
	h.CaseSensitive = &insensitive
	b := NewBuilder(h)
	coding := func(property, code, display string) Property {
		return Property{Code: property, Value: r4.Value{Type: "Coding", Coding: &r4.Coding{Code: code, Display: display}}}
	}
	parent := func(code string) Property { return Property{Code: "parent", Value: r4.Code(code)} }
	for _, c := range []Concept{
		{Code: "LP1", Parent: -1},
		{Code: "LP2", Parent: -1, Properties: []Property{parent("LP1")}},
		{Code: "1-8", Parent: -1, Properties: []Property{parent("LP2"), coding("SCALE", "LP8", "Doc"), coding("STY", "T200", "Clinical, so called, Drug")}},
		{Code: "2-6", Parent: -1, Properties: []Property{parent("LP2"), coding("SCALE", "LP9", "Qn"), {Code: "made_of", Value: r4.Code("LP1")}}},
		{Code: "LL1", Parent: -1},
	} {
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	for set, members := range map[string][]string{"LL1": {"1-8"}, "LG1": {"1-8", "2-6"}} {
		if err := b.AddRefset(set, nil); err != nil {
			t.Fatal(err)
		}
		for _, code := range members {
			if err := b.AddMember(&RefsetMember{Refset: set, Component: code, Active: true}); err != nil {
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

func TestMayBeDisplay(t *testing.T) {
	for value, want := range map[string]bool{
		"LP14449-0": false, "T200": false, "": true, "Doc": true, "LP": true, "LP1": true, "LP-0": true, "LP1-": true, "LP1-10": true, "LP1a-1": true, "T20": true, "T20x": true, "T2000": true,
	} {
		if got := mayBeDisplay(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestFiltersInWordsOfTheSystem(t *testing.T) {
	loinc, rxnorm, plain := inWords(t, urlLOINC), inWords(t, urlRxNorm), inWords(t, "http://example.org/plain")
	for _, c := range []struct {
		x                   *Index
		property, op, value string
		want                string
		err                 error
	}{
		{plain, "ancestor", "=", "LP1", "1-8 2-6 LP2", nil},
		{plain, "ancestor", "in", "LP2, LP1", "1-8 2-6 LP2", nil},
		{plain, "ancestor", "not-in", "LP2", "LL1 LP1 LP2", nil},
		{plain, "ancestor", "=", "nowhere", "", ErrUnknownCode},
		{plain, "ancestor", "regex", "LP.*", "", ErrUnknownOperator},
		{plain, "descendant", "=", "1-8", "LP1 LP2", nil},
		{plain, "descendant", "in", "LP1,LP2", "LP1", nil},
		{plain, "concept", "in", "LL1", "1-8", nil},
		{plain, "concept", "in", "LL1,2-6", "2-6 LL1", nil}, // not of reference sets alone
		{plain, "concept", "in", "LL1,LG1", "1-8 2-6", nil},
		{plain, "concept", "in", "ll1", "LL1", nil}, // the code of a reference set is compared exactly
		{plain, "concept", "not-in", "LG1", "LL1 LP1 LP2", nil},
		{plain, "code", "in", "LL1", "1-8", nil},
		{plain, "SCALE", "=", "LP8", "1-8", nil},
		{plain, "SCALE", "=", "LP8\x00", "", nil},
		{plain, "SCALE", "=", "doc", "", nil}, // by display in some systems only
		{plain, "SCALE", "in", "QN,LP8", "1-8", nil},
		{plain, "SCALE", "regex", "D.c|LP9", "2-6", nil},
		{loinc, "SCALE", "=", "LP8", "1-8", nil},
		{loinc, "SCALE", "=", "doc", "1-8", nil},
		{loinc, "SCALE", "in", "QN,LP8", "1-8 2-6", nil},
		{loinc, "SCALE", "regex", "d.c|LP9", "1-8 2-6", nil},
		{loinc, "SCALE", "=", "lp8", "1-8", nil},
		{loinc, "STY", "=", "t200", "1-8", nil},
		{rxnorm, "SCALE", "=", "lp8", "", nil},
		{rxnorm, "SCALE", "regex", "d.c|LP9", "2-6", nil},
		{plain, "LIST", "=", "LL1", "", ErrUnknownProperty},
		{plain, "made_of", "=", "CUI:LP1", "", nil},
		{loinc, "LIST", "=", "LL1", "1-8", nil},
		{loinc, "LIST", "in", "LL1, LG1", "1-8 2-6", nil},
		{loinc, "LIST", "=", "LL9", "", ErrUnknownCode},
		{loinc, "LIST", "regex", "LL.*", "", ErrUnknownProperty},
		{rxnorm, "made_of", "=", "CUI:LP1", "2-6", nil},
		{rxnorm, "made_of", "in", "CUI:LP2,CUI:LP1", "2-6", nil},
		{rxnorm, "made_of", "=", "LP1", "2-6", nil},
		{rxnorm, "made_of", "=", "AUI:1", "", ErrBadFilterValue},
		{rxnorm, "STY", "=", "T200", "1-8", nil},
		{rxnorm, "STY", "=", "TUI:T200", "1-8", nil},
		{rxnorm, "STY", "=", "STY:Clinical, so called, Drug", "1-8", nil},
		{rxnorm, "STY", "=", "STN:A1.3", "", ErrBadFilterValue},
	} {
		f := r4.Filter{Property: c.property, Op: c.op, Value: c.value}
		set, err := c.x.Filter(context.Background(), f)
		if !errors.Is(err, c.err) {
			t.Errorf("%s %+v: %v, want %v", c.x.URL(), f, err, c.err)
		}
		if err != nil {
			continue
		}
		var codes []string
		for o := range Ord(c.x.Len()) {
			in, err := c.x.MatchFilter(context.Background(), f, o)
			if err != nil || in != set.Contains(o) {
				t.Errorf("%s %+v: %s is %v, in the set %v, %v", c.x.URL(), f, c.x.Code(o), in, set.Contains(o), err)
			}
			if in {
				codes = append(codes, c.x.Code(o))
			}
		}
		slices.Sort(codes)
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%s %+v: %s, want %s", c.x.URL(), f, got, c.want)
		}
	}
}
