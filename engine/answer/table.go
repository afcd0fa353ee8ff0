// Package answer has the table in which results of operations are shown to people.
package answer

import "strconv"

// A Table is an answer as rows for people, for a terminal or a page. Every result of an operation
// has one.
type Table struct {
	Title  string     // optional line above
	Header []string   // column names; may be empty
	Rows   [][]string // as many cells as Header has
	Footer string     // optional line below: "10 of 1,234"
}

// Thousands writes a number for people, with commas between thousands: 1,234.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
