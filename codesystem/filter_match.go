package codesystem

import "slices"

// Contains reports whether a concept satisfies the filter, that is, whether it is in Set.
func (c *CompiledFilter) Contains(o Ord) bool {
	switch {
	case c.op.hierarchical():
		return c.relates(o)
	case c.op == opExists:
		return (c.has(o) || c.inAdded(o)) == c.exists
	case c.op == opNotIn:
		return !c.anyAccepted(o) && !c.inAdded(o)
	}
	return c.anyAccepted(o) || c.inAdded(o)
}

// relates is related for one concept.
func (c *CompiledFilter) relates(o Ord) bool {
	x := c.x
	switch c.op {
	case opDescendentOf:
		return x.IsAncestor(c.root, o)
	case opDescendentLeaf:
		return len(x.Children(o)) == 0 && x.IsAncestor(c.root, o)
	case opChildOf:
		return slices.Contains(x.Parents(o), c.root)
	case opGeneralizes:
		return o == c.root || x.IsAncestor(o, c.root)
	case opIsNotA:
		return o != c.root && !x.IsAncestor(c.root, o)
	}
	return o == c.root || x.IsAncestor(c.root, o)
}

// has reports whether a concept has a value of the property.
func (c *CompiledFilter) has(o Ord) bool {
	x := c.x
	switch c.target {
	case targetCode:
		return true
	case targetDisplay:
		return x.Display(o) != ""
	case targetDefinition:
		return x.Definition(o) != ""
	case targetParent:
		return len(x.Parents(o)) > 0 || c.stored(o)
	case targetChild:
		return len(x.Children(o)) > 0 || c.stored(o)
	case targetInactive, targetDeprecated:
		return c.prop < 0 || c.stored(o)
	case targetStatus:
		return x.Status(o) != "" || c.stored(o)
	}
	return c.stored(o)
}

// stored reports whether a concept has a stored value of the property.
func (c *CompiledFilter) stored(o Ord) bool {
	if c.prop < 0 {
		return false
	}
	lo, hi := c.x.props.first[c.prop], c.x.props.first[c.prop+1]
	for _, pair := range c.x.props.list(o) {
		if lo <= pair && pair < hi {
			return true
		}
	}
	return false
}

// anyAccepted reports whether =, in, not-in (as in) or regex accepts a value of a concept.
func (c *CompiledFilter) anyAccepted(o Ord) bool {
	x := c.x
	switch c.target {
	case targetCode:
		if c.refsets != nil {
			return c.isMember(o)
		}
		return c.acceptsCode(x.Code(o))
	case targetAncestor, targetDescendant:
		return c.isInLine(o)
	case targetDisplay:
		return c.acceptsText(x.Display(o))
	case targetDefinition:
		return c.acceptsText(x.Definition(o))
	case targetInactive:
		return c.accepts(boolean(x.Inactive(o)), false)
	case targetDeprecated:
		return c.accepts(boolean(x.Deprecated(o)), false)
	case targetStatus:
		return c.anyPairAccepted(o) || c.acceptsOtherStatus(o)
	case targetParent:
		if c.anyCodeAccepted(x.Parents(o)) {
			return true
		}
	case targetChild:
		if c.anyCodeAccepted(x.Children(o)) {
			return true
		}
	}
	return c.anyPairAccepted(o)
}

// acceptsOtherStatus reports whether the filter accepts the status of a concept whose status
// property has no value.
func (c *CompiledFilter) acceptsOtherStatus(o Ord) bool {
	return c.x.flags[o]&flagStatus != 0 && !c.stored(o) && c.acceptsText(c.x.Status(o))
}

func (c *CompiledFilter) anyCodeAccepted(ords []Ord) bool {
	for _, o := range ords {
		if c.acceptsCode(c.x.Code(o)) {
			return true
		}
	}
	return false
}

func (c *CompiledFilter) anyPairAccepted(o Ord) bool {
	if c.prop < 0 {
		return false
	}
	v := &c.x.props
	lo, hi := v.first[c.prop], v.first[c.prop+1]
	for _, pair := range v.list(o) {
		if lo <= pair && pair < hi && c.acceptsValue(v.values.at(pair)) {
			return true
		}
	}
	return false
}

func boolean(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
