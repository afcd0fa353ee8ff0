package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// Verifiable is what RunDamage needs.
type Verifiable interface {
	resources.Store
	resources.Indexed
	resources.Historian
	resources.Transactor
	resources.Marker
	resources.Journaler
	resources.Reindexer
	resources.Forgetter
	resources.Verifiable
	resources.Monitored
	resources.DamageReporter
}

// Exec runs SQL beside a store.
type Exec func(statement string, args ...any)

// RunDamage tests what SQL stores say about damaged rows, and about tables that are missing, or cannot be read
// because a condition is an error. start returns functions that open a storage, which is empty at first, and
// change it. entry lists the operations that need the table of entries.
func RunDamage(t *testing.T, start func(t *testing.T) (open func() Verifiable, exec Exec), condition, entry string) {
	t.Helper()
	t.Run("rows", func(t *testing.T) { open, exec := start(t); damagedRows(t, open, exec) })
	t.Run("no checksums", func(t *testing.T) { open, exec := start(t); noSums(t, open, exec) })
	t.Run("tables", func(t *testing.T) { open, exec := start(t); brokenTables(t, open(), exec, condition, entry) })
}

// found returns the problems of the versions after a Seq, at most limit of them.
func found(t *testing.T, x Verifiable, after index.Seq, limit int) (all []string) {
	t.Helper()
	err := x.Walk(t.Context(), after, limit, func(v *resources.StoredVersion) (bool, error) {
		for _, problem := range v.Problems {
			all = append(all, fmt.Sprintf("%s/%d: %s", v.ID, v.VersionID, problem))
		}
		return true, nil
	})
	if err != nil {
		t.Errorf("Walk: %v", err)
	}
	return all
}

const seqOf = `(SELECT seq FROM version WHERE id = $1 AND version_id = $2)`

func damagedRows(t *testing.T, open func() Verifiable, exec Exec) {
	x := open()
	s := &suite{t: t, store: x}
	s.write(entered("a", `1`, "x"))
	s.write(entered("a", `2`, "x", "y"))
	s.write(entered("b", `1`))
	s.write(resources.Write{Key: code("b")})
	_ = x.Close() // whoever keeps entries in memory stores them
	x = open()
	defer func() { _ = x.Close() }()
	s.store = x
	var reported []error
	x.OnDamage(func(err error) { reported = append(reported, err) })
	first := s.find2(x, "a")[0]
	document, values := "the document does not match its checksum", "the values for searches do not match their checksum"
	follows := "the version that follows is missing or has another date"
	for _, row := range []struct {
		name, damage, mend string // statements with the parameters id, version and blob, of which they use some
		id                 string
		version            int64
		blob, was          []byte
		want               []string
		reads              bool // damage is found by reading
	}{
		{"values", `UPDATE version SET vals = $3 WHERE id = $1 AND version_id = $2`, "", "a", 2, []byte("w"), []byte("values of 2"), []string{"a/2: " + values}, false},
		{"document", `UPDATE document SET body = $3 WHERE seq = ` + seqOf, "", "a", 2, []byte("3"), []byte("2"), []string{"a/2: " + document}, true},
		{"no text", `UPDATE document SET body = $3 WHERE seq = ` + seqOf, "", "a", 2, nil, []byte("2"), []string{"a/2: " + document, "a/2: it has no document and is no deletion"}, true},
		{"a deletion with a text", `UPDATE document SET body = $3 WHERE seq = ` + seqOf, "", "b", 2, []byte("3"), nil, []string{"b/2: " + document, "b/2: it is a deletion and has a document"}, false},
		{"packed entries", `UPDATE document SET entries = $3 WHERE seq = ` + seqOf, "", "a", 2, []byte("\xff"), []byte("\x01x\x01y"), []string{"a/2: the index entries of a version are corrupted"}, false},
		{"more packed entries", `UPDATE document SET entries = $3 WHERE seq = ` + seqOf, "", "a", 2, []byte("\x01x\x01y\x01z\x01w"), []byte("\x01x\x01y"), []string{"a/2: 2 of its entries are missing in the index"}, false},
		{
			"two current versions", `UPDATE version SET until = 9223372036854775807 WHERE id = $1 AND version_id = $2`, `UPDATE version SET until = (SELECT seq FROM version WHERE id = $1 AND version_id = $2 + 1) WHERE id = $1 AND version_id = $2`,
			"a", 1, nil, nil,
			[]string{"a/1: it is marked as the current version, but a later one exists"},
			false,
		},
		{
			"another date", `UPDATE version SET until = until + 1 WHERE id = $1 AND version_id = $2`, `UPDATE version SET until = until - 1 WHERE id = $1 AND version_id = $2`,
			"a", 1, nil, nil,
			[]string{"a/1: " + follows},
			false,
		},
		{
			"superseded by nothing", `UPDATE version SET until = until - 1 WHERE id = $1 AND version_id = $2`, `UPDATE version SET until = until + 1 WHERE id = $1 AND version_id = $2`,
			"a", 2, nil, nil,
			[]string{"a/2: " + follows},
			true,
		},
		{
			"a gap", `UPDATE version SET version_id = 3 WHERE id = $1 AND version_id = $2`, `UPDATE version SET version_id = $2 WHERE id = $1 AND version_id = 3`,
			"a", 2, nil, nil,
			[]string{"a/1: " + follows, "a/2: " + document, "a/2: the version before is missing"},
			true,
		},
		{"no document", `DELETE FROM document WHERE seq = ` + seqOf, "", "a", 1, nil, nil, []string{"a/1: its document is missing"}, false},
	} {
		run := func(statement string, blob []byte) {
			args := []any{row.id, row.version, blob}
			exec(statement, args[:2+strings.Count(statement, "$3")]...)
		}
		s.equal(row.name+": before", found(t, x, 0, 100), []string(nil))
		reported = nil
		run(row.damage, row.blob)
		got := found(t, x, 0, 100)
		for i := range got {
			got[i] = strings.Replace(got[i], "a/3", "a/2", 1)
		}
		s.equal(row.name, got, row.want)
		_, err := x.Read(t.Context(), code("a"))
		if errors.Is(err, resources.ErrDamaged) != row.reads || (len(reported) == 1) != row.reads || err == nil == row.reads {
			t.Errorf("%s: Read: %v; reported %v", row.name, err, reported)
		}
		if h := x.Probe(t.Context()); row.reads && !errors.Is(h.Data, resources.ErrDamaged) || h.Reads != nil || h.Writes != nil {
			t.Errorf("%s: %+v", row.name, h)
		}
		if _, err := x.History(t.Context(), code(row.id)); errors.Is(err, resources.ErrDamaged) != strings.Contains(strings.Join(row.want, " "), document) {
			t.Errorf("%s: History: %v", row.name, err)
		}
		if row.mend == "" {
			row.mend = row.damage
		}
		run(row.mend, row.was)
	}
	got := s.find2(x, "a")[0]
	if got.Seq != first.Seq {
		t.Errorf("%+v, before %+v", got, first)
	}
	s.equal("after the first", found(t, x, first.Seq, 100), []string(nil))
	s.equal("the first only", len(found(t, x, 0, 1)), 1)
	stop := errors.New("enough")
	for _, end := range []error{nil, stop} {
		n := 0
		err := x.Walk(t.Context(), 0, 100, func(*resources.StoredVersion) (bool, error) { n++; return end != nil && n < 2, errors.Join(end) })
		if !errors.Is(err, end) || n != 1 {
			t.Errorf("Walk that is ended: %v after %d", err, n)
		}
	}
	if problems, err := x.Inspect(t.Context(), resources.WholeStructure); err != nil || len(problems) > 0 {
		t.Errorf("Inspect: %v, %v", problems, err)
	}
}

// find2 returns the newest versions of ids.
func (s *suite) find2(x Verifiable, ids ...string) (records []index.Record) {
	s.t.Helper()
	err := x.View(s.ctx(), func(r index.Reader) error { records = s.find(r, 0, ids...); return nil })
	if err != nil {
		s.t.Fatal(err)
	}
	return records
}

// noSums tests a store of a program without checksums: they are not missed until they are completed.
func noSums(t *testing.T, open func() Verifiable, exec Exec) {
	x := open()
	s := &suite{t: t, store: x}
	s.write(entered("a", `1`, "x"))
	s.write(entered("a", `22`, "x"))
	s.write(resources.Write{Key: code("a")})
	_ = x.Close()
	drop := `UPDATE version SET vals_sum = NULL, body_sum = NULL WHERE version_id <> 3`
	exec(drop)
	exec(`DELETE FROM mark WHERE name = 'sums'`)
	x = open()
	defer func() { _ = x.Close() }()
	s.equal("without checksums", found(t, x, 0, 100), []string(nil))
	if v, err := x.ReadVersion(t.Context(), code("a"), 2); err != nil || string(v.Body) != "22" {
		t.Errorf("%+v, %v", v, err)
	}
	exec(`UPDATE version SET body_sum = 1 WHERE version_id = 2`)
	if _, err := x.ReadVersion(t.Context(), code("a"), 2); !errors.Is(err, resources.ErrDamaged) {
		t.Errorf("a wrong checksum beside missing ones: %v", err)
	}
	exec(drop)
	stop := errors.New("stop")
	if err := x.Complete(t.Context(), func(context.Context, int64) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("a Complete that is stopped: %v", err)
	}
	exec(drop)
	read, calls := int64(0), 0
	pause := func(_ context.Context, bytes int64) error { read += bytes; calls++; return nil }
	for range 2 {
		if err := x.Complete(t.Context(), pause); err != nil || calls != 1 || read != int64(len("1"+"values of 1"+"22"+"values of 22")) {
			t.Errorf("Complete: %v; %d calls, %d bytes", err, calls, read)
		}
	}
	s.equal("completed", found(t, x, 0, 100), []string(nil))
	exec(drop)
	s.equal("missing now", len(found(t, x, 0, 100)), 4)
	again := open()
	defer func() { _ = again.Close() }()
	s.equal("missing also when it is opened again", len(found(t, again, 0, 100)), 4)
}

type operation struct {
	name string
	run  func() error
}

// operations read, or change nothing that the next ones need.
func (s *suite) operations(x Verifiable) []operation {
	ctx, number := s.ctx(), int64(0)
	seq := s.find2(x, "a")[0].Seq
	view := func(fn func(r index.Reader) error) func() error {
		return func() error { return x.View(ctx, fn) }
	}
	return []operation{
		{"Read", func() error { _, err := x.Read(ctx, code("a")); return err }},
		{"ReadVersion", func() error { _, err := x.ReadVersion(ctx, code("a"), 1); return err }},
		{"History", func() error { _, err := x.History(ctx, code("a")); return err }},
		{"Each", func() error { return x.Each(ctx, "CodeSystem", func(resources.Version) error { return nil }) }},
		{"View", view(func(index.Reader) error { return nil })},
		{"Scan", view(func(r index.Reader) error {
			return r.Scan(ctx, index.Range{}, func([]byte, index.Seq) bool { return true })
		})},
		{"ScanMany", view(func(r index.Reader) error {
			return index.ScanMany(ctx, r, make([]index.Range, 2), 0, func(int, []byte, index.Seq) bool { return true })
		})},
		{"Load", view(func(r index.Reader) error { _, err := r.Load(ctx, []index.Seq{seq}, index.WithBody); return err })},
		{"Heads", view(func(r index.Reader) error { _, err := r.Find(ctx, []resources.Key{code("a")}, 0); return err })},
		{"Versions", view(func(r index.Reader) error { _, err := r.Versions(ctx, index.VersionsRequest{}); return err })},
		{"Count", view(func(r index.Reader) error { _, err := r.(index.Counter).Count(ctx, "CodeSystem"); return err })},
		{"Walk", func() error {
			return x.Walk(ctx, 0, 9, func(*resources.StoredVersion) (bool, error) { return true, nil })
		}},
		{"Mark", func() error { _, err := x.Mark(ctx, "m"); return err }},
		{"Journal", func() error { _, err := x.Journal(ctx, "j", 0); return err }},
		{"Probe", func() error { return x.Probe(ctx).Reads }},
		{"Create", func() error {
			return s.rolledBack(x, func(tx resources.Tx) error { _, err := tx.Write(ctx, entered("new", `1`, "x")); return err })
		}},
		{"Update", func() error {
			return s.rolledBack(x, func(tx resources.Tx) error { _, err := tx.Write(ctx, entered("a", `3`, "x")); return err })
		}},
		{"Term", func() error {
			return s.rolledBack(x, func(tx resources.Tx) error {
				w := entered("new", `1`)
				w.Terms = [][]byte{[]byte("t")}
				_, err := tx.Write(ctx, w)
				return err
			})
		}},
		{"Reindex", func() error {
			return x.Reindex(ctx, []resources.Reindexed{{Seq: seq, Entries: [][]byte{[]byte("y")}, Values: []byte("values of 2")}})
		}},
		{"Purge", func() error { _, err := x.Purge(ctx, time.Unix(1, 0)); return err }},
		{"Forget", func() error { _, err := x.Forget(ctx, "CodeSystem", time.Unix(1, 0)); return err }},
		{"SetMark", func() error { return x.SetMark(ctx, "m", "1") }},
		{"AppendJournal", func() error {
			n, err := x.AppendJournal(ctx, resources.JournalAppend{Name: "j", Body: []byte("1"), Restart: true})
			if err == nil && n != number+1 {
				s.t.Errorf("record %d after %d", n, number)
			}
			number = max(n, number)
			return err
		}},
	}
}

// brokenTables runs all operations without each table. They fail or do not need it, and when it is there again,
// nothing has changed.
func brokenTables(t *testing.T, x Verifiable, exec Exec, condition, entry string) {
	defer func() { _ = x.Close() }()
	s := &suite{t: t, store: x}
	s.write(entered("a", `1`, "x"))
	s.write(entered("a", `2`, "y"))
	s.write(entered("b", `1`, "y"))
	all := s.operations(x)
	failing := func() string {
		var names []string
		for _, o := range all {
			if o.run() != nil {
				names = append(names, o.name)
			}
		}
		return strings.Join(names, " ")
	}
	before := s.state()
	s.equal("at first", failing(), "")
	reads, changes := "History Each View Scan ScanMany Load Heads Versions Count Walk ", "Create Update Term Reindex Purge Forget SetMark AppendJournal"
	for table, fails := range map[string]string{
		"document":   "Read ReadVersion History Each Load Walk Create Update Term Reindex",
		"entry":      entry,
		"journal":    "Journal AppendJournal",
		"mark":       reads + "Mark Probe " + changes,
		"superseded": "Update Purge",
		"version":    "Read ReadVersion " + reads + changes,
	} {
		check := func(name, want string) {
			t.Helper()
			s.equal(name+" "+table, strings.TrimSuffix(failing(), map[bool]string{true: " Purge Forget"}[table == "document"]), want)
		}
		exec("ALTER TABLE " + table + " RENAME TO hidden")
		check("no", fails)
		exec("CREATE VIEW " + table + " AS SELECT DISTINCT * FROM hidden WHERE " + condition)
		check("unreadable", fails)
		exec("DROP VIEW " + table)
		exec("ALTER TABLE hidden RENAME TO " + table)
		check("again", "")
		s.equal("state after "+table, s.state(), before)
	}
}

// rolledBack runs a transaction that reads what it wrote, and fails only then.
func (s *suite) rolledBack(x Verifiable, fn func(tx resources.Tx) error) error {
	enough := errors.New("rolled back")
	err := x.Transact(s.ctx(), func(tx resources.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if _, err := tx.Versions(s.ctx(), index.VersionsRequest{Limit: 1}); err != nil {
			return err
		}
		return enough
	})
	if errors.Is(err, enough) {
		return nil
	}
	return err
}

// state returns the entries and versions of a store.
func (s *suite) state() (all []string) {
	s.t.Helper()
	s.view(func(r index.Reader) {
		all = append(s.scan(r, index.Range{}), s.versions(r, index.VersionsRequest{})...)
	})
	return all
}
