package packed_test

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/roget-health/roget/codesystem/packed"
)

// TestText reads frames one after the other, and refuses what is none, is cut off, or does not
// state how large its text is.
func TestText(t *testing.T) {
	encoder, err := zstd.NewWriter(nil, zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	one := encoder.EncodeAll([]byte("one text"), nil)
	both := string(encoder.EncodeAll(bytes.Repeat([]byte("another"), 1000), one))
	for at, want := range map[int]int{0: len("one text"), len(one): 7000} {
		if text, err := packed.Text(both[at:]); err != nil || len(text) != want {
			t.Errorf("at %d: %d bytes, %v", at, len(text), err)
		}
	}
	var unsized bytes.Buffer
	stream, err := zstd.NewWriter(&unsized)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]byte{bytes.Repeat([]byte("x"), 1<<20), {'y'}} {
		if _, err := stream.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	huge := encoder.EncodeAll(make([]byte, 9<<20), nil)
	for name, file := range map[string]string{"nothing": "", "a text": "plain text", "cut off": both[:len(one)-2], "unsized": unsized.String(), "huge": string(huge)} {
		if text, err := packed.Text(file); err == nil {
			t.Errorf("%s: %d bytes", name, len(text))
		}
	}
}

// TestTable unpacks tables whose columns are in one frame and in several, and refuses what is none.
func TestTable(t *testing.T) {
	encoder, err := zstd.NewWriter(nil, zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	frames := func(texts ...string) (file string) {
		for _, text := range texts {
			file += string(encoder.EncodeAll([]byte(text), nil))
		}
		return file
	}
	const want = "a\t1\tx\ty\nb\t\tz\n"
	for name, row := range map[string]struct{ file, want string }{
		"one frame":          {frames("a\nb\n\x001\n\n\x00x\ty\nz\n"), want},
		"three frames":       {frames("a\nb\n\x00", "1\n\n\x00", "x\ty\nz\n"), want},
		"a column short":     {frames("a\nb\n\x001\n\x00x\nz\n"), ""},
		"no end of line":     {frames("a\nb\x001\n2\n"), ""},
		"nothing":            {"", ""},
		"a text":             {"plain text", ""},
		"a frame is cut off": {frames("a\nb\n\x00", "1\n2\n")[:22], ""},
	} {
		table, err := packed.Table(row.file)
		if (err != nil) != (row.want == "") || string(table) != row.want && err == nil {
			t.Errorf("%s: %q, %v", name, table, err)
		}
	}
}

// TestLines puts lines together again that were taken apart, and refuses what is none.
func TestLines(t *testing.T) {
	encoder, err := zstd.NewWriter(nil, zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ text, want string }{
		"names that alternate": {"{\"a\":\x01,\"b\":[{\"a\":\x01,\"n\":1}]}\n{\"b\":\x01}\n\x00a\nx \\\"y\\\"\n\n\x00b\nz\n", `{"a":"x \"y\"","b":[{"a":"","n":1}]}` + "\n" + `{"b":"z"}` + "\n"},
		"no strings":           {"{}\n", "{}\n"},
		"a string short":       {"{\"a\":\x01,\"a\":\x01}\x00a\nx\n", ""},
		"an unknown name":      {"{\"a\":\x01}", ""},
		"a name without end":   {"{\"a:\x01}\x00a\nx\n", ""},
	} {
		lines, err := packed.Lines(string(encoder.EncodeAll([]byte(row.text), nil)))
		if (err != nil) != (row.want == "") || string(lines) != row.want && err == nil {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
	}
}
