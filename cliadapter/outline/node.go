package outline

import "github.com/roget-health/roget/codesystem"

// A Ref names a concept.
type Ref struct {
	Code    string `json:"code"`
	Display string `json:"display,omitempty"`
}

// A Node is a concept in an outline.
type Node struct {
	Ref
	Inactive bool `json:"inactive,omitempty"`
	Abstract bool `json:"abstract,omitempty"`
	// Children and Descendants are how many there are, whether or not they are in the outline.
	Children    int `json:"children"`
	Descendants int `json:"descendants"`
	// Beside are the parents that are not above the node in the outline.
	Beside []Ref `json:"otherParents,omitempty"`
	// Repeated is true if the node is opened elsewhere in the outline.
	Repeated bool `json:"repeated,omitempty"`
	// Nodes are children in the outline, and More the number of those that are left out.
	Nodes []*Node `json:"concept,omitempty"`
	More  int     `json:"more,omitempty"`

	ord    codesystem.Ord
	opened bool
	room   int // for children in the outline
}

func refOf(x *codesystem.Index, o codesystem.Ord) Ref {
	return Ref{Code: x.Code(o), Display: x.Display(o)}
}

// node returns the node of a concept below above, which is nil at the top.
func node(x *codesystem.Index, o codesystem.Ord, above *Node) *Node {
	n := &Node{
		Ref: refOf(x, o), Inactive: x.Inactive(o), Abstract: x.Abstract(o),
		Children: len(x.Children(o)), Descendants: int(x.Descendants(o).GetCardinality()), ord: o, //nolint:gosec // an index has less than 2^31 concepts
	}
	if above == nil {
		return n
	}
	for _, p := range x.Parents(o) {
		if p != above.ord {
			n.Beside = append(n.Beside, refOf(x, p))
		}
	}
	return n
}

// spanning returns the parent of a concept under which it is numbered: the one whose path is the
// one to draw. ok is false for a root.
func spanning(x *codesystem.Index, o codesystem.Ord) (parent codesystem.Ord, ok bool) {
	parents := x.Parents(o)
	if len(parents) == 0 {
		return 0, false
	}
	parent = parents[0]
	for _, p := range parents {
		if end, _ := x.Interval(p); p < o && o < end {
			parent = p // parents ascend: the last one is the nearest
		}
	}
	return parent, true
}
