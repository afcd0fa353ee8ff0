package loader_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader"
)

// table opens a text as a table.
func table(t testing.TB, text string) (*loader.Rows, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := loader.Begin(context.Background(), loader.Options{})
	t.Cleanup(func() { _ = r.Close() })
	files, err := r.Files(name)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := r.Rows(&files[0], ',')
	if err == nil {
		t.Cleanup(func() { _ = rows.Close() })
	}
	return rows, err
}

func TestRows(t *testing.T) {
	rows, err := table(t, "\xef\xbb\xbf\"Code\",NAME\r\nA, one \n\"B\",\"two\nlines, \"\"quoted\"\"\"\nC,\n")
	if err != nil {
		t.Fatal(err)
	}
	code, name := rows.Column("CODE"), rows.Column("name")
	if code != 0 || name != 1 || rows.Column("other") != -1 {
		t.Fatalf("columns %d, %d", code, name)
	}
	var got []string
	for rows.Next() {
		_, line, _ := strings.Cut(rows.Where(), "table.csv: ")
		got = append(got, line+"="+rows.Text(code)+"="+rows.Text(name)+rows.Text(-1))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	want := "line 2=A=one|line 3=B=two\nlines, \"quoted\"|line 5=C="
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %q\nwant %q", s, want)
	}
}

func TestLine(t *testing.T) {
	rows, err := table(t, "a,b\n\"c\nd\",e\n")
	if err != nil || !rows.Next() || rows.Line() != 2 {
		t.Error(rows, err)
	}
}

func TestRowsErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, say string
		want            error
	}{
		{"empty", "", "table.csv: ", loader.ErrFormat},
		{"fields", "a,b\n1,2\n1\n", "line 3: ", loader.ErrFormat},
		{"quote", "a,b\n1,2\n\"1\"x,2\n", "line 3: ", loader.ErrFormat},
		{"no UTF-8", "a,b\n1,\xff\n", "line 2: ", loader.ErrFormat},
		{"open quote", "a,b\n1,\"" + strings.Repeat("x\n", 9<<20), "table.csv: ", loader.ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := table(t, c.text)
			if err == nil {
				for rows.Next() {
				}
				err = rows.Err()
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.say)
			}
		})
	}
}
