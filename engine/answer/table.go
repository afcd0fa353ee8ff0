// Package answer has the form in which the result of an operation is shown to people.
package answer

import "strconv"

// Table is an answer as rows for people: what a terminal or a page shows. Every
// result of an operation gives one.
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
