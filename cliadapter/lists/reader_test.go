package lists

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// records reads all records of a text, one line of text each.
func records(t *testing.T, text string, o Options) (list []string) {
	t.Helper()
	r := NewReader(strings.NewReader(text), o)
	var rec Record
	for r.Next(&rec) {
		line := fmt.Sprintf("%d %q %q", rec.Line, rec.Text, rec.End)
		if rec.Err != nil {
			line += " " + rec.Err.Error()
		}
		if rec.Rest {
			line += " rest"
		}
		list = append(list, line)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return list
}

func TestRecords(t *testing.T) {
	table := Options{Format: CSV}
	short := Options{Format: CSV, MaxRecord: 10}
	tests := []struct {
		name, text string
		o          Options
		want       []string
	}{
		{"nothing", "", table, nil},
		{"no line ending at the end", "a,b\nc,d", table, []string{`1 "a,b" "\n"`, `2 "c,d" ""`}},
		{"CRLF", "a\r\nb\r\n", table, []string{`1 "a" "\r\n"`, `2 "b" "\r\n"`}},
		{"a carriage return at the end", "a\r", table, []string{`1 "a" "\r"`}},
		{"blank lines", "\n\r\na\n", table, []string{`1 "" "\n"`, `2 "" "\r\n"`, `3 "a" "\n"`}},
		{"a line break in a cell", "a,\"b\nc\",d\ne\n", table, []string{`1 "a,\"b\nc\",d" "\n"`, `3 "e" "\n"`}},
		{"quotes written twice", "\"a\"\"\n\"\"b\"\nc\n", table, []string{`1 "\"a\"\"\n\"\"b\"" "\n"`, `3 "c" "\n"`}},
		{"quotes within a plain cell", "5\" tail,a\"b\"\nc\n", table, []string{`1 "5\" tail,a\"b\"" "\n"`, `2 "c" "\n"`}},
		{"CRLF behind a quoted cell", "\"a\"\r\n\"b\"\r", table, []string{`1 "\"a\"" "\r\n"`, `2 "\"b\"" "\r"`}},
		{"text behind a quoted cell", "a\n\"b\"c,d\ne\n", table, []string{`1 "a" "\n"`, `2 "\"b\"c,d" "\n" ` + ErrQuote.Error(), `3 "e" "\n"`}},
		{"the same at the end", "\"b\"c", table, []string{`1 "\"b\"c" "" ` + ErrQuote.Error()}},
		{"a quote that another line closes", "\"a\nx,\"y\"\nb\n", table, []string{`1 "\"a" "\n" ` + ErrQuote.Error(), `2 "x,\"y\"" "\n"`, `3 "b" "\n"`}},
		{"a quote that is never closed", "\"a\nb\nc\n", table, []string{`1 "\"a" "\n" ` + ErrUnclosed.Error(), `2 "b" "\n"`, `3 "c" "\n"`}},
		{"the same in the last line", "a\n\"b", table, []string{`1 "a" "\n"`, `2 "\"b" "" ` + ErrUnclosed.Error()}},
		{"a quote that is closed too late", "\"a\nbcdefghijkl\"\nc\n", short, []string{`1 "\"a" "\n" ` + ErrUnclosed.Error() + ", or closed only after 10 bytes", `2 "bcdefghijk" "" the line is too long: more than 10 bytes`, `2 "l\"" "\n" rest`, `3 "c" "\n"`}},
		{"a line that is too long", "abcdefghijklmnopqrstuvw\nx\n", short, []string{`1 "abcdefghij" "" the line is too long: more than 10 bytes`, `1 "klmnopqrst" "" rest`, `1 "uvw" "\n" rest`, `2 "x" "\n"`}},
		{"the same at the end", "abcdefghijklm", short, []string{`1 "abcdefghij" "" the line is too long: more than 10 bytes`, `1 "klm" "" rest`}},
		{"tabs", "\"a\tb\"\tc\n", Options{Format: TSV}, []string{`1 "\"a\tb\"\tc" "\n"`}},
		{"lines have no quotes", "\"a\nb\"c\n", Options{Format: Lines}, []string{`1 "\"a" "\n"`, `2 "b\"c" "\n"`}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, records(t, tt.text, tt.o)); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

// TestPartialReads: how the source hands over its bytes changes nothing, and the records before an
// error of the source are returned.
func TestPartialReads(t *testing.T) {
	text := strings.Repeat("a,\"b\n\"\"c\",d\r\nplain,1\n\"x\"y\n", 50)
	want := records(t, text, Options{Format: CSV})
	r := NewReader(iotest.OneByteReader(strings.NewReader(text)), Options{Format: CSV})
	var rec Record
	n := 0
	for ; r.Next(&rec); n++ {
		if !strings.HasPrefix(want[n], fmt.Sprintf("%d %q %q", rec.Line, rec.Text, rec.End)) {
			t.Fatalf("record %d: %d %q, want %s", n, rec.Line, rec.Text, want[n])
		}
	}
	if n != len(want) {
		t.Errorf("%d records, want %d", n, len(want))
	}
	broken := errors.New("the cable")
	r = NewReader(io.MultiReader(strings.NewReader("a\nb\nc"), iotest.ErrReader(broken)), Options{Format: Lines})
	for n = 0; r.Next(&rec); n++ {
	}
	if n != 2 || !errors.Is(r.Err(), broken) {
		t.Errorf("%d records, error %v", n, r.Err())
	}
}

// TestReaderLimits: the limits of records, lines that come byte by byte, and a blank line that was read.
func TestReaderLimits(t *testing.T) {
	var rec Record
	for limit, want := range map[int]int{0: 1 << 20, 1: 1} {
		r := NewReader(io.LimitReader(zeros{}, 2<<20), Options{MaxRecord: limit})
		if r.Next(&rec); len(rec.Text) != want {
			t.Errorf("limit %d: %d bytes", limit, len(rec.Text))
		}
	}
	r := NewReader(iotest.OneByteReader(strings.NewReader("\"\"a\nb\n")), Options{Format: Lines})
	if r.Next(&rec); rec.Err != nil {
		t.Error(rec.Err)
	}
	r = NewReader(strings.NewReader("a\n\n"), Options{})
	if r.Next(&rec); !r.Ready() {
		t.Error("a blank line is not ready")
	}
}

// TestMemory: a text of any size needs no more memory than its longest record may have.
func TestMemory(t *testing.T) {
	endless := io.LimitReader(zeros{}, 16<<20)
	r := NewReader(endless, Options{Format: CSV})
	var rec Record
	var size int
	for r.Next(&rec) {
		size += len(rec.Text)
	}
	if size != 16<<20 || cap(r.buf) > 4*MaxRecord {
		t.Errorf("%d bytes through a buffer of %d", size, cap(r.buf))
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// FuzzReader: the records together are the text, a broken record is one line, lines are counted,
// and what encoding/csv accepts is read in the same way.
func FuzzReader(f *testing.F) {
	for _, text := range []string{"a,b\r\n\"c\"\"\",\"d\ne\"\n", "\"a\nb", "\"a\"b\n\"c\n", "\n\n,\n", "5\"\t\"x\"\r", "a\rb\n\"\r\n\"\r\n"} {
		f.Add(text, byte(','), 0)
		f.Add(text, byte('\t'), 7)
	}
	f.Fuzz(func(t *testing.T, text string, delimiter byte, limit int) {
		if delimiter == '"' || delimiter == '\n' || delimiter == '\r' || delimiter == 0 || delimiter >= 0x80 {
			delimiter = ','
		}
		o := Options{Format: CSV, Delimiter: delimiter, MaxRecord: limit}
		if limit < 0 || limit > 1000 {
			o.MaxRecord = 0
		}
		r := NewReader(strings.NewReader(text), o)
		var rec Record
		var whole strings.Builder
		var cells [][]string
		broken := false
		for r.Next(&rec) {
			if line := 1 + strings.Count(whole.String(), "\n"); rec.Line != line {
				t.Fatalf("record on line %d, want %d", rec.Line, line)
			}
			if (rec.Err != nil || rec.Rest) && bytes.ContainsRune(rec.Text, '\n') {
				t.Fatalf("a broken record of several lines: %q", rec.Text)
			}
			whole.Write(rec.Text)
			whole.WriteString(rec.End)
			broken = broken || rec.Err != nil
			if rec.Err == nil && !rec.Rest && !rec.Blank() {
				var row []string
				for _, cell := range AppendCells(nil, rec.Text, delimiter) {
					row = append(row, string(cell))
				}
				cells = append(cells, row)
			}
		}
		if whole.String() != text || r.Err() != nil {
			t.Fatalf("%q became %q (%v)", text, whole.String(), r.Err())
		}
		if o.MaxRecord != 0 {
			return
		}
		standard := csv.NewReader(strings.NewReader(text))
		standard.Comma, standard.FieldsPerRecord = rune(delimiter), -1
		want, err := standard.ReadAll()
		if err != nil {
			return
		}
		if broken {
			t.Fatalf("%q has no broken record for encoding/csv", text)
		}
		for _, row := range cells { // encoding/csv drops carriage returns before line feeds
			for i := range row {
				row[i] = strings.ReplaceAll(row[i], "\r\n", "\n")
			}
		}
		if !slices.EqualFunc(cells, want, slices.Equal) {
			t.Fatalf("%q: %q, encoding/csv reads %q", text, cells, want)
		}
	})
}

// FuzzCells: a cell that is written is read back, alone and among others.
func FuzzCells(f *testing.F) {
	f.Add("a", "b\"c", byte(','))
	f.Add("", "\r\n", byte(';'))
	f.Add("\"", "a\tb", byte('\t'))
	f.Fuzz(func(t *testing.T, a, b string, delimiter byte) {
		if delimiter == '"' || delimiter == '\n' || delimiter == '\r' || delimiter == 0 {
			delimiter = ','
		}
		line := AppendCell(nil, a, delimiter)
		line = AppendCell(append(line, delimiter), b, delimiter)
		r := NewReader(io.MultiReader(bytes.NewReader(line), strings.NewReader("\r\nnext\r\n")), Options{Format: CSV, Delimiter: delimiter})
		var rec Record
		if !r.Next(&rec) || rec.Err != nil || !bytes.Equal(rec.Text, line) {
			t.Fatalf("%q is read as %q (%v)", line, rec.Text, rec.Err)
		}
		cells := AppendCells(nil, rec.Text, delimiter)
		if len(cells) != 2 || string(cells[0]) != a || string(cells[1]) != b {
			t.Fatalf("%q and %q became %q", a, b, cells)
		}
		_ = AppendCells(nil, []byte(a), delimiter) // no text makes it fail
	})
}
