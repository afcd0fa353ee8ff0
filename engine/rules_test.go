package engine_test

import (
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// TestUnder checks that engines under different rules share what is published, whichever engine it is
// published to.
func TestUnder(t *testing.T) {
	clinical := zoo(t)
	ecosystem := clinical.Under(engine.Ecosystem)
	if clinical.Rules() != engine.Clinical || ecosystem.Rules() != engine.Ecosystem {
		t.Fatalf("rules %v and %v", clinical.Rules(), ecosystem.Rules())
	}
	if ecosystem.Under(engine.Clinical) != clinical || clinical.Under(0) != clinical || clinical.Under(9) != clinical {
		t.Error("an engine has several engines for the same rules")
	}
	if engine.New(engine.WithRules(engine.Ecosystem)).Rules() != engine.Ecosystem {
		t.Error("WithRules has no effect")
	}
	for i, e := range []*engine.Engine{clinical, ecosystem} {
		before := e.Generation()
		x := teaSystem(t, string(rune('1'+i)), func(h *r4.CodeSystem) { h.URL = "http://example.org/under" })
		if err := e.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
			t.Fatal(err)
		}
		if clinical.Generation() != ecosystem.Generation() || clinical.Generation() == before {
			t.Errorf("generations %d and %d after %d", clinical.Generation(), ecosystem.Generation(), before)
		}
		for _, of := range []*engine.Engine{clinical, ecosystem} {
			if got, err := of.System("http://example.org/under", x.Version()); err != nil || got != x {
				t.Errorf("%v does not see what was published: %v", of.Rules(), err)
			}
		}
	}
	if n := testing.AllocsPerRun(100, func() { clinical.Under(engine.Ecosystem).Under(engine.Clinical) }); n != 0 {
		t.Errorf("Under allocates %v times", n)
	}
}

// TestWithKeepsRules checks that an engine with resources of a request follows the rules of the
// engine that it was made from.
func TestWithKeepsRules(t *testing.T) {
	for _, rules := range []engine.Rules{engine.Clinical, engine.Ecosystem} {
		e, err := zoo(t).Under(rules).With(engine.CodeSystemEntry(teaSystem(t, "1", func(h *r4.CodeSystem) { h.URL = "http://example.org/more" }), "test"))
		if err != nil {
			t.Fatal(err)
		}
		if e.Rules() != rules || e.Under(engine.Ecosystem).Rules() != engine.Ecosystem {
			t.Errorf("made under %v: %v", rules, e.Rules())
		}
		if _, err := e.Under(engine.Ecosystem).System("http://example.org/more", "1"); err != nil {
			t.Error(err)
		}
	}
}

func TestParseRules(t *testing.T) {
	for _, rules := range []engine.Rules{engine.Clinical, engine.Ecosystem} {
		if got, err := engine.ParseRules(rules.String()); err != nil || got != rules {
			t.Errorf("%v: %v %v", rules, got, err)
		}
	}
	for _, name := range []string{"", "Clinical", "strict", "0"} {
		if got, err := engine.ParseRules(name); err == nil || got != 0 {
			t.Errorf("%q is taken for %v", name, got)
		}
	}
	if text := engine.Rules(0).String() + engine.Rules(200).String(); text != "" {
		t.Errorf("names of no rules: %q", text)
	}
}
