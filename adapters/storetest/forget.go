package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// forgets tests that old resources of a type with one version are removed with all that belongs to them,
// and nothing else. A store that keeps all is not a Forgetter.
func forgets(t *testing.T, s *suite) {
	x, can := s.store.(resources.Forgetter)
	if !can {
		return
	}
	at := time.Date(2024, 5, 6, 7, 8, 0, 0, time.UTC)
	second := func(n int, w resources.Write) {
		w.At = at.Add(time.Duration(n) * time.Second)
		s.write(w)
	}
	forget := func(what, typ string, before time.Time, want int) {
		t.Helper()
		n, err := x.Forget(s.ctx(), typ, before)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		s.equal(what, n, want)
	}
	other := entered("a", `1`, "o")
	other.Key = resources.Key{Type: "ValueSet", ID: "a"}
	forget("of nothing", "CodeSystem", at, 0)
	second(0, entered("once", `1`, "x", "y"))
	second(1, entered("changed", `1`, "x"))
	second(2, other)
	second(3, entered("deleted", `1`, "x"))
	second(4, entered("changed", `2`, "z"))
	second(5, resources.Write{Key: code("deleted")})
	second(6, entered("later", `1`, "x"))
	forget("before all", "CodeSystem", at, 0)
	forget("one", "CodeSystem", at.Add(6*time.Second), 1)
	forget("again", "CodeSystem", at.Add(6*time.Second), 0)
	if _, err := s.store.Read(s.ctx(), code("once")); !errors.Is(err, resources.ErrNotFound) {
		t.Errorf("a resource that was removed: %v", err)
	}
	s.equal("what is left", s.ids("CodeSystem"), []string{"changed", "later"})
	s.view(func(r index.Reader) {
		s.equal("entries", s.scan(r, index.Range{}), []string{"o a/1", "x changed/1", "x deleted/1", "x later/1", "z changed/2"})
		s.equal("history", s.versions(r, index.VersionsRequest{Type: "CodeSystem"}), []string{
			"CodeSystem/later/1", "CodeSystem/deleted/2", "CodeSystem/changed/2", "CodeSystem/deleted/1", "CodeSystem/changed/1",
		})
	})
	forget("the newest version of the store stays", "CodeSystem", at.Add(time.Hour), 0)
	if v := s.put(code("once"), `{}`); v.VersionID != 1 {
		t.Errorf("version %d of an id that was used before, want 1", v.VersionID)
	}
	for i := range 450 {
		second(10, entered(fmt.Sprint("many", i), `1`, "m"))
	}
	second(20, entered("last", `1`, "l"))
	forget("many", "CodeSystem", at.Add(24*365*10*time.Hour), 452)
	if v, is := s.store.(resources.Verifiable); is {
		problems, err := v.Inspect(s.ctx(), resources.WholeStructure)
		if err != nil || len(problems) > 0 {
			t.Errorf("%v %v", problems, err)
		}
	}
}
