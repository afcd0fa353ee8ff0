package resources_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// TestWriteNext checks the rules of Write that all stores share.
func TestWriteNext(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000).UTC()
	key := resources.Key{Type: "Patient", ID: "a"}
	one, other := int64(1), int64(3)
	render := func(version int64, at time.Time) ([]byte, error) {
		return fmt.Append(nil, version, at.UnixMilli()), nil
	}
	broken := errors.New("no document")
	is := resources.Version{Key: key, VersionID: 1, LastUpdated: now}
	gone := resources.Version{Key: key, VersionID: 1, LastUpdated: now, Deleted: true}
	for _, tt := range []struct {
		name    string
		w       resources.Write
		current resources.Version
		last    index.Seq
		seq     index.Seq // of the next version
		err     error
	}{
		{"first", resources.Write{Render: render}, resources.Version{}, 0, index.SeqAt(now), nil},
		{"next", resources.Write{Render: render, IfVersion: &one}, is, 0, index.SeqAt(now), nil},
		{"of a time", resources.Write{Render: render, At: now.Add(time.Hour)}, is, 0, index.SeqAt(now.Add(time.Hour)), nil},
		{"of a time before", resources.Write{Render: render, At: now.Add(-time.Hour)}, is, 0, index.SeqAt(now), nil},
		{"first of a time before", resources.Write{Render: render, At: now.Add(-time.Hour)}, resources.Version{}, 0, index.SeqAt(now.Add(-time.Hour)), nil},
		{"in the same millisecond", resources.Write{Render: render}, is, index.SeqAt(now), index.SeqAt(now) + 1, nil},
		{"after a deletion", resources.Write{Render: render}, gone, 0, index.SeqAt(now), nil},
		{"deletion", resources.Write{}, is, 0, index.SeqAt(now), nil},
		{"other version", resources.Write{Render: render, IfVersion: &other}, is, 0, 0, resources.ErrConflict},
		{"deletion of nothing", resources.Write{}, resources.Version{}, 0, 0, resources.ErrNotFound},
		{"deletion of a deletion", resources.Write{}, gone, 0, 0, resources.ErrGone},
		{"no document", resources.Write{Render: func(int64, time.Time) ([]byte, error) { return nil, broken }}, is, 0, 0, broken},
	} {
		tt.w.Key = key
		v, seq, err := tt.w.Next(tt.current, now, tt.last)
		want := resources.Version{Key: key, VersionID: tt.current.VersionID + 1, LastUpdated: tt.seq.Time(), Deleted: tt.w.Render == nil}
		switch {
		case errors.Is(tt.err, resources.ErrGone):
			want = tt.current
		case tt.err != nil:
			want = resources.Version{}
		case tt.w.Render != nil:
			want.Body, _ = render(want.VersionID, want.LastUpdated)
		}
		if !errors.Is(err, tt.err) || seq != tt.seq || fmt.Sprint(v) != fmt.Sprint(want) {
			t.Errorf("%s: %v, %d, %v; want %v, %d, %v", tt.name, v, seq, err, want, tt.seq, tt.err)
		}
	}
	w := resources.Write{Key: key, Render: func(int64, time.Time) ([]byte, error) { return nil, nil }}
	if v, _, err := w.Next(is, now, 0); err != nil || v.Body == nil {
		t.Errorf("an empty document looks like a deletion: %v, %v", v, err)
	}
}

// TestJournalNext checks the rules of AppendJournal that all stores share.
func TestJournalNext(t *testing.T) {
	for _, tt := range []struct {
		a           resources.JournalAppend
		last, names int64
		want        int64
		err         error
	}{
		{resources.JournalAppend{}, 0, -1, 1, nil},
		{resources.JournalAppend{After: 7}, 7, -1, 8, nil},
		{resources.JournalAppend{After: 6}, 7, -1, 0, resources.ErrConflict},
		{resources.JournalAppend{Restart: true, After: 6}, 7, -1, 8, nil},
		{resources.JournalAppend{Restart: true}, 0, -1, 1, nil},
		{resources.JournalAppend{Restart: true, MaxNames: 2}, 7, -1, 8, nil},
		{resources.JournalAppend{Restart: true, MaxNames: 2}, 0, 1, 1, nil},
		{resources.JournalAppend{Restart: true, MaxNames: 2}, 0, 2, 0, resources.ErrTooManyJournals},
		{resources.JournalAppend{Restart: true, MaxNames: 2}, 0, -1, 0, errFault},
	} {
		got, err := tt.a.Next(tt.last, func() (int, error) {
			if tt.names < 0 {
				return 0, errFault
			}
			return int(tt.names), nil
		})
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%+v after %d: %d, %v; want %d, %v", tt.a, tt.last, got, err, tt.want, tt.err)
		}
	}
}

// TestMadeAt checks which ids tell of a POST: those of NewID, for ten minutes.
func TestMadeAt(t *testing.T) {
	id := resources.NewID()
	var ms int64
	if _, err := fmt.Sscanf(strings.ReplaceAll(id[:13], "-", ""), "%x", &ms); err != nil {
		t.Fatal(err)
	}
	made := time.UnixMilli(ms)
	for after, want := range map[time.Duration]bool{
		-time.Second: false, 1 - time.Second: true, 0: true, 10*time.Minute - 1: true, 10 * time.Minute: false,
	} {
		if resources.MadeAt(id, made.Add(after)) != want {
			t.Errorf("%v after it was made: %v", after, !want)
		}
	}
	for at, c := range map[int]string{0: "g", 8: "a", 13: "a", 14: "4", 18: "a", 23: "a"} {
		if other := id[:at] + c + id[at+1:]; resources.MadeAt(other, made) {
			t.Error(other)
		}
	}
	if resources.MadeAt(id[:35], made) || resources.MadeAt(id+"0", made) {
		t.Error("another length")
	}
}

// altered is a store with checksums that finds what a test alters.
type altered struct {
	*memory.Store
	alter     func(v *resources.StoredVersion)
	fails     error // of a Walk, once it has read a batch
	inspected error
}

func (a altered) Walk(ctx context.Context, after index.Seq, limit int, fn func(*resources.StoredVersion) (bool, error)) error {
	return a.View(ctx, func(r index.Reader) error {
		all, err := r.Versions(ctx, index.VersionsRequest{Since: after + 1, Parts: index.WithValues | index.WithBody})
		if err != nil {
			return err
		}
		slices.Reverse(all)
		for _, rec := range all[:min(limit, len(all))] {
			v := resources.StoredVersion{Record: rec}
			err := r.Scan(ctx, index.Range{}, func(entry []byte, seq index.Seq) bool {
				if seq == rec.Seq {
					v.Packed = append(v.Packed, entry...)
				}
				return true
			})
			if err != nil {
				return err
			}
			a.alter(&v)
			if more, err := fn(&v); err != nil || !more {
				return err
			}
		}
		if after > 0 {
			return a.fails
		}
		return nil
	})
}

func (a altered) Inspect(context.Context, resources.Structure) ([]string, error) {
	return []string{"a page is torn"}, a.inspected
}

func (a altered) Complete(context.Context, func(context.Context, int64) error) error { return a.fails }

// TestVerify checks what Verify finds wrong, what it counts, and with which errors it ends.
func TestVerify(t *testing.T) {
	const n = 260 // more than a batch
	store := altered{Store: memory.New(), alter: func(*resources.StoredVersion) {}}
	plain := resources.NewService(store.Store, nil)
	items := make([]resources.LoadItem, n)
	for i := range items {
		items[i].Body = patient(fmt.Sprint("p", i), fmt.Sprint(i), "One")
	}
	_, err := plain.Load(t.Context(), append(items, resources.LoadItem{Body: patient("p0", "0", "Two")}))
	_, gone := plain.Delete(t.Context(), "Patient", "p1", resources.UpdateOptions{})
	if err = errors.Join(err, gone, plain.Reindex(t.Context(), nil)); err != nil {
		t.Fatal(err)
	}
	const versions = n + 2
	of := func(id string, version int64, alter func(*resources.StoredVersion)) func(*resources.StoredVersion) {
		return func(v *resources.StoredVersion) {
			if v.ID == id && v.VersionID == version {
				alter(v)
			}
		}
	}
	noBody := func(v *resources.StoredVersion) { v.Body = []byte("{") }
	otherValues := func(v *resources.StoredVersion) { v.Values = slices.Concat(v.Values, []byte{0}) }
	damaged := fmt.Errorf("%w: here", resources.ErrDamaged)
	for _, tt := range []struct {
		name  string
		o     resources.VerifyOptions
		alter func(*resources.StoredVersion)
		fails error
		want  string // the problems
		err   error
	}{
		{"whole", resources.VerifyOptions{Index: true}, nil, nil, "", nil},
		{"document", resources.VerifyOptions{Index: true}, of("p7", 1, noBody), nil, "Patient/p7 version 1: the document cannot be parsed", nil},
		{"document without a type", resources.VerifyOptions{Index: true}, of("p7", 1, func(v *resources.StoredVersion) { v.Body = []byte("{}") }), nil, "Patient/p7 version 1: the document cannot be indexed", nil},
		{"values", resources.VerifyOptions{Index: true}, of("p7", 1, otherValues), nil, "Patient/p7 version 1: the values", nil},
		{"entries", resources.VerifyOptions{Index: true}, of("p7", 1, func(v *resources.StoredVersion) { v.Packed = nil }), nil, "Patient/p7 version 1: an index entry", nil},
		{"known problem", resources.VerifyOptions{Index: true}, of("p7", 1, func(v *resources.StoredVersion) { noBody(v); v.Problems = []string{"rot"} }), nil, "Patient/p7 version 1: rot", nil},
		{"former version", resources.VerifyOptions{Index: true}, of("p0", 1, otherValues), nil, "", nil},
		{"deletion", resources.VerifyOptions{Index: true}, of("p1", 2, otherValues), nil, "", nil},
		{"without the index", resources.VerifyOptions{}, of("p7", 1, noBody), nil, "", nil},
		{"structure", resources.VerifyOptions{Structure: resources.QuickStructure}, nil, nil, "a page is torn", nil},
		{"the rest is damaged", resources.VerifyOptions{}, nil, damaged, "the versions after ", nil},
		{"the medium is broken", resources.VerifyOptions{}, nil, errFault, "", errFault},
	} {
		if store.alter, store.fails = tt.alter, tt.fails; tt.alter == nil {
			store.alter = func(*resources.StoredVersion) {}
		}
		var problems []string
		var progress []resources.Verified
		var read int64
		tt.o.Found = func(p resources.Problem) { problems = append(problems, p.String()) }
		tt.o.Progress = func(v resources.Verified) { progress = append(progress, v) }
		tt.o.Pause = func(_ context.Context, bytes int64) error { read += bytes; return nil }
		done, err := resources.NewService(store, nil).Verify(t.Context(), tt.o)
		if !errors.Is(err, tt.err) || tt.err == nil && err != nil || (len(problems) > 0) != (tt.want != "") || len(problems) > 1 || done.Problems != len(problems) || tt.want != "" && !strings.HasPrefix(problems[0], tt.want) {
			t.Errorf("%s: %q, %v; want %q, %v", tt.name, problems, err, tt.want, tt.err)
		}
		if done.Versions != versions || tt.fails == nil && (read != done.Bytes || len(progress) != 3 || progress[2] != done) {
			t.Errorf("%s: %+v, %d bytes, progress %+v", tt.name, done, read, progress)
		}
	}
	store.alter, store.fails = func(*resources.StoredVersion) {}, nil
	for _, inspected := range []error{damaged, errFault} {
		store.inspected = inspected
		var problems bytes.Buffer
		_, err := resources.NewService(store, nil).Verify(t.Context(), resources.VerifyOptions{
			Structure: resources.WholeStructure, Found: func(p resources.Problem) { fmt.Fprintln(&problems, p) },
		})
		if lost := errors.Is(inspected, errFault); lost != errors.Is(err, errFault) || lost != (problems.Len() == 0) || !lost && !strings.Contains(problems.String(), damaged.Error()) {
			t.Errorf("inspection with %v: %v, %s", inspected, err, &problems)
		}
	}
	pause := resources.VerifyOptions{Found: func(resources.Problem) {}, Pause: func(context.Context, int64) error { return errFault }}
	if done, err := resources.NewService(store, nil).Verify(t.Context(), pause); !errors.Is(err, errFault) || done.Versions != 256 {
		t.Errorf("a pause that fails: %+v, %v", done, err)
	}
	if done, err := plain.Verify(t.Context(), pause); err != nil || done.Versions != 0 {
		t.Errorf("a store without checksums: %+v, %v", done, err)
	}
}

// standby is a store that only reads.
type standby struct{ *memory.Store }

func (standby) ReadsOnly() bool { return true }

// TestStandby checks that every change on a standby is refused as such, and first.
func TestStandby(t *testing.T) {
	s := resources.NewService(standby{memory.New()}, nil)
	bad := []byte("{")
	for name, err := range map[string]error{
		"create":             second(s.Create(t.Context(), "Patient", bad, resources.CreateOptions{})),
		"update":             second(s.Update(t.Context(), "Patient", "a", bad, resources.UpdateOptions{})),
		"patch":              second(s.Patch(t.Context(), "Patient", "a", nil, resources.UpdateOptions{})),
		"delete":             second(s.Delete(t.Context(), "Patient", "a", resources.UpdateOptions{})),
		"conditional update": second(s.UpdateWhere(t.Context(), "Patient", nil, bad, resources.UpdateOptions{})),
		"conditional patch":  second(s.PatchWhere(t.Context(), "Patient", nil, nil, resources.UpdateOptions{})),
		"conditional delete": second(s.DeleteWhere(t.Context(), "Patient", nil, true, resources.UpdateOptions{})),
		"transaction":        second(s.Transaction(t.Context(), bundleOf(t, entry("", "DELETE", "Patient/a", "")), resources.TransactionOptions{})),
	} {
		if !errors.Is(err, resources.ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWriteHints checks what a store is told of a Write that it need not find out: that the version was just
// read, and which terms it has.
func TestWriteHints(t *testing.T) {
	f := newFixture(t)
	var seen resources.Write
	f.store.beforeWrite = func(w resources.Write) error { seen = w; return nil }
	for _, typ := range []string{"CodeSystem", "Patient"} { // one is published
		for i, id := range []string{"a", "a", "b"} {
			body := fmt.Appendf(nil, `{"resourceType":%q,"id":%q,"implicitRules":"http://x.example/%d","meta":{"tag":[{"system":"http://x.example","code":%q}]}}`, typ, id, i, typ)
			if _, err := f.service.Update(t.Context(), typ, id, body, resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if !seen.JustRead || (len(seen.Terms) > 0) != (i == 0) {
				t.Errorf("%s, write %d: just read %v, %d terms", typ, i, seen.JustRead, len(seen.Terms))
			}
		}
	}
}

// TestWaitForTurn checks that a writer whose context ends while it waits, for another change of the resource or
// for a transaction with terminology, leaves no trace.
func TestWaitForTurn(t *testing.T) {
	f := newFixture(t)
	entered, leave := make(chan bool), make(chan bool)
	f.listener.prepare = func(_ context.Context, _, id string, _ []byte) error {
		if id == "slow" {
			entered <- true
			<-leave
		}
		return nil
	}
	body := func(id string) string {
		return `{"resourceType":"CodeSystem","id":"` + id + `","n":` + fmt.Sprint(time.Now().UnixNano()) + `}`
	}
	change := func(id string, wait time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		return second(f.service.Update(ctx, "CodeSystem", id, []byte(body(id)), resources.UpdateOptions{}))
	}
	for waiting, slow := range map[string]func() error{
		"slow": func() error { return change("slow", time.Minute) },
		"other": func() error {
			return second(f.service.Transaction(t.Context(), bundleOf(t, entry("", "PUT", "CodeSystem/slow", body("slow"))), resources.TransactionOptions{}))
		},
	} {
		done := make(chan error)
		go func() { done <- slow() }()
		<-entered
		if err := change(waiting, 20*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", waiting, err)
		}
		leave <- true
		if err := <-done; err != nil {
			t.Error(err)
		}
		if waiting == "other" {
			if err := change(waiting, 10*time.Second); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		}
	}
}

// unhealthy is a store that cannot be purged, and whose old resources cannot be removed.
type unhealthy struct{ *memory.Store }

func (unhealthy) Purge(context.Context, time.Time) (int, error)          { return 0, errFault }
func (unhealthy) Forget(context.Context, string, time.Time) (int, error) { return 3, errFault }
func (unhealthy) View(context.Context, func(index.Reader) error) error   { return errFault }

// words is a terminology without any.
type words struct{ search.Terminology }

func (words) Generation() uint64 { return 0 }

// TestMaintainReports checks that Maintain reports each minute what it cannot do, and nothing when it ends.
func TestMaintainReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := resources.NewService(unhealthy{memory.New()}, nil, resources.WithTerminology(words{}), resources.WithAppendOnly("AuditEvent"),
			resources.WithRetention(time.Hour), resources.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() { s.Maintain(ctx); close(done) }()
		time.Sleep(2*time.Minute + time.Second)
		cancel()
		<-done
		for text, want := range map[string]int{"could not be purged": 2, "old resources could not be removed": 2, "removed old resources": 2, "resources=3": 2, "tokens in use": 1} {
			if got := strings.Count(log.String(), text); got != want {
				t.Errorf("%q %d times, want %d, in\n%s", text, got, want, &log)
			}
		}

		log.Reset()
		healthy := resources.NewService(memory.New(), nil, resources.WithTerminology(words{}), resources.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		ctx, cancel = context.WithTimeout(t.Context(), 2*time.Minute+time.Second)
		defer cancel()
		if healthy.Maintain(ctx); log.Len() > 0 {
			t.Errorf("nothing is wrong: %s", &log)
		}
	})
}
