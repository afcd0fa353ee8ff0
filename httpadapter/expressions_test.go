package httpadapter

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/codesystem/expression/expressiontest"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// TestSearchExpressions finds conditions whose code is an expression by what it is below, and by sets
// of codes.
func TestSearchExpressions(t *testing.T) {
	c := newClient(t, func(config *Config) {
		config.Resources = resources.NewService(memory.New(), config.Engine, resources.WithTerminology(config.Engine))
	})
	if err := c.engine.Publish(engine.CodeSystemEntry(expressiontest.Edition(t), "test")); err != nil {
		t.Fatal(err)
	}
	for id, code := range map[string]string{
		"a": "asthma", "b": "asthma : severity = severe", "c": "asthma |Asthma| : severity = mild |Mild|, { site = leftLung }",
		"d": "infection : severity = severe", "e": "asthma : severity", "f": "pneumonitis + infection",
	} {
		body := fmt.Sprintf(`{"resourceType":"Condition","id":%q,"subject":{"reference":"Patient/p"},"code":{"coding":[{"system":%q,"code":%q}]}}`, id, sctSystem, expressiontest.Write(code))
		if r := c.do("PUT", "/Condition/"+id, body); r.status != 201 {
			t.Fatalf("%s: %d %s", code, r.status, r.body)
		}
	}
	for _, test := range []struct{ modifier, value, want string }{
		{"below", "asthma", "abc"},
		{"below", "lungDisorder", "abcf"},
		{"below", "infectivePneumonia", "f"},
		{"below", "fractureOfNeck", ""},
		{"below", "asthma : severity = severe", "b"},
		{"below", "disorder : severity = qualifier", "bcd"},
		{"above", "asthma : { severity = severe }", "ab"},
		{"ecl", "< disorder : severity = *", "bcd"},
		{"ecl", "<< infection MINUS << lungDisorder", "d"},
		{"in", "?fhir_vs=isa/asthma", "abc"},
		{"in", "?fhir_vs=ecl/^ refset", "a"},
		{"not-in", "?fhir_vs=isa/asthma", "def"},
	} {
		value := sctSystem + "|" + expressiontest.Write(test.value)
		if strings.HasSuffix(test.modifier, "in") {
			value = sctSystem + strings.ReplaceAll(expressiontest.Write(test.value), " ", "%20")
		}
		r := c.do("GET", "/Condition?_sort=_id&code:"+test.modifier+"="+url.QueryEscape(value), "")
		var got string
		entries, _ := at(r.want(t, 200), "entry").([]any)
		for _, e := range entries {
			got += at(e, "resource", "id").(string)
		}
		if got != test.want {
			t.Errorf("%s %s: %q, want %q", test.modifier, test.value, got, test.want)
		}
	}
	if r := c.do("GET", "/metadata?mode=terminology", ""); !strings.Contains(r.body, `"isDefault":true,"compositional":true`) {
		t.Errorf("no compositional code system: %s", r.body)
	}
}
