package rf2

import "fmt"

// conceptStore holds the concepts in the order of first appearance.
type conceptStore struct {
	latest[sctid]
	rows    []conceptRow
	codes   texts
	modules moduleTable
	// future holds the concepts that only come into effect after the date asked for.
	future map[sctid]struct{}
}

type conceptRow struct {
	id              sctid
	code            text
	module          uint32
	active, defined bool
}

func (s *conceptStore) init() {
	s.latest = newLatest[sctid](false)
	s.future = map[sctid]struct{}{}
}

// read reads a file of concepts.
func (s *conceptStore) read(e *edition, f *source, r *rows) {
	for r.next() {
		id := r.ownID(0, conceptID, e.lax)
		h, inEffect := e.head(f, r)
		status := r.id(4)
		if r.err == nil && status != definedStatus && status != primitiveStatus {
			r.wrong(4, fmt.Sprintf("%d (primitive) or %d (sufficiently defined)", primitiveStatus, definedStatus))
		}
		switch {
		case r.err != nil:
			return
		case !inEffect:
			s.future[id] = struct{}{}
			continue
		}
		had := len(s.rows)
		slot, counts := s.place(id, h.time)
		if e.unique && slot < had {
			r.fail("concept %d is there twice, but a Snapshot must have it once", id)
			return
		}
		if !counts {
			continue
		}
		row := conceptRow{id: id, module: s.modules.note(h.module, h.time), active: h.active, defined: status == definedStatus}
		if slot < had {
			row.code = s.rows[slot].code
		} else {
			row.code = s.codes.add(r.fields[0])
		}
		s.rows = put(s.rows, slot, row)
	}
}

// code returns the identifier of a concept as text.
func (s *conceptStore) code(slot uint32) string { return s.codes.at(s.rows[slot].code) }

// refer reads an identifier of a concept. It returns false when the concept is not in effect. A
// concept that is in no file is an error.
func (s *conceptStore) refer(r *rows, column int) (slot uint32, ok bool) {
	id := r.id(column)
	if slot, ok = s.slots[id]; ok || r.err != nil {
		return slot, ok && r.err == nil
	}
	if _, ok := s.future[id]; !ok {
		r.err = fmt.Errorf("%s: line %d: %s %d: %w", r.origin, r.line, r.columns[column], id, ErrUnknownConcept)
	}
	return 0, false
}
