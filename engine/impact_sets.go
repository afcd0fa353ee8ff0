package engine

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/expansion"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// valueSets adds rows for the value sets whose codes change: of those named, or of all.
func (im *impact) valueSets(ctx context.Context, names []string) error {
	named := names != nil
	if !named {
		for _, r := range im.source.State.Shelf(catalog.KindValueSet).List() {
			names = append(names, r.Canonical())
		}
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !named && !im.draws(ctx, name) {
			continue
		}
		err := im.evaluate(ctx, aboutSet, name, func(s *impactSide) (*valueset.Set, error) {
			return expansion.Members(ctx, im.source, &ExpandRequest{URL: name}, s.canonical)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// draws reports whether a value set has codes of the code system, or may have some: itself, or by
// value sets that it imports.
func (im *impact) draws(ctx context.Context, canonical string) bool {
	if draws, known := im.reads[canonical]; known {
		return draws
	}
	im.reads[canonical] = false // for those that import themselves
	draws := strings.HasPrefix(canonical, im.system+"?")
	vs, err := im.sides[1].source.ValueSetDefinition(ctx, canonical)
	switch {
	case err != nil:
	case vs.Compose != nil:
		draws = draws || im.drawn(ctx, vs.Compose.Include) || im.drawn(ctx, vs.Compose.Exclude)
	case vs.Expansion != nil:
		draws = draws || im.contained(vs.Expansion.Contains)
	}
	im.reads[canonical] = draws
	return draws
}

func (im *impact) drawn(ctx context.Context, list []r4.Include) bool {
	return slices.ContainsFunc(list, func(inc r4.Include) bool {
		return inc.System == im.system || slices.ContainsFunc(inc.ValueSet, func(canonical string) bool {
			return strings.HasPrefix(canonical, "#") || im.draws(ctx, canonical)
		})
	})
}

// contained reports whether a stored expansion has codes of the code system.
func (im *impact) contained(list []r4.ExpansionContains) bool {
	return slices.ContainsFunc(list, func(c r4.ExpansionContains) bool { return c.System == im.system || im.contained(c.Contains) })
}

// evaluate adds rows for the codes that only one version of a set has.
func (im *impact) evaluate(ctx context.Context, about, name string, compile func(*impactSide) (*valueset.Set, error)) error {
	var sets [2]*valueset.Set
	var failures []error
	for i := range sets {
		var err error
		if sets[i], err = compile(&im.sides[i]); err != nil {
			failures = append(failures, err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(failures) > 0:
		im.failed(about, name, failures[0])
		im.result.Rows[len(im.result.Rows)-1].affected = len(failures) == 1
		return nil
	}
	removed, added, err := sets[0].Changes(ctx, sets[1], im.first)
	if err != nil {
		return err
	}
	for i, d := range [...]valueset.Difference{removed, added} {
		if d.Total > 0 {
			im.result.Rows = append(im.result.Rows, ImpactRow{About: about, Change: [...]string{"removed", "added"}[i], Name: name, Count: d.Total, First: d.Codes})
		}
	}
	return nil
}

// expressions adds rows for the expression constraints whose codes change.
func (im *impact) expressions(ctx context.Context, list []string) error {
	for _, text := range list {
		canonical := im.system + catalog.ConstraintMark + url.PathEscape(text)
		err := im.evaluate(ctx, aboutExpression, text, func(s *impactSide) (*valueset.Set, error) {
			r, err := im.source.State.SystemRecord(im.system, s.index.Version())
			if err != nil {
				return nil, err
			}
			t := resolve.Constraint(canonical, s.index.Version(), text, r)
			return s.source.Compiled(ctx, &t, nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// refsets adds rows for the reference sets that have other members, or other values of the same ones.
func (im *impact) refsets() {
	codes := append(im.sides[0].index.Refsets(), im.sides[1].index.Refsets()...)
	slices.Sort(codes)
	for _, code := range slices.Compact(codes) {
		old, _ := im.sides[0].index.Refset(code)
		current, _ := im.sides[1].index.Refset(code)
		was, is := refsetRows(im.sides[0].index, old), refsetRows(im.sides[1].index, current)
		var lists [3][]string
		each := func(s *impactSide, set *codesystem.Refset, take func(code string)) {
			if set != nil {
				for it := set.Members().Iterator(); it.HasNext(); {
					take(s.index.Code(it.Next()))
				}
			}
		}
		each(&im.sides[0], old, func(code string) {
			if _, both := is[code]; !both {
				lists[0] = append(lists[0], code)
			}
		})
		each(&im.sides[1], current, func(code string) {
			switch before, both := was[code]; {
			case !both:
				lists[1] = append(lists[1], code)
			case before != is[code]:
				lists[2] = append(lists[2], code)
			}
		})
		name := code
		if im.system == catalog.SNOMED {
			name = im.system + "?fhir_vs=refset/" + code
		}
		im.differences(aboutRefset, name, lists)
	}
}

// refsetRows returns the values of the active rows of each member of a reference set.
func refsetRows(x *codesystem.Index, set *codesystem.Refset) map[string]string {
	rows := map[string]string{}
	if set == nil {
		return rows
	}
	columns := len(set.Columns())
	for it := set.Members().Iterator(); it.HasNext(); {
		o := it.Next()
		var list []string
		for row, end := set.RowsOf(o); row < end; row++ {
			if !set.Active(row) {
				continue
			}
			text := ""
			for column := range columns {
				text += set.Value(row, column) + "\x00"
			}
			list = append(list, text)
		}
		slices.Sort(list)
		rows[x.Code(o)] = strings.Join(list, "\x01")
	}
	return rows
}
