package codesystem

import (
	"fmt"
	"slices"
)

// filterOp is a filter operator.
type filterOp uint8

const (
	opEquals filterOp = iota
	opIn
	opNotIn
	opRegex
	opExists
	opIsA
	opDescendentOf
	opIsNotA
	opGeneralizes
	opChildOf
	opDescendentLeaf
)

// operators lists every filter operator in the order of R4, then those of R5
// (http://hl7.org/fhir/ValueSet/filter-operator).
var operators = [...]struct {
	name string
	op   filterOp
}{
	{"=", opEquals},
	{"is-a", opIsA},
	{"descendent-of", opDescendentOf},
	{"is-not-a", opIsNotA},
	{"regex", opRegex},
	{"in", opIn},
	{"not-in", opNotIn},
	{"generalizes", opGeneralizes},
	{"exists", opExists},
	{"child-of", opChildOf},
	{"descendent-leaf", opDescendentLeaf},
}

func opOf(name string) (filterOp, error) {
	for _, o := range &operators {
		if o.name == name {
			return o.op, nil
		}
	}
	return 0, fmt.Errorf("%w %.100q", ErrUnknownOperator, name)
}

// FilterOperators lists the operators that Filter knows: those of R4, then child-of and
// descendent-leaf of R5.
func FilterOperators() []string {
	names := make([]string, len(operators))
	for i, o := range &operators {
		names[i] = o.name
	}
	return names
}

func (op filterOp) hierarchical() bool { return op >= opIsA }

// filterTarget is the property that a filter looks at.
type filterTarget uint8

const (
	targetCode filterTarget = iota
	targetDisplay
	targetDefinition
	targetParent // codes of the parents, and values of an ordinary property of that name
	targetChild
	targetInactive
	targetDeprecated
	targetStatus // as stated by the property, or by Index.Status
	targetProperty
	targetAncestor   // the ancestors, by their codes (a filter of LOINC)
	targetDescendant // the descendants
)

// boolean reports whether the target is true or false for every concept.
func (t filterTarget) boolean() bool { return t == targetInactive || t == targetDeprecated }

// line reports whether the target is ancestors or descendants.
func (t filterTarget) line() bool { return t == targetAncestor || t == targetDescendant }

// codes reports whether the target is codes of this system.
func (t filterTarget) codes() bool { return t == targetCode || t == targetParent || t == targetChild }

// takes reports whether an operator applies to the target.
func (t filterTarget) takes(op filterOp) bool {
	if t.line() {
		return op == opEquals || op == opIn || op == opNotIn
	}
	return !op.hierarchical() || t == targetCode || t == targetParent
}

// targetOf resolves the property of a filter. prop is the number of the stored property of this
// name, or -1.
func (x *Index) targetOf(property string) (t filterTarget, prop int, err error) {
	switch property {
	case "concept", "code":
		return targetCode, -1, nil
	case "display":
		return targetDisplay, -1, nil
	case "definition":
		return targetDefinition, -1, nil
	}
	prop, stored := x.props.find(property)
	if !stored {
		prop = -1
	}
	switch x.roleOf(property) {
	case roleParent:
		return targetParent, prop, nil
	case roleChild:
		return targetChild, prop, nil
	case roleInactive:
		if prop < 0 || x.props.boolean(prop) {
			return targetInactive, prop, nil
		}
	case roleDeprecated:
		if prop < 0 || x.props.boolean(prop) {
			return targetDeprecated, prop, nil
		}
	case roleAbstract:
		if !stored { // it may have another of its names
			prop = slices.Index(x.props.roles, roleAbstract)
		}
		return targetProperty, prop, nil
	case roleStatus:
		return targetStatus, prop, nil
	}
	if stored || x.declares(property) {
		return targetProperty, prop, nil
	}
	if x.Hierarchical() && x.Subsumptive() {
		switch property {
		case "ancestor":
			return targetAncestor, -1, nil
		case "descendant":
			return targetDescendant, -1, nil
		}
	}
	return 0, -1, fmt.Errorf("filter: %w %.100q", ErrUnknownProperty, property)
}

// declares reports whether the header declares a property.
func (x *Index) declares(property string) bool {
	header := x.Header()
	for i := range header.Property {
		if header.Property[i].Code == property {
			return true
		}
	}
	return false
}

// boolean reports whether all values of a property are booleans.
func (v *propertyView) boolean(prop int) bool {
	lo, hi := v.first[prop], v.first[prop+1]
	return lo < hi && v.values.at(lo)[0] == letterBoolean && v.values.at(hi - 1)[0] == letterBoolean
}
