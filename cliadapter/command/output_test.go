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
