package packed_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/packed"
)

// lzma lets xz pack a text, and states its size, as package pack does.
func lzma(t testing.TB, text, options string) string {
	t.Helper()
	cmd := exec.Command("xz", "--format=lzma", "--lzma1="+options, "-c")
	cmd.Stdin = strings.NewReader(text)
	file, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(file[5:], uint64(len(text)))
	return string(file)
}

// packText packs a text as package pack does.
func packText(t testing.TB, text string) string { return lzma(t, text, "preset=9e,lc=3,lp=0,pb=0") }

// samples are texts with repetitions of all kinds: none, short, long, overlapping, far, at each of the last
// distances.
func samples() []string {
	r := rand.New(rand.NewPCG(1, 2))
	var noise, far strings.Builder
	for range 5000 {
		noise.WriteByte(byte(r.Uint32()))
	}
	for range 3000 {
		far.WriteString(noise.String()[r.IntN(5000):][:r.IntN(3)%5+1] + "abcdefgh"[r.IntN(8):])
	}
	return []string{
		"", "a", "one text", strings.Repeat("x", 300_000), strings.Repeat("another, ", 1000), noise.String(), far.String(),
		noise.String() + strings.Repeat("ab", 200_000) + noise.String(),
	}
}

// TestText reads what xz packed with several properties of the format.
func TestText(t *testing.T) {
	for _, options := range []string{"preset=9e,lc=3,lp=0,pb=0", "preset=0,lc=0,lp=4,pb=4", "preset=6,lc=4,lp=0,pb=2", "preset=6,lc=1,lp=2,pb=3,mf=hc3"} {
		for i, want := range samples() {
			if text, err := packed.Text(lzma(t, want, options)); err != nil || string(text) != want {
				t.Errorf("%s: text %d of %d bytes comes back as %d: %v", options, i, len(want), len(text), err)
			}
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
	for _, text := range samples()[1:5] {
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
