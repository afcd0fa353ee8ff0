package sqlstore

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/roget-health/roget/resources/index"
)

// EntryRows are rows of the table entry.
type EntryRows []EntryRow

// EntryRow is a row of the table entry. Vocabulary terms have no Seq.
type EntryRow struct {
	Bytes []byte // never nil
	Seq   index.Seq
}

// Compare compares rows in the order of the table.
func (a EntryRow) Compare(b EntryRow) int {
	return cmp.Or(bytes.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Seq, b.Seq))
}

// Add adds the entries of a version.
func (l *EntryRows) Add(seq index.Seq, entries [][]byte) {
	for _, e := range entries {
		if e == nil {
			e = []byte{}
		}
		*l = append(*l, EntryRow{e, seq})
	}
}

// Sorted sorts the rows in the order of the table, in which writing is fastest and writers cannot
// deadlock, and returns them, each once.
func (l EntryRows) Sorted() EntryRows {
	slices.SortFunc(l, EntryRow.Compare)
	return slices.CompactFunc(l, func(a, b EntryRow) bool { return a.Seq == b.Seq && bytes.Equal(a.Bytes, b.Bytes) })
}
