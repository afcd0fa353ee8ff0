package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

var errFake = errors.New("the database fails")

func basic(id string) resources.Key { return resources.Key{Type: "Basic", ID: id} }

// put is a write of a document.
func put(id, body string) resources.Write {
	return resources.Write{
		Key: basic(id), Entries: [][]byte{[]byte(id)}, Values: []byte(body),
		Render: func(int64, time.Time) ([]byte, error) { return []byte(body), nil },
	}
}

// after is a write after a version that the caller has just read.
func after(version int64, id, body string) resources.Write {
	w := put(id, body)
	w.IfVersion, w.JustRead = &version, true
	return w
}

func fresh(id, body string) resources.Write {
	w := after(0, id, body)
	w.Fresh = true
	return w
}

func shown(all ...index.Record) (text string) {
	for _, r := range all {
		text += fmt.Sprintf("%s%d=%s%s ", r.ID, r.VersionID, r.Body, r.Values)
	}
	return text
}

func writeAll(ctx context.Context, tx resources.Tx, writes ...resources.Write) error {
	for _, w := range writes {
		if _, err := tx.Write(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads by all methods of a transaction.
func readAll(ctx context.Context, tx resources.Tx) (text string, err error) {
	n := 0
	scan := tx.Scan(ctx, index.Range{}, func([]byte, index.Seq) bool { n++; return true })
	many := index.ScanMany(ctx, tx, make([]index.Range, 2), 0, func(int, []byte, index.Seq) bool { n++; return true })
	found, err1 := tx.Find(ctx, []resources.Key{basic("a"), basic("z")}, 0)
	whole, err2 := tx.Find(ctx, []resources.Key{basic("a"), basic("b")}, index.WithBody|index.WithValues)
	versions, err3 := tx.Versions(ctx, index.VersionsRequest{Type: "Basic"})
	if err := errors.Join(scan, many, err1, err2, err3); err != nil {
		return "", err
	}
	loaded, err := tx.Load(ctx, []index.Seq{versions[0].Seq, versions[1].Seq}, index.WithBody)
	if err == nil && tx.At() < versions[0].Seq {
		err = errors.New("the last version is not in the transaction")
	}
	return fmt.Sprint(n, shown(found...), shown(whole...), shown(loaded...), len(versions)), err
}

type operation func(ctx context.Context, s *Store) (any, error)

func one(w resources.Write) operation {
	return func(ctx context.Context, s *Store) (any, error) {
		v, err := s.Write(ctx, w)
		return fmt.Sprintf("%d %s %v", v.VersionID, v.Body, v.Deleted), err
	}
}

func transact(large bool, fn func(ctx context.Context, tx resources.Tx) (string, error)) operation {
	return func(ctx context.Context, s *Store) (result any, err error) {
		do := func(tx resources.Tx) (err error) { result, err = fn(ctx, tx); return err }
		if large {
			return result, s.TransactLarge(ctx, 3, do)
		}
		err = s.Transact(ctx, do)
		return result, err
	}
}

// large writes a version with more entries than are written together with others, or as many.
func large(more int) operation {
	w := after(0, "l"+strings.Repeat("+", more), "l")
	w.Entries = make([][]byte, resources.LargeEntries+more)
	return one(w)
}

func appends(restart bool, last int64, names int) operation {
	return func(ctx context.Context, s *Store) (any, error) {
		return s.AppendJournal(ctx, resources.JournalAppend{Name: "j", Body: []byte("x"), After: last, Restart: restart, MaxNames: names})
	}
}

// operations use every method of a store.
var operations = []operation{
	one(put("a", "1")), one(after(1, "a", "22")), one(after(9, "a", "3")), one(fresh("b", "1")),
	one(resources.Write{Key: basic("z")}),
	transact(false, func(ctx context.Context, tx resources.Tx) (string, error) {
		err := writeAll(ctx, tx, put("c", "1"))
		text, err1 := readAll(ctx, tx)
		err2 := writeAll(ctx, tx, put("c", "2"), after(2, "a", "3"), fresh("d", "1"))
		more, err3 := readAll(ctx, tx)
		return text + more, errors.Join(err, err1, err2, err3)
	}),
	transact(false, func(ctx context.Context, tx resources.Tx) (string, error) {
		err := writeAll(ctx, tx, put("a", "refused"))
		text, err1 := readAll(ctx, tx)
		return text, errors.Join(err, err1, errors.New("refused"))
	}),
	transact(false, func(ctx context.Context, tx resources.Tx) (string, error) {
		_ = writeAll(ctx, tx, after(9, "a", "ignored"))
		return "", writeAll(ctx, tx, put("b", "with an error"))
	}),
	one(resources.Write{Key: basic("c")}), one(resources.Write{Key: basic("c")}), one(put("c", "again")),
	appends(false, 1, 0), appends(true, 0, 1), appends(false, 1, 0), appends(true, 0, 1), appends(false, 3, 0),
	func(ctx context.Context, s *Store) (any, error) { return nil, s.SetMark(ctx, "m", "1") },
	transact(true, func(ctx context.Context, tx resources.Tx) (string, error) {
		found, err := tx.Find(ctx, []resources.Key{basic("b"), basic("z")}, index.WithBody)
		return shown(found...), errors.Join(err, writeAll(ctx, tx, put("b", "3"), fresh("e", "44"), put("f", "1")))
	}),
	transact(true, func(ctx context.Context, tx resources.Tx) (string, error) {
		err := writeAll(ctx, tx, put("f", "2"))
		text, err1 := readAll(ctx, tx)
		return text, errors.Join(err, err1)
	}),
	transact(true, func(context.Context, resources.Tx) (string, error) { return "nothing", nil }),
	func(ctx context.Context, s *Store) (any, error) {
		err := s.Each(ctx, "Basic", func(v resources.Version) error { return nil })
		if err == nil {
			versions := []resources.Reindexed{{Seq: s.db.(*fake).now.Load().at(), Entries: [][]byte{[]byte("x"), []byte("y")}}, {Seq: 1}}
			err = errors.Join(s.Reindex(ctx, versions), s.Reindex(ctx, versions[1:]))
		}
		return nil, err
	},
	func(ctx context.Context, s *Store) (any, error) { return s.Purge(ctx, time.Now().Add(time.Hour)) },
	func(ctx context.Context, s *Store) (any, error) {
		return s.Forget(ctx, "Basic", time.Now().Add(time.Hour))
	},
	func(ctx context.Context, s *Store) (any, error) {
		s.db.(*fake).sums.required.Store(false)
		return nil, s.Complete(ctx, func(context.Context, int64) error { return nil })
	},
	func(ctx context.Context, s *Store) (any, error) {
		n := 0
		err := s.Walk(ctx, 0, 100, func(v *resources.StoredVersion) (bool, error) { n += len(v.Body); return true, nil })
		return n, err
	},
	func(ctx context.Context, s *Store) (any, error) { return s.Mark(ctx, "m") },
	func(ctx context.Context, s *Store) (any, error) { return s.Journal(ctx, "j", 2) },
	func(ctx context.Context, s *Store) (any, error) { return s.Inspect(ctx, 0) },
	func(ctx context.Context, s *Store) (any, error) { last, err := s.Open(ctx); return last > 0, err },
	func(ctx context.Context, s *Store) (any, error) {
		text := ""
		err := s.Each(ctx, "Basic", func(v resources.Version) error { text += fmt.Sprintf("%s=%s ", v.ID, v.Body); return nil })
		return text, err
	},
	one(put("empty", "")), reading("empty", 0), large(0), large(1), large(1),
	reading("a", 0), reading("z", 0), reading("a", 2), reading("a", 77), reading("z", 1), reading("a", -1), reading("z", -1),
}

// reading reads a version, 0 for the newest, or the history.
func reading(id string, version int64) operation {
	return func(ctx context.Context, s *Store) (any, error) {
		var v resources.Version
		var err error
		switch version {
		case -1:
			all, err := s.History(ctx, basic(id))
			text := ""
			for _, v := range all {
				text += fmt.Sprintf("%d=%s ", v.VersionID, v.Body)
			}
			return text, err
		case 0:
			v, err = s.Read(ctx, basic(id))
		default:
			v, err = s.ReadVersion(ctx, basic(id), version)
		}
		return fmt.Sprintf("%d %s", v.VersionID, v.Body), err
	}
}

// What the operations return without a failure, what is stored then, and the number of steps.
const (
	wantResults = `0: 1 1 false
1: 2 22 false
2: 0  false Basic/a: version conflict: expected version 9, but the current version is 2
3: 1 1 false
4: 0  false Basic/z: resource not found
5: 8a2= 0= a2=2222 b1=11 c1=1 b1=1 414a3= 0= a3=33 b1=11 d1=1 a3=3 7
6: 16a4= 0= a4=refusedrefused b1=11 a4=refused d1=1 8 refused
7:  Basic/a: version conflict: expected version 9, but the current version is 3
8: 3  true
9: 3  true Basic/c: resource deleted
10: 4 again false
11: 0 journal "j": version conflict: its last record is 0, not 1
12: 1
13: 2
14: 3
15: 4
16: <nil>
17: b1=1 0= 
18: 24a3= 0= a3=33 b2=33 f2=2 f1=1 13
19: nothing
20: <nil>
21: 6
22: 2
23: <nil>
24: 15
25: 1
26: [{3 [120]} {4 [120]}]
27: []
28: true
29: a=3 b=3 c=again f=2 
30: 1  false
31: 1 
32: 1 l false
33: 1 l false
34: 0  false Basic/l+: version conflict: expected that it does not exist, but the current version is 1
35: 3 3
36: 0  Basic/z: resource not found
37: 2 22
38: 0  Basic/a version 77: resource not found
39: 0  Basic/z: resource not found
40: 3=3 2=22 1=1 
41:  Basic/z: resource not found
a1=11 false false 0 a2=2222 false false 0 b1=11 false false 0 c1=11 false false 0 c2=22 false false 0 a3=33 false true 1 c3= true false 0 c4=againagain false true 1 b2=33 false true 1 f1=11 false false 0 f2=22 false true 2 empty1= false true 1 l1=ll false true 20000 l+1=ll false true 20001 
map[m:1 sums:complete] [{3 [120]} {4 [120]}] true true`
	wantSteps = "map[inspect:1 journal:1 mark:3 r.begin:11 r.list:4 r.load:5 r.versions:2 r.walk:3 read:5 read version:3 s.begin:6 s.commit:2 s.find:12 s.lock:2 s.stage:2 w.begin:26 w.clear:1 w.clear journal:1 w.commit:25 w.entries:2 w.find:20 w.forget:1 w.insert:12 w.insert journal:4 w.last:5 w.load:4 w.names:1 w.reindex:1 w.save:13 w.scan:8 w.set mark:2 w.sole:1 w.superseded:1 w.undo:1 w.versions:4]"
)

// A failure is a way in which steps fail.
type failure struct {
	err      error
	reported func(step string) int // how often an operation reports it; -1 if that is open
}

// perform runs all operations on an empty fake, and lets one step of each fail if it has so many. An operation
// that reports it is done again.
func perform(t *testing.T, nth int, kind failure) (results []string, f *fake, failures int) {
	t.Helper()
	f = newFake()
	s := New(f)
	var cancel context.CancelFunc
	first := 0 // step of the operation
	f.fail = func(_ context.Context, n int, step string) error {
		if n != first+nth || kind.reported(step) == 0 && errors.Is(kind.err, resources.ErrDamaged) {
			return nil
		}
		if failures++; errors.Is(kind.err, context.Canceled) {
			cancel()
			return nil
		}
		return kind.err
	}
	for i, do := range operations {
		first = len(f.taken())
		for failed := 0; ; failed++ {
			var ctx context.Context
			ctx, cancel = context.WithCancel(t.Context())
			result, err := do(ctx, s)
			cancel()
			if err != nil && failed == 0 && (errors.Is(err, kind.err) || errors.Is(kind.err, ErrInterrupted) && errors.Is(err, resources.ErrUnavailable)) {
				continue
			}
			if err != nil {
				result = fmt.Sprint(result, " ", err)
			}
			results = append(results, fmt.Sprint(i, ": ", result))
			if n := first + nth; nth >= 0 && n < len(f.taken()) {
				step := f.taken()[n]
				if want := kind.reported(step); want >= 0 && failed != want {
					t.Errorf("%v: operation %d, step %d, %s: reported %d times, want %d", kind.err, i, nth, step, failed, want)
				}
				next := append(f.taken(), "w.begin")[n+1]
				if errors.Is(kind.err, errFake) && writes(step) && step != "w.begin" && next != "w.begin" && strings.HasPrefix(next, "w.") {
					t.Errorf("operation %d: after %s fails the transaction goes on with %s", i, step, next)
				}
			}
			break
		}
	}
	state := ""
	for _, r := range f.now.Load().rows {
		state += fmt.Sprintf("%s%v %v %d ", shown(r.Record), r.Deleted, r.Until == index.Current, len(r.Entries))
	}
	results = append(results, state, fmt.Sprint(f.now.Load().marks, f.now.Load().journal, f.sums.required.Load(), s.Written() > 0))
	if err := s.Close(); err != nil || f.open.Load() != 0 {
		t.Errorf("closed with %d open transactions: %v", f.open.Load(), err)
	}
	return results, f, failures
}

// writes reports whether a step is one of a change.
func writes(step string) bool { return step[1] == '.' && step[0] != 'r' }

// TestFailures lets every step of every operation fail, in several ways. The operation reports it and changes
// nothing: done again, all is as if nothing had failed. Conflicts are not reported, but tried again.
func TestFailures(t *testing.T) {
	once := func(not ...string) func(string) int {
		return func(step string) int {
			switch {
			case step == "s.find": // the change may need the lock anyway
				return -1
			case slices.Contains(not, step):
				return 0
			}
			return 1
		}
	}
	synctest.Test(t, func(t *testing.T) {
		want, clean, _ := perform(t, -1, failure{errFake, once()})
		if got := strings.Join(want, "\n"); got != wantResults {
			t.Errorf("without a failure:\n%s", got)
		}
		counts := map[string]int{}
		for _, step := range clean.steps {
			counts[step]++
		}
		if got := fmt.Sprint(counts); got != wantSteps {
			t.Errorf("steps without a failure: %s", got)
		}
		for _, kind := range []failure{
			{errFake, once()},
			{resources.ErrDamaged, once("w.save", "w.insert")}, // they read nothing
			{context.Canceled, func(string) int { return -1 }},
			{errFaster, func(step string) int {
				if writes(step) {
					return 0
				}
				return 1
			}},
			{ErrInterrupted, func(step string) int {
				switch {
				case step == "w.insert": // the last one counts as a part of the commit
					return -1
				case strings.HasPrefix(step, "w.") && step != "w.commit":
					return 0
				}
				return once()(step)
			}},
		} {
			for nth, failures := 0, 1; failures > 0; nth++ {
				var got []string
				got, _, failures = perform(t, nth, kind)
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("%v in step %d: %s, want %s", kind.err, nth, got[i], want[i])
					}
				}
			}
		}
	})
}
