package engine

import "github.com/roget-health/roget/engine/answer"

// Table is an answer as rows for people: what a terminal or a page shows. Every result of an
// operation has one.
type Table = answer.Table

// Thousands writes a number for people, with commas between thousands: 1,234.
func Thousands(n int) string { return answer.Thousands(n) }
