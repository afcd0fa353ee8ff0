package catalog

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// A table that changes in steps has what a map has that is copied at every step, and
// what was read from earlier steps stays as it was.
func TestRecordsAreMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type step struct {
			table records
			model map[string][]*Record
		}
		steps := []step{{model: map[string][]*Record{}}}
		var seq uint64
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			last := steps[len(steps)-1]
			next := step{last.table.own(), maps.Clone(last.model)}
			for range rapid.IntRange(0, 60).Draw(t, "changes") {
				key := strconv.Itoa(rapid.IntRange(0, 80).Draw(t, "key"))
				have := next.model[key]
				if len(have) > 0 && rapid.Bool().Draw(t, "discard") {
					r := rapid.SampledFrom(have).Draw(t, "record")
					next.table.discard(key, r)
					next.model[key] = slices.DeleteFunc(slices.Clone(have), func(x *Record) bool { return x == r })
					continue
				}
				seq++
				r := &Record{Entry: &Entry{Header: r4.Header{Version: strconv.Itoa(int(seq % 3))}}, Seq: seq}
				next.table.insert(key, r)
				next.model[key] = append(slices.Clone(have), r)
				slices.SortFunc(next.model[key], precedence)
			}
			if rapid.Bool().Draw(t, "fold") {
				next.table.fold()
			}
			steps = append(steps, next)
		}
		for i, s := range steps {
			maps.DeleteFunc(s.model, func(_ string, list []*Record) bool { return len(list) == 0 })
			if got := maps.Collect(s.table.all()); !maps.EqualFunc(got, s.model, slices.Equal) {
				t.Fatalf("step %d: %d keys, want %d", i, len(got), len(s.model))
			}
			for key := range 81 {
				if got, want := s.table.get(strconv.Itoa(key)), s.model[strconv.Itoa(key)]; !slices.Equal(got, want) {
					t.Fatalf("step %d, key %d: %v, want %v", i, key, got, want)
				}
			}
		}
	})
}
