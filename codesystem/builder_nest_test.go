package codesystem

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestNest nests concepts in ones that were added after them.
func TestNest(t *testing.T) {
	b := NewBuilder(header("http://example.org/s"))
	for _, code := range []string{"leaf", "other", "middle", "top"} {
		if _, err := b.Add(&Concept{Code: code, Parent: -1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, pair := range [][2]int{{0, 2}, {1, 2}, {2, 3}} {
		if err := b.Nest(pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, pair := range [][2]int{{0, 0}, {-1, 0}, {0, 4}} {
		if err := b.Nest(pair[0], pair[1]); !errors.Is(err, ErrUnknownParent) {
			t.Errorf("Nest(%v): %v", pair, err)
		}
	}
	var got []string
	x := build(t, b, nil)
	for o, code := range x.Codes() {
		got = append(got, strings.Repeat(" ", x.Depth(o))+code)
	}
	if want := []string{"top", " middle", "  leaf", "  other"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
