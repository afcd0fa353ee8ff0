package storetest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// model is a naive implementation of a store: a list of all versions, oldest first.
type model []modelVersion

type modelVersion struct {
	id      string
	number  int64
	body    string // "" for a deletion
	entries []string
	until   int // index of the next version; 0 for the current one
}

func (m model) newest(id string) int {
	for i, v := range slices.Backward(m) {
		if v.id == id {
			return i
		}
	}
	return -1
}

// write adds a version. It returns false if there is nothing to delete.
func (m *model) write(id, body string, entries []string) bool {
	former := m.newest(id)
	if body == "" && (former < 0 || (*m)[former].body == "") {
		return false
	}
	v := modelVersion{id: id, number: 1, body: body, entries: entries}
	if former >= 0 {
		v.number = (*m)[former].number + 1
		(*m)[former].until = len(*m)
	}
	*m = append(*m, v)
	return true
}

// scan returns the result of a scan, with indexes of versions.
func (m model) scan(in index.Range) (found []modelEntry) {
	for i, v := range m {
		for _, e := range v.entries {
			if e >= string(in.From) && (in.To == nil || e < string(in.To)) {
				found = append(found, modelEntry{e, i})
			}
		}
	}
	slices.SortFunc(found, func(a, b modelEntry) int { return cmp.Or(cmp.Compare(a.entry, b.entry), a.at-b.at) })
	if in.Reverse {
		slices.Reverse(found)
	}
	return found
}

type modelEntry struct {
	entry string
	at    int
}

// likeModel applies random writes and transactions, some of them rolled back, to a store and a
// model, and compares their states from time to time.
func likeModel(t *testing.T, s *suite) {
	LikeModel(t, 1, 60, func() resources.Store { return s.store })
}

// LikeModel is the law of Run that a store is like a model, for many changes by several stores that share
// what they store. open opens one. From time to time one takes the place of another, which goes on to exist.
func LikeModel(t *testing.T, seed uint64, changes int, open func() resources.Store) {
	t.Helper()
	shared := []*suite{{t: t, store: open()}, {t: t, store: open()}}
	r := rand.New(rand.NewPCG(seed, 2))
	var m model
	word := func() string { return string([]byte{"abc"[r.IntN(3)], byte(r.IntN(3)) * 127})[:1+r.IntN(2)] }
	change := func(m *model) (resources.Write, bool) {
		id := fmt.Sprint("r", r.IntN(8))
		if r.IntN(5) == 0 {
			return resources.Write{Key: code(id)}, m.write(id, "", nil)
		}
		var entries []string
		for range r.IntN(4) {
			if e := word(); !slices.Contains(entries, e) {
				entries = append(entries, e)
			}
		}
		body := fmt.Sprint("body ", r.IntN(1000))
		w := entered(id, body, entries...)
		if r.IntN(2) == 0 {
			w.IfVersion, w.JustRead = new(int64), r.IntN(2) == 0
			if former := m.newest(id); former >= 0 {
				*w.IfVersion = (*m)[former].number
			}
		}
		return w, m.write(id, body, entries)
	}
	givenUp := errors.New("given up")
	for range changes {
		if r.IntN(20) == 0 {
			shared[r.IntN(2)] = &suite{t: t, store: open()}
		}
		s := shared[r.IntN(2)]
		switch r.IntN(4) {
		case 0, 1:
			w, ok := change(&m)
			if _, err := s.store.Write(s.ctx(), w); (err == nil) != ok {
				t.Fatalf("Write: %v, want success: %v", err, ok)
			}
		case 2:
			tried := slices.Clone(m)
			keep := r.IntN(3) > 0
			err := s.transactor().Transact(s.ctx(), func(tx resources.Tx) error {
				for range r.IntN(6) {
					w, ok := change(&tried)
					if !ok {
						continue
					}
					if _, err := tx.Write(s.ctx(), w); err != nil {
						return err
					}
					if r.IntN(4) == 0 {
						s.compare(tx, tried, r)
					}
				}
				if !keep {
					return givenUp
				}
				return nil
			})
			if keep && err == nil {
				m = tried
			} else if !errors.Is(err, givenUp) {
				t.Fatalf("Transact: %v", err)
			}
		case 3:
			s.view(func(reader index.Reader) { s.compare(reader, m, r) })
		}
		if t.Failed() {
			return
		}
	}
}

// compare compares a state with the model.
func (s *suite) compare(r index.Reader, m model, random *rand.Rand) {
	s.t.Helper()
	records, err := r.Versions(s.ctx(), index.VersionsRequest{Parts: index.WithBody})
	if err != nil || len(records) != len(m) {
		s.t.Fatalf("Versions: %d records of %d, %v", len(records), len(m), err)
	}
	slices.Reverse(records)
	for i, v := range m {
		until := index.Current
		if v.until > 0 {
			until = records[v.until].Seq
		}
		got := records[i]
		if got.ID != v.id || got.VersionID != v.number || string(got.Body) != v.body || got.Until != until {
			s.t.Errorf("version %d is %+v, want %+v", i, got, v)
		}
	}
	if len(m) > 0 && r.At() < records[len(m)-1].Seq {
		s.t.Errorf("At is %d, the last version has %d", r.At(), records[len(m)-1].Seq)
	}
	in := index.Range{From: []byte{"abc"[random.IntN(3)]}, Reverse: random.IntN(2) == 0}
	if random.IntN(2) == 0 {
		in.To = append(slices.Clone(in.From), 0x7f)
	}
	want := m.scan(in)
	if len(want) > 0 && random.IntN(2) == 0 {
		n := random.IntN(len(want))
		in.After, in.AfterSeq = []byte(want[n].entry), records[want[n].at].Seq
		want = want[n+1:]
	}
	n := 0
	err = r.Scan(s.ctx(), in, func(entry []byte, seq index.Seq) bool {
		if n < len(want) && (!bytes.Equal(entry, []byte(want[n].entry)) || seq != records[want[n].at].Seq) {
			s.t.Errorf("Scan %+v: %d is %q of %d, want %q of %d", in, n, entry, seq, want[n].entry, records[want[n].at].Seq)
		}
		n++
		return true
	})
	if err != nil || n != len(want) {
		s.t.Errorf("Scan %+v: %d entries, %v; want %d", in, n, err, len(want))
	}
}
