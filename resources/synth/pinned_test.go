package synth_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/roget-health/roget/resources/synth"
)

// pinned are the SHA-256 of what roget generate TYPE --seed 1 --count 1000 writes, and
// roget generate population --seed 1 --patients 200.
var pinned = map[string]string{}

// TestPinned checks that what is made is what has always been made, byte for byte. It holds
// on every platform: CI runs it on 64 and 32 bits, little and big endian. A change of what
// is made is a change for users, to be told in CHANGELOG.md; then the test tells the new
// values.
func TestPinned(t *testing.T) {
	h := sha256.New()
	check := func(what string) {
		if got := hex.EncodeToString(h.Sum(nil)); got != pinned[what] {
			t.Errorf("other bytes than before: %q: %q,", what, got)
		}
		h.Reset()
	}
	for _, typ := range synth.TypeNames() {
		each(t, typ, synth.Options{Seed: 1}, 1000, func(_ int, body []byte) {
			h.Write(body)
			h.Write([]byte("\n"))
		})
		check(typ)
	}
	p, err := synth.NewPopulation(synth.PopulationOptions{Seed: 1, Patients: 200})
	if err != nil {
		t.Fatal(err)
	}
	err = p.Each(t.Context(), synth.NDJSON, func(c synth.Chunk) error {
		h.Write(c.Bytes)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check("population")
	if len(pinned) != len(synth.TypeNames())+1 {
		t.Errorf("%d are pinned", len(pinned))
	}
}
