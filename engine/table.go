package engine

// Table is an answer as rows for people: what a terminal or a page shows. Every
// result of an operation gives one.
type Table struct {
	Title  string     // optional line above
	Header []string   // column names; may be empty
	Rows   [][]string // as many cells as Header has
	Footer string     // optional line below: "10 of 1,234"
}
