package valueset

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// expansion adds the codes of a stored expansion, nested codes after their parent. Entries
// without a code only group others. Consecutive codes of one system are looked up together.
func (c *compiler) expansion(ctx context.Context, a *algebra, exp *r4.Expansion) (string, error) {
	e := expander{ctx: ctx, src: c.src, algebra: a, indexes: map[[2]string]*codesystem.Index{}}
	if expression, err := e.list(exp.Contains, "ValueSet.expansion"); err != nil {
		return expression, err
	}
	e.flush()
	return "", nil
}

type expander struct {
	ctx     context.Context
	src     Source
	algebra *algebra
	// indexes caches resolved systems. nil means that the system is not loaded.
	indexes  map[[2]string]*codesystem.Index
	concepts conceptList
	loose    part
}

func (e *expander) list(contains []r4.ExpansionContains, in string) (string, error) {
	for i := range contains {
		if i%checkEvery == 0 && e.ctx.Err() != nil {
			return elementOf(in+".contains", i, ""), e.ctx.Err()
		}
		c := &contains[i]
		if c.Code != "" {
			if err := e.add(c); err != nil {
				return elementOf(in+".contains", i, ""), err
			}
		}
		if len(c.Contains) > 0 {
			if expression, err := e.list(c.Contains, elementOf(in+".contains", i, "")); err != nil {
				return expression, err
			}
		}
	}
	return "", nil
}

func (e *expander) add(c *r4.ExpansionContains) error {
	x, err := e.index(c)
	if err != nil {
		return err
	}
	if x != nil {
		if o, ok := x.Find(c.Code); ok {
			if e.concepts.index != x || len(e.loose.loose) > 0 {
				e.flush()
				e.concepts = conceptList{index: x}
			}
			e.concepts.add(o, label{display: c.Display})
			return nil
		}
		if closed(x) {
			return nil
		}
	}
	if !e.concepts.empty() {
		e.flush()
	}
	e.loose.loose = append(e.loose.loose, looseCode{
		system: c.System, version: c.Version, code: c.Code, label: label{display: c.Display},
		inactive: c.Inactive, abstract: c.Abstract,
	})
	return nil
}

func (e *expander) index(c *r4.ExpansionContains) (*codesystem.Index, error) {
	key := [2]string{c.System, c.Version}
	if x, ok := e.indexes[key]; ok {
		return x, nil
	}
	if c.System == "" {
		return nil, nil
	}
	x, err := resolve(e.ctx, e.src, c.System, c.Version)
	if err != nil && !isAbsent(err) {
		return nil, err
	}
	e.indexes[key] = x
	return x, nil
}

// flush adds the collected codes.
func (e *expander) flush() {
	if !e.concepts.empty() {
		e.algebra.add(e.concepts.part())
		e.concepts = conceptList{}
	}
	if len(e.loose.loose) > 0 {
		e.algebra.add(e.loose)
		e.loose = part{}
	}
}
