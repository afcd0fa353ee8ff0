// Package browse is a browser for code systems in a terminal: find concepts, walk through their
// hierarchy, read them, and copy codes.
//
// Model is the state of the browser. It has no terminal: keys go in (Press), and lines of text with
// styles come out (View), so tests need none either. Run draws a model on the terminal.
//
// Texts of code systems may have anything in them. They are cleaned and bounded where lines are made
// (text.go), and nowhere else.
package browse
