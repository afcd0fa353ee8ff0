package datadir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/codesystem"
)

// TestAdopt: packs of another folder come behind those that are there, all at once, trusted, and under
// their numbers if these are higher. A damaged one is refused together with the others, and what is
// superseded is removed by the next Adopt.
func TestAdopt(t *testing.T) {
	d := open(t, t.TempDir(), Options{Create: true})
	load(t, d, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 5), "a.json")) })
	foreign := func(damaged bool) Foreign {
		folder, pack := loaded(t) // a with 40 concepts, and b
		if damaged {
			flip(t, pack)
		}
		path := filepath.Join(d.path, filepath.Base(folder))
		must(t, os.Rename(pack, path))
		return Foreign{path, 7}
	}
	if err := d.Adopt(t.Context(), []Foreign{foreign(false), foreign(true)}); !errors.Is(err, codesystem.ErrDamaged) {
		t.Errorf("a damaged pack: %v", err)
	}
	equal(t, "packs", packs(t, d), []string{"0000000001.json", "0000000001.pack", "0000000001.seal"})
	must(t, d.Adopt(t.Context(), []Foreign{foreign(false), foreign(false)}))
	equal(t, "stale", d.Stale(), true)
	_, err := d.Reload(t.Context())
	must(t, err)
	answers(t, d, "http://x/a", "1", 40)
	answers(t, d, "http://x/b", "1", 30)
	equal(t, "trusted", d.packs[1].trusted() && d.packs[2].trusted(), true)
	must(t, d.Adopt(t.Context(), nil))
	equal(t, "packs", packs(t, d), []string{"0000000008.pack", "0000000008.seal"})
}
