package valueset

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// TestRelationsAgree checks laws: comparing compiled sets agrees with comparing their listed
// codes one by one, and with the definitions where these are sufficient, and all agree with the
// comparison from the other side.
func TestRelationsAgree(t *testing.T) {
	decided := map[Relation]int{}
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt, t)
		for _, vs := range w.valueSets {
			upper(vs.Compose)
		}
		policy := rapid.SampledFrom([]VersionPolicy{VersionAsNeeded, VersionAlways, VersionNever}).Draw(rt, "policy")
		this, other := drawComparable(rt, w), drawComparable(rt, w)
		if rapid.Bool().Draw(rt, "akin") {
			more := other.Compose.Include[:rapid.IntRange(0, 1).Draw(rt, "more")]
			other = valueSet("", *this.Compose)
			other.Compose.Include = rapid.Permutation(slices.Concat(this.Compose.Include, more)).Draw(rt, "order")
		}
		defined, ok, err := CompareDefinitions(context.Background(), w, this, other, policy)
		if err != nil {
			rt.Fatal(err)
		}
		back, okBack, err := CompareDefinitions(context.Background(), w, other, this, policy)
		if err != nil || ok != okBack || ok && back.Relation != defined.Relation.Swap() {
			rt.Fatalf("swapped: %v %v %v, not %v %v", back, okBack, err, defined, ok)
		}
		a, errA := Compile(context.Background(), w, this, nil)
		b, errB := Compile(context.Background(), w, other, nil)
		if errA != nil || errB != nil {
			return
		}
		want := naiveComparison(rt, a, b, policy)
		if ok {
			decided[defined.Relation]++
			// Equal definitions are the same, whether or not they select anything.
			nothing := defined.Relation == Same && want.Relation == Empty
			if defined.Relation != want.Relation && !nothing {
				rt.Fatalf("the definitions tell %s, the codes %v", defined.Relation, want)
			}
		}
		got, err := a.Compare(context.Background(), b, policy, true)
		if err != nil {
			rt.Fatal(err)
		}
		swapped, err := b.Compare(context.Background(), a, policy, true)
		if err != nil {
			rt.Fatal(err)
		}
		never, err := a.Compare(context.Background(), b, VersionNever, true)
		if err != nil {
			rt.Fatal(err)
		}
		first := rapid.IntRange(-1, 4).Draw(rt, "first")
		removed, added, err := a.Changes(context.Background(), b, first)
		if err != nil {
			rt.Fatal(err)
		}
		for codes, d := range map[*[]string]Difference{&never.Missing: removed, &never.Extra: added} {
			if d.Total != len(*codes) || !slices.Equal(d.Codes, (*codes)[:min(max(first, 1), len(*codes))]) {
				rt.Fatalf("changes, the first %d: %v, want of %v", first, d, *codes)
			}
		}
		if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
			rt.Fatal(diff)
		}
		if diff := cmp.Diff(sorted(mirrored(want)), sorted(swapped)); diff != "" {
			rt.Fatalf("swapped: %s", diff)
		}
	})
	t.Logf("told by definitions: %v", decided)
}

func sorted(c Comparison) Comparison {
	for _, list := range []*[]string{&c.Common, &c.Missing, &c.Extra} {
		if *list = slices.Clone(*list); len(*list) == 0 {
			*list = nil
		}
		slices.Sort(*list)
	}
	return c
}

// drawComparable draws a value set, usually of plain includes. Listed codes exist, or belong to a
// system that is not fully loaded.
func drawComparable(t *rapid.T, w *world) *r4.ValueSet {
	c := drawCompose(t, len(w.valueSets))
	if rapid.IntRange(0, 3).Draw(t, "plain") > 0 {
		c.Exclude = nil
		if c.Inactive != nil && rapid.Bool().Draw(t, "inactive") {
			c.Inactive = nil
		}
		c.Include = c.Include[:min(len(c.Include), rapid.IntRange(1, 2).Draw(t, "some"))]
		for i := range c.Include {
			c.Include[i] = drawInclude(t, 0)
		}
	}
	upper(&c)
	for i := range c.Include {
		inc := &c.Include[i]
		s, err := w.system(inc.System, inc.Version)
		if err == nil && closed(s.index) && len(inc.Concept) > 0 {
			inc.Concept = slices.DeleteFunc(inc.Concept, func(r r4.ConceptReference) bool { return s.find(r.Code) == nil })
			if len(inc.Concept) == 0 {
				inc.Concept = refs(s.concepts[0].code)
			}
		}
	}
	return valueSet("", c)
}

// upper spells listed codes as the systems do, because the naive comparison cannot compare codes
// of two versions regardless of case.
func upper(c *r4.Compose) {
	for _, list := range [][]r4.Include{c.Include, c.Exclude} {
		for i := range list {
			for j := range list[i].Concept {
				list[i].Concept[j].Code = strings.ToUpper(list[i].Concept[j].Code)
			}
		}
	}
}

// naiveComparison compares the listed codes of two sets one by one.
func naiveComparison(t *rapid.T, this, other *Set, policy VersionPolicy) Comparison {
	list := func(set *Set) (keys []string, code map[string]string) {
		code = map[string]string{}
		_, err := set.Page(context.Background(), PageRequest{Count: -1}, func(e *Entry) error {
			k := e.System + "#" + e.Code
			if policy == VersionAlways {
				k = nameOfEntry(e)
			}
			if _, twice := code[k]; !twice {
				code[k] = e.Code
				keys = append(keys, k)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return keys, code
	}
	a, inA := list(this)
	b, inB := list(other)
	var c Comparison
	for _, k := range a {
		if _, ok := inB[k]; ok {
			c.Common = append(c.Common, inA[k])
		} else {
			c.Missing = append(c.Missing, inA[k])
		}
	}
	for _, k := range b {
		if _, ok := inA[k]; !ok {
			c.Extra = append(c.Extra, inB[k])
		}
	}
	switch common, missing, extra := len(c.Common) > 0, len(c.Missing) > 0, len(c.Extra) > 0; {
	case !common && !missing && !extra:
		c.Relation = Empty
	case !common:
		c.Relation = Disjoint
	case missing && extra:
		c.Relation = Overlapping
	case missing:
		c.Relation = Superset
	case extra:
		c.Relation = Subset
	default:
		c = Comparison{Relation: Same}
	}
	return c
}
