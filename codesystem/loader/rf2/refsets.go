package rf2

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
)

// refsetStore holds the members of reference sets about concepts.
type refsetStore struct {
	latest[uuid]
	rows      []memberRow
	values    texts
	modules   moduleTable
	ids       numbered[sctid]
	columns   [][]codesystem.RefsetColumn // by number of the reference set
	definedIn []string                    // file in which the columns were read
}

type memberRow struct {
	concept uint32 // slot
	module  uint32
	refset  uint16
	active  bool
	values  text // fields with tabs between them
}

func (s *refsetStore) init(unique bool) { s.latest = newLatest[uuid](unique) }

// read reads a file of reference sets.
func (s *refsetStore) read(e *edition, f *source, r *rows) {
	columns, ok := columnsOf(f.letters, r.columns[6:])
	if !ok {
		r.fail("the columns after the first six are %q, but the name of the file states their types as %q: c, i or s for each", r.columns[6:], f.letters)
		return
	}
	for r.next() {
		member := r.member(0)
		h, inEffect := e.head(f, r)
		refset, component := r.id(4), r.id(5)
		s.check(r, columns)
		if r.err != nil {
			return
		}
		if !inEffect {
			continue
		}
		s.modules.note(h.module, h.time)
		number := s.ids.number(refset)
		if !s.declare(r, int(number), columns) {
			return
		}
		concept, ok := e.concepts.slots[component]
		if !ok {
			continue
		}
		if slot, counts := s.place(member, h.time); counts {
			s.rows = put(s.rows, slot, memberRow{
				concept: concept, refset: number, module: s.modules.note(h.module, h.time), active: h.active, values: s.values.add(r.values(6)),
			})
		}
	}
}

// declare stores the columns of a reference set, which must be the same in all files.
func (s *refsetStore) declare(r *rows, number int, columns []codesystem.RefsetColumn) bool {
	switch {
	case number >= 1<<16-1:
		r.fail("there are more than %d reference sets", number)
		return false
	case number == len(s.columns):
		s.columns = append(s.columns, columns)
		s.definedIn = append(s.definedIn, r.origin.String())
	case !slices.Equal(s.columns[number], columns) && !sameTypes(s.columns[number], columns):
		r.fail("reference set %d has columns %v here, and %v in %s", s.ids.all[number], columns, s.columns[number], s.definedIn[number])
		return false
	}
	return true
}

func sameTypes(a, b []codesystem.RefsetColumn) bool {
	return slices.EqualFunc(a, b, func(a, b codesystem.RefsetColumn) bool {
		return a.Type == b.Type && strings.EqualFold(a.Name, b.Name)
	})
}

// check checks the further fields by the types of their columns. Identifiers and numbers may be
// missing.
func (s *refsetStore) check(r *rows, columns []codesystem.RefsetColumn) {
	for i := range columns {
		field := r.fields[6+i]
		switch columns[i].Type {
		case codesystem.RefsetConcept:
			if len(field) > 0 {
				r.id(6 + i)
			}
		case codesystem.RefsetInteger:
			if digits := bytes.TrimPrefix(field, []byte("-")); len(field) > 0 && !isDigits(string(digits)) {
				r.wrong(6+i, "an integer")
			}
		default:
			r.text(6 + i)
		}
	}
}

// columnsOf returns names and types of the further columns.
func columnsOf(letters string, names []string) (columns []codesystem.RefsetColumn, ok bool) {
	if len(letters) != len(names) {
		return nil, false
	}
	for i, name := range names {
		c := codesystem.RefsetColumn{Name: name, Type: codesystem.RefsetColumnType(letters[i])}
		switch c.Type {
		case codesystem.RefsetConcept, codesystem.RefsetInteger, codesystem.RefsetString:
			columns = append(columns, c)
		default:
			return nil, false
		}
	}
	return columns, true
}

// emit adds the reference sets to the builder: sets by identifier, members by concept and values,
// so that their order does not depend on the order of the files.
func (s *refsetStore) emit(b *codesystem.Builder, concepts *conceptStore) error {
	for _, number := range sortedNumbers(&s.ids) {
		if err := b.AddRefset(s.ids.all[number].String(), s.columns[number]); err != nil {
			return fmt.Errorf("reference set %d: %w", s.ids.all[number], err)
		}
	}
	order := make([]uint32, len(s.rows))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		x, y := &s.rows[a], &s.rows[b]
		return cmp.Or(
			cmp.Compare(s.ids.all[x.refset], s.ids.all[y.refset]),
			cmp.Compare(concepts.rows[x.concept].id, concepts.rows[y.concept].id),
			cmp.Compare(s.times[a], s.times[b]),
			strings.Compare(s.values.at(x.values), s.values.at(y.values)),
		)
	})
	var m codesystem.RefsetMember
	dates := dateTexts{}
	for _, at := range order {
		row := &s.rows[at]
		m.Refset, m.Component, m.Active = s.ids.all[row.refset].String(), concepts.code(row.concept), row.active
		m.Module, m.EffectiveTime = s.modules.text(row.module), dates.of(s.times[at])
		m.Values = m.Values[:0]
		if len(s.columns[row.refset]) > 0 {
			for v := range strings.SplitSeq(s.values.at(row.values), "\t") {
				m.Values = append(m.Values, v)
			}
		}
		if err := b.AddMember(&m); err != nil {
			return fmt.Errorf("reference set %s: %s: %w", m.Refset, m.Component, err)
		}
	}
	return nil
}

// sortedNumbers returns the numbers in the order of their identifiers.
func sortedNumbers(n *numbered[sctid]) []uint16 {
	order := make([]uint16, len(n.all))
	for i := range order {
		order[i] = uint16(i)
	}
	slices.SortFunc(order, func(a, b uint16) int { return cmp.Compare(n.all[a], n.all[b]) })
	return order
}
