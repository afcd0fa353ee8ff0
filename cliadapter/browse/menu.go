package browse

import (
	"fmt"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// A menu is a list to choose from.
type menu struct {
	title  string
	items  []string
	cursor int
	top    int
	choose func(i int)
}

// chosen is Press in a menu.
func (m *Model) chosen(k Key) {
	switch k {
	case Escape, "q", Left, "h":
		m.mode = walking
	case Enter, Right, "l":
		m.mode = walking
		m.menu.choose(m.menu.cursor)
	default:
		m.menu.cursor = min(scrolled(m.menu.cursor, k, m.page), len(m.menu.items)-1)
	}
}

// chooseSystem opens the menu of code systems.
func (m *Model) chooseSystem() {
	list := menu{title: "Code systems", cursor: m.at, choose: m.enter}
	for _, s := range m.systems {
		list.items = append(list.items, fmt.Sprintf("%s  %s  %s concepts", s.Name, label(s.Index), engine.Thousands(s.Index.Len())))
	}
	m.menu, m.mode = list, choosing
}

// chooseParent moves to the parent of a concept, or opens the menu of its parents if it has several.
func (m *Model) chooseParent() {
	r, ok := m.tree().current()
	if !ok {
		return
	}
	x := m.index()
	parents := x.Parents(r.ord)
	list := menu{title: "Parents of " + x.Code(r.ord), choose: func(i int) { m.Show(parents[i]) }}
	switch len(parents) {
	case 0:
		m.status = "no parents: this is a root"
		return
	case 1:
		list.choose(0)
		return
	}
	for _, p := range parents {
		list.items = append(list.items, x.Code(p)+"  "+x.Display(p))
	}
	if above := m.tree().above(m.tree().cursor); above >= 0 {
		list.cursor = max(slices.Index(parents, m.tree().rows[above].ord), 0)
	}
	m.menu, m.mode = list, choosing
}

// label names a code system with its version.
func label(x *codesystem.Index) string {
	if x.Version() == "" {
		return x.URL()
	}
	return x.URL() + "|" + x.Version()
}
