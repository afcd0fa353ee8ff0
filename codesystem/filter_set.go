package codesystem

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Set evaluates the filter. The set is frozen.
func (c *CompiledFilter) Set(ctx context.Context) (*roaring.Bitmap, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.op.hierarchical() {
		return c.related(), nil
	}
	set, err := c.positive(ctx)
	if set, err = c.withAdded(ctx, set, err); err == nil && (c.op == opNotIn || c.op == opExists && !c.exists) {
		set = c.without(set)
	}
	return set, err
}

// positive returns the concepts with a value, or with one that is accepted.
func (c *CompiledFilter) positive(ctx context.Context) (*roaring.Bitmap, error) {
	if c.op == opExists {
		return c.existing(ctx)
	}
	return c.accepted(ctx)
}

// without returns the complement of a set.
func (c *CompiledFilter) without(set *roaring.Bitmap) *roaring.Bitmap {
	return roaring.AndNot(c.x.All(), set)
}

// related evaluates a hierarchical operator.
func (c *CompiledFilter) related() *roaring.Bitmap {
	x := c.x
	switch c.op {
	case opDescendentOf:
		return x.Descendants(c.root)
	case opDescendentLeaf:
		return roaring.And(x.Descendants(c.root), x.Leaves())
	case opChildOf:
		return bitmapOf(slices.Clone(x.Children(c.root)), x.Len())
	case opGeneralizes:
		return bitmapOf(append(slices.Clone(x.Ancestors(c.root)), c.root), x.Len())
	case opIsNotA:
		set := roaring.AndNot(x.All(), x.Descendants(c.root))
		set.Remove(c.root)
		return set
	}
	set := x.Descendants(c.root).Clone()
	set.Add(c.root)
	return set
}

// existing returns the concepts with a value.
func (c *CompiledFilter) existing(ctx context.Context) (set *roaring.Bitmap, err error) {
	x := c.x
	set = roaring.New()
	if c.prop >= 0 {
		if set, err = x.props.sets.union(ctx, 0, []uint32{uint32(c.prop)}); err != nil {
			return nil, err
		}
	}
	switch c.target {
	case targetCode:
		set = x.All()
	case targetDisplay:
		set, err = c.scan(ctx, func(o Ord) bool { return x.Display(o) != "" })
	case targetDefinition:
		set, err = c.scan(ctx, func(o Ord) bool { return x.Definition(o) != "" })
	case targetParent:
		set = roaring.Or(set, roaring.AndNot(x.All(), x.Roots()))
	case targetChild:
		set = roaring.Or(set, roaring.AndNot(x.All(), x.Leaves()))
	case targetInactive, targetDeprecated:
		if c.prop < 0 {
			set = x.All()
		}
	case targetStatus:
		set, err = c.withOtherStatus(ctx, set, func(o Ord) bool { return x.Status(o) != "" })
	}
	return set, err
}

// accepted returns the concepts with a value that =, in, not-in (as in) or regex accepts.
func (c *CompiledFilter) accepted(ctx context.Context) (*roaring.Bitmap, error) {
	x := c.x
	switch c.target {
	case targetCode:
		if c.refsets != nil {
			return c.members(), nil
		}
		return c.acceptedCodes(ctx)
	case targetDisplay:
		return c.scan(ctx, func(o Ord) bool { return c.acceptsText(x.Display(o)) })
	case targetDefinition:
		return c.scan(ctx, func(o Ord) bool { return c.acceptsText(x.Definition(o)) })
	case targetInactive:
		return c.acceptedBoolean(x.InactiveSet()), nil
	case targetDeprecated:
		return c.acceptedBoolean(x.DeprecatedSet()), nil
	case targetAncestor, targetDescendant:
		return c.inLine(), nil
	}
	set, err := c.acceptedPairs(ctx)
	switch {
	case err != nil || c.target == targetProperty:
		return set, err
	case c.target == targetStatus:
		return c.withOtherStatus(ctx, set, c.acceptsOtherStatus)
	}
	codes, err := c.acceptedCodes(ctx)
	if err != nil {
		return nil, err
	}
	neighbours := x.Children
	if c.target == targetChild {
		neighbours = x.Parents
	}
	var ords []uint32
	for it := codes.Iterator(); it.HasNext(); {
		ords = append(ords, neighbours(it.Next())...)
	}
	slices.Sort(ords)
	return roaring.Or(set, bitmapOf(slices.Compact(ords), x.Len())), nil
}

// acceptsText is accepts for a text that counts as absent when empty.
func (c *CompiledFilter) acceptsText(text string) bool {
	return text != "" && c.accepts(text, c.rule.texts)
}

// acceptedCodes returns the concepts whose code is accepted.
func (c *CompiledFilter) acceptedCodes(ctx context.Context) (*roaring.Bitmap, error) {
	x := c.x
	if c.op == opRegex {
		return c.scan(ctx, func(o Ord) bool { return c.accepts(x.Code(o), false) })
	}
	var ords []uint32
	if c.op == opEquals {
		if o, ok := x.Find(c.value); ok {
			ords = append(ords, o)
		}
	}
	for _, value := range c.values {
		if o, ok := x.Find(value); ok {
			ords = append(ords, o)
		}
	}
	return bitmapOf(ords, x.Len()), nil
}

// scan tests every concept.
func (c *CompiledFilter) scan(ctx context.Context, keep func(o Ord) bool) (*roaring.Bitmap, error) {
	var ords []uint32
	for o := range uint32(c.x.Len()) {
		if o%pageOfMatches == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if keep(o) {
			ords = append(ords, o)
		}
	}
	return bitmapOf(ords, c.x.Len()), nil
}

// acceptedBoolean returns the concepts that the filter accepts on a boolean property that is true
// exactly in set.
func (c *CompiledFilter) acceptedBoolean(set *roaring.Bitmap) *roaring.Bitmap {
	switch yes, no := c.accepts("true", false), c.accepts("false", false); {
	case yes && no:
		return c.x.All()
	case yes:
		return set
	case no:
		return c.without(set)
	}
	return roaring.New()
}

// acceptedPairs returns the holders of the accepted values of a stored property.
func (c *CompiledFilter) acceptedPairs(ctx context.Context) (*roaring.Bitmap, error) {
	if c.prop < 0 {
		return roaring.New(), nil
	}
	v := &c.x.props
	rule := c.rule
	var pairs []uint32
	switch c.op {
	case opRegex:
		for pair := v.first[c.prop]; pair < v.first[c.prop+1]; pair++ {
			if pair%pageOfMatches == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if c.matchesValue(v.values.at(pair), rule) {
				pairs = append(pairs, pair)
			}
		}
	case opEquals:
		pairs = v.appendEqual(pairs, c.prop, c.value, rule)
	default:
		for _, value := range c.values {
			pairs = v.appendEqual(pairs, c.prop, value, rule)
		}
	}
	return v.sets.union(ctx, uint32(len(v.names)), pairs)
}

// withOtherStatus adds the concepts for which keep returns true and whose status is not stated by
// the property of the filter.
func (c *CompiledFilter) withOtherStatus(ctx context.Context, set *roaring.Bitmap, keep func(o Ord) bool) (*roaring.Bitmap, error) {
	x := c.x
	says := func(r role) bool {
		return r == roleDeprecated || r == roleDeprecationDate || r == roleInactive || r == roleRetired || r == roleStatus && c.prop < 0
	}
	if !slices.ContainsFunc(x.props.roles, says) && len(x.extensions.owners) == 0 {
		return set, nil
	}
	more, err := c.scan(ctx, func(o Ord) bool { return x.flags[o]&flagStatus != 0 && keep(o) })
	if err != nil {
		return nil, err
	}
	return roaring.Or(set, more), nil
}
