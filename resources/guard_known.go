package resources

import (
	"encoding/binary"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
)

const (
	// maxGrantsKnown is the number of grants whose rules and verdicts are kept.
	maxGrantsKnown = 512
	// maxRulesKnown bounds the rules that are kept of a grant: there are 146 types and 5 actions.
	maxRulesKnown = 2_000
	// maxBlocks bounds the blocks of verdicts of all grants: about 16 MB.
	maxBlocks = 1 << 18
	// maxBlocksOfGrant bounds those of a grant for the same actions.
	maxBlocksOfGrant = maxBlocks / 2
)

// knownGrants keeps what was decided about grants, so that requests with equal grants share it. All
// of it is about one generation of the terminology: what is decided later is decided anew.
type knownGrants struct {
	mu         sync.Mutex
	generation uint64
	lru        *simplelru.LRU[string, *knownGrant] // nil at first
	blocks     int                                 // of all grants
}

// A knownGrant is what was decided about a grant. Its rules are those of a generation of the
// terminology; whoever holds a knownGrant may go on with it when the generation changes.
type knownGrant struct {
	mu       sync.Mutex
	rules    map[ruleKey]*rule
	types    map[ruleKey]*typeRules // by type and all actions
	verdicts map[access.Actions]*verdicts
	blocks   int  // of verdicts, that knownGrants counts
	dropped  bool // knownGrants counts them no longer
}

// of returns what is known about a grant in a generation of the terminology.
func (k *knownGrants) of(grant *access.Grant, generation uint64) *knownGrant {
	var space [512]byte
	key := string(appendGrant(space[:0], grant))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lru == nil || k.generation != generation {
		k.reset(generation)
	}
	g, known := k.lru.Get(key)
	if !known {
		g = &knownGrant{rules: map[ruleKey]*rule{}, types: map[ruleKey]*typeRules{}, verdicts: map[access.Actions]*verdicts{}}
		k.lru.Add(key, g)
	}
	return g
}

// reset forgets everything. Requests that hold a knownGrant keep it for themselves.
func (k *knownGrants) reset(generation uint64) {
	if k.lru != nil {
		k.lru.Purge()
	}
	k.lru, _ = simplelru.NewLRU(maxGrantsKnown, func(_ string, g *knownGrant) { k.blocks -= g.drop() })
	k.generation, k.blocks = generation, 0
}

// forget forgets everything.
func (k *knownGrants) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reset(k.generation)
}

// grown counts blocks that a grant has more, and forgets the grants that were not used for longest if
// there are too many.
func (k *knownGrants) grown(g *knownGrant, more int) {
	if more == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !g.grown(more) {
		return
	}
	for k.blocks += more; k.blocks > maxBlocks; {
		if _, _, found := k.lru.RemoveOldest(); !found {
			return
		}
	}
}

// grown counts blocks, and reports whether they are counted still.
func (g *knownGrant) grown(more int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.dropped {
		g.blocks += more
	}
	return !g.dropped
}

// drop ends the counting, and returns the number of blocks that were counted.
func (g *knownGrant) drop() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dropped = true
	return g.blocks
}

// ruleOf returns a rule that is known, or nil.
func (g *knownGrant) ruleOf(key ruleKey) *rule {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rules[key]
}

// rulesOf returns the rules of a type that are known, or nil.
func (g *knownGrant) rulesOf(key ruleKey) *typeRules {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.types[key]
}

// keep keeps a rule or the rules of a type.
func (g *knownGrant) keep(key ruleKey, r *rule, of *typeRules) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case r != nil && len(g.rules) < maxRulesKnown:
		g.rules[key] = r
	case of != nil && len(g.types) < maxRulesKnown:
		g.types[key] = of
	}
}

// verdictsFor returns the verdicts for actions.
func (g *knownGrant) verdictsFor(actions access.Actions) *verdicts {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.verdicts[actions]
	if v == nil {
		v = &verdicts{blocks: map[index.Seq]verdictBlock{}}
		g.verdicts[actions] = v
	}
	return v
}

// appendGrant appends what decides about resources. Different grants differ in it.
func appendGrant(b []byte, g *access.Grant) []byte {
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	text(g.Patient)
	for _, scopes := range [...][]access.Scope{g.Allow, g.Deny} {
		b = binary.AppendUvarint(b, uint64(len(scopes)))
		for i := range scopes {
			s := &scopes[i]
			b = append(b, byte(s.Level), byte(s.Actions))
			text(s.Type)
			text(s.Query)
		}
	}
	return b
}
