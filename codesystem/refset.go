package codesystem

import (
	"slices"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// RefsetColumnType is the type of the values in a column of a reference set. The numbers are the
// letters that RF2 uses in the names of its files.
type RefsetColumnType uint8

// Types of columns.
const (
	RefsetConcept RefsetColumnType = 'c' // identifiers of components, most of them codes of concepts
	RefsetInteger RefsetColumnType = 'i'
	RefsetString  RefsetColumnType = 's'
)

// RefsetColumn is a column of a reference set beyond those that all reference sets have.
type RefsetColumn struct {
	Name string           `json:"name"`
	Type RefsetColumnType `json:"type"`
}

// Refset is a reference set: rows about concepts. Rows are numbered from 0 in the order of their
// concepts, and within a concept in the order of adding. Its methods are safe for concurrent use.
// They panic for a row or column that does not exist, as indexing a slice does.
type Refset struct {
	x          *Index
	code       string
	columns    []RefsetColumn
	components []uint32     // of rows, ascending
	cells      []cellColumn // active, module, effective time, then Columns
	members    func() *roaring.Bitmap
}

// Columns that every reference set has before its own.
const (
	cellActive = iota
	cellModule
	cellEffectiveTime
	fixedCells
)

// cellText marks a cell that is the number of a text. Without the mark, a cell in a column of
// concepts is an Ord.
const cellText = 1 << 31

// refsetView reads the reference sets of an index. The zero value has none.
type refsetView struct {
	codes []string // sorted
	sets  []Refset // in the same order
	texts texts
}

// Refsets returns the codes of the reference sets, sorted. The slice is shared.
func (x *Index) Refsets() []string { return x.refsets.codes }

// Refset returns a reference set by its code.
func (x *Index) Refset(code string) (*Refset, bool) {
	at, ok := slices.BinarySearchFunc(x.refsets.codes, code, strings.Compare)
	if !ok {
		return nil, false
	}
	return &x.refsets.sets[at], true
}

// Code returns the code of the reference set. The system need not have a concept with it.
func (r *Refset) Code() string { return r.code }

// Columns returns the columns of the reference set. The slice is shared.
func (r *Refset) Columns() []RefsetColumn { return r.columns }

// Len returns the number of rows, including inactive ones.
func (r *Refset) Len() int { return len(r.components) }

// Members returns the set of concepts with an active row, frozen.
func (r *Refset) Members() *roaring.Bitmap { return r.members() }

// RowsOf returns the rows about a concept: first up to, but not including, end.
func (r *Refset) RowsOf(o Ord) (first, end int) {
	first, ok := slices.BinarySearch(r.components, o)
	if !ok {
		return first, first
	}
	end = first + 1
	for end < len(r.components) && r.components[end] == o {
		end++
	}
	return first, end
}

// Component returns the concept of a row.
func (r *Refset) Component(row int) Ord { return r.components[row] }

// Active reports whether a row is active.
func (r *Refset) Active(row int) bool { return r.cells[cellActive].at(row) != 0 }

// Module returns the module of a row.
func (r *Refset) Module(row int) string { return r.text(row, cellModule) }

// EffectiveTime returns the day from which a row is in effect: "20250101".
func (r *Refset) EffectiveTime(row int) string { return r.text(row, cellEffectiveTime) }

func (r *Refset) text(row, cell int) string { return r.x.refsets.texts.at(r.cells[cell].at(row)) }

// Value returns the value in a column of Columns, as its source wrote it.
func (r *Refset) Value(row, column int) string {
	if r.columns[column].Type != RefsetConcept {
		return r.text(row, fixedCells+column)
	}
	cell := r.cells[fixedCells+column].at(row)
	if cell&cellText == 0 {
		return r.x.Code(cell)
	}
	return r.x.refsets.texts.at(cell &^ cellText)
}

// Target returns the concept named by the value in a column of type RefsetConcept.
func (r *Refset) Target(row, column int) (Ord, bool) {
	if r.columns[column].Type != RefsetConcept {
		return 0, false
	}
	cell := r.cells[fixedCells+column].at(row)
	if cell&cellText == 0 {
		return cell, true
	}
	return r.x.Find(r.x.refsets.texts.at(cell &^ cellText))
}

// cellColumn reads one column: a number for each row. If there are few distinct numbers, they are
// stored in a list, and the rows hold indexes into it, in as few bytes as possible.
type cellColumn struct {
	list   []uint32 // nil: the rows hold the numbers themselves
	bytes  []byte
	halves []uint16
	words  []uint32
}

func (c *cellColumn) at(row int) uint32 {
	switch {
	case c.list == nil:
		return c.words[row]
	case c.halves != nil:
		return c.list[c.halves[row]]
	case c.bytes != nil:
		return c.list[c.bytes[row]]
	}
	return c.list[0]
}

// readMembers returns a function that reads the set of members once.
func readMembers(data []byte, n int) func() *roaring.Bitmap {
	return sync.OnceValue(func() *roaring.Bitmap {
		set := roaring.New()
		if _, err := set.FromBuffer(data); err != nil {
			return roaring.New()
		}
		if set.Validate() != nil || !set.IsEmpty() && uint64(set.Maximum()) >= uint64(n) {
			return roaring.New()
		}
		return set
	})
}
