package sqlstore

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/index"
)

// ScanSQL returns the statement that walks along a range of entries (columns entry and
// seq), and its parameters: []byte and int64, in the order in which they come first. There
// is one text for each of the ways a range can be bounded.
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
	// What After says of one end is more than what From or To says of it.
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

// Bounds returns the bounds of a range as entries: also of one that has none.
func Bounds(r *index.Range) (from, to []byte) {
	from, to = r.From, r.To
	if from == nil {
		from = []byte{}
	}
	if to == nil {
		to = bytes.Repeat([]byte{0xff}, 64) // the number of a parameter cannot be so high
	}
	return from, to
}
