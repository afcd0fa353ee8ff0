package ecl

import (
	"context"

	"github.com/roget-health/roget/codesystem"
)

// codeTest tests codes. Concepts that are only named need not be in the code system: modules,
// types and reference sets often are not.
type codeTest interface {
	accepts(ctx context.Context, code string) (bool, error)
}

// codeList is a list of named codes.
type codeList map[string]bool

func (l codeList) accepts(_ context.Context, code string) (bool, error) { return l[code], nil }

// anyCode accepts every code.
type anyCode struct{}

func (anyCode) accepts(context.Context, string) (bool, error) { return true, nil }

// codesOfNode accepts the codes of concepts.
type codesOfNode struct {
	x *codesystem.Index
	n node
}

func (t codesOfNode) accepts(ctx context.Context, code string) (bool, error) {
	o, ok := t.x.Find(code)
	if !ok {
		return false, nil
	}
	return t.n.has(ctx, o)
}

// codes binds a constraint whose codes matter.
func (b *binder) codes(c constraint) (codeTest, error) {
	list := codeList{}
	if b.listed(c, list) {
		return list, nil
	}
	if s, ok := c.(*sub); ok && s.bare() && s.wildcard() {
		return anyCode{}, nil
	}
	n, err := b.bind(c)
	return codesOfNode{b.x, n}, err
}

// listed reports whether a constraint consists of named concepts joined by OR, and collects them.
func (b *binder) listed(c constraint, list codeList) bool {
	switch c := c.(type) {
	case *sub:
		if !c.bare() || c.concept == nil {
			return false
		}
		code := c.concept.code
		if !b.own(c.concept) {
			o, ok := b.find(c.concept)
			if !ok {
				return false
			}
			code = b.x.Code(o)
		}
		list[code] = true
		return true
	case *compound:
		for _, part := range c.parts {
			if c.op != opOr || !b.listed(part, list) {
				return false
			}
		}
		return true
	}
	return false
}
