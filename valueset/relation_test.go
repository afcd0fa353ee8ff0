package valueset

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// harbour is a system in two versions. The newer one has more ships and one with two parents.
func harbour(t testing.TB) *world {
	old := (&system{url: "http://harbour", version: "1", concepts: []concept{
		{code: "vessel"},
		{code: "sail", parents: []string{"vessel"}},
		{code: "yawl", parents: []string{"sail"}, color: "red"},
		{code: "ketch", parents: []string{"sail"}},
		{code: "motor", parents: []string{"vessel"}},
		{code: "tug", parents: []string{"motor"}, color: "red"},
	}}).build(t)
	recent := (&system{url: "http://harbour", version: "2", concepts: slices.Concat(old.concepts, []concept{
		{code: "junk", parents: []string{"sail"}, inactive: true},
		{code: "barge", parents: []string{"motor"}},
	})}).build(t)
	mixed := (&system{url: "http://mixed", version: "1", concepts: []concept{
		{code: "a"},
		{code: "b"},
		{code: "c"},
		{code: "ab", parents: []string{"a", "b"}},
		{code: "cc", parents: []string{"c"}},
	}}).build(t)
	grammar := (&system{url: "http://grammar", version: "1", concepts: []concept{{code: "g"}, {code: "h"}}}).build(t)
	grammar.index.Header().Compositional = true
	part := (&system{url: "http://part", version: "1", content: "fragment", concepts: []concept{{code: "p"}, {code: "q"}}}).build(t)
	caps := (&system{url: "http://caps", version: "1", insensitive: true, concepts: []concept{{code: "ABC"}, {code: "X"}}}).build(t)
	return &world{systems: []*system{recent, old, mixed, part, grammar, caps, zoo(t)}}
}

// Short forms of includes.
func all(url string) r4.Include { return include(url) }

func include(canonical string) r4.Include {
	url, version, _ := strings.Cut(canonical, "|")
	return r4.Include{System: url, Version: version}
}

func codes(canonical string, list ...string) r4.Include {
	inc := include(canonical)
	inc.Concept = refs(list...)
	return inc
}

func isA(canonical, code string) r4.Include {
	return filtered(canonical, "concept is-a "+code)
}

func filtered(canonical string, filters ...string) r4.Include {
	inc := include(canonical)
	for _, f := range filters {
		p := strings.SplitN(f, " ", 3)
		inc.Filter = append(inc.Filter, r4.Filter{Property: p[0], Op: p[1], Value: p[2]})
	}
	return inc
}

func includes(inc ...r4.Include) r4.Compose { return r4.Compose{Include: inc} }

func TestCompare(t *testing.T) {
	const h, m, f, g, x = "http://harbour", "http://mixed", "http://part", "http://grammar", "http://nowhere"
	is := func(r Relation, lists ...string) Comparison {
		c := Comparison{Relation: r}
		for i, at := range []*[]string{&c.Common, &c.Missing, &c.Extra} {
			if i < len(lists) && lists[i] != "" {
				*at = strings.Split(lists[i], " ")
			}
		}
		return c
	}
	active := func(v bool, inc ...r4.Include) r4.Compose { return r4.Compose{Inactive: &v, Include: inc} }
	tests := map[string]struct {
		this, other r4.Compose
		want        Comparison
		expanded    bool // the definitions are not sufficient
	}{
		"all of a system":                {includes(all(h)), includes(all(h)), is(Same), false},
		"all, and codes of it besides":   {includes(codes(h, "tug"), all(h)), includes(all(h)), is(Same), false},
		"all, version named and default": {includes(all(h + "|2")), includes(all(h)), is(Same), false},
		"all of two versions": {
			includes(all(h + "|1")), includes(all(h)),
			is(Subset, "vessel sail yawl ketch motor tug", "", "junk barge"), true,
		},
		"all and some":                        {includes(all(h)), includes(codes(h, "tug")), is(Superset), false},
		"all and each":                        {includes(all(f)), includes(codes(f, "q", "p")), is(Same), true},
		"all and each of a complete system":   {includes(all(m)), includes(codes(m, "a", "b", "c", "cc", "ab")), is(Same), false},
		"all and what it may have":            {includes(all(f)), includes(codes(f, "q", "z")), is(Overlapping, "q", "p", "z"), true},
		"all and what it has not":             {includes(all(m)), includes(codes(m, "z")), is(Disjoint, "", "a ab b c cc"), true},
		"all and the root":                    {includes(isA(h, "vessel")), includes(all(h)), is(Same), false},
		"all and a selection of nothing":      {includes(all(h)), includes(filtered(h, "color = blue")), is(Disjoint), false},
		"all of a grammar and some":           {includes(all(g)), includes(codes(g, "g")), is(Superset), false},
		"all of a grammar and those known":    {includes(all(g)), includes(codes(g, "g", "h")), is(Same), true},
		"all of a grammar and none known":     {includes(all(g)), includes(filtered(g, "color = red")), is(Disjoint, "", "g h"), true},
		"a selection none known passes":       {includes(filtered(g, "color = red")), includes(filtered(g, "color = red")), is(Same), false},
		"all of a system nobody has, a list":  {includes(all(x)), includes(codes(x, "z")), is(Superset), false},
		"all, and listed ones it lacks":       {includes(all(m)), includes(codes(m, "z", "a")), is(Superset), false},
		"all of a system that is not there":   {includes(all(x)), includes(all(x)), is(Same), false},
		"systems in another order":            {includes(all(h), all(x)), includes(all(x), all(h)), is(Same), false},
		"a system more":                       {includes(all(h), all(x)), includes(all(h)), is(Superset), false},
		"a system less":                       {includes(all(m)), includes(all(h), all(m)), is(Subset), false},
		"other systems":                       {includes(all(h)), includes(isA(m, "a")), is(Disjoint), false},
		"other systems that are not there":    {includes(isA(x, "a")), includes(filtered(x+"y", "b = c")), is(Disjoint), false},
		"a selection of nothing more":         {includes(all(m)), includes(all(m), filtered(h, "color = blue")), is(Same), false},
		"the same codes":                      {includes(codes(h, "tug", "yawl")), includes(codes(h, "yawl", "tug", "tug")), is(Same, "tug yawl"), false},
		"more codes":                          {includes(codes(h, "tug", "yawl")), includes(codes(h, "tug")), is(Superset, "tug", "yawl"), false},
		"codes in several includes":           {includes(codes(h, "tug"), codes(h, "yawl")), includes(codes(h, "yawl", "tug")), is(Same, "tug yawl"), false},
		"codes overlap":                       {includes(codes(x, "b", "A")), includes(codes(x, "a", "B", "b")), is(Overlapping, "b", "A", "a B"), false},
		"other codes":                         {includes(codes(h, "tug")), includes(codes(h, "yawl")), is(Disjoint, "", "tug", "yawl"), false},
		"a listed code that does not exist":   {includes(codes(h, "tug", "submarine")), includes(codes(h, "tug")), is(Superset, "tug", "submarine"), false},
		"codes of two versions":               {includes(codes(h+"|1", "tug")), includes(codes(h+"|2", "tug")), is(Same, "tug"), false},
		"a code of one version, another":      {includes(codes(h+"|2", "barge")), includes(all(h + "|1")), is(Disjoint, "", "barge", "vessel sail yawl ketch motor tug"), true},
		"the last lists are told":             {includes(codes(h, "tug"), codes(m, "a")), includes(codes(h, "yawl"), codes(m, "a", "b")), is(Overlapping, "a", "", "b"), false},
		"the same branch":                     {includes(isA(h, "sail")), includes(isA(h, "sail")), is(Same), false},
		"a branch of a branch":                {includes(isA(h, "sail")), includes(isA(h, "vessel")), is(Subset), false},
		"the branch above":                    {includes(isA(h, "vessel")), includes(isA(h, "tug")), is(Superset), false},
		"other branches":                      {includes(isA(h, "sail")), includes(isA(h, "motor")), is(Disjoint), false},
		"branches that may share a concept":   {includes(isA(m, "a")), includes(isA(m, "b")), is(Overlapping, "ab", "a", "b"), true},
		"branches that share none, complete":  {includes(isA(m, "a")), includes(isA(m, "c")), is(Disjoint), false},
		"branches that share none, elsewhere": {includes(isA(m, "b")), includes(isA(m, "c")), is(Disjoint, "", "ab b", "c cc"), true},
		"branches of two versions": {
			includes(isA(h+"|1", "sail")), includes(isA(h, "sail")),
			is(Subset, "sail yawl ketch", "", "junk"), true,
		},
		"filters in another order":        {includes(filtered(h, "concept is-a sail", "color = red")), includes(filtered(h, "color = red", "concept is-a sail")), is(Same), false},
		"filters of no system":            {includes(filtered(x, "a = b")), includes(filtered(x, "a = b")), is(Same), false},
		"the same selection of nothing":   {includes(filtered(h, "color = blue")), includes(filtered(h, "color = blue")), is(Same), false},
		"one selection, named otherwise":  {includes(filtered(h, "concept is-a motor")), includes(filtered(h, "code is-a motor")), is(Same), true},
		"filters nobody knows":            {includes(filtered(h, "size = big")), includes(filtered(h, "size = big")), is(Same), false},
		"other filters":                   {includes(filtered(h, "concept is-a sail", "color = red")), includes(filtered(h, "concept is-a vessel", "color = red")), is(Subset, "yawl", "", "tug"), true},
		"filters that select nothing":     {includes(filtered(h, "color = blue")), includes(filtered(h, "color = green")), is(Empty), true},
		"filter and codes":                {includes(isA(h, "motor")), includes(codes(h, "tug", "motor", "barge")), is(Same), true},
		"includes in another order":       {includes(isA(h, "motor"), codes(h, "yawl")), includes(codes(h, "yawl"), isA(h, "motor")), is(Same), false},
		"includes that add up to as much": {includes(isA(h, "motor"), codes(h, "tug")), includes(isA(h, "motor")), is(Same), true},
		"one version in both, each in one": {
			includes(isA(h+"|2", "sail"), codes(h+"|1", "tug")), includes(isA(h+"|1", "sail"), codes(h+"|2", "tug")),
			is(Superset, "sail yawl ketch tug", "junk"), true,
		},
		"excludes": {
			r4.Compose{Include: []r4.Include{isA(h, "sail")}, Exclude: []r4.Include{codes(h, "junk")}},
			includes(codes(h, "yawl", "sail")),
			is(Superset, "sail yawl", "ketch"), true,
		},
		"active on both sides":       {active(false, all(h)), active(false, all(h)), is(Same), false},
		"active on one side":         {active(false, all(h)), includes(all(h)), is(Subset, "vessel sail yawl ketch motor tug barge", "", "junk"), true},
		"active codes":               {active(false, codes(h, "tug", "junk")), active(false, codes(h, "tug")), is(Same), true},
		"inactive, too, is the rule": {active(true, all(h)), includes(all(h)), is(Same), false},
		"an unknown version, any case": {
			includes(codes("http://caps|9", "abc", "x")), includes(codes("http://caps", "ABC")), is(Superset, "ABC", "X"), false,
		},
		"an unknown version": {includes(codes(h+"|9", "tug", "x")), includes(codes(h, "tug")), is(Superset, "tug", "x"), false},
	}
	w := harbour(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, swap := range []bool{false, true} {
				this, other, want := valueSet("", test.this), valueSet("", test.other), test.want
				if swap {
					this, other, want = other, this, mirrored(want)
				}
				got, ok, err := CompareDefinitions(context.Background(), w, this, other, VersionAsNeeded)
				if err != nil || ok == test.expanded {
					t.Fatalf("the definitions tell: %v, error %v", ok, err)
				}
				if !ok {
					got, err = compile(t, w, this).Compare(context.Background(), compile(t, w, other), VersionAsNeeded, true)
					if err != nil {
						t.Fatal(err)
					}
				}
				if !swap || !test.expanded { // the order of common codes is that of this side
					if diff := cmp.Diff(want, got); diff != "" {
						t.Error(diff)
					}
				}
				if got.Relation != want.Relation {
					t.Errorf("%s, want %s (swapped: %v)", got.Relation, want.Relation, swap)
				}
			}
		})
	}
}

func mirrored(c Comparison) Comparison {
	return Comparison{Relation: c.Relation.Swap(), Common: c.Common, Missing: c.Extra, Extra: c.Missing}
}

func TestVersionPolicy(t *testing.T) {
	w := harbour(t)
	needed := (&system{url: "http://needed", version: "1", concepts: []concept{{code: "n"}}}).build(t)
	for _, version := range []string{"1", "2"} {
		b := codesystem.NewBuilder(&r4.CodeSystem{
			Header: r4.Header{ResourceType: "CodeSystem", URL: needed.url, Version: version}, Content: "complete", VersionNeeded: true,
		})
		if _, err := b.Add(&codesystem.Concept{Code: "n", Parent: -1}); err != nil {
			t.Fatal(err)
		}
		x, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		w.systems = append(w.systems, &system{url: needed.url, version: version, concepts: needed.concepts, index: x})
	}
	const plain = "http://harbour"
	tests := []struct {
		url, code string
		policy    VersionPolicy
		want      Relation
	}{
		{plain, "tug", VersionAsNeeded, Same},
		{plain, "tug", VersionNever, Same},
		{plain, "tug", VersionAlways, Disjoint},
		{needed.url, "n", VersionAsNeeded, Disjoint},
		{needed.url, "n", VersionNever, Same},
		{needed.url, "n", VersionAlways, Disjoint},
	}
	for _, test := range tests {
		for _, make := range []func(string) r4.Include{
			func(canonical string) r4.Include { return codes(canonical, test.code) },
			func(canonical string) r4.Include { return filtered(canonical, "code = "+test.code) },
		} {
			this, other := valueSet("", includes(make(test.url+"|1"))), valueSet("", includes(make(test.url+"|2")))
			c, ok, err := CompareDefinitions(context.Background(), w, this, other, test.policy)
			if !ok && err == nil {
				c, err = compile(t, w, this).Compare(context.Background(), compile(t, w, other), test.policy, false)
			}
			if err != nil || c.Relation != test.want {
				t.Errorf("%s, policy %d: %s, %v; want %s", test.url, test.policy, c.Relation, err, test.want)
			}
		}
	}
}

func TestLongListsAreLeftOut(t *testing.T) {
	s := &system{url: "http://long", version: "1"}
	for i := range MaxComparedCodes + 2 {
		s.concepts = append(s.concepts, concept{code: fmt.Sprintf("L%05d", i)})
	}
	w := &world{systems: []*system{s.build(t)}}
	this := compile(t, w, valueSet("", includes(all(s.url))))
	other := compile(t, w, valueSet("", includes(codes(s.url, "L00007"))))
	c, err := this.Compare(context.Background(), other, VersionAsNeeded, true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Comparison{Relation: Superset, Common: []string{"L00007"}}, c); diff != "" {
		t.Error(diff)
	}
}
