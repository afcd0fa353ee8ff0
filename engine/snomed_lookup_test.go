package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
)

// TestLookupGroups checks attributes, once each, and their role groups.
func TestLookupGroups(t *testing.T) {
	e := clinic(t)
	const (
		site     = "property(code=363698007 value=66754008 description=Appendix structure)"
		agent    = "property(code=246075003 value=41146007 description=Bacterium)"
		group1   = "property(code=609096000 subproperty(code=363698007 value=66754008 description=Appendix structure) subproperty(code=116676008 value=23583003 description=Inflammation))"
		group2   = "property(code=609096000 subproperty(code=370135005 value=441862004 description=Infectious process))"
		shape    = "property(code=116676008 value=23583003 description=Inflammation)"
		process  = "property(code=370135005 value=441862004 description=Infectious process)"
		parent   = "property(code=parent value=404684003 description=Clinical finding)"
		inactive = "property(code=inactive value=false)"
		defined  = "property(code=sufficientlyDefined value=true)"
		module   = "property(code=moduleId value=900000000000207008)"
		time     = "property(code=effectiveTime value=20250101)"
	)
	for _, tt := range []struct{ properties, want []string }{
		{nil, []string{parent, inactive, defined, module, time, site, shape, process, agent, group1, group2}},
		{[]string{"*"}, []string{parent, inactive, defined, module, time, site, shape, process, agent, group1, group2}},
		{[]string{"609096000"}, []string{group1, group2}},
		{[]string{"363698007"}, []string{site}},
		{[]string{"609096000", "363698007"}, []string{site, group1, group2}},
		{[]string{"246075003", "moduleId"}, []string{module, agent}},
	} {
		r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: sct, Code: "74400008", Properties: tt.properties})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range outline(t, r.AppendJSON(nil)) {
			if strings.HasPrefix(line, "property(") {
				got = append(got, line)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.properties, diff)
		}
	}
	r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: sct, Code: "74400008"})
	if err != nil {
		t.Fatal(err)
	}
	groups := 0
	for _, row := range r.Table().Rows {
		if strings.HasSuffix(row[2], "(group 1)") {
			groups++
		}
	}
	if groups != 2 {
		t.Errorf("%q", r.Table().Rows)
	}
	if n := testing.AllocsPerRun(100, func() { _ = r.AppendJSON(make([]byte, 0, 8<<10)) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
