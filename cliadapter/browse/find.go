package browse

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem"
)

// A finder is a search as it is typed.
type finder struct {
	text   string
	all    bool // in all code systems, not only in the one that is shown
	hits   []hit
	total  int
	cursor int
	top    int
}

// A hit is a concept that was found.
type hit struct {
	system int // position in Model.systems
	ord    codesystem.Ord
	score  codesystem.Score
}

const (
	maxText = 200 // characters of a search
	maxHits = 200 // hits that are listed
)

// typed is Press while a text is typed.
func (m *Model) typed(k Key) {
	f := &m.find
	switch k {
	case Escape:
		m.mode = walking
		return
	case Enter:
		if len(f.hits) > 0 {
			h := f.hits[f.cursor]
			m.mode = walking
			m.enter(h.system)
			m.Show(h.ord)
		}
		return
	case Up, Down, PageUp, PageDown:
		f.cursor = scrolled(f.cursor, k, m.page)
		f.cursor = max(min(f.cursor, len(f.hits)-1), 0)
		return
	case Tab:
		f.all = !f.all
	case Erase:
		f.text = ""
	case Backspace:
		_, size := utf8.DecodeLastRuneInString(f.text)
		f.text = f.text[:len(f.text)-size]
	default:
		if r, size := utf8.DecodeRuneInString(string(k)); size != len(k) || !unicode.IsPrint(r) || utf8.RuneCountInString(f.text) >= maxText {
			return
		}
		f.text += string(k)
	}
	m.search()
}

// search finds what is typed, best matches first.
func (m *Model) search() {
	f := &m.find
	f.hits, f.total, f.cursor, f.top = nil, 0, 0, 0
	q := codesystem.CompileQuery(f.text)
	if q.Empty() {
		return
	}
	for try := range q.Forgiving().Tries() {
		for i, s := range m.systems {
			if !f.all && i != m.at {
				continue
			}
			found, total := s.Index.Search(try, nil, 0, maxHits, nil)
			f.total += total
			for _, h := range found {
				f.hits = append(f.hits, hit{i, h.Concept, h.Score})
			}
		}
		if f.total > 0 {
			break
		}
	}
	slices.SortStableFunc(f.hits, func(a, b hit) int { return cmp.Compare(a.score, b.score) })
	f.hits = f.hits[:min(len(f.hits), maxHits)]
}
