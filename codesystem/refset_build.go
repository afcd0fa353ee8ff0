package codesystem

import (
	"fmt"
	"slices"
	"strconv"
	"unsafe"
)

// RefsetMember is one row of a reference set, as a loader passes it to a Builder. The Builder
// copies what it needs.
type RefsetMember struct {
	Refset    string // code of the reference set
	Component string // code of the concept that the row is about
	Active    bool
	Module    string
	// EffectiveTime is a day: "20250101".
	EffectiveTime string
	// Values has one value for each column of the reference set, as text.
	Values []string
	// Where is the place in the source, for errors: "file.txt: line 12".
	Where string
}

// refsetBuilder collects reference sets as columns of numbers; each distinct text is stored once.
type refsetBuilder struct {
	sets   []*refsetRows
	byCode map[string]*refsetRows
	texts  pairTable
	absent arena // components that did not exist when their row was added
	rows   int
	cells  []uint32 // of one row
}

// refsetRows is a reference set during collection.
type refsetRows struct {
	code       string
	columns    []RefsetColumn
	components []uint32   // numbers returned by Builder.Add, or cellText plus a text of absent
	cells      [][]uint32 // active, module, effective time, then columns; concepts by number
}

func newRefsetBuilder() refsetBuilder {
	return refsetBuilder{byCode: map[string]*refsetRows{}, texts: newPairTable(), absent: newArena()}
}

// AddRefset declares a reference set, which must happen before its members are added. Declaring it
// again with the same columns does nothing; with other columns it is an error: ErrBadRefset.
func (b *Builder) AddRefset(code string, columns []RefsetColumn) error {
	if code == "" {
		return fmt.Errorf("%w without a code", ErrBadRefset)
	}
	for _, c := range columns {
		if !c.Type.known() {
			return fmt.Errorf("%w %s: column %q is of no known type", ErrBadRefset, code, c.Name)
		}
	}
	if had, ok := b.refsets.byCode[code]; ok {
		if !slices.Equal(had.columns, columns) {
			return fmt.Errorf("%w %s is declared with other columns", ErrBadRefset, code)
		}
		return nil
	}
	set := &refsetRows{code: code, columns: slices.Clone(columns), cells: make([][]uint32, fixedCells+len(columns))}
	b.refsets.sets = append(b.refsets.sets, set)
	b.refsets.byCode[code] = set
	return nil
}

// known reports whether the type exists.
func (t RefsetColumnType) known() bool {
	return t == RefsetConcept || t == RefsetInteger || t == RefsetString
}

// AddMember appends a row to a reference set. Concepts may come before or after the rows about
// them. Build drops rows about anything else and counts them (see Stats). Errors: ErrBadRefset for
// a reference set that was not declared and for values that do not fit its columns, ErrTooLarge.
func (b *Builder) AddMember(m *RefsetMember) error {
	rb := &b.refsets
	set, ok := rb.byCode[m.Refset]
	switch {
	case b.spent:
		return fmt.Errorf("%sa Builder takes nothing after Build", at(m.Where))
	case !ok:
		return fmt.Errorf("%s%w %s is not declared", at(m.Where), ErrBadRefset, m.Refset)
	case len(m.Values) != len(set.columns):
		return fmt.Errorf("%s%w %s: %d values for %d columns", at(m.Where), ErrBadRefset, m.Refset, len(m.Values), len(set.columns))
	case rb.rows >= maxConcepts, !rb.absent.fits(len(m.Component)):
		return fmt.Errorf("%s%w: members of reference sets", at(m.Where), ErrTooLarge)
	}
	for i, c := range set.columns {
		if c.Type == RefsetInteger && m.Values[i] != "" {
			if _, err := strconv.ParseInt(m.Values[i], 10, 64); err != nil {
				return fmt.Errorf("%s%w %s: column %s: %q is not a valid integer", at(m.Where), ErrBadRefset, m.Refset, c.Name, m.Values[i])
			}
		}
	}
	component, ok := b.numberOf(m.Component)
	if !ok {
		component = cellText | uint32(rb.absent.len())
		rb.absent.add(m.Component)
	}
	cells, err := b.cellsOf(set, m)
	if err != nil {
		return fmt.Errorf("%s%w", at(m.Where), err)
	}
	for i, cell := range cells {
		set.cells[i] = append(set.cells[i], cell)
	}
	set.components = append(set.components, component)
	rb.rows++
	return nil
}

// numberOf returns the number of a concept that was added with exactly this code.
func (b *Builder) numberOf(code string) (uint32, bool) {
	codes := b.codes.texts()
	number, ok := b.table.find(code, uint32(b.Len()), &codes)
	return number, ok && b.codes.at(number) == code
}

// cellsOf returns the numbers of a row. They are valid until the next call.
func (b *Builder) cellsOf(set *refsetRows, m *RefsetMember) ([]uint32, error) {
	rb := &b.refsets
	rb.cells = append(rb.cells[:0], flag(m.Active))
	for _, s := range [...]string{m.Module, m.EffectiveTime} {
		text, err := rb.texts.internText(s)
		if err != nil {
			return nil, err
		}
		rb.cells = append(rb.cells, text)
	}
	for i, s := range m.Values {
		concept := set.columns[i].Type == RefsetConcept
		if concept {
			if number, ok := b.numberOf(s); ok {
				rb.cells = append(rb.cells, number)
				continue
			}
		}
		text, err := rb.texts.internText(s)
		if err != nil {
			return nil, err
		}
		if concept {
			text |= cellText
		}
		rb.cells = append(rb.cells, text)
	}
	return rb.cells, nil
}

// internText returns the number of a text.
func (t *pairTable) internText(s string) (uint32, error) {
	return t.intern(0, unsafe.Slice(unsafe.StringData(s), len(s)))
}
