package synth

import "testing"

// join writes the same text as its parts concatenated.
func TestParts(t *testing.T) {
	for _, parts := range [][]string{{}, {""}, {"a"}, {"a", "", "b"}, {"a \"quoted\" word", "\n", "Müller", " "}, {"", "\\", "王"}} {
		whole := ""
		var a, b writer
		a.join("name", parts...)
		for _, p := range parts {
			whole += p
		}
		b.text("name", whole)
		if whole == "" {
			b.buf = []byte(`"name":""`)
		}
		if string(a.buf) != string(b.buf) {
			t.Errorf("%q: %s, not %s", parts, a.buf, b.buf)
		}
	}
}
