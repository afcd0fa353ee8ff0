package sqlite

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources/index"
)

// A state has the entries that its snapshot lacks, however far other processes are.
func TestRecentState(t *testing.T) {
	documents := func(after, last index.Seq, fn func(index.Seq, [][]byte)) error {
		for seq := after + 1; seq <= last; seq++ {
			fn(seq, [][]byte{[]byte("x"), fmt.Appendf(nil, "%d", seq)})
		}
		return nil
	}
	var c recent
	of := func(table, at index.Seq) *recentState {
		t.Helper()
		s, err := c.of(&settled{seq: table}, at, documents)
		if err != nil {
			t.Fatal(err)
		}
		if s == nil {
			return nil
		}
		o := overlay{table: settled{seq: table}, runs: s.runs, upTo: at}
		n := 0
		for k := o.open(&index.Range{}, nil); k.more; k.advance() {
			n++
		}
		if want := 2 * int(at-table); n != want {
			t.Errorf("with %d in the table a snapshot of %d has %d other entries, want %d", table, at, n, want)
		}
		return s
	}
	of(10, 20)
	of(10, 15) // an older snapshot
	of(12, 20) // another process has settled
	if of(10, 20) != nil {
		t.Error("a snapshot from before the entries were settled gets a state without them")
	}
	of(40, 50) // others have written and settled more than is known here
	if s := of(45, 50); s.entries() != 10 {
		t.Errorf("%d entries are kept, want 10", s.entries())
	}
	rows := sqlstore.EntryRows{{Bytes: []byte("y"), Seq: 51}, {Bytes: []byte("z"), Seq: 51}}
	undo := c.add([]*sortedRun{runOf(rows)}, 51)
	of(45, 51)
	of(45, 50)
	undo() // the commit has failed, and the number is used again
	of(45, 51)
	failed := errors.New("failed")
	if s, err := c.of(&settled{seq: 45}, 52, func(_, _ index.Seq, _ func(index.Seq, [][]byte)) error { return failed }); s != nil || !errors.Is(err, failed) {
		t.Errorf("%v, %v", s, err)
	}
	of(45, 53)
}

func TestSettledMark(t *testing.T) {
	for _, s := range []settled{
		{}, {seq: 7}, {seq: 1 << 60, next: 1<<60 + 5, last: 3, entry: []byte{0, 0xff, ' '}}, {seq: 7, next: 9, last: 8, entry: []byte{}}, {next: 9, last: 8, entry: []byte("a")},
	} {
		got, err := parseSettled(s.String())
		if err != nil || len(got.entry) != len(s.entry) || string(got.entry) != string(s.entry) {
			t.Errorf("%+v: %+v, %v", s, got, err)
		}
		if got.entry, s.entry = nil, nil; !reflect.DeepEqual(got, s) {
			t.Errorf("%+v: %+v", s, got)
		}
	}
	for _, text := range []string{"", "x", "1 2", "1 2 3 4g", "1 2 3 x"} {
		if s, err := parseSettled(text); err == nil {
			t.Errorf("%q: %+v", text, s)
		}
	}
}
