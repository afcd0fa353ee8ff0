package ecl

import (
	"context"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Compile binds an expression to an index. Errors are *EvaluationError with the position in the
// text that was parsed: ErrUnknownConcept, ErrUnknownDialect, ErrUnknownField and ErrFields. The
// displays and designations of supplements are descriptions too.
func Compile(x *codesystem.Index, e *Expression, supplements ...*codesystem.Index) (*Plan, error) {
	b := &binder{x: x, supplements: supplements}
	b.attributes()
	root, err := b.bind(e.root)
	if err != nil {
		return nil, err
	}
	return &Plan{x: x, root: root}, nil
}

// binder resolves the names of an expression.
type binder struct {
	x           *codesystem.Index
	supplements []*codesystem.Index
	props       []string // by number
	defining    []bool   // by number: attributes, as opposed to other facts about the concept
	treeActive  bool     // no inactive concept has parents or children
}

// attributes finds the properties that are attributes: those that are concepts themselves. In a
// system without such properties, all of them are.
func (b *binder) attributes() {
	b.props = b.x.PropertyNames()
	b.defining = make([]bool, len(b.props))
	found := false
	for i, name := range b.props {
		if _, b.defining[i] = b.x.Find(name); b.defining[i] {
			found = true
		}
	}
	for i := range b.defining {
		b.defining[i] = b.defining[i] || !found
	}
	inactive := b.x.InactiveSet()
	b.treeActive = inactive.IsEmpty() ||
		inactive.AndCardinality(b.x.Roots()) == inactive.GetCardinality() && inactive.AndCardinality(b.x.Leaves()) == inactive.GetCardinality()
}

func (b *binder) bind(c constraint) (node, error) {
	switch c := c.(type) {
	case *compound:
		return b.compound(c)
	case *refined:
		focus, err := b.bind(c.focus)
		if err != nil {
			return nil, err
		}
		test, err := b.refinement(c.refinement)
		if err != nil {
			return nil, err
		}
		return &refinedNode{focus, test}, nil
	case *dotted:
		n, err := b.bind(c.focus)
		for i := 0; i < len(c.names) && err == nil; i++ {
			var names attributeNames
			names, err = b.names(c.names[i])
			n = &dottedNode{x: b.x, focus: n, names: names}
		}
		return n, err
	}
	return b.sub(c.(*sub))
}

func (b *binder) compound(c *compound) (node, error) {
	n := &compoundNode{op: c.op}
	var listed []uint32
	for _, part := range c.parts {
		bound, err := b.bind(part)
		if err != nil {
			return nil, err
		}
		if one, ok := bound.(oneNode); ok && c.op == opOr {
			listed = append(listed, one.o)
			continue
		}
		n.parts = append(n.parts, bound)
	}
	if len(listed) > 0 {
		list := listNode{roaring.BitmapOf(listed...)}
		if len(n.parts) == 0 {
			return list, nil
		}
		n.parts = append(n.parts, list)
	}
	return n, nil
}

func (b *binder) sub(s *sub) (n node, err error) {
	wide := s.speaksOfActive()
	switch {
	case s.member != nil:
		n, err = b.member(s)
	case s.wildcard():
		n = b.any(wide)
	case s.concept != nil:
		n, err = b.concept(s.concept)
	default:
		n, err = b.bind(s.nested)
	}
	if err != nil {
		return nil, err
	}
	if s.hierarchy != self {
		n = b.hierarchy(s.hierarchy, n, wide)
	}
	for _, f := range s.filters {
		if n, err = b.filter(f, n); err != nil {
			return nil, err
		}
	}
	if s.history != nil {
		return b.history(s.history, n)
	}
	return n, nil
}

// The root of SNOMED CT.
const (
	urlSNOMED  = "http://snomed.info/sct"
	rootSNOMED = "138875005"
)

// any binds the wildcard: in SNOMED CT the root and what is below it, which leaves out concepts
// without a place in the hierarchy, such as modules of a subset; elsewhere all concepts. wide adds
// those that are inactive, which have no place either.
func (b *binder) any(wide bool) node {
	if !wide && b.x.URL() == urlSNOMED {
		if root, ok := b.x.Find(rootSNOMED); ok && !b.x.Inactive(root) {
			return b.hierarchy(descendantOrSelfOf, oneNode{root}, false)
		}
	}
	return anyNode{b.x, wide}
}

// speaksOfActive reports whether a concept filter states whether active or inactive concepts are
// wanted, so that none may be left out before.
func (s *sub) speaksOfActive() bool {
	for _, f := range s.filters {
		if c, ok := f.(*conceptFilters); ok {
			for i := range c.all {
				if c.all[i].subject == subjectActive {
					return true
				}
			}
		}
	}
	return false
}

// concept finds the concept of a reference.
func (b *binder) concept(c *conceptRef) (node, error) {
	o, ok := b.find(c)
	if !ok {
		return nil, unknown(c)
	}
	return oneNode{o}, nil
}

func unknown(c *conceptRef) error {
	return &EvaluationError{c.offset(), c.name(), ErrUnknownConcept}
}

// name returns the reference as it is written.
func (c *conceptRef) name() string {
	if c.scheme == "" {
		return c.code
	}
	return c.scheme + "#" + c.code
}

// ownScheme is the scheme alias of the code system itself, whatever its name.
const ownScheme = "code"

// own reports whether a reference is to a code of the code system, and not to an identifier in
// another scheme that the code system knows.
func (b *binder) own(c *conceptRef) bool {
	return c.scheme == "" || c.scheme == ownScheme || strings.EqualFold(c.scheme, b.x.Header().Name)
}

// find returns the concept of a reference: by its code, or by an alternate identifier, which is a
// property named by the scheme.
func (b *binder) find(c *conceptRef) (codesystem.Ord, bool) {
	if b.own(c) {
		return b.x.Find(c.code)
	}
	for _, name := range b.props {
		if !strings.EqualFold(name, c.scheme) && name != schemes[c.scheme] {
			continue
		}
		// This is a lookup, too short to be cancelled.
		holders, err := b.x.Filter(context.Background(), r4.Filter{Property: name, Op: "=", Value: c.code})
		if err == nil && !holders.IsEmpty() {
			return holders.Minimum(), true
		}
	}
	return 0, false
}
