package markup

import (
	"bytes"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
)

// TestLatin reads every byte as the tables of golang.org/x/text have it, in pieces of any
// size.
func TestLatin(t *testing.T) {
	all := make([]byte, 0, 3*256)
	for i := range cap(all) {
		all = append(all, byte(i))
	}
	for name, row := range map[string]struct {
		table *charmap.Charmap
		upper *[32]rune
	}{
		"ISO 8859-1":   {charmap.ISO8859_1, nil},
		"Windows-1252": {charmap.Windows1252, &windows1252},
	} {
		want, err := row.table.NewDecoder().Bytes(all)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(newLatin(iotest.OneByteReader(bytes.NewReader(all)), row.upper), want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
