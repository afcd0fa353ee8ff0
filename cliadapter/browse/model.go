package browse

import (
	"github.com/roget-health/roget/codesystem"
)

// A System is a code system that can be browsed.
type System struct {
	Name  string // short
	Index *codesystem.Index
}

// A Key is the name of a key, or the character that it types.
type Key string

// The keys with names.
const (
	Up        Key = "up"
	Down      Key = "down"
	Left      Key = "left"
	Right     Key = "right"
	PageUp    Key = "page up"
	PageDown  Key = "page down"
	Home      Key = "home"
	End       Key = "end"
	Enter     Key = "enter"
	Escape    Key = "escape"
	Tab       Key = "tab"
	Backspace Key = "backspace"
	Erase     Key = "erase" // the whole line
	Quit      Key = "quit"  // whatever the browser does
)

// A mode is what keys are about.
type mode uint8

const (
	walking  mode = iota
	reading       // the concept has the focus
	finding       // a text is typed
	choosing      // from a menu
	helping
)

// A Model is the state of a browser. It is not safe for concurrent use.
type Model struct {
	systems []System
	trees   []*tree // made when they are first shown
	at      int     // position in systems
	mode    mode
	scroll  int // of the concept
	find    finder
	menu    menu
	help    int // scroll of the help
	status  string
	copied  string
	pending bool // copied is for the clipboard
	page    int  // rows of the last view
}

// New returns a browser of code systems, of which there must be at least one. It begins with the one
// at a position.
func New(systems []System, at int) *Model {
	m := &Model{systems: systems, trees: make([]*tree, len(systems)), page: 10}
	m.enter(at)
	return m
}

// enter shows the code system at a position.
func (m *Model) enter(at int) {
	m.at, m.scroll = at, 0
	if m.trees[at] == nil {
		m.trees[at] = newTree(m.systems[at].Index)
	}
}

// Show moves to a concept of the code system that is shown, and opens what is above it.
func (m *Model) Show(o codesystem.Ord) {
	m.tree().reveal(pathTo(m.index(), o))
	m.scroll = 0
}

func (m *Model) tree() *tree              { return m.trees[m.at] }
func (m *Model) index() *codesystem.Index { return m.systems[m.at].Index }

// Copied returns what was copied last, and "" if nothing was.
func (m *Model) Copied() string { return m.copied }

// Clipboard returns a text for the clipboard, once.
func (m *Model) Clipboard() (text string, ok bool) {
	ok, m.pending = m.pending, false
	return m.copied, ok
}

// Press does what a key stands for. It reports whether the browser ends.
func (m *Model) Press(k Key) (done bool) {
	m.status = ""
	if k == Quit {
		return true
	}
	switch m.mode {
	case finding:
		m.typed(k)
	case choosing:
		m.chosen(k)
	case helping:
		m.helped(k)
	default:
		return m.walk(k)
	}
	return false
}

// walk is Press in the tree and in the concept.
func (m *Model) walk(k Key) (done bool) {
	switch k {
	case "q":
		return true
	case "/":
		m.mode, m.find.all = finding, len(m.systems) > 1
		m.search()
	case "s":
		m.chooseSystem()
	case "p":
		m.chooseParent()
	case "y":
		m.copy(copyCode)
	case "Y":
		m.copy(copyToken)
	case "J":
		m.copy(copyCoding)
	case "E":
		m.copy(copyConstraint)
	case "?":
		m.mode, m.help = helping, 0
	case Tab:
		if m.mode = reading - m.mode; m.mode == walking {
			m.scroll = 0
		}
	default:
		if m.mode == reading {
			m.read(k)
			return false
		}
		before := m.tree().cursor
		m.tree().move(k, m.page)
		if m.tree().cursor != before {
			m.scroll = 0
		}
	}
	return false
}

// read scrolls the concept.
func (m *Model) read(k Key) {
	switch k {
	case Escape, Left, "h":
		m.mode, m.scroll = walking, 0
	default:
		m.scroll = scrolled(m.scroll, k, m.page)
	}
}

// helped scrolls the help, or leaves it.
func (m *Model) helped(k Key) {
	switch k {
	case Escape, "q", "?", Enter:
		m.mode = walking
	default:
		m.help = scrolled(m.help, k, m.page)
	}
}

// scrolled returns the first line to show after a key. View bounds it by what there is.
func scrolled(first int, k Key, page int) int {
	switch k {
	case Up, "k":
		first--
	case Down, "j":
		first++
	case PageUp:
		first -= page
	case PageDown, " ":
		first += page
	case Home, "g":
		first = 0
	case End, "G":
		first = endless
	}
	return max(first, 0)
}

// endless is more lines than any text has.
const endless = 1 << 30
