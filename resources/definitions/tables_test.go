package definitions_test

import (
	"fmt"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
)

func TestSearchParams(t *testing.T) {
	tables := definitions.R4()
	numbers := map[uint32]string{}
	for _, typ := range append(tables.Resources(), "Resource") {
		list := tables.SearchParams(typ)
		if len(list) < 7 {
			t.Errorf("%s: %d parameters", typ, len(list))
		}
		for i, p := range list {
			name := p.Type + "." + p.Code
			if p.Type != typ || p.Number == 0 || p.Kind == 0 || numbers[p.Number] != "" || i > 0 && list[i-1].Code >= p.Code {
				t.Errorf("%s: %+v, number of %q", name, p, numbers[p.Number])
			}
			numbers[p.Number] = name
			if tables.SearchParam(typ, p.Code) != p {
				t.Errorf("%s is not found", name)
			}
			if (p.Kind == definitions.Composite) != (len(p.Components) > 0) {
				t.Errorf("%s: components %v", name, p.Components)
			}
			for _, c := range p.Components {
				if c.Param == nil || c.Param.Kind == 0 || c.Expression == "" {
					t.Errorf("%s: component %+v", name, c)
				}
			}
			for _, target := range p.Targets {
				if !tables.IsResource(target) {
					t.Errorf("%s: target %s", name, target)
				}
			}
		}
	}
	t.Log(len(numbers))
}

func BenchmarkTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		definitions.Unpack()
	}
}

func ExampleTables_SearchParam() {
	p := definitions.R4().SearchParam("Observation", "patient")
	fmt.Println(p.Kind, p.Expression, p.Targets)
	// Output: reference Observation.subject.where(resolve() is Patient) [Patient]
}
