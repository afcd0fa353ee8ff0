package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// indexed returns the store if it is searchable, otherwise skips the row.
func (s *suite) indexed() resources.Indexed {
	s.t.Helper()
	x, ok := s.store.(resources.Indexed)
	if !ok {
		s.t.Skip("the store cannot be searched")
	}
	return x
}

// view runs fn with a reader.
func (s *suite) view(fn func(r index.Reader)) {
	s.t.Helper()
	err := s.indexed().View(s.ctx(), func(r index.Reader) error {
		fn(r)
		return nil
	})
	if err != nil {
		s.t.Fatalf("View: %v", err)
	}
}

// entered returns a Write with entries and values.
func entered(id, body string, entries ...string) resources.Write {
	w := resources.Write{Key: code(id), Render: text(body), Values: []byte("values of " + body)}
	for _, e := range entries {
		w.Entries = append(w.Entries, []byte(e))
	}
	return w
}

// scan returns the entries found by a scan, with their resource and version.
func (s *suite) scan(r index.Reader, in index.Range) (found []string) {
	s.t.Helper()
	var entries []string
	var seqs []index.Seq
	err := r.Scan(s.ctx(), in, func(entry []byte, seq index.Seq) bool {
		entries, seqs = append(entries, string(entry)), append(seqs, seq)
		return true
	})
	if err != nil {
		s.t.Fatalf("Scan: %v", err)
	}
	for i, record := range s.load(r, seqs, 0) {
		found = append(found, fmt.Sprintf("%s %s/%d", entries[i], record.ID, record.VersionID))
	}
	return found
}

func (s *suite) load(r index.Reader, seqs []index.Seq, parts index.Parts) []index.Record {
	s.t.Helper()
	records, err := r.Load(s.ctx(), seqs, parts)
	if err != nil {
		s.t.Fatalf("Load: %v", err)
	}
	return records
}

func (s *suite) find(r index.Reader, parts index.Parts, ids ...string) []index.Record {
	s.t.Helper()
	var keys []resources.Key
	for _, id := range ids {
		keys = append(keys, code(id))
	}
	records, err := r.Find(s.ctx(), keys, parts)
	if err != nil {
		s.t.Fatalf("Find: %v", err)
	}
	return records
}

func (s *suite) versions(r index.Reader, q index.VersionsRequest) (found []string) {
	s.t.Helper()
	records, err := r.Versions(s.ctx(), q)
	if err != nil {
		s.t.Fatalf("Versions: %v", err)
	}
	for _, record := range records {
		found = append(found, fmt.Sprintf("%s/%s/%d", record.Type, record.ID, record.VersionID))
	}
	return found
}

func scans(_ *testing.T, s *suite) {
	s.indexed()
	s.write(entered("a", `1`, "b", "d", "d\x00", "\xff"))
	s.write(entered("b", `1`, "b", "a", "c"))
	s.write(entered("a", `2`, "b", "e"))
	s.write(entered("c", `1`, "", "d"))
	all := []string{
		" c/1", "a b/1", "b a/1", "b b/1", "b a/2", "c b/1", "d a/1", "d c/1", "d\x00 a/1", "e a/2", "\xff a/1",
	}
	bytes := func(s string) []byte { return []byte(s) }
	s.view(func(r index.Reader) {
		seqs := map[string]index.Seq{}
		for _, id := range []string{"a", "b", "c"} {
			seqs[id] = s.find(r, 0, id)[0].Seq
		}
		for _, row := range []struct {
			name string
			in   index.Range
			want []string
		}{
			{"all", index.Range{}, all},
			{"all, reverse", index.Range{Reverse: true}, reversed(all)},
			{"from", index.Range{From: bytes("c")}, all[5:]},
			{"to", index.Range{To: bytes("c")}, all[:5]},
			{"from and to", index.Range{From: bytes("b"), To: bytes("d")}, all[2:6]},
			{"from and to, reverse", index.Range{From: bytes("b"), To: bytes("d"), Reverse: true}, reversed(all[2:6])},
			{"from, reverse", index.Range{From: bytes("d"), Reverse: true}, reversed(all[6:])},
			{"to, reverse", index.Range{To: bytes("d"), Reverse: true}, reversed(all[:6])},
			{"nothing", index.Range{From: bytes("bb"), To: bytes("c")}, nil},
			{"empty", index.Range{From: bytes("c"), To: bytes("c")}, nil},
			{"after", index.Range{From: bytes("b"), To: bytes("d"), After: bytes("b"), AfterSeq: seqs["b"]}, all[4:6]},
			{"after the last of an entry", index.Range{From: bytes("b"), To: bytes("d"), After: bytes("b"), AfterSeq: seqs["a"]}, all[5:6]},
			{"after, without end", index.Range{After: bytes("e"), AfterSeq: seqs["a"]}, all[10:]},
			{"after what is not there", index.Range{From: bytes("b"), After: bytes("b"), AfterSeq: 1}, all[2:]},
			{"after, reverse", index.Range{From: bytes("b"), To: bytes("d"), After: bytes("b"), AfterSeq: seqs["b"], Reverse: true}, all[2:3]},
			{"after, reverse, without end", index.Range{From: bytes("a"), After: bytes("b"), AfterSeq: seqs["a"], Reverse: true}, reversed(all[1:4])},
		} {
			s.equal(row.name, s.scan(r, row.in), row.want)
		}
		calls := 0
		if err := r.Scan(s.ctx(), index.Range{}, func([]byte, index.Seq) bool { calls++; return calls < 3 }); err != nil || calls != 3 {
			s.t.Errorf("Scan that is ended by its function: %d calls, %v; want 3", calls, err)
		}
		var pairs []string
		err := r.Scan(s.ctx(), index.Range{From: bytes("c"), To: bytes("e")}, func(entry []byte, seq index.Seq) bool {
			outer := string(entry)
			for _, inner := range s.scan(r, index.Range{From: bytes("c"), To: bytes("d")}) {
				pairs = append(pairs, outer+" "+inner+" "+s.load(r, []index.Seq{seq}, 0)[0].ID)
			}
			return true
		})
		if err != nil {
			s.t.Errorf("Scan within Scan: %v", err)
		}
		s.equal("Scan within Scan", pairs, []string{"c c b/1 b", "d c b/1 a", "d c b/1 c", "d\x00 c b/1 a"})
	})
}

// ScanMany returns the same as a Scan of each range.
func manyScans(t *testing.T, s *suite) {
	s.indexed()
	for i := range 40 {
		s.write(entered(fmt.Sprintf("r%02d", i), `1`, fmt.Sprintf("%02d", i%7), fmt.Sprintf("%02d", i), "\xfe"))
	}
	range1 := func(from, to string) index.Range { return index.Range{From: []byte(from), To: []byte(to)} }
	ranges := []index.Range{
		range1("03", "05"),
		range1("x", "y"),
		range1("00", "00\x00"),
		range1("05", "03"),
		range1("03", "05"),
		{From: []byte("38")},
		{To: []byte("01")},
		{},
	}
	for i := range 3000 {
		ranges = append(ranges, range1(fmt.Sprintf("%02d", i%50), fmt.Sprintf("%02d\x00", i%50)))
	}
	check := func(r index.Reader) {
		type hit struct {
			entry string
			seq   index.Seq
		}
		got := make([][]hit, len(ranges))
		total := 0
		err := index.ScanMany(s.ctx(), r, ranges, 0, func(i int, entry []byte, seq index.Seq) bool {
			got[i] = append(got[i], hit{string(entry), seq})
			total++
			return true
		})
		if err != nil {
			t.Fatalf("ScanMany: %v", err)
		}
		for i, in := range ranges {
			var want []hit
			if err := r.Scan(s.ctx(), in, func(entry []byte, seq index.Seq) bool {
				want = append(want, hit{string(entry), seq})
				return true
			}); err != nil {
				t.Fatalf("Scan: %v", err)
			}
			if !slices.Equal(got[i], want) {
				t.Fatalf("range %d: %v, want %v", i, got[i], want)
			}
		}
		for _, limit := range []int{1, 5, total - 1, total, total + 1} {
			n := 0
			err := index.ScanMany(s.ctx(), r, ranges, limit, func(int, []byte, index.Seq) bool { n++; return true })
			if err != nil || n != min(limit, total) {
				t.Errorf("ScanMany of at most %d: %d entries, %v; %d exist", limit, n, err, total)
			}
		}
		n := 0
		err = index.ScanMany(s.ctx(), r, ranges, 0, func(int, []byte, index.Seq) bool { n++; return n < 3 })
		if err != nil || n != 3 {
			t.Errorf("ScanMany that is ended by its function: %d, %v; want 3", n, err)
		}
		ctx, cancel := context.WithCancel(s.ctx())
		cancel()
		err = index.ScanMany(ctx, r, ranges, 0, func(int, []byte, index.Seq) bool { return true })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ScanMany, cancelled: %v", err)
		}
	}
	s.view(check)
	if x, ok := s.store.(resources.Transactor); ok {
		err := x.Transact(s.ctx(), func(tx resources.Tx) error {
			_, err := tx.Write(s.ctx(), entered("r99", `1`, "03", "04"))
			check(tx)
			return err
		})
		if err != nil {
			t.Errorf("Transact: %v", err)
		}
	}
}

func longScan(t *testing.T, s *suite) {
	s.indexed()
	const resourcesOf, each = 30, 100
	var want []string
	for i := range resourcesOf {
		var entries []string
		for k := range each {
			entries = append(entries, fmt.Sprintf("%03d", k))
			want = append(want, fmt.Sprintf("%03d r%02d/1", k, i))
		}
		s.write(entered(fmt.Sprintf("r%02d", i), `1`, entries...))
	}
	slices.Sort(want)
	s.view(func(r index.Reader) {
		s.equal("forwards", s.scan(r, index.Range{}), want)
		s.equal("backwards", s.scan(r, index.Range{Reverse: true}), reversed(want))
		n := 0
		ctx, cancel := context.WithCancel(s.ctx())
		defer cancel()
		err := r.Scan(ctx, index.Range{}, func([]byte, index.Seq) bool {
			n++
			cancel()
			return true
		})
		if !errors.Is(err, context.Canceled) || n == len(want) {
			t.Errorf("Scan, cancelled in the first call: %v after %d of %d", err, n, len(want))
		}
	})
}

func loads(t *testing.T, s *suite) {
	s.indexed()
	s.view(func(r index.Reader) {
		s.equal("At of nothing", r.At(), index.Seq(0))
	})
	first := s.write(entered("a", `1`, "x"))
	s.write(entered("a", `2`, "x"))
	s.write(entered("gone", `1`, "x"))
	s.write(resources.Write{Key: code("gone")})
	s.write(resources.Write{Key: code("plain"), Render: text(``)})
	s.view(func(r index.Reader) {
		both := index.WithValues | index.WithBody
		got := s.find(r, both, "a", "none", "gone", "plain", "a")
		if len(got) != 5 {
			t.Fatalf("Find: %d records, want 5", len(got))
		}
		s.equal("the same key again", got[4], got[0])
		s.equal("a key that is not there", got[1], index.Record{})
		s.equal("newest version", got[0], index.Record{
			Type: "CodeSystem", ID: "a", VersionID: 2, LastUpdated: got[0].LastUpdated, Seq: got[0].Seq,
			Until: index.Current, Values: []byte("values of 2"), Body: []byte(`2`),
		})
		s.equal("deletion", got[2], index.Record{
			Type: "CodeSystem", ID: "gone", VersionID: 2, LastUpdated: got[2].LastUpdated, Deleted: true,
			Seq: got[2].Seq, Until: index.Current,
		})
		s.equal("without values", got[3].Values, []byte(nil))
		s.equal("At", r.At(), got[3].Seq)
		for _, g := range got {
			if g.Seq > 0 && !g.LastUpdated.Equal(g.Seq.Time()) {
				t.Errorf("%s: LastUpdated is %v, its Seq says %v", g.ID, g.LastUpdated, g.Seq.Time())
			}
		}
		var seqs []index.Seq
		err := r.Scan(s.ctx(), index.Range{}, func(_ []byte, seq index.Seq) bool { seqs = append(seqs, seq); return true })
		if err != nil || len(seqs) != 3 || !slices.IsSorted(seqs) {
			t.Fatalf("Scan: %v, %v", seqs, err)
		}
		loaded := s.load(r, []index.Seq{seqs[1], 1, seqs[0], seqs[1]}, both)
		s.equal("current version", loaded[0], got[0])
		s.equal("no version", loaded[1], index.Record{})
		s.equal("former version", loaded[2], index.Record{
			Type: "CodeSystem", ID: "a", VersionID: 1, LastUpdated: first.LastUpdated, Seq: seqs[0], Until: seqs[1],
			Values: []byte("values of 1"), Body: []byte(`1`),
		})
		s.equal("current version again", loaded[3], got[0])
		s.sizes(r, seqs[1])
		s.equal("its values", s.load(r, seqs[1:2], index.WithValues)[0].Values, []byte("values of 2"))
		s.equal("its values, without body", s.load(r, seqs[1:2], index.WithValues)[0].Body, []byte(nil))
		s.equal("its body", s.load(r, seqs[1:2], index.WithBody)[0].Body, []byte(`2`))
		s.equal("its body, without values", s.load(r, seqs[1:2], index.WithBody)[0].Values, []byte(nil))
		s.equal("Load of nothing", len(s.load(r, nil, both)), 0)
		s.equal("Find of nothing", len(s.find(r, both)), 0)
	})
}

func histories(_ *testing.T, s *suite) {
	s.indexed()
	valueSet := func(id string) resources.Write {
		return resources.Write{Key: resources.Key{Type: "ValueSet", ID: id}, Render: text(`1`)}
	}
	s.put(code("a"), `1`)
	s.write(valueSet("a"))
	s.put(code("b"), `1`)
	s.put(code("a"), `2`)
	s.write(valueSet("b"))
	s.write(resources.Write{Key: code("a")})
	all := []string{"CodeSystem/a/3", "ValueSet/b/1", "CodeSystem/a/2", "CodeSystem/b/1", "ValueSet/a/1", "CodeSystem/a/1"}
	s.view(func(r index.Reader) {
		records, err := r.Versions(s.ctx(), index.VersionsRequest{})
		if err != nil || len(records) != len(all) {
			s.t.Fatalf("Versions: %d records, %v", len(records), err)
		}
		seq := func(i int) index.Seq { return records[i].Seq }
		for _, row := range []struct {
			name string
			q    index.VersionsRequest
			want []string
		}{
			{"all", index.VersionsRequest{}, all},
			{"limit", index.VersionsRequest{Limit: 2}, all[:2]},
			{"before", index.VersionsRequest{Before: seq(1)}, all[2:]},
			{"before, limit", index.VersionsRequest{Before: seq(1), Limit: 3}, all[2:5]},
			{"since", index.VersionsRequest{Since: seq(3)}, all[:4]},
			{"since and before", index.VersionsRequest{Since: seq(3), Before: seq(1)}, all[2:4]},
			{"type", index.VersionsRequest{Type: "ValueSet"}, []string{all[1], all[4]}},
			{"type, before", index.VersionsRequest{Type: "ValueSet", Before: seq(1)}, []string{all[4]}},
			{"type, limit", index.VersionsRequest{Type: "CodeSystem", Limit: 2}, []string{all[0], all[2]}},
			{"type that is not there", index.VersionsRequest{Type: "ConceptMap"}, nil},
			{"instance", index.VersionsRequest{Type: "CodeSystem", ID: "a"}, []string{all[0], all[2], all[5]}},
			{"instance, since", index.VersionsRequest{Type: "CodeSystem", ID: "a", Since: seq(2)}, []string{all[0], all[2]}},
			{"instance, before and limit", index.VersionsRequest{Type: "CodeSystem", ID: "a", Before: seq(0), Limit: 1}, []string{all[2]}},
			{"instance that is not there", index.VersionsRequest{Type: "CodeSystem", ID: "none"}, nil},
		} {
			s.equal(row.name, s.versions(r, row.q), row.want)
		}
		records, err = r.Versions(s.ctx(), index.VersionsRequest{Type: "CodeSystem", ID: "a", Parts: index.WithBody})
		if err != nil {
			s.t.Fatal(err)
		}
		s.equal("bodies", []string{string(records[0].Body), string(records[1].Body), string(records[2].Body)}, []string{"", "2", "1"})
		s.equal("until", []index.Seq{records[0].Until, records[1].Until, records[2].Until}, []index.Seq{index.Current, records[0].Seq, records[1].Seq})
	})
}

// A view shows one snapshot during concurrent writes, and its Seq separates that snapshot from
// later versions.
func oneState(t *testing.T, s *suite) {
	s.indexed()
	s.write(entered("a", `1`, "x"))
	s.write(entered("b", `1`, "x"))
	s.view(func(r index.Reader) {
		before := s.scan(r, index.Range{})
		at := r.At()
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.write(entered("a", `2`, "x", "y"))
			s.write(resources.Write{Key: code("b")})
			s.write(entered("c", `1`, "x"))
		}()
		<-done
		s.equal("entries", s.scan(r, index.Range{}), before)
		s.equal("At", r.At(), at)
		records := s.find(r, index.WithBody, "a", "b", "c")
		s.equal("a", string(records[0].Body), `1`)
		if !records[0].VisibleAt(at) || !records[1].VisibleAt(at) {
			t.Errorf("not visible at %d: %+v, %+v", at, records[0], records[1])
		}
		s.equal("c", records[2], index.Record{})
		s.equal("history", s.versions(r, index.VersionsRequest{}), []string{"CodeSystem/b/1", "CodeSystem/a/1"})
		s.view(func(later index.Reader) {
			if later.At() <= at {
				t.Errorf("the later state is at %d, the former one at %d", later.At(), at)
			}
			s.equal("entries later", s.scan(later, index.Range{}), []string{"x a/1", "x b/1", "x a/2", "x c/1", "y a/2"})
			for _, record := range s.find(later, 0, "a", "b", "c") {
				if record.Seq <= at {
					t.Errorf("%s/%d was written later and has the Seq %d, not beyond %d", record.ID, record.VersionID, record.Seq, at)
				}
			}
			for _, record := range s.load(later, []index.Seq{records[0].Seq, records[1].Seq}, 0) {
				if !record.VisibleAt(at) || record.VisibleAt(later.At()) {
					t.Errorf("%s/%d is not a version of the former state only: %+v", record.ID, record.VersionID, record)
				}
			}
		})
	})
}

func ascendingTimes(t *testing.T, s *suite) {
	s.indexed()
	at := time.Date(2024, 5, 6, 7, 8, 9, 123_000_000, time.UTC)
	write := func(id string, at time.Time) resources.Version {
		return s.write(resources.Write{Key: code(id), Render: text(`1`), At: at})
	}
	s.equal("first", write("a", at).LastUpdated, at)
	s.equal("same time", write("b", at).LastUpdated, at)
	s.equal("an earlier time is moved up", write("c", at.Add(-time.Hour)).LastUpdated, at)
	s.equal("later", write("d", at.Add(time.Second)).LastUpdated, at.Add(time.Second))
	s.view(func(r index.Reader) {
		records := s.find(r, 0, "a", "b", "c", "d")
		for i := 1; i < len(records); i++ {
			if records[i].Seq <= records[i-1].Seq {
				t.Errorf("%s has the Seq %d, after %d of %s", records[i].ID, records[i].Seq, records[i-1].Seq, records[i-1].ID)
			}
		}
		s.equal("Seq of a time", records[3].Seq, index.SeqAt(at.Add(time.Second)))
	})
}

func terms(_ *testing.T, s *suite) {
	x := s.indexed()
	for _, id := range []string{"a", "b", "a"} {
		w := entered(id, `1`, "x")
		w.Terms = [][]byte{[]byte("t1"), []byte("t2")}
		s.write(w)
	}
	s.write(resources.Write{Key: code("a")})
	if _, err := x.Purge(s.ctx(), time.Now().Add(time.Hour)); err != nil {
		s.t.Fatal(err)
	}
	s.view(func(r index.Reader) {
		s.equal("kept once, for ever", s.scan(r, index.Range{From: []byte("t"), To: []byte("u")}), []string{"t1 /0", "t2 /0"})
	})
}
