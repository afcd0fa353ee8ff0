package codesystem

import (
	"fmt"
	"slices"
	"strings"
)

// setValue parses the value for the operator.
func (c *CompiledFilter) setValue(value string) (err error) {
	if value == "" {
		return fmt.Errorf("%w: no value", ErrBadFilterValue)
	}
	switch {
	case c.op.hierarchical():
		if c.op != opChildOf && !c.x.Subsumptive() {
			return ErrNotSubsumptive
		}
		var ok bool
		if c.root, ok = c.x.Find(value); !ok {
			return ErrUnknownCode
		}
	case c.op == opExists:
		if value != "true" && value != "false" {
			return fmt.Errorf("%w: want true or false", ErrBadFilterValue)
		}
		c.exists = value == "true"
	case c.op == opRegex:
		c.regex, err = compileAnchored(value, c.rule.texts || c.target.codes() && !c.x.CaseSensitive())
		return err
	case c.op == opEquals && !c.target.line():
		c.value = value
		return c.checkEnum(value)
	default:
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				c.values = append(c.values, part)
				if err := c.checkEnum(part); err != nil {
					return err
				}
			}
		}
		if len(c.values) == 0 {
			return fmt.Errorf("%w: an empty list", ErrBadFilterValue)
		}
		switch {
		case c.target.line():
			return c.findRoots()
		case c.target == targetCode:
			c.refsets = c.x.refsetsNamed(c.values)
		}
	}
	return nil
}

// checkEnum refuses a value that a boolean property can never have.
func (c *CompiledFilter) checkEnum(value string) error {
	if c.target.boolean() && value != "true" && value != "false" {
		return fmt.Errorf("%w: want true or false", ErrBadFilterValue)
	}
	return nil
}

// findRoots finds the concepts that an ancestor or descendant filter names.
func (c *CompiledFilter) findRoots() error {
	for _, value := range c.values {
		o, ok := c.x.Find(value)
		if !ok {
			return ErrUnknownCode
		}
		c.roots = append(c.roots, o)
	}
	return nil
}

// refsetsNamed returns the reference sets with these codes, or nil unless every code has one.
func (x *Index) refsetsNamed(codes []string) []*Refset {
	sets := make([]*Refset, 0, len(codes))
	for _, code := range codes {
		set, ok := x.Refset(code)
		if !ok {
			return nil
		}
		sets = append(sets, set)
	}
	return sets
}

// accepts applies =, in or regex to a text. fold says whether = and in ignore letter case.
func (c *CompiledFilter) accepts(text string, fold bool) bool {
	equal := func(value string) bool { return text == value || fold && equalFolded(text, value) }
	switch c.op {
	case opRegex:
		return c.regex.match(text)
	case opEquals:
		return equal(c.value)
	}
	return slices.ContainsFunc(c.values, equal)
}

// acceptsCode is accepts for a code, by the case rule of the system.
func (c *CompiledFilter) acceptsCode(code string) bool {
	return c.accepts(code, !c.x.CaseSensitive())
}

// acceptsValue is accepts for an encoded property value.
func (c *CompiledFilter) acceptsValue(enc string) bool {
	rule := c.rule
	switch c.op {
	case opRegex:
		return c.matchesValue(enc, rule)
	case opEquals:
		return rule.equal(enc, c.value)
	}
	return slices.ContainsFunc(c.values, func(v string) bool { return rule.equal(enc, v) })
}

// matchesValue is accepts with regex for an encoded property value.
func (c *CompiledFilter) matchesValue(enc string, rule valueRule) bool {
	if c.regex.match(valueText(enc)) {
		return true
	}
	if !rule.displays {
		return false
	}
	display := valueDisplay(enc)
	return display != "" && c.regex.match(display)
}
