package policy

import (
	"context"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/roget-health/roget/access"
)

// maxGrants is the number of principals whose grants are remembered.
const maxGrants = 10_000

// A Policy decides what principals may do. It is safe for concurrent use.
type Policy struct {
	Rules  []Rule
	grants *lru.Cache[*access.Principal, *access.Grant]
}

// Authorize returns what a principal may do, or nil if no rule applies to it. nil stands for a request
// without credentials.
func (p *Policy) Authorize(_ context.Context, who *access.Principal) (*access.Grant, error) {
	if g, found := p.grants.Get(who); found {
		return g, nil
	}
	g := p.decide(who)
	p.grants.Add(who, g)
	return g, nil
}

func (p *Policy) decide(who *access.Principal) *access.Grant {
	var g *access.Grant
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Unmet(who) != "" {
			continue
		}
		if g == nil {
			g = new(access.Grant)
			if who != nil {
				g.Patient, g.User = who.Patient, who.User
			}
		}
		for _, s := range r.allowed(who) {
			if !slices.Contains(g.Allow, s) {
				g.Allow = append(g.Allow, s)
			}
		}
		g.Deny = append(g.Deny, r.Deny...)
		if g.Patient == "" {
			g.Patient = r.Patient
		}
		if g.User == "" {
			g.User = r.User
		}
	}
	if who == nil && g != nil && len(g.Allow) == 0 {
		return nil // credentials may help
	}
	return g
}

// either joins values as people do.
func either(list []string) string { return strings.Join(list, " or ") }
