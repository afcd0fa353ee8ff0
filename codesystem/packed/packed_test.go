package packed_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/ulikunitz/xz/lzma"

	"github.com/roget-health/roget/codesystem/packed"
)

// packText packs a text and states its size.
func packText(t testing.TB, text string) string {
	t.Helper()
	var file strings.Builder
	w, err := lzma.WriterConfig{SizeInHeader: true, Size: int64(len(text))}.NewWriter(&file)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// TestText reads what was packed.
func TestText(t *testing.T) {
	for _, want := range []string{"a", "one text", strings.Repeat("another, ", 1000)} {
		if text, err := packed.Text(packText(t, want)); err != nil || string(text) != want {
			t.Errorf("a text of %d bytes comes back as %d: %v", len(want), len(text), err)
		}
	}
}

// TestTextRefused refuses what is no file, is cut off, refers to text before its beginning, or does not
// state how large its text is.
func TestTextRefused(t *testing.T) {
	file := packText(t, strings.Repeat("another, ", 1000)+"text")
	sized := func(n uint64) string {
		return file[:5] + string(binary.LittleEndian.AppendUint64(nil, n)) + file[13:]
	}
	for name, file := range map[string]string{
		"nothing": "", "a text": "plain text that has more bytes", "cut off": file[:len(file)-12], "a header": file[:13],
		"unsized": sized(1<<64 - 1), "huge": sized(9 << 20), "more than there is": sized(10_000),
		"other properties": "\xe1" + file[1:], "a repetition at the start": file[:13] + "\x00\xff\xff\xff\xfe" + file[18:],
	} {
		if text, err := packed.Text(file); err == nil {
			t.Errorf("%s: %d bytes", name, len(text))
		}
	}
}

// FuzzText checks that no file makes Text panic or return another size than the file states.
func FuzzText(f *testing.F) {
	for _, text := range []string{"a", "one text", strings.Repeat("another, ", 1000)} {
		f.Add([]byte(packText(f, text)))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		text, err := packed.Text(string(file))
		if err == nil && uint64(len(text)) != binary.LittleEndian.Uint64(file[5:]) {
			t.Errorf("%d bytes", len(text))
		}
	})
}

// TestTable unpacks tables, and refuses what is none.
func TestTable(t *testing.T) {
	const want = "a\t1\tx\ty\nb\t\tz\n"
	for name, row := range map[string]struct{ file, want string }{
		"columns":        {packText(t, "a\nb\n\x001\n\n\x00x\ty\nz\n"), want},
		"a column short": {packText(t, "a\nb\n\x001\n\x00x\nz\n"), ""},
		"no end of line": {packText(t, "a\nb\x001\n2\n"), ""},
		"no rows":        {packText(t, ""), ""},
		"nothing":        {"", ""},
		"a text":         {"plain text", ""},
	} {
		table, err := packed.Table(row.file)
		if (err != nil) != (row.want == "") || string(table) != row.want && err == nil {
			t.Errorf("%s: %q, %v", name, table, err)
		}
	}
}

// TestLines puts lines together again that were taken apart, and refuses what is none.
func TestLines(t *testing.T) {
	for name, row := range map[string]struct{ text, want string }{
		"names that alternate": {"{\"a\":\x01,\"b\":[{\"a\":\x01,\"n\":1}]}\n{\"b\":\x01}\n\x00a\nx \\\"y\\\"\n\n\x00b\nz\n", `{"a":"x \"y\"","b":[{"a":"","n":1}]}` + "\n" + `{"b":"z"}` + "\n"},
		"no strings":           {"{}\n", "{}\n"},
		"a string short":       {"{\"a\":\x01,\"a\":\x01}\x00a\nx\n", ""},
		"an unknown name":      {"{\"a\":\x01}", ""},
		"a name without end":   {"{\"a:\x01}\x00a\nx\n", ""},
	} {
		lines, err := packed.Lines(packText(t, row.text))
		if (err != nil) != (row.want == "") || string(lines) != row.want && err == nil {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
	}
}
