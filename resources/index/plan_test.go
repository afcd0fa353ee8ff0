package index

import (
	"testing"

	"github.com/roget-health/roget/resources/definitions"
)

// TestPlans checks which parameters share their values, and how tokens are compared.
func TestPlans(t *testing.T) {
	tables := definitions.R4()
	for _, typ := range tables.Resources() {
		p, err := newPlan(tables, typ)
		if err != nil {
			t.Fatal(err)
		}
		expressions := map[uint32]string{}
		for _, param := range tables.SearchParams(typ) {
			expressions[param.Number] = param.Expression + signature(param)
		}
		for i := range p.steps {
			want := -1
			for j := range i {
				if want < 0 && expressions[p.steps[j].number] == expressions[p.steps[i].number] {
					want = j
				}
			}
			if p.steps[i].same != want {
				t.Errorf("%s: step %d has the values of %d, want %d", typ, i, p.steps[i].same, want)
			}
		}
	}
	for name, want := range map[[2]string]loose{
		{"Observation", "value-concept"}: {}, {"Observation", "code"}: {}, {"Patient", "gender"}: {}, {"Patient", "identifier"}: {strings: true},
		{"Patient", "telecom"}: {true, true}, {"Patient", "phone"}: {true, true}, {"ValueSet", "context"}: {}, {"ValueSet", "code"}: {},
	} {
		if got := looseOf(tables, tables.SearchParam(name[0], name[1])); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestCachesAreBounded fills the caches of units and of the vocabulary up to their bounds, and beyond.
func TestCachesAreBounded(t *testing.T) {
	u, v := units{known: map[string]*unit{}}, Vocabulary{seen: make(map[uint64]struct{}, 1<<20)}
	for n := range 10_000 - 1 {
		u.known[string(rune(n+0x10000))] = &unit{}
	}
	for n := range uint64(1<<20 - 1) {
		v.seen[n] = struct{}{}
	}
	for i, code := range []string{"mg", "kg"} {
		u.of(code)
		v.Add([][]byte{[]byte(code)})
		wantUnits, wantTerms := 10_000, 1<<20
		if i > 0 {
			wantUnits, wantTerms = 1, 1
		}
		if len(u.known) != wantUnits || len(v.seen) != wantTerms {
			t.Errorf("%d units and %d terms, want %d and %d", len(u.known), len(v.seen), wantUnits, wantTerms)
		}
	}
}
