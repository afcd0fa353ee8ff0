package resources

import (
	"testing"

	"github.com/roget-health/roget/access"
)

// TestKnownGrants checks the bounds of what is kept of grants: what was not used for longest is forgotten, and
// no longer counted.
func TestKnownGrants(t *testing.T) {
	var k knownGrants
	of := func(patient string, generation uint64) *knownGrant {
		return k.of(&access.Grant{Patient: patient}, generation)
	}
	a, b := of("a", 1), of("b", 1)
	k.grown(a, maxBlocks-1)
	k.grown(b, 1)
	if k.blocks != maxBlocks || of("b", 1) != b || of("a", 1) != a { // a is used last
		t.Fatalf("%d blocks, as many as may be kept, are forgotten", k.blocks)
	}
	k.grown(a, 1)
	if k.blocks != maxBlocks || of("b", 1) == b || of("a", 1) != a {
		t.Errorf("%d blocks, one more than are kept", k.blocks)
	}
	if k.grown(b, 7); k.blocks != maxBlocks {
		t.Errorf("a grant that is forgotten makes them %d", k.blocks)
	}
	if of("a", 2) == a || k.blocks != 0 {
		t.Errorf("%d blocks are of another generation", k.blocks)
	}

	key, r, types := ruleKey{"Patient", access.Read}, &rule{}, &typeRules{}
	a.keep(key, r, nil)
	a.keep(key, nil, types)
	if a.ruleOf(key) != r || a.rulesOf(key) != types {
		t.Error("rules are not kept")
	}
	for i := range 2*maxRulesKnown + 1 {
		of := ruleKey{"Patient", access.Actions(i % 256)}
		of.typ += string(rune('A' + i/256))
		a.keep(of, r, nil)
		a.keep(of, nil, types)
	}
	if len(a.rules) != maxRulesKnown || len(a.types) != maxRulesKnown {
		t.Errorf("%d and %d rules are kept", len(a.rules), len(a.types))
	}
}
