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
		values := map[uint32]string{}
		for _, param := range tables.SearchParams(typ) {
			values[param.Number] = param.Expression + signature(param)
		}
		first := map[string]int{}
		for i, s := range p.steps {
			of := values[s.number]
			if want, known := first[of]; known && s.same != want || !known && s.same != -1 {
				t.Errorf("%s: step %d has the values of %d", typ, i, s.same)
			} else if !known {
				first[of] = i
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
