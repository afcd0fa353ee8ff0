package rf2

import "fmt"

// descriptionStore holds descriptions and text definitions.
type descriptionStore struct {
	latest[sctid]
	rows      []descriptionRow
	terms     texts
	modules   moduleTable
	languages numbered[string]
	types     numbered[sctid]
	cases     numbered[sctid]
}

type descriptionRow struct {
	id       sctid
	term     text
	concept  uint32 // slot
	accepts  uint32 // number of the set of acceptability, once all is read
	module   uint32
	language uint16
	kind     uint8 // number of the type
	cased    uint8 // number of the case significance
	active   bool
}

func (s *descriptionStore) init(unique bool) {
	s.latest = newLatest[sctid](unique)
	for _, kind := range []sctid{fullySpecifiedName, synonym, textDefinition} {
		s.types.number(kind)
	}
}

// read reads a file of descriptions or text definitions.
func (s *descriptionStore) read(e *edition, f *source, r *rows) {
	for r.next() {
		id := r.ownID(0, descriptionID, e.lax)
		h, inEffect := e.head(f, r)
		concept, known := e.concepts.refer(r, 4)
		language, kind, term, cased := r.language(5), r.id(6), r.text(7), r.id(8)
		if r.err == nil && h.active && len(term) == 0 {
			r.wrong(7, "a term")
		}
		if r.err == nil && !e.isType(kind) {
			r.wrong(6, fmt.Sprintf("%d (fully specified name), %d (synonym), %d (text definition) or another concept of the release",
				fullySpecifiedName, synonym, textDefinition))
		}
		if r.err != nil {
			return
		}
		if !inEffect || !known {
			continue
		}
		slot, counts := s.place(id, h.time)
		if !counts {
			continue
		}
		row := descriptionRow{
			id: id, term: s.terms.add(term), concept: concept, active: h.active, module: s.modules.note(h.module, h.time),
			kind: uint8(s.types.number(kind)), cased: uint8(s.cases.number(cased)),
		}
		if last := s.languages.last(); string(language) == last {
			row.language = s.languages.lastNumber
		} else {
			row.language = s.languages.number(string(language))
		}
		if len(s.types.all) > 255 || len(s.cases.all) > 255 || len(s.languages.all) > 1000 {
			r.fail("there are too many different languages, types or kinds of case significance")
			return
		}
		s.rows = put(s.rows, slot, row)
	}
}

// isType reports whether a description can be of a type: one of the three of the format, or one
// that an extension defines.
func (e *edition) isType(kind sctid) bool {
	switch kind {
	case fullySpecifiedName, synonym, textDefinition:
		return true
	}
	_, ok := e.concepts.slots[kind]
	return ok
}

// numbered numbers distinct values, of which there are few.
type numbered[T comparable] struct {
	all        []T
	numbers    map[T]uint16
	lastNumber uint16
}

// number returns the number of a value, which often equals the value before.
func (n *numbered[T]) number(v T) uint16 {
	if len(n.all) > 0 && n.all[n.lastNumber] == v {
		return n.lastNumber
	}
	at, ok := n.numbers[v]
	if !ok {
		if n.numbers == nil {
			n.numbers = map[T]uint16{}
		}
		at = uint16(len(n.all))
		n.all = append(n.all, v)
		n.numbers[v] = at
	}
	n.lastNumber = at
	return at
}

// last returns the value that was numbered last.
func (n *numbered[T]) last() (v T) {
	if len(n.all) > 0 {
		v = n.all[n.lastNumber]
	}
	return v
}
