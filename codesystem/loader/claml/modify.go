package claml

import (
	"context"
	"fmt"
	"slices"

	"github.com/roget-health/roget/codesystem/loader"
)

// maxMade bounds the number of classes that modifiers generate.
const maxMade = 2_000_000

// modify generates the classes of modifiers.
func (c *classification) modify(ctx context.Context) error {
	made := 0
	for _, x := range slices.Clone(c.classes) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(x.children) > 0 {
			continue
		}
		list, err := c.applied(x)
		if err != nil {
			return err
		}
		level := []*class{x}
		for _, m := range list {
			if made += len(level) * len(c.modifiers[m.modifier].classes); made > maxMade {
				return fmt.Errorf("line %d: %w: modifiers generate more than %d classes", m.line, loader.ErrTooLarge, maxMade)
			}
			var next []*class
			for _, base := range level {
				next = append(next, c.combine(base, m)...)
			}
			if len(next) == 0 {
				next = level
			}
			level = next
		}
	}
	return nil
}

// applied returns the modifications of a class: its own, or else those of the nearest superclass
// that has any, without those excluded on the way.
func (c *classification) applied(x *class) ([]modification, error) {
	var excluded []string
	seen := map[string]bool{}
	for at := x; at != nil && !seen[at.code]; {
		seen[at.code] = true
		excluded = append(excluded, at.excluded...)
		if len(at.modified) > 0 {
			list := slices.DeleteFunc(slices.Clone(at.modified), func(m modification) bool { return slices.Contains(excluded, m.modifier) })
			for _, m := range list {
				if c.modifiers[m.modifier] == nil {
					return nil, fmt.Errorf("line %d: %w: class %q is modified by %.40q, which does not exist", m.line, loader.ErrFormat, at.code, m.modifier)
				}
			}
			return list, nil
		}
		up := at.parents
		at = nil
		if len(up) > 0 {
			at = c.byCode[up[0]]
		}
	}
	return nil, nil
}

// combine generates the classes of a class and a modifier, and returns the classes at the lowest
// level: a class of the modifier may be below another of its classes.
func (c *classification) combine(base *class, m modification) []*class {
	parts := c.modifiers[m.modifier]
	var made []*class
	inner := map[string]bool{}
	for _, part := range parts.classes {
		if len(m.valid) > 0 && !m.valid[part.code] {
			continue
		}
		x := &class{code: base.code + part.code, kind: base.kind, usage: base.usage, line: part.line, parents: []string{base.code}, meta: part.meta}
		if part.usage != "" {
			x.usage = part.usage
		}
		for _, p := range part.parents {
			if p == m.modifier || len(m.valid) > 0 && !m.valid[p] {
				continue
			}
			if above := parts.byCode[p]; above != nil && above != part {
				x.parents = []string{base.code + p}
				inner[base.code+p] = true
			}
		}
		if c.byCode[x.code] != nil {
			continue
		}
		x.labels = joined(base, part)
		c.classes, c.byCode[x.code] = append(c.classes, x), x
		made = append(made, x)
	}
	return slices.DeleteFunc(made, func(x *class) bool { return inner[x.code] })
}

// joined returns the labels of a class combined with a class of a modifier: preferred labels join
// both in each language, the other labels are those of the modifier.
func joined(base, part *class) []label {
	var list []label
	for _, l := range part.labels {
		if l.kind == "preferred" {
			for _, b := range base.labels {
				if b.kind == "preferred" && b.language == l.language {
					l.text = b.text + ": " + l.text
					break
				}
			}
		}
		list = append(list, l)
	}
	return list
}
