package outline

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/engine"
)

// Lines draws the tree. The texts are as they are in the code system.
func (t *Tree) Lines() []string {
	var d drawing
	for _, n := range t.Nodes {
		d.line("", n.text(true))
		d.below("", n)
	}
	if t.More > 0 {
		d.line("", more(t.More))
	}
	return d.lines
}

// Lines draws the path, each concept with its other parents.
func (a *Ancestry) Lines() []string {
	var d drawing
	for i, n := range a.Path {
		branch, indent := "", ""
		if i > 0 {
			indent = strings.Repeat(" ", 3*(i-1))
			branch = indent + lastBranch
			indent += "   "
		}
		d.line(branch, n.text(false))
		for _, p := range n.Beside {
			d.line(indent+besideMark, p.text())
		}
	}
	return d.lines
}

// Branches of the drawing. All have the same width.
const (
	branch     = "├─ "
	lastBranch = "└─ "
	trunk      = "│  "
	noTrunk    = "   "
	besideMark = "↖ "
)

// A drawing collects lines.
type drawing struct{ lines []string }

func (d *drawing) line(prefix, text string) { d.lines = append(d.lines, prefix+text) }

// below draws the children of a node; prefix is what stands before their branches.
func (d *drawing) below(prefix string, n *Node) {
	for i, child := range n.Nodes {
		mark, next := branch, trunk
		if i == len(n.Nodes)-1 && n.More == 0 {
			mark, next = lastBranch, noTrunk
		}
		d.line(prefix+mark, child.text(true))
		d.below(prefix+next, child)
	}
	if n.More > 0 {
		d.line(prefix+lastBranch, more(n.More))
	}
}

func more(n int) string { return "… " + engine.Thousands(n) + " more" }

func (r Ref) text() string { return strings.TrimSpace(r.Code + "  " + r.Display) }

// text describes the node: with its other parents in the line, if they have no lines of their own.
func (n *Node) text(beside bool) string {
	var notes []string
	if n.Inactive {
		notes = append(notes, "inactive")
	}
	if n.Abstract {
		notes = append(notes, "abstract")
	}
	switch {
	case n.Repeated:
		notes = append(notes, "opened above")
	case n.opened || !beside || n.Children == 0:
	case n.Children == n.Descendants:
		notes = append(notes, engine.Thousands(n.Children)+" below")
	case n.Children == 1:
		notes = append(notes, fmt.Sprintf("1 child, %s below", engine.Thousands(n.Descendants)))
	default:
		notes = append(notes, fmt.Sprintf("%s children, %s below", engine.Thousands(n.Children), engine.Thousands(n.Descendants)))
	}
	if beside && len(n.Beside) > 0 {
		codes := make([]string, len(n.Beside))
		for i, p := range n.Beside {
			codes[i] = p.Code
		}
		notes = append(notes, "also in "+strings.Join(codes, ", "))
	}
	text := n.Ref.text()
	if len(notes) > 0 {
		text += "  [" + strings.Join(notes, "; ") + "]"
	}
	return text
}
