package valueset

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// exclude removes the codes that one exclude selects. Without a version it is evaluated on every
// included version of its system.
func (c *compiler) exclude(ctx context.Context, a *algebra, exc *r4.Include, visiting []string) (inner string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if inner, err := checkInclude(exc); err != nil {
		return inner, err
	}
	imports, inner, err := c.importAll(ctx, exc, false, visiting)
	if err != nil {
		return inner, err
	}
	if exc.System == "" {
		for _, p := range intersect(imports[0].parts(), imports[1:]) {
			a.exclude(p)
		}
		return "", nil
	}
	indexes, err := c.indexesToExclude(ctx, a, exc)
	if err != nil {
		return "system", err
	}
	for _, x := range indexes {
		c.provenance.addSystem(exc, x)
		var p part
		if len(exc.Concept) > 0 {
			l := conceptList{index: x}
			for i := range exc.Concept {
				if o, ok := x.Find(exc.Concept[i].Code); ok {
					l.add(o, label{})
				}
			}
			if l.empty() {
				continue
			}
			p = l.part()
		} else if p, inner, err = c.conceptsSelected(ctx, x, exc.Filter); err != nil {
			return inner, err
		}
		for _, q := range intersect([]part{p}, imports) {
			a.exclude(q)
		}
	}
	c.excludeListed(a, exc, imports)
	return "", nil
}

// indexesToExclude returns the indexes on which an exclude is evaluated. A system that is not
// loaded is an error only if its content is needed. Listed codes do not need it: they are those of
// other versions, if versions are merged. Neither does a whole system of which only listed codes were
// included.
func (c *compiler) indexesToExclude(ctx context.Context, a *algebra, exc *r4.Include) ([]*codesystem.Index, error) {
	var indexes []*codesystem.Index
	for _, x := range a.indexes {
		if x.URL() == exc.System {
			indexes = append(indexes, x)
		}
	}
	if exc.Version == "" && len(indexes) > 0 {
		return indexes, nil
	}
	x, err := c.index(ctx, exc)
	switch {
	case err == nil:
		return []*codesystem.Index{x}, nil
	case !isAbsent(err), len(exc.Filter) > 0:
		return nil, err
	case len(exc.Concept) > 0 && a.merge:
		return indexes, nil
	case len(exc.Concept) > 0 || a.systems[exc.System]:
		return nil, nil
	}
	return nil, err
}

// excludeListed removes loose codes: the listed ones, or all of the system if the exclude is not
// narrower. Filters cannot be evaluated on loose codes.
func (c *compiler) excludeListed(a *algebra, exc *r4.Include, imports []*Set) {
	if len(exc.Filter) > 0 || len(a.loose) == 0 {
		return
	}
	of := exc.Version
	if a.merge && len(exc.Concept) > 0 {
		of = ""
	}
	exclude := func(k looseKey) {
		a.excludeKey(k, of, func(version string) bool {
			for _, s := range imports {
				var e Entry
				if !s.find(&e, k.system, version, k.code) {
					return false
				}
			}
			return true
		})
	}
	for i := range exc.Concept {
		exclude(looseKey{exc.System, exc.Concept[i].Code})
	}
	if len(exc.Concept) > 0 || !a.systems[exc.System] {
		return
	}
	for k := range a.versions {
		if k.system == exc.System {
			exclude(k)
		}
	}
}
