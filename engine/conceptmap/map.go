package conceptmap

import (
	"unsafe"

	"github.com/roget-health/roget/resources/r4"
)

// A Map is the index of one ConceptMap. It is immutable.
type Map struct {
	canonical string
	groups    []group
	texts     texts
	// elements and targets are in the order of the resource; the targets of element i
	// are targets[elements[i].first:elements[i+1].first].
	elements []element
	targets  []target
	extras   []extra
	// bySource and byTarget list, for each text that is a code, the elements that have
	// it and the targets that have it.
	bySource, byTarget postings
}

// A group is a ConceptMap.group without its mappings.
type group struct {
	ends
	mode          string // of unmapped; "" when absent
	code, display string // fixed
	other         string // other-map
}

// ends are the source and target systems of a group. An empty version means any.
type ends struct {
	Source, SourceVersion string
	Target, TargetVersion string
}

type element struct {
	code, display uint32 // texts
	group         uint32
	first         uint32 // its first target
}

type target struct {
	code, display, comment uint32 // texts
	element                uint32
	extra                  uint32 // 1 + place in extras; 0: none
	equivalence            uint8
}

// An extra has the rare parts of a mapping.
type extra struct {
	dependsOn, product []r4.ConceptMapDependsOn
}

// postings has lists of numbers by text.
type postings struct {
	starts, list []uint32
}

func (p *postings) of(text uint32) []uint32 {
	if int(text)+1 >= len(p.starts) {
		return nil
	}
	return p.list[p.starts[text]:p.starts[text+1]]
}

// collect returns postings of n items in ascending order. text returns the text of an item, 0 for
// none.
func collect(texts, n int, text func(i int) uint32) postings {
	p := postings{starts: make([]uint32, texts+1)}
	for i := range n {
		if t := text(i); t != 0 {
			p.starts[t+1]++
		}
	}
	for t := 1; t < len(p.starts); t++ {
		p.starts[t] += p.starts[t-1]
	}
	p.list = make([]uint32, p.starts[texts])
	next := append([]uint32(nil), p.starts...)
	for i := range n {
		if t := text(i); t != 0 {
			p.list[next[t]] = uint32(i)
			next[t]++
		}
	}
	return p
}

// Canonical returns the url|version of the map, its url, or "".
func (m *Map) Canonical() string { return m.canonical }

// Sources returns the number of elements: source codes, counted once for each group.
func (m *Map) Sources() int { return len(m.elements) - 1 }

// Targets returns the number of mappings.
func (m *Map) Targets() int { return len(m.targets) }

// Cost returns the memory of the map in bytes, without the few texts of groups and extras.
func (m *Map) Cost() int64 {
	n := int64(unsafe.Sizeof(*m)) + int64(len(m.texts.arena))
	n += 4 * int64(len(m.texts.ends)+len(m.texts.slots))
	n += 4 * int64(len(m.bySource.starts)+len(m.bySource.list)+len(m.byTarget.starts)+len(m.byTarget.list))
	n += int64(len(m.elements)) * int64(unsafe.Sizeof(element{}))
	n += int64(len(m.targets)) * int64(unsafe.Sizeof(target{}))
	n += int64(len(m.groups)) * int64(unsafe.Sizeof(group{}))
	return n + int64(len(m.extras))*256
}
