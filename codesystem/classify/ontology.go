package classify

import (
	"encoding/binary"
	"slices"
	"strings"
)

// An Expr is a class expression of an Ontology: equal expressions have equal numbers.
type Expr uint32

// The classes of everything and of nothing.
const (
	Top Expr = iota
	Bottom
)

// A Role is an object property or data property of an Ontology.
type Role uint32

type kind byte

const (
	named kind = iota
	literal
	conjunction // of args
	existential // args: role, filler
)

// An Ontology collects axioms. Its methods are not safe for concurrent use.
type Ontology struct {
	// Ignored counts the axioms that are left out because they are not EL, by what is not. Without
	// them the hierarchy can only be smaller.
	Ignored map[string]int
	// Labels are names of classes for people, where the source has them.
	Labels map[Expr]string

	kinds []kind
	args  [][]uint32
	names []string // of classes and literals

	classes  map[string]Expr
	literals map[string]Expr
	complex  map[string]Expr
	key      []byte

	roles     map[string]Role
	roleNames []string
	hierarchy [][2]Role   // sub, super
	chains    [][3]Role   // first, second, super
	reflexive []Role      // as stated
	ranges    [][2]uint32 // role, expression

	axioms   [][2]Expr // sub, super
	disjoint [][]Expr
}

// New returns an empty ontology.
func New() *Ontology {
	return &Ontology{
		Ignored: map[string]int{}, Labels: map[Expr]string{},
		kinds: make([]kind, 2), args: make([][]uint32, 2), names: []string{"owl:Thing", "owl:Nothing"},
		classes: map[string]Expr{}, literals: map[string]Expr{}, complex: map[string]Expr{}, roles: map[string]Role{},
	}
}

func (o *Ontology) add(k kind, name string, args []uint32) Expr {
	o.kinds, o.args, o.names = append(o.kinds, k), append(o.args, args), append(o.names, name)
	return Expr(len(o.kinds) - 1)
}

// Class returns the class of a name.
func (o *Ontology) Class(name string) Expr {
	c, ok := o.classes[name]
	if !ok {
		name = strings.Clone(name)
		c = o.add(named, name, nil)
		o.classes[name] = c
	}
	return c
}

// Literal returns the class of the literals with a value, as the filler of a data property. The
// value is in the canonical form of its type.
func (o *Ontology) Literal(value string) Expr {
	c, ok := o.literals[value]
	if !ok {
		value = strings.Clone(value)
		c = o.add(literal, value, nil)
		o.literals[value] = c
	}
	return c
}

// Role returns the role of a name.
func (o *Ontology) Role(name string) Role {
	r, ok := o.roles[name]
	if !ok {
		name = strings.Clone(name)
		r = Role(len(o.roleNames))
		o.roles[name], o.roleNames = r, append(o.roleNames, name)
	}
	return r
}

// And returns the conjunction of expressions.
func (o *Ontology) And(list ...Expr) Expr {
	var args []uint32
	for _, e := range list {
		switch {
		case e == Bottom:
			return Bottom
		case o.kinds[e] == conjunction:
			args = append(args, o.args[e]...)
		case e != Top:
			args = append(args, uint32(e))
		}
	}
	slices.Sort(args)
	switch args = slices.Compact(args); len(args) {
	case 0:
		return Top
	case 1:
		return Expr(args[0])
	}
	return o.intern(conjunction, args)
}

// Some returns the existential restriction of a role to a filler.
func (o *Ontology) Some(r Role, filler Expr) Expr {
	if filler == Bottom {
		return Bottom
	}
	return o.intern(existential, []uint32{uint32(r), uint32(filler)})
}

// intern returns the only expression of a kind with these arguments.
func (o *Ontology) intern(k kind, args []uint32) Expr {
	o.key = append(o.key[:0], byte(k))
	for _, a := range args {
		o.key = binary.LittleEndian.AppendUint32(o.key, a)
	}
	e, ok := o.complex[string(o.key)]
	if !ok {
		e = o.add(k, "", args)
		o.complex[string(o.key)] = e
	}
	return e
}

// Sub states that whatever is in sub is in super.
func (o *Ontology) Sub(sub, super Expr) { o.axioms = append(o.axioms, [2]Expr{sub, super}) }

// Equivalent states that expressions have the same instances.
func (o *Ontology) Equivalent(list ...Expr) {
	for i := range list[1:] {
		o.Sub(list[i], list[i+1])
		o.Sub(list[i+1], list[i])
	}
}

// Disjoint states that nothing is in two of the expressions.
func (o *Ontology) Disjoint(list ...Expr) {
	list = slices.Clone(list)
	slices.Sort(list)
	for i := range list[1:] {
		if list[i] == list[i+1] {
			o.Sub(list[i], Bottom)
		}
	}
	o.disjoint = append(o.disjoint, slices.Compact(list))
}

// SubRole states that a chain of one or more roles leads to a role.
func (o *Ontology) SubRole(super Role, chain ...Role) {
	for len(chain) > 2 {
		step := Role(len(o.roleNames))
		o.roleNames = append(o.roleNames, "")
		o.chains = append(o.chains, [3]Role{chain[0], chain[1], step})
		chain = append([]Role{step}, chain[2:]...)
	}
	if len(chain) == 1 {
		o.hierarchy = append(o.hierarchy, [2]Role{chain[0], super})
	} else {
		o.chains = append(o.chains, [3]Role{chain[0], chain[1], super})
	}
}

// Reflexive states that a role leads from everything to itself.
func (o *Ontology) Reflexive(r Role) { o.reflexive = append(o.reflexive, r) }

// Range states that a role only leads to instances of an expression.
func (o *Ontology) Range(r Role, e Expr) {
	o.ranges = append(o.ranges, [2]uint32{uint32(r), uint32(e)})
}
