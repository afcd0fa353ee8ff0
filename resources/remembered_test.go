package resources_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

// remembering is a store whose memory holds what a test puts there.
type remembering struct {
	*memory.Store
	recall func(resources.Key) (resources.Version, bool)
}

func (r remembering) Remembered(key resources.Key) (resources.Version, bool) { return r.recall(key) }

func numbered(n int) []byte {
	return fmt.Appendf(nil, `{"resourceType":"CodeSystem","id":"a","n":%d}`, n)
}

// addition is a patch that adds to the number of a document, but refuses some.
type addition int

func (n addition) Apply(doc []byte) ([]byte, error) {
	var had struct{ N int }
	if err := json.Unmarshal(doc, &had); err != nil {
		return nil, err
	}
	if had.N%5 == 4 {
		return nil, fmt.Errorf("%w: %d", resources.ErrInvalid, had.N)
	}
	return numbered(had.N + int(n)), nil
}

// TestRememberedVersions makes the same random changes in a store that remembers the newest version, an older
// one or none, and in one that remembers nothing. The outcomes are equal.
func TestRememberedVersions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	f, plain := newFixture(t), newFixture(t)
	key := resources.Key{Type: "CodeSystem", ID: "a"}
	right := 0
	f.service = resources.NewService(remembering{f.store.Store, func(asked resources.Key) (resources.Version, bool) {
		history, _ := f.store.History(t.Context(), key) // there is none at first
		n := rng.IntN(4)
		if asked != key || n >= len(history) || history[n].Deleted {
			return resources.Version{}, false
		}
		if n == 0 {
			right++
		}
		return history[n], true
	}}, f.listener, resources.WithClock(func() time.Time { return f.now }), resources.WithoutValidation())
	for step := range 2000 {
		var opts resources.UpdateOptions
		if version := int64(0); rng.IntN(3) == 0 {
			if history, err := plain.store.History(t.Context(), key); err == nil {
				version = max(history[0].VersionID-rng.Int64N(3), 0)
			}
			opts.IfMatch = &version
		}
		opts.IfNoneMatch = opts.IfMatch == nil && rng.IntN(6) == 0
		number, kind := rng.IntN(3), rng.IntN(8)
		change := func(s *resources.Service) (resources.Outcome, error) {
			switch kind {
			case 0:
				return s.Delete(t.Context(), key.Type, key.ID, opts)
			case 1, 2:
				return s.Patch(t.Context(), key.Type, key.ID, addition(number), opts)
			}
			return s.Update(t.Context(), key.Type, key.ID, numbered(number), opts)
		}
		want, wantErr := change(plain.service)
		got, err := change(f.service)
		if what := fmt.Sprintf("step %d, %d to %d", step, kind, number); fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%s: %v, want %v", what, err, wantErr)
		} else {
			f.equal(what, got, want)
			f.equal(what, f.listener.published, plain.listener.published)
		}
		if f.Failed() {
			return
		}
	}
	if right < 200 {
		t.Errorf("the newest version was remembered %d times", right)
	}
}
