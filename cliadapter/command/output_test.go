package command

import (
	"bytes"
	"io"
	"testing"

	"github.com/roget-health/roget/engine"
)

func TestTable(t *testing.T) {
	table := &engine.Table{
		Title: "T\x1b[2J", Header: []string{"A", "B"},
		Rows: [][]string{{"x\ty", "1"}, {"Bär\n", ""}}, Footer: "2 of 2",
	}
	for _, tt := range []struct {
		terminal bool
		env      string
		want     string
	}{
		{false, "", "T [2J\nA     B\nx y   1\nBär\n2 of 2\n"},
		{true, "", "\x1b[1mT [2J\x1b[0m\n\x1b[1mA     B\x1b[0m\nx y   1\nBär\n2 of 2\n"},
		{true, "1", "T [2J\nA     B\nx y   1\nBär\n2 of 2\n"},
	} {
		var out bytes.Buffer
		inv := &Invocation{Getenv: func(string) string { return tt.env }, Streams: Streams{Out: &out, Err: io.Discard, OutTerminal: tt.terminal}}
		if err := inv.WriteTable(table); err != nil {
			t.Fatal(err)
		}
		if out.String() != tt.want {
			t.Errorf("terminal %v, NO_COLOR %q:\n%q, want\n%q", tt.terminal, tt.env, out.String(), tt.want)
		}
	}
}

// TestLines checks that lines are safe, and on a terminal no wider than it is: a control character
// takes the column of the space that it becomes.
func TestLines(t *testing.T) {
	for _, tt := range []struct {
		terminal bool
		width    int
		want     string
	}{
		{false, 10, "T  x\n├─ one line that is long\n       tree\nend \n"},
		{true, 0, "\x1b[1mT  x\x1b[0m\n├─ one line that is long\n       tree\nend \n"},
		{true, 10, "\x1b[1mT  x\x1b[0m\n├─ one li…\n       tr…\nend \n"},
	} {
		var out bytes.Buffer
		inv := &Invocation{Getenv: func(string) string { return "" }, Streams: Streams{Out: &out, Err: io.Discard, OutTerminal: tt.terminal, Width: tt.width}}
		if err := inv.WriteLines("T\x07\nx", []string{"├─ one line that is long", "\u202e\x1b\u200b\u2066\x7f\x00\ttree"}, "end\n"); err != nil {
			t.Fatal(err)
		}
		if out.String() != tt.want {
			t.Errorf("terminal %v, width %d:\n%q, want\n%q", tt.terminal, tt.width, out.String(), tt.want)
		}
	}
}
