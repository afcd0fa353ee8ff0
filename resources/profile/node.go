package profile

import (
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// A node is what a profile says about an element or a slice of it. What is not said has its zero
// value, except max.
type node struct {
	id       string // in the definition: "Patient.identifier:mrn.system"
	name     string // "identifier", "value[x]"; of the root the type
	slice    string // "mrn", "mrn/old"
	min      int
	max      int // unbounded if there is no limit
	types    []typeRef
	fixed    document.Value
	pattern  document.Value
	least    document.Value // minValue[x]
	greatest document.Value // maxValue[x]
	length   int            // maxLength
	binding  binding
	rules    []rule
	must     bool   // mustSupport
	modifier bool   // isModifier
	content  string // contentReference

	children []*node
	slicing  *slicing
	slices   []*node
}

const unbounded = -1

// A typeRef is a type of an element: ElementDefinition.type.
type typeRef struct {
	code     string
	profiles []string
	targets  []string
}

// A binding is ElementDefinition.binding, zero if there is none.
type binding struct{ strength, valueSet string }

// A rule is a constraint that is an expression of FHIRPath. The expression is nil if it cannot be
// compiled, for the reason in problem.
type rule struct {
	key, severity, human, problem string
	expression                    *fhirpath.Expression
}

// A slicing is how the slices of an element are told apart.
type slicing struct {
	by      []discriminator
	rules   string // open, closed, openAtEnd
	ordered bool
}

// A discriminator is a kind of question about the elements at a path.
type discriminator struct {
	kind, path string
	steps      []step
	problem    string // why the path cannot be followed
}

// child returns the child with a name, nil if there is none.
func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// sliced returns the slice with a name, nil if there is none. That of "a/b" is a slice of the slice
// "a".
func (n *node) sliced(name string) *node {
	for _, s := range n.slices {
		if s.slice == name {
			return s
		}
		if len(name) > len(s.slice) && name[:len(s.slice)] == s.slice && name[len(s.slice)] == '/' {
			return s.sliced(name)
		}
	}
	return nil
}

// find returns the node with an id below n, nil if there is none.
func (n *node) find(id string) *node {
	if n.id == id {
		return n
	}
	for _, list := range [...][]*node{n.children, n.slices} {
		for _, c := range list {
			if len(id) >= len(c.id) && id[:len(c.id)] == c.id {
				if found := c.find(id); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// clone copies the tree below n. Lists of nodes are new, and what nodes point to is shared.
func (n *node) clone() *node {
	c := *n
	c.children, c.slices = clones(n.children), clones(n.slices)
	return &c
}

func clones(list []*node) []*node {
	copies := make([]*node, len(list))
	for i, n := range list {
		copies[i] = n.clone()
	}
	return copies
}

// size returns the number of nodes of the tree below n.
func (n *node) size() int {
	count := 1
	for _, c := range n.children {
		count += c.size()
	}
	for _, s := range n.slices {
		count += s.size()
	}
	return count
}
