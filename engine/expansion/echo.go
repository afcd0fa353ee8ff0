package expansion

import (
	"fmt"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// echo returns expansion.parameter: the parameters that applied (of the request, of the value set,
// and the page if the engine limited it), the resources used, and warnings about their status. cut is
// true if the engine limited the page of a request without paging.
func (x *expander) echo(req *Request, r *Result, count int, cut bool, set *valueset.Set) []r4.Parameter {
	p := make(expansionParameters, 0, 6)
	p.text("filter", req.Filter)
	p.optional("forgiving", req.Forgiving)
	if req.Date != "" {
		p.add("date", r4.Value{Type: "DateTime", Text: req.Date})
	}
	if req.Offset != nil || cut {
		p.add("offset", integer(r.Offset))
	}
	if req.Count != nil || cut {
		p.add("count", integer(count))
	}
	if r.Incomplete {
		p.add("limit", integer(count))
	}
	p.optional("includeDesignations", req.IncludeDesignations)
	for _, d := range req.Designations {
		p.text("designation", d)
	}
	p.optional("includeDefinition", req.IncludeDefinition)
	p.optional("activeOnly", req.ActiveOnly)
	if r.flattened {
		p.add("excludeNested", r4.Boolean(true)) // what applied, not what was requested
	} else {
		p.optional("excludeNested", req.ExcludeNested)
	}
	p.optional("excludeNotForUI", req.ExcludeNotForUI)
	p.optional("excludePostCoordinated", req.ExcludePostCoordinated)
	if tags := r.want.Given; tags != "" {
		p.add("displayLanguage", r4.Code(tags))
	}
	for _, c := range req.ExcludeSystems {
		p.add("exclude-system", r4.URI(c))
	}
	if r.merged {
		p.add("versionsMatch", r4.Boolean(true))
	}
	p.used(x.source.Rules, &r.ValueSet.Header, set)
	for _, g := range x.grammars {
		if list := g.Record.Grammar.Usual(); g.Whole && list != nil {
			p.warn(&list.Header, &r.ValueSet.Header)
		}
	}
	for _, canonical := range r.supplements.reported {
		p.add("used-supplement", r4.URI(canonical))
	}
	return p
}

// expansionParameters collects expansion.parameter without duplicates.
type expansionParameters []r4.Parameter

func (p *expansionParameters) text(name, s string) {
	if s != "" {
		p.add(name, r4.String(s))
	}
}

func (p *expansionParameters) add(name string, v r4.Value) {
	for i := range *p {
		if had := &(*p)[i]; had.Name == name && had.Value.Text == v.Text {
			return
		}
	}
	*p = append(*p, r4.Parameter{Name: name, Value: v})
}

func (p *expansionParameters) optional(name string, b *bool) {
	if b != nil {
		p.add(name, r4.Boolean(*b))
	}
}

func integer(n int) r4.Value { return r4.Value{Type: "Integer", Text: fmt.Sprint(n)} }

// used adds the code systems and value sets used, the version rules that selected them, and
// warnings about their status.
func (p *expansionParameters) used(rules *catalog.RuleSet, h *r4.Header, set *valueset.Set) {
	p.warn(h, h)
	for _, u := range set.Dependencies() {
		url := u.System
		if u.ValueSet != nil {
			url = u.ValueSet.URL
		}
		if rule := rules.Applied(url, u.NamedVersion, u.ValueSet != nil); rule != nil {
			p.add(rule.Parameter, r4.URI(rule.Canonical))
		}
		canonical := r4.JoinCanonical(url, u.Version)
		switch {
		case u.ValueSet != nil:
			if !u.Contained {
				p.add("used-valueset", r4.URI(canonical))
			}
			p.warn(u.ValueSet, u.NamedBy)
		case u.Index != nil:
			p.add("used-codesystem", r4.URI(canonical))
			if u.Index.Header().Content == "fragment" {
				p.add("used-fragment", r4.URI(canonical))
			}
			p.warn(&u.Index.Header().Header, u.NamedBy)
		default:
			p.add("used-codesystem", r4.URI(canonical))
		}
	}
	if len(set.Dependencies()) == 0 {
		for _, u := range set.Systems() {
			p.add("used-codesystem", r4.URI(r4.JoinCanonical(u.System, u.Version)))
		}
	}
}

// warn adds a warning about the status of a resource. by is the header of the value set that uses
// it: a retired value set gets no warning about a retired resource.
func (p *expansionParameters) warn(h, by *r4.Header) {
	warning := issue.Status(h, by)
	if warning == "" || h.URL == "" || warning == "retired" && by != nil && by.Status == "retired" {
		return
	}
	p.add("warning-"+warning, r4.URI(r4.JoinCanonical(h.URL, h.Version)))
}
