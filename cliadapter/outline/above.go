package outline

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
)

// An Ancestry is what is above a concept: one path from a root, and the concepts beside it.
type Ancestry struct {
	System  string `json:"system"`
	Version string `json:"version,omitempty"`
	// Path leads from a root to the concept, each with the parents that are beside the path.
	Path []*Node `json:"path"`
	// Others are the ancestors that are not on the path, and More the number of those left out.
	Others []Ref `json:"otherAncestors,omitempty"`
	More   int   `json:"more,omitempty"`
	// Ancestors is the number of all ancestors.
	Ancestors int `json:"ancestors"`
}

// Above returns what is above a concept, with at most limit ancestors beside the path.
func Above(x *codesystem.Index, o codesystem.Ord, limit int) *Ancestry {
	a := &Ancestry{System: x.URL(), Version: x.Version()}
	ords := Path(x, o)
	for i, p := range ords {
		var above *Node
		if i > 0 {
			above = a.Path[i-1]
		}
		a.Path = append(a.Path, node(x, p, above))
	}
	all := x.Ancestors(o)
	a.Ancestors = len(all)
	for _, p := range all {
		switch {
		case slices.Contains(ords, p):
		case len(a.Others) == limit:
			a.More++
		default:
			a.Others = append(a.Others, refOf(x, p))
		}
	}
	return a
}

// Path returns the path from a root to a concept on which it is numbered.
func Path(x *codesystem.Index, o codesystem.Ord) []codesystem.Ord {
	path := []codesystem.Ord{o}
	for p, ok := spanning(x, o); ok; p, ok = spanning(x, p) {
		path = append(path, p)
	}
	slices.Reverse(path)
	return path
}
