package outline

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
)

// A Tree is what is below some concepts.
type Tree struct {
	System  string  `json:"system"`
	Version string  `json:"version,omitempty"`
	Nodes   []*Node `json:"concept"`
	More    int     `json:"more,omitempty"` // concepts at the top that are left out
	Shown   int     `json:"shown"`          // concepts in the outline, each time that they occur
}

// Below returns what is below the concepts of a list to a depth: 0 for the concepts alone. It has at
// most limit concepts. Upper levels come before lower ones, so that a limit leaves out leaves first,
// and the concepts of a level share what is left of it evenly: one with many children does not take
// the place of its siblings'. A concept of which no child has a place stays closed. The error is that
// of ctx.
func Below(ctx context.Context, x *codesystem.Index, top []codesystem.Ord, depth, limit int) (*Tree, error) {
	t := &Tree{System: x.URL(), Version: x.Version(), Nodes: []*Node{}}
	for _, o := range top[:min(len(top), limit)] {
		t.Nodes = append(t.Nodes, node(x, o, nil))
	}
	t.Shown, t.More = len(t.Nodes), len(top)-len(t.Nodes)
	opened := map[codesystem.Ord]bool{}
	for level := t.Nodes; depth > 0 && len(level) > 0; depth-- {
		var open []*Node
		seen := map[codesystem.Ord]bool{}
		for _, n := range level {
			if n.Children > 0 && !opened[n.ord] && !seen[n.ord] {
				seen[n.ord] = true
				open = append(open, n)
			}
		}
		share(limit-t.Shown, open)
		var next []*Node
		for _, n := range level {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if n.Repeated = opened[n.ord]; n.Repeated || n.room == 0 {
				continue
			}
			opened[n.ord], n.opened = true, true
			for _, o := range x.Children(n.ord)[:n.room] {
				n.Nodes = append(n.Nodes, node(x, o, n))
			}
			t.Shown += n.room
			n.More = n.Children - n.room
			next = append(next, n.Nodes...)
		}
		level = next
	}
	return t, nil
}

// share divides total among the nodes of a level as room for their children: all get the same, but none
// gets more than it has children. What some leave goes to the others.
func share(total int, level []*Node) {
	fewest := slices.Clone(level)
	slices.SortStableFunc(fewest, func(a, b *Node) int { return a.Children - b.Children })
	for i, n := range fewest {
		rest := len(fewest) - i
		n.room = min(n.Children, (total+rest-1)/rest)
		total -= n.room
	}
}
