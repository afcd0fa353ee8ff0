package command

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roget-health/roget/engine"
)

// On a terminal a table has no line that is wider than the terminal, and no word is lost; what is
// piped has each row on one line.
func TestTableFits(t *testing.T) {
	definition := strings.Repeat("a long definition with Ünïcode words ", 9) + "https://example.org/" + strings.Repeat("x", 120)
	table := &engine.Table{Header: []string{"CODE", "DISPLAY", "DEFINITION"}, Rows: [][]string{
		{"a", "Alpha", "short"}, {"b", "Beta is longer than Alpha", definition},
	}}
	words := func(text string) string { return strings.Join(strings.Fields(text), "") }
	for _, width := range []int{40, 80, 132} {
		var out bytes.Buffer
		inv := &Invocation{Streams: Streams{Width: width}, Getenv: func(string) string { return "dumb" }}
		if err := inv.WriteTableTo(&out, true, table); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns: a line of %d: %s", width, n, line)
			}
		}
		if got, want := strings.Count(words(out.String()), "x"), strings.Count(definition, "x"); got != want {
			t.Errorf("%d columns: %d characters x, want %d", width, got, want)
		}
		out.Reset()
		if err := inv.WriteTableTo(&out, false, table); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "\n"); got != 3 || !strings.Contains(out.String(), definition) {
			t.Errorf("piped: %d lines:\n%s", got, out.String())
		}
	}
}

func TestNarrow(t *testing.T) {
	if got := narrow([]int{5, 10}, 17); got != nil {
		t.Errorf("a table that fits is narrowed to %v", got)
	}
	if got := narrow([]int{5, 100, 60}, 80); got[0] != 5 || got[0]+got[1]+got[2]+2*columnGap != 80 {
		t.Errorf("columns are %v", got)
	}
	if got := narrow([]int{50, 50, 50}, 10); got[0] != minColumn || got[1] != minColumn || got[2] != minColumn {
		t.Errorf("a terminal of 10 columns: %v", got)
	}
}
