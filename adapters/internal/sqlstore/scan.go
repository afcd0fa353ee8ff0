package sqlstore

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/index"
)

// ScanSQL returns the statement that scans a range of entries (columns entry and seq), and its
// parameters of type []byte and int64 in the order of their first use. There is one text for each
// way a range can be bounded.
func ScanSQL(r *index.Range) (sql string, args []any) {
	var b strings.Builder
	b.WriteString("SELECT entry, seq FROM entry WHERE true")
	parameter := func(before string, value any, after string) {
		args = append(args, value)
		b.WriteString(before)
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(len(args)))
		b.WriteString(after)
	}
	// After replaces From or To, because it is the tighter bound.
	if r.After == nil || r.Reverse {
		parameter(" AND entry >= ", append([]byte{}, r.From...), "")
	}
	if r.To != nil && (r.After == nil || !r.Reverse) {
		parameter(" AND entry < ", r.To, "")
	}
	direction, sign := "", ">"
	if r.Reverse {
		direction, sign = " DESC", "<"
	}
	if r.After != nil {
		parameter(" AND (entry, seq) "+sign+" (", r.After, "")
		parameter(", ", int64(r.AfterSeq), ")")
	}
	b.WriteString(" ORDER BY entry" + direction + ", seq" + direction)
	return b.String(), args
}

// Bounds returns the bounds of a range as entries, even if the range is unbounded.
func Bounds(r *index.Range) (from, to []byte) {
	from, to = r.From, r.To
	if from == nil {
		from = []byte{}
	}
	if to == nil {
		to = bytes.Repeat([]byte{0xff}, 64) // beyond all parameter numbers
	}
	return from, to
}
