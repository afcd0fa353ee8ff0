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

// boolean takes a column of true, false or nothing.
func (r *row) boolean() *bool {
	b, err := strconv.ParseBool(r.next())
	if err != nil {
		return nil
	}
	return &b
}

// number takes a column that is a number; nothing is 0.
func (r *row) number() int {
	n, _ := strconv.Atoi(r.next())
	return n
}
