package resources

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// ruleKey names the rule for an action on a type.
type ruleKey struct {
	typ    string
	action access.Actions
}

// A rule is what a grant permits of one type for one action: the resources that meet all criteria of
// an element of allow, and not all criteria of an element of deny.
type rule struct {
	allow, deny []clause
	narrowed    []search.Criterion // narrow
	permitted   *search.Criterion  // nil if the rule is not lasting
}

// A clause holds criteria that must all be met. Without criteria it is always met.
type clause struct {
	criteria []search.Criterion
	// compartment reports whether the first criterion is membership in the patient's compartment.
	compartment bool
}

// extent is how many resources of a type a rule may permit.
type extent uint8

const (
	never extent = iota
	sometimes
	always
)

func (r *rule) extent() extent {
	if slices.ContainsFunc(r.deny, clause.empty) || len(r.allow) == 0 {
		return never
	}
	if len(r.deny) == 0 && slices.ContainsFunc(r.allow, clause.empty) {
		return always
	}
	return sometimes
}

// lasting reports whether the rule looks at nothing but the version it decides on: it follows no
// references.
func (r *rule) lasting() bool {
	for _, side := range [...][]clause{r.allow, r.deny} {
		for i := range side {
			for k := range side[i].criteria {
				if side[i].criteria[k].Follows() {
					return false
				}
			}
		}
	}
	return true
}

// anyOf returns the criterion that one of the clauses is met, with not that none is.
func anyOf(clauses []clause, not bool) search.Criterion {
	g := &search.Group{Any: true, Not: not}
	for i := range clauses {
		g.Of = append(g.Of, search.Criterion{Group: &search.Group{Of: clauses[i].criteria}})
	}
	return search.Criterion{Group: g}
}

func (c clause) empty() bool { return len(c.criteria) == 0 }

// permits decides by the values of a record.
func (r *rule) permits(ctx context.Context, rec *index.Record, env *search.Env) (bool, error) {
	v := index.NewView(rec.Values)
	for i := range r.deny {
		if denied, err := search.MatchAll(ctx, r.deny[i].criteria, rec, v, env); denied || err != nil {
			return false, err
		}
	}
	for i := range r.allow {
		if allowed, err := search.MatchAll(ctx, r.allow[i].criteria, rec, v, env); allowed || err != nil {
			return allowed, err
		}
	}
	return false, nil
}

// narrow returns criteria that every permitted resource meets, for the plan of a search.
func (r *rule) narrow() []search.Criterion {
	if len(r.allow) == 0 {
		return nil
	}
	if len(r.allow) == 1 {
		return slices.DeleteFunc(slices.Clone(r.allow[0].criteria), func(c search.Criterion) bool {
			return c.Follows() // the plan follows these through a guard, which may hide where they lead
		})
	}
	for i := range r.allow {
		if !r.allow[i].compartment {
			return nil
		}
	}
	return r.allow[0].criteria[:1]
}

// of returns the rules of a type. Its error is one of undecided.
func (g *guard) of(ctx context.Context, typ string) (*typeRules, error) {
	if g.last != nil && g.last.typ == typ {
		return g.last, nil
	}
	known := g.known.rulesOf(ruleKey{typ, g.actions})
	if known == nil {
		known = &typeRules{typ: typ, lasting: true}
		for action := access.Create; action <= access.Search; action <<= 1 {
			if g.actions&action == 0 {
				continue
			}
			rule, err := g.rule(ctx, typ, action)
			if err != nil {
				return nil, g.undecided(ctx, typ, err)
			}
			known.rules = append(known.rules, rule)
			known.extent = max(known.extent, rule.extent())
			known.lasting = known.lasting && rule.lasting()
		}
		g.known.keep(ruleKey{typ, g.actions}, nil, known)
	}
	g.last = known
	return known, nil
}

// byType returns how many resources of a type the grant may permit for one of the actions.
func (g *guard) byType(ctx context.Context, typ string) (extent, error) {
	of, err := g.of(ctx, typ)
	if err != nil {
		return never, err
	}
	return of.extent, nil
}

// rule returns the rule for an action on a type. It returns an error if a scope cannot be decided.
func (g *guard) rule(ctx context.Context, typ string, action access.Actions) (*rule, error) {
	key := ruleKey{typ, action}
	if known := g.known.ruleOf(key); known != nil {
		return known, nil
	}
	r, err := g.newRule(ctx, typ, action)
	if err != nil {
		return nil, err
	}
	g.known.keep(key, r, nil)
	return r, nil
}

// newRule makes the rule for an action on a type.
func (g *guard) newRule(ctx context.Context, typ string, action access.Actions) (*rule, error) {
	r := &rule{}
	if g.grant.Guards(typ, action) {
		return r, nil
	}
	for _, side := range [...]struct {
		scopes []access.Scope
		to     *[]clause
	}{{g.grant.Allow, &r.allow}, {g.grant.Deny, &r.deny}} {
		for i := range side.scopes {
			scope := &side.scopes[i]
			if !scope.Covers(typ, action) {
				continue
			}
			c, applies, err := g.clause(ctx, scope, typ, action)
			if err != nil {
				return nil, fmt.Errorf("scope %s: %w", scope, err)
			}
			if applies {
				*side.to = append(*side.to, c)
			}
		}
	}
	if r.narrowed = r.narrow(); r.lasting() {
		r.permitted = &search.Criterion{Group: &search.Group{Of: []search.Criterion{anyOf(r.allow, false), anyOf(r.deny, true)}}}
	}
	return r, nil
}

// clause returns what a scope requires of resources of a type. applies is false if the scope
// covers no resource of the type.
func (g *guard) clause(ctx context.Context, scope *access.Scope, typ string, action access.Actions) (c clause, applies bool, err error) {
	options := search.Options{Strict: true, Bases: g.service.bases}
	if scope.Level == access.Patient {
		switch {
		case g.grant.Patient == "":
			return c, false, nil
		case g.service.inPatientCompartment(typ):
			options.Compartment = &search.Compartment{Type: "Patient", ID: g.grant.Patient}
			c.compartment = true
		case action != access.Read && action != access.Search || !access.Shared(typ):
			return c, false, nil
		}
	}
	if scope.Query == "" && !c.compartment {
		return c, true, nil
	}
	c.criteria, err = g.service.scopeCriteria(typ, scope.Query, options)
	if wrong, ok := errors.AsType[*search.Error](err); ok && wrong.Unknown && scope.Type == "*" && g.service.someTypeHas(scope.Query) {
		return c, false, nil // resources of this type cannot have what the scope is about
	}
	if err == nil {
		err = g.env().Ready(ctx, c.criteria)
	}
	return c, err == nil, err
}

// scopeCriteria parses the query of a scope for a type. A scope may have parameters that select
// resources by their values, and no others.
func (s *Service) scopeCriteria(typ, query string, o search.Options) ([]search.Criterion, error) {
	params, err := ParseQuery(query)
	if err != nil {
		return nil, err
	}
	q, err := s.tools().searcher.Parse(typ, params, o)
	if err != nil {
		return nil, err
	}
	want := len(params)
	if o.Compartment != nil {
		want++
	}
	if len(q.Types) != 1 || len(q.Types[0].Criteria) != want {
		return nil, &search.Error{Text: fmt.Sprintf("the query %.200q of a scope has a parameter that does not select resources by their values", query)}
	}
	return q.Types[0].Criteria, nil
}

// someTypeHas reports whether there is a type with the parameters of a query.
func (s *Service) someTypeHas(query string) bool {
	return slices.ContainsFunc(s.Types(), func(typ string) bool {
		_, err := s.scopeCriteria(typ, query, search.Options{Strict: true})
		return err == nil
	})
}

// inPatientCompartment reports whether resources of a type can be in the compartment of a patient.
func (s *Service) inPatientCompartment(typ string) bool {
	return typ == "Patient" || len(s.tools().tables.Compartment("Patient").Params(typ)) > 0
}
