package definitions

import (
	"strconv"
	"strings"
)

// row is what is left to read of a line of the table. The table is made by gen and held
// to the documents by tests: a row is not checked again.
type row string

// next takes the text of a column.
func (r *row) next() string {
	field, rest, _ := strings.Cut(string(*r), "\t")
	*r = row(rest)
	return field
}

// number takes a column that is a number; nothing is 0.
func (r *row) number() int {
	field := r.next()
	if field == "" {
		return 0
	}
	n, _ := strconv.Atoi(field)
	return n
}
