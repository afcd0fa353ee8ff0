package datadir

import (
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

// TestContent checks that the checksum of what a folder has depends on the newest resources only, not on
// the packs that they are in.
func TestContent(t *testing.T) {
	folder := func(packs ...[]string) (string, uint64) {
		d, err := Open(t.Context(), t.TempDir(), Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for _, bodies := range packs {
			w, err := d.Writer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, body := range bodies {
				if err := w.AddDocument(&r4.Header{ResourceType: "ValueSet", URL: "http://" + body[:1], Version: "1"}, []byte(body), body); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		return d.Content()
	}
	one, height := folder([]string{"a1", "b1"})
	several, higher := folder([]string{"a0", "b1"}, []string{"a1"})
	if other, _ := folder([]string{"a1", "b2"}); one != several || one == other || height != 1 || higher != 2 {
		t.Errorf("%s %d, %s %d, %s", one, height, several, higher, other)
	}
}
