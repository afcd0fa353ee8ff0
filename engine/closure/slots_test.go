package closure

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSlots keeps tables up to the limit of codes, drops those that were unused for the longest time, or for
// too long, and never one that is in use.
func TestSlots(t *testing.T) {
	const idle = time.Hour
	ss := newSlots(Limits{MaxCached: 4, Idle: idle})
	start := time.Now().Add(-idle / 2)
	take := func(name string) *slot {
		s, err := ss.take(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	use := func(name string, codes int, want string) {
		t.Helper()
		s := take(name)
		s.table.codes = codes
		ss.release(name, s)
		start = start.Add(time.Second)
		s.used = start
		if got := strings.Join(slices.Sorted(maps.Keys(ss.byName)), " "); got != want {
			t.Errorf("after %s: %s, want %s", name, got, want)
		}
		if ss.byName[name] == s && s.idle == nil {
			t.Errorf("%s would stay for ever", name)
		}
	}
	use("a", 2, "a")
	use("b", 2, "a b") // as many as may be
	use("a", 2, "a b")
	use("c", 1, "a c") // b is the oldest
	use("d", 0, "a c") // has nothing to keep
	a := take("a")
	use("c", 2, "a c")
	use("e", 1, "a e") // a is older than c, but in use
	a.used = time.Now().Add(-2 * idle)
	ss.dropIdle("a", a)
	ss.release("a", a)
	use("a", 2, "a e")
	ss.dropIdle("a", a) // it was used since the timer was set
	use("e", 1, "a e")
	a.used = time.Now().Add(-2 * idle)
	ss.dropIdle("a", a)
	use("e", 1, "e")
	use("f", 5, "") // too many on its own
}
