package httpadapter

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// validations returns the parameters of a batch that checks codings.
func validations(system string, codes ...string) string {
	var b strings.Builder
	for _, code := range codes {
		b.WriteString(`,{"name":"validation","resource":{"resourceType":"Parameters","parameter":[{"name":"coding","valueCoding":{"system":"` + system + `","code":"` + code + `"}}]}}`)
	}
	return b.String()
}

// TestInvalidRegexInPostedValueSet: an invalid regular expression of 1.3 MB is refused with the
// beginning of it, in every operation that reads value sets.
func TestInvalidRegexInPostedValueSet(t *testing.T) {
	c := newClient(t)
	const system = "http://t.example/planets"
	valueSet := `{"resourceType":"ValueSet","url":"http://t.example/vs/bad","status":"active","compose":{"include":[{"system":"` + system + `","filter":[{"property":"code","op":"regex","value":"` + strings.Repeat("(", 1_300_000) + `"}]}]}}`
	given := `{"name":"valueSet","resource":` + valueSet + `}`
	coding := `,{"name":"coding","valueCoding":{"system":"` + system + `","code":"mars"}}`
	for _, tt := range []struct {
		operation, parameters string
		status                int
	}{
		{"ValueSet/$validate-code", given + coding, 422},
		{"ValueSet/$validate-code", `{"name":"tx-resource","resource":` + valueSet + `},{"name":"url","valueUri":"http://t.example/vs/bad"}` + coding, 422},
		{"ValueSet/$expand", given, 422},
		{"ValueSet/$explain", given + coding, 200},
		{"ValueSet/$batch-validate-code", given + validations(system, "mars", "venus"), 200},
	} {
		for _, base := range []string{"/", "/r4/"} {
			r := c.do("POST", base+tt.operation, withResources(tt.parameters, planets))
			if r.status != tt.status || len(r.body) > 5<<10 || !strings.Contains(r.body, "1300000 bytes") {
				t.Errorf("%s%s: %d, %d bytes: %.300s", base, tt.operation, r.status, len(r.body), r.body)
			}
		}
	}
}

// TestManyListedCodesInPostedValueSet: the work on 500,000 codes grows with their number alone. It is
// counted in allocations for each code, and an algorithm that compares all with all would not come to
// an end.
func TestManyListedCodesInPostedValueSet(t *testing.T) {
	c := newClient(t)
	const n, system = 500_000, "http://t.example/none"
	var b strings.Builder
	b.WriteString(`{"name":"valueSet","resource":{"resourceType":"ValueSet","url":"http://t.example/vs/many","status":"active","compose":{"include":[{"system":"` + system + `","concept":[{"code":"first"}`)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `,{"code":"c%d"}`, i)
	}
	b.WriteString(`]}]}}}`)
	var codes []string
	for i := range 1000 {
		codes = append(codes, fmt.Sprint("c", n-2*i)) // of which the first is not listed
	}
	for _, tt := range []struct {
		name, operation, parameters string
		want                        string
		times                       int
		each                        float64 // allocations for each code
	}{
		{"a coding", "ValueSet/$validate-code", `,{"name":"coding","valueCoding":{"system":"` + system + `","code":"c499999"}}`, `{"name":"result","valueBoolean":true}`, 1, 2},
		{"a code without its system", "ValueSet/$validate-code", `,{"name":"code","valueCode":"c499999"}`, `{"name":"result","valueBoolean":true}`, 1, 4},
		{"no member", "ValueSet/$validate-code", `,{"name":"coding","valueCoding":{"system":"` + system + `","code":"c500000"}}`, `{"name":"result","valueBoolean":false}`, 1, 2},
		{"an expansion", "ValueSet/$expand", `,{"name":"count","valueInteger":2},{"name":"offset","valueInteger":499998}`, `"code":"c499999"`, 1, 4},
		{"a batch", "ValueSet/$batch-validate-code", validations(system, codes...), `{"name":"result","valueBoolean":true}`, 999, 3},
	} {
		body := withResources(b.String() + tt.parameters)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := c.do("POST", "/"+tt.operation, body)
		runtime.ReadMemStats(&after)
		if r.status != 200 || strings.Count(r.body, tt.want) != tt.times {
			t.Errorf("%s: %d %.500s", tt.name, r.status, r.body)
		}
		if each := float64(after.Mallocs-before.Mallocs) / n; each > tt.each {
			t.Errorf("%s: %.1f allocations for each code", tt.name, each)
		}
	}
}
