package index_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

func ExampleExtractor() {
	d, err := document.Parse([]byte(`{
		"resourceType": "Observation",
		"status": "final",
		"code": {"coding": [{"system": "http://loinc.org", "code": "8480-6"}]},
		"subject": {"reference": "Patient/1"},
		"effectiveDateTime": "2024-01-31T10:15:00Z",
		"valueQuantity": {"value": 120, "system": "http://unitsofmeasure.org", "code": "mm[Hg]"}
	}`), r4.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tables := definitions.R4()
	x := index.NewExtractor(tables)
	values, err := x.Extract(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	names := map[string]string{}
	for _, p := range tables.SearchParams("Observation") {
		names[fmt.Sprintf("%08x", p.Number)] = p.Code
	}
	var lines []string
	for _, e := range append(values.Entries(nil), values.Terms(nil)...) {
		name, at := names[fmt.Sprintf("%x", e[:4])], 4
		if name == "" && len(e) > 8 && e[4] != 't' {
			name, at = names[fmt.Sprintf("%x", e[5:9])], 8
		}
		value := fmt.Sprintf("%x", e[at+1:])
		if e[4] == 'v' {
			value = fmt.Sprintf("%q", e[at+1:])
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%x %q %s %s", e[:4], e[4], value, name)))
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	// Output:
	// 00000000 't' 8275118d
	// 00000000 'v' "8480-6\x00http://loinc.org" code
	// 00000000 'v' "final\x00http://hl7.org/fhir/observation-status" status
	// 00000000 'w'  code
	// 00000000 'w'  status
	// 2d17cddb 't' e4954810d73eaa2c status
	// 7c83f595 'd' 0004018d5f03c8a0 date
	// 9e2399f3 'r' dde020d3d6c9cad0 subject
	// a34e42b0 't' 5e77fabf61b54e09 code
	// e3f24202 'x' 5e77fabf61b54e096e0380030d code-value-quantity
	// e3f24202 'x' 5e77fabf61b54e0975cb58896d03800810645729 code-value-quantity
	// eb0dfe54 'n' 0380030d value-quantity
	// eb0dfe54 'u' cb58896d03800810645729 value-quantity
}
