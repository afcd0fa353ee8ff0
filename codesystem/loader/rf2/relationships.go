package rf2

import "strings"

// relationshipStore holds the relationships that are attributes or parents, and concrete values.
type relationshipStore struct {
	latest[sctid]
	rows    []relationshipRow
	values  texts
	modules moduleTable
}

// A relationshipRow is a relationship to a concept, or with a value.
type relationshipRow struct {
	source, kind uint32 // slots of concepts
	group        uint16
	keep         bool // active, and of a kind that is stored
	target       uint32
	value        text // not 0: a concrete value
}

func (s *relationshipStore) init(unique bool) { s.latest = newLatest[sctid](unique) }

// read reads a file of relationships or of concrete values. Stated and qualifying relationships
// are skipped.
func (s *relationshipStore) read(e *edition, f *source, r *rows) {
	for r.next() {
		id := r.ownID(0, relationshipID, e.lax)
		h, inEffect := e.head(f, r)
		characteristic := r.id(8)
		row := relationshipRow{
			group: uint16(r.number(6, 1<<16)),
			keep:  h.active && (characteristic == inferredRelationship || characteristic == additionalRelationship),
		}
		if r.err == nil && inEffect && row.keep {
			s.ends(e, f, r, &row)
		}
		if r.err != nil {
			return
		}
		if !inEffect {
			continue
		}
		s.modules.note(h.module, h.time)
		if e.unique && !row.keep {
			continue
		}
		if slot, counts := s.place(id, h.time); counts {
			s.rows = put(s.rows, slot, row)
		}
	}
}

// ends reads the concepts that a relationship connects.
func (s *relationshipStore) ends(e *edition, f *source, r *rows, row *relationshipRow) {
	source, ok := e.concepts.refer(r, 4)
	kind, ok2 := e.concepts.refer(r, 7)
	row.source, row.kind, row.keep = source, kind, ok && ok2
	if f.kind == relationships {
		row.target, ok = e.concepts.refer(r, 5)
		row.keep = row.keep && ok
		return
	}
	value := r.text(5)
	if r.err == nil && concreteType(string(value)) == "" {
		r.wrong(5, `a concrete value: #12, #0.5, "text", true or false`)
		return
	}
	row.value = s.values.add(value)
}

// drop removes the relationships that are not stored, when all files are read.
func (s *relationshipStore) drop() {
	n := 0
	for i := range s.rows {
		if s.rows[i].keep {
			s.rows[n] = s.rows[i]
			n++
		}
	}
	s.rows, s.latest = s.rows[:n], latest[sctid]{}
}

// concreteType returns the type of a concrete value as written in a release, by its name in
// r4.Value, or "" for anything else.
func concreteType(v string) string {
	switch {
	case v == "true", v == "false":
		return "Boolean"
	case len(v) >= 2 && v[0] == '"' && v[len(v)-1] == '"':
		return "String"
	case !isNumber(v):
		return ""
	case strings.Contains(v, "."):
		return "Decimal"
	}
	return "Integer"
}

// isNumber reports whether v is written like #-12.50.
func isNumber(v string) bool {
	v, ok := strings.CutPrefix(v, "#")
	if !ok {
		return false
	}
	whole, fraction, point := strings.Cut(strings.TrimPrefix(v, "-"), ".")
	return isDigits(whole) && (whole == "0" || whole[0] != '0') && (!point || isDigits(fraction))
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 40
}
