package rf2

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// names chooses the descriptions that are the display and the definition of a concept.
type names struct {
	store   *descriptionStore
	accepts *acceptabilityStore
	by      groups // descriptions by concept, each group sorted by identifier
	// best is, for each set of acceptability, the rank of its first reference set in which the
	// description is preferred, or none.
	best []int

	synonym, full, definition uint8 // numbers of types
}

const none = math.MaxInt

// newNames groups descriptions by concept. language is the preferred reference set, 0 for the
// default. A repeated description is an error.
func newNames(e *edition) (*names, error) {
	s := &e.descriptions
	n := &names{
		store: s, accepts: &e.acceptability,
		synonym: uint8(s.types.number(synonym)), full: uint8(s.types.number(fullySpecifiedName)), definition: uint8(s.types.number(textDefinition)),
	}
	for i := range s.rows {
		s.rows[i].accepts = n.accepts.of[s.rows[i].id]
	}
	n.by = groupBy(len(s.rows), len(e.concepts.rows), func(row int) uint32 { return s.rows[row].concept })
	for c := range uint32(len(e.concepts.rows)) {
		list := n.by.of(c)
		slices.SortFunc(list, func(a, b uint32) int { return cmp.Compare(s.rows[a].id, s.rows[b].id) })
		for i := 1; i < len(list); i++ {
			if id := s.rows[list[i]].id; id == s.rows[list[i-1]].id {
				return nil, fmt.Errorf("%w: description %d is there twice, but a Snapshot must have it once", ErrDamaged, id)
			}
		}
	}
	if refsets := n.accepts.refsets.all; e.language != 0 && !slices.Contains(refsets, e.language) {
		return nil, fmt.Errorf("%w: language reference set %d has no rows; the release has %s", ErrOptions, e.language, idList(slices.Clone(refsets)))
	}
	ranks := n.ranks(e.language)
	n.best = make([]int, len(n.accepts.sets.all))
	for i, set := range n.accepts.sets.all {
		n.best[i] = none
		for _, a := range set {
			if a.preferred() {
				n.best[i] = min(n.best[i], ranks[a.refset()])
			}
		}
	}
	return n, nil
}

// ranks orders the language reference sets: the preferred one, American English, then by their
// number of descriptions.
func (n *names) ranks(first sctid) []int {
	refsets := n.accepts.refsets.all
	uses := make([]int, len(refsets))
	sets := make([]int, len(n.accepts.sets.all))
	for i := range n.store.rows {
		sets[n.store.rows[i].accepts]++
	}
	for i, set := range n.accepts.sets.all {
		for _, a := range set {
			uses[a.refset()] += sets[i]
		}
	}
	order := make([]int, len(refsets))
	for i := range order {
		order[i] = i
	}
	wish := func(i int) int {
		switch refsets[i] {
		case first:
			return 0
		case americanEnglish:
			return 1
		}
		return 2
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(wish(a), wish(b)), cmp.Compare(uses[b], uses[a]), cmp.Compare(refsets[a], refsets[b]))
	})
	ranks := make([]int, len(refsets))
	for rank, i := range order {
		ranks[i] = rank
	}
	return ranks
}

// preferredOf returns the active description of a type that the first reference set prefers, or
// else the first active one. It returns false when there is none.
func (n *names) preferredOf(concept uint32, kind uint8) (row uint32, ok bool) {
	rank := none
	for _, at := range n.by.of(concept) {
		d := &n.store.rows[at]
		if d.kind != kind || !d.active {
			continue
		}
		if r := n.best[d.accepts]; !ok || r < rank {
			row, rank, ok = at, r, true
		}
	}
	return row, ok
}

// display returns the preferred synonym of a concept, or else the fully specified name, or "".
func (n *names) display(concept uint32) string {
	row, ok := n.preferredOf(concept, n.synonym)
	if !ok {
		row, ok = n.preferredOf(concept, n.full)
	}
	if !ok {
		return ""
	}
	return n.store.terms.at(n.store.rows[row].term)
}

// definitionOf returns the text definition of a concept, or "".
func (n *names) definitionOf(concept uint32) string {
	row, ok := n.preferredOf(concept, n.definition)
	if !ok {
		return ""
	}
	return n.store.terms.at(n.store.rows[row].term)
}

// language returns the language of most displays: that of most active descriptions which the first
// reference set prefers, or without one that of most descriptions.
func (n *names) language() string {
	counts := make([]int, len(n.store.languages.all))
	for i := range n.store.rows {
		d := &n.store.rows[i]
		if d.active && (len(n.best) == 1 || n.best[d.accepts] == 0) {
			counts[d.language]++
		}
	}
	if len(counts) == 0 {
		return "en"
	}
	return n.store.languages.all[slices.Index(counts, slices.Max(counts))]
}
