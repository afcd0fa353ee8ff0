package rf2

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
)

// TestManyRefsets: a release of 200 reference sets in as many files.
func TestManyRefsets(t *testing.T) {
	h := international()
	files := h.At(rf2test.Snapshot, "20240131", "").Files(rf2test.Snapshot, "20240131")
	const sets = 200
	for i := range sets {
		var one release
		for j := range i%3 + 1 {
			one.Add("simple", rf2test.Member(20_000+3*i+j), "20240131", true, core, rf2test.Concept(1000+i), rf2test.Concept(100+j))
		}
		for name, data := range one.Files(rf2test.Snapshot, "20240131") {
			if dir, base := path.Split(name); strings.Contains(base, "Simple") {
				files[dir+strings.Replace(base, "Simple", fmt.Sprintf("Simple%d", i), 1)] = data
			}
		}
	}
	x := load(t, Options{}, rf2test.Zip(t, files))
	for i := range sets {
		set, ok := x.Refset(rf2test.Concept(1000 + i))
		if !ok || set.Len() != i%3+1 || int(set.Members().GetCardinality()) != i%3+1 {
			t.Fatalf("reference set %d: %v", i, ok)
		}
	}
	if n := len(x.Refsets()); n != sets+1 { // and the module dependencies
		t.Errorf("%d reference sets", n)
	}
}

// TestLanguageRefsetMissing: displays by a language reference set that is not there.
func TestLanguageRefsetMissing(t *testing.T) {
	err := Load(t.Context(), []string{international().Folder(t, rf2test.Snapshot, "20240131", "")}, Options{LanguageRefset: "en-gb"}, &collector{})
	if !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), enGB) || !strings.Contains(err.Error(), "the release has "+enUS) {
		t.Errorf("%v", err)
	}
}
