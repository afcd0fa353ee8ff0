package sqlstore

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/roget-health/roget/resources/index"
)

// Entries are rows of the table of entries.
type Entries []Entry

// Entry is a row of the table of entries. Terms of the vocabulary have no Seq.
type Entry struct {
	Bytes []byte // never nil
	Seq   index.Seq
}

// Add adds the entries of a version.
func (l *Entries) Add(seq index.Seq, entries [][]byte) {
	for _, e := range entries {
		if e == nil {
			e = []byte{}
		}
		*l = append(*l, Entry{e, seq})
	}
}

// Sort puts the rows in the order of the table, in which they are written fastest and
// writers do not wait for one another in a circle.
func (l Entries) Sort() {
	slices.SortFunc(l, func(a, b Entry) int {
		return cmp.Or(bytes.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Seq, b.Seq))
	})
}
