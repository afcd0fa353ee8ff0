package engine

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/changes"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// ImpactRequest is the request of Impact (CodeSystem/$impact).
type ImpactRequest struct {
	Old, New string // url|version of two versions of one code system
	// ValueSets are canonicals. If it is nil, all value sets and concept maps that are published are
	// examined.
	ValueSets []string
	// Expressions are expression constraints on the code system.
	Expressions []string
	// First is how many codes of a difference, and resources with a code, are named. 0 is DefaultFirst.
	First int
	// Uses returns the codes of a system for which asked is true and that resources have, with up to first
	// of these resources. nil: there are no resources.
	Uses func(ctx context.Context, system string, asked func(code string) bool, first int) ([]r4.CodeUse, error)
}

// DefaultFirst is the default of ImpactRequest.First.
const DefaultFirst = 10

// Impact returns what changes with a version of a code system: its concepts, the codes of value sets,
// concept maps, reference sets and expressions, and which resources have codes that are inactive in
// the new version, or that it lacks.
//
// A value set that names a version of the code system does not change. One that cannot be evaluated is
// a row with the reason, and so is an expression. Errors: ErrMissingParameter, ErrInvalidParameter,
// ErrUnknownSystem, ErrUnknownVersion, ErrNoContent, those of Uses, and of ctx.
func (e *Engine) Impact(ctx context.Context, req *ImpactRequest) (*ImpactResult, error) {
	ctx, span := e.observe(ctx, "impact", req.New)
	r, err := e.impact(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) impact(ctx context.Context, req *ImpactRequest) (*ImpactResult, error) {
	im := impact{source: e.source(), first: req.First, reads: map[string]bool{}}
	if im.first == 0 {
		im.first = DefaultFirst
	}
	for i, canonical := range [...]string{req.Old, req.New} {
		name := [...]string{"old", "new"}[i]
		if canonical == "" {
			return nil, issue.Missing(name, "a version of a code system, as url|version")
		}
		s := &im.sides[i]
		var err error
		if s.index, err = e.System(canonical, ""); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.canonical = r4.JoinCanonical(s.index.URL(), s.index.Version())
		if s.index.Version() == "" {
			return nil, issue.Invalid(name, canonical+" has no version")
		}
		if s.source, err = im.source.Ruled(&VersionRules{System: []string{s.canonical}}); err != nil {
			return nil, err
		}
	}
	old, current := &im.sides[0], &im.sides[1]
	im.system = current.index.URL()
	if old.index.URL() != im.system {
		return nil, issue.Invalid("new", fmt.Sprintf("%s and %s are not versions of one code system", old.canonical, current.canonical))
	}
	im.result = &ImpactResult{Old: old.canonical, New: current.canonical}
	if err := im.maps(ctx, req.ValueSets == nil); err != nil {
		return nil, err
	}
	list, err := changes.Systems(ctx, old.index, current.index)
	if err != nil {
		return nil, err
	}
	mapped := im.result.Rows
	im.result.Rows = nil
	im.concepts(ctx, list)
	if err := im.valueSets(ctx, req.ValueSets); err != nil {
		return nil, err
	}
	if req.ValueSets == nil {
		im.refsets()
	}
	im.result.Rows = append(im.result.Rows, mapped...)
	if err := im.expressions(ctx, req.Expressions); err != nil {
		return nil, err
	}
	if req.Uses != nil {
		return im.result, im.uses(ctx, req.Uses)
	}
	return im.result, ctx.Err()
}

// An impact is one comparison of two versions.
type impact struct {
	source *resolve.Source
	system string
	sides  [2]impactSide // old and new
	first  int
	own    []*catalog.Map  // maps from the code system to itself
	reads  map[string]bool // value sets that draw on the code system, by canonical
	result *ImpactResult
}

// An impactSide is one of the versions, and a source whose value sets have its codes.
type impactSide struct {
	index     *codesystem.Index
	canonical string
	source    *resolve.Source
}

// status returns whether the new version has a code that is inactive, or lacks one that the old version
// has; "" for others.
func (im *impact) status(code string) string {
	if o, ok := im.sides[1].index.Find(code); ok {
		if im.sides[1].index.Inactive(o) {
			return "inactive"
		}
	} else if _, ok := im.sides[0].index.Find(code); ok {
		return "removed"
	}
	return ""
}

// find returns the concept of a code in the new version, or else in the old one.
func (im *impact) find(code string) (*codesystem.Index, codesystem.Ord) {
	for _, s := range []*impactSide{&im.sides[1], &im.sides[0]} {
		if o, ok := s.index.Find(code); ok {
			return s.index, o
		}
	}
	return nil, 0
}

// replacements returns what replaces a code: by the content of the code system, and by maps from it to
// itself.
func (im *impact) replacements(ctx context.Context, code string) []changes.Replacement {
	x, o := im.find(code)
	if x == nil {
		return nil
	}
	list := changes.Replacements(x, o)
	for _, m := range im.own {
		// What a map says of unmapped codes replaces none, so an error about its other map does not matter.
		found, _ := m.Translate(ctx, conceptmap.Request{System: im.system, Code: code, TargetSystem: im.system}, nil)
		for i := range found {
			c := &found[i].Concept
			if found[i].Equivalence.Matches() && found[i].Unmapped == "" && c.Code != code && len(list) < changes.MaxReplacements {
				list = append(list, changes.Replacement{Relation: string(found[i].Equivalence), Code: c.Code, Display: c.Display})
			}
		}
	}
	return list
}

// concepts adds a row for each concept that came or went, and for each difference of the others.
func (im *impact) concepts(ctx context.Context, list *changes.List) {
	r := im.result
	r.Unchanged = list.Unchanged
	r.Rows = make([]ImpactRow, 0, len(list.Removed)+len(list.Added)+len(list.Changed))
	for i := range list.Removed {
		r.Rows = append(r.Rows, ImpactRow{
			About: aboutConcept, Change: "removed", Name: list.Removed[i].Code, Display: list.Removed[i].Display,
			Replacements: im.replacements(ctx, list.Removed[i].Code),
		})
	}
	for i := range list.Added {
		r.Rows = append(r.Rows, ImpactRow{About: aboutConcept, Change: "added", Name: list.Added[i].Code, Display: list.Added[i].Display})
	}
	for i := range list.Changed {
		c := &list.Changed[i]
		for j := range c.Fields {
			f := &c.Fields[j]
			row := ImpactRow{About: aboutConcept, Change: f.Kind(), Name: c.Code, Display: c.Display, Field: f.Name}
			row.Old, row.New = f.Sides()
			if f.Name == "status" && im.status(c.Code) != "" {
				row.Replacements = im.replacements(ctx, c.Code)
			}
			r.Rows = append(r.Rows, row)
		}
	}
}

// uses adds a row for each code in use that is inactive or gone.
func (im *impact) uses(ctx context.Context, uses func(context.Context, string, func(string) bool, int) ([]r4.CodeUse, error)) error {
	list, err := uses(ctx, im.system, func(code string) bool { return im.status(code) != "" }, im.first)
	if err != nil {
		return err
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Resources != list[j].Resources {
			return list[i].Resources > list[j].Resources
		}
		return list[i].Code < list[j].Code
	})
	for i := range list {
		u := &list[i]
		row := ImpactRow{About: aboutResource, Change: im.status(u.Code), Name: u.Code, Count: u.Resources, Types: u.Types, First: u.First}
		if x, o := im.find(u.Code); x != nil {
			row.Display = x.Display(o)
		}
		row.Replacements = im.replacements(ctx, u.Code)
		im.result.Rows = append(im.result.Rows, row)
	}
	return ctx.Err()
}

// maps finds the concept maps from the code system to itself. With all, it adds rows for the maps with
// codes that are no longer active, or are now.
func (im *impact) maps(ctx context.Context, all bool) error {
	for _, r := range im.source.State.Shelf(catalog.KindConceptMap).List() {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := r.ConceptMap()
		if err != nil {
			im.failed(aboutMap, r.Canonical(), err)
			continue
		}
		var codes []string
		own := false
		for i := range m.Group {
			g := &m.Group[i]
			from, to := catalog.CanonicalURL(g.Source) == im.system, catalog.CanonicalURL(g.Target) == im.system
			own = own || from && to
			for j := range g.Element {
				if from {
					codes = append(codes, g.Element[j].Code)
				}
				for k := range g.Element[j].Target {
					if to {
						codes = append(codes, g.Element[j].Target[k].Code)
					}
				}
			}
		}
		if own {
			x, err := r.Map()
			if err != nil {
				im.failed(aboutMap, r.Canonical(), err)
				continue
			}
			im.own = append(im.own, x)
		}
		if all {
			im.differences(aboutMap, r.Canonical(), im.validity(codes))
		}
	}
	return nil
}

// validity returns which codes are no longer active, and which are now.
func (im *impact) validity(codes []string) (lists [3][]string) {
	seen := map[string]bool{}
	for _, code := range codes {
		if code == "" || seen[code] {
			continue
		}
		seen[code] = true
		switch was, is := im.sides[0].active(code), im.sides[1].active(code); {
		case was && !is:
			lists[0] = append(lists[0], code)
		case is && !was:
			lists[1] = append(lists[1], code)
		}
	}
	return lists
}

func (s *impactSide) active(code string) bool {
	o, ok := s.index.Find(code)
	return ok && !s.index.Inactive(o)
}

// differences adds rows for codes that were removed and added, and for those whose rows differ.
func (im *impact) differences(about, name string, lists [3][]string) {
	for i, codes := range lists {
		if len(codes) > 0 {
			change := [...]string{"removed", "added", "changed"}[i]
			im.result.Rows = append(im.result.Rows, ImpactRow{About: about, Change: change, Name: name, Count: len(codes), First: slices.Clone(codes[:min(im.first, len(codes))])})
		}
	}
}

// failed adds a row for what could not be evaluated.
func (im *impact) failed(about, name string, err error) {
	im.result.Rows = append(im.result.Rows, ImpactRow{About: about, Change: changeFailed, Name: name, New: err.Error()})
}
