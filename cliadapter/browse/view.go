package browse

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// Sizes of the screen, in columns and rows.
const (
	minWidth, minHeight = 20, 5
	wide                = 90 // the concept is beside the tree
)

// View returns the screen: height lines of at most width columns.
func (m *Model) View(width, height int) []Line {
	if width < minWidth || height < minHeight {
		return fill(Line{span("too small", Plain, max(width, 0))}, nil, nil, height)
	}
	m.page = height - 2
	var body []Line
	switch m.mode {
	case finding:
		body = m.findView(width, m.page)
	case choosing:
		body = m.menuView(width, m.page)
	case helping:
		body = m.helpView(width, m.page)
	default:
		body = m.walkView(width, m.page)
	}
	return fill(Line{padded(m.title(), Reverse, width)}, body, Line{span(m.hints(), Dim, width)}, height)
}

// fill puts lines between the first and the last one.
func fill(first Line, body []Line, last Line, height int) []Line {
	lines := make([]Line, max(height, 0))
	copy(lines, append([]Line{first}, body...))
	if last != nil {
		lines[height-1] = last
	}
	return lines
}

func (m *Model) title() string {
	x := m.index()
	return fmt.Sprintf(" %s  %s  %s concepts", m.systems[m.at].Name, label(x), engine.Thousands(x.Len()))
}

// hints is the last line: what happened, or what the keys do.
func (m *Model) hints() string {
	switch {
	case m.status != "":
		return m.status
	case m.mode == finding:
		return "↑↓ choose  enter go there  tab scope  esc back"
	case m.mode == choosing:
		return "↑↓ choose  enter go there  esc back"
	case m.mode == helping, m.mode == reading:
		return "↑↓ scroll  esc back"
	}
	return "/ find  ↑↓←→ walk  tab read  p parents  y copy  s systems  ? help  q quit"
}

// walkView shows the tree, and the concept beside it or instead of it.
func (m *Model) walkView(width, height int) []Line {
	if width < wide {
		if m.mode == reading {
			return m.conceptView(width, height)
		}
		return m.treeView(width, height)
	}
	left := width * 11 / 20
	tree, concept := m.treeView(left, height), m.conceptView(width-left-3, height)
	rule := Span{" │ ", Dim}
	if m.mode == reading {
		rule = Span{" ┃ ", Bold}
	}
	for i := range tree {
		used := 0
		for _, s := range tree[i] {
			used += columns(s.Text)
		}
		tree[i] = append(tree[i], Span{strings.Repeat(" ", max(left-used, 0)), Plain}, rule)
		tree[i] = append(tree[i], concept[i]...)
	}
	return tree
}

func (m *Model) treeView(width, height int) []Line {
	t := m.tree()
	t.show(height)
	lines := make([]Line, height)
	if len(t.rows) == 0 {
		lines[0] = Line{span("no concepts", Dim, width)}
	}
	for i := range lines {
		if at := t.top + i; at < len(t.rows) {
			style := Plain
			if at == t.cursor && m.mode != reading {
				style = Reverse
			} else if at == t.cursor {
				style = Bold
			}
			lines[i] = Line{span(rowText(t.x, t.rows[at], width), style, width)}
		}
	}
	return lines
}

// rowText writes a row of the tree. The indent stays below a third of the width.
func rowText(x *codesystem.Index, r row, width int) string {
	mark := "  "
	children := len(x.Children(r.ord))
	switch {
	case r.open:
		mark = "▾ "
	case children > 0:
		mark = "▸ "
	}
	var b strings.Builder
	if level := int(r.level); 2*level <= width/3 {
		b.WriteString(strings.Repeat("  ", level))
	} else {
		fmt.Fprintf(&b, "%*d ", width/3-1, level)
	}
	b.WriteString(mark + x.Code(r.ord) + "  " + x.Display(r.ord))
	if text := marks(x, r.ord); text != "" {
		b.WriteString("  [" + text + "]")
	}
	if children > 0 && !r.open {
		b.WriteString("  (" + engine.Thousands(children) + ")")
	}
	if parents := len(x.Parents(r.ord)); parents > 1 {
		fmt.Fprintf(&b, "  ↖%d", parents)
	}
	return b.String()
}

func (m *Model) conceptView(width, height int) []Line {
	r, ok := m.tree().current()
	if !ok {
		return make([]Line, height)
	}
	return window(concept(m.index(), r.ord, width), &m.scroll, height)
}

// window returns height lines of a text from the one that is scrolled to.
func window(text []Line, first *int, height int) []Line {
	*first = max(min(*first, len(text)-height), 0)
	lines := make([]Line, height)
	copy(lines, text[*first:])
	return lines
}

func (m *Model) findView(width, height int) []Line {
	f := &m.find
	scope := "in " + m.systems[m.at].Name
	if f.all {
		scope = "in all code systems"
	}
	found := ""
	if f.text != "" {
		found = fmt.Sprintf(", %s found", engine.Thousands(f.total))
	}
	lines := make([]Line, height)
	typed := tail(clean(f.text), max(width-len("find ▏")-columns(scope)-20, 5))
	lines[0] = Line{span("find "+typed+"▏", Bold, width)}
	lines[0] = append(lines[0], span("  "+scope+found, Dim, max(width-columns(lines[0][0].Text), 0)))
	rows := height - 1
	f.top = shown(f.top, f.cursor, rows, len(f.hits))
	for i := range rows {
		at := f.top + i
		if at >= len(f.hits) {
			break
		}
		h, style := f.hits[at], Plain
		if at == f.cursor {
			style = Reverse
		}
		x := m.systems[h.system].Index
		text := "  " + x.Code(h.ord) + "  " + x.Display(h.ord)
		if f.all {
			text += "  [" + m.systems[h.system].Name + "]"
		}
		lines[1+i] = Line{span(text, style, width)}
	}
	return lines
}

func (m *Model) menuView(width, height int) []Line {
	lines := make([]Line, height)
	lines[0] = Line{span(m.menu.title, Bold, width)}
	rows := height - 1
	m.menu.top = shown(m.menu.top, m.menu.cursor, rows, len(m.menu.items))
	for i := range rows {
		at := m.menu.top + i
		if at >= len(m.menu.items) {
			break
		}
		style := Plain
		if at == m.menu.cursor {
			style = Reverse
		}
		lines[1+i] = Line{span("  "+m.menu.items[at], style, width)}
	}
	return lines
}

// shown returns the first row to show so that the cursor is among those that are.
func shown(top, cursor, rows, all int) int {
	top = max(min(top, cursor), cursor-rows+1)
	return max(min(top, all-rows), 0)
}

// helpView lists the keys.
func (m *Model) helpView(width, height int) []Line {
	p := page{width: width}
	for _, k := range [...][2]string{
		{"/", "find by words, codes or their beginnings; tab changes where"},
		{"↑ ↓  j k", "the row above or below; page up and down, home and end"},
		{"→  l", "open, or go into"},
		{"←  h", "close, or go to the one above"},
		{"enter", "open or close"},
		{"p", "go to a parent; one with several is marked ↖"},
		{"tab", "read the concept: everything that is known of it"},
		{"y", "copy the code"},
		{"Y", "copy system|code"},
		{"J", "copy a Coding in JSON"},
		{"E", "copy an expression constraint for it and what is below"},
		{"s", "choose a code system"},
		{"q", "quit; what was copied last is printed"},
	} {
		p.item(fmt.Sprintf("%-9s %s", k[0], k[1]))
	}
	return window(p.lines, &m.help, height)
}
