package resources_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// journal records the steps of changes in order.
type journal struct {
	mu    sync.Mutex
	steps []string
}

func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.steps = append(j.steps, fmt.Sprintf(format, args...))
}

func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	steps := j.steps
	j.steps = nil
	return steps
}

// listener is a resources.Listener that records its calls.
type listener struct {
	*journal
	refuse    error
	prepare   func(ctx context.Context, typ, id string, body []byte) error
	mu        sync.Mutex
	published map[string]string
}

func (l *listener) Prepare(ctx context.Context, typ, id string, body []byte) (func(), error) {
	l.note("prepare %s/%s", typ, id)
	if l.prepare != nil {
		if err := l.prepare(ctx, typ, id, body); err != nil {
			return nil, err
		}
	}
	if l.refuse != nil {
		return nil, l.refuse
	}
	return func() {
		l.note("publish %s/%s", typ, id)
		l.mu.Lock()
		defer l.mu.Unlock()
		if body == nil {
			delete(l.published, typ+"/"+id)
		} else {
			l.published[typ+"/"+id] = string(body)
		}
	}, nil
}

// store records writes, and runs a hook of the test before each of them.
type store struct {
	*memory.Store
	*journal
	beforeWrite func(w resources.Write) error
}

func (s *store) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	if s.beforeWrite != nil {
		if err := s.beforeWrite(w); err != nil {
			return resources.Version{}, err
		}
	}
	v, err := s.Store.Write(ctx, w)
	if err == nil {
		s.note("write %s version %d", w.Key, v.VersionID)
	}
	return v, err
}

func (s *store) Transact(ctx context.Context, fn func(resources.Tx) error) error {
	var wrote []resources.Version
	err := s.Store.Transact(ctx, func(tx resources.Tx) error {
		wrote = nil
		return fn(notedTx{tx, &wrote})
	})
	if err == nil {
		for _, v := range wrote {
			s.note("write %s version %d", v.Key, v.VersionID)
		}
	}
	return err
}

// notedTx notes what is written.
type notedTx struct {
	resources.Tx
	wrote *[]resources.Version
}

func (t notedTx) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	v, err := t.Tx.Write(ctx, w)
	if err == nil {
		*t.wrote = append(*t.wrote, v)
	}
	return v, err
}

type fixture struct {
	*testing.T
	journal  *journal
	store    *store
	listener *listener
	service  *resources.Service
	now      time.Time
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{T: t, journal: &journal{}, now: time.Date(2024, 1, 2, 3, 4, 5, 678_900_000, time.UTC)}
	f.store = &store{Store: memory.New(), journal: f.journal}
	f.listener = &listener{journal: f.journal, published: map[string]string{}}
	f.service = resources.NewService(f.store, f.listener,
		resources.WithClock(func() time.Time { return f.now }),
		resources.WithIDs(func() string { return "made" }),
		resources.WithoutValidation())
	return f
}

func (f *fixture) equal(what string, got, want any) {
	f.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (f *fixture) update(id, body string) (v resources.Version, created, changed bool) {
	f.Helper()
	o, err := f.service.Update(f.Context(), "CodeSystem", id, []byte(body), resources.UpdateOptions{})
	if err != nil {
		f.Fatalf("Update %s: %v", id, err)
	}
	return o.Version, o.Created, o.Changed
}

func TestCreate(t *testing.T) {
	f := newFixture(t)
	o, err := f.service.Create(t.Context(), "CodeSystem", []byte(`{"resourceType":"CodeSystem","id":"mine","meta":{"versionId":"9","source":"s"},"url":"u"}`), resources.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"resourceType":"CodeSystem","id":"made","meta":{"lastUpdated":"2024-01-02T03:04:05.678Z","versionId":"1","source":"s"},"url":"u"}`
	v := o.Version
	f.equal("version", v, resources.Version{
		Key: resources.Key{Type: "CodeSystem", ID: "made"}, VersionID: 1,
		LastUpdated: f.now.Truncate(time.Millisecond), Body: []byte(body),
	})
	f.equal("steps", f.journal.take(), []string{"prepare CodeSystem/made", "write CodeSystem/made version 1", "publish CodeSystem/made"})
	f.equal("published", f.listener.published, map[string]string{"CodeSystem/made": body})
	got, err := f.service.Read(t.Context(), "CodeSystem", "made")
	if err != nil {
		t.Fatal(err)
	}
	f.equal("Read", got, v)
	if _, err := f.service.Create(t.Context(), "CodeSystem", v.Body, resources.CreateOptions{}); !errors.Is(err, resources.ErrConflict) {
		t.Errorf("an id made twice: %v, want %v", err, resources.ErrConflict)
	}
}

func TestUpdate(t *testing.T) {
	f := newFixture(t)
	v, created, changed := f.update("a", `{"resourceType":"CodeSystem","id":"a","n":1}`)
	if v.VersionID != 1 || !created || !changed {
		t.Errorf("new: version %d, created %v, changed %v", v.VersionID, created, changed)
	}
	f.now = f.now.Add(time.Hour)
	v, created, changed = f.update("a", `{"resourceType":"CodeSystem","id":"a","n":2}`)
	if v.VersionID != 2 || created || !changed {
		t.Errorf("other content: version %d, created %v, changed %v", v.VersionID, created, changed)
	}
	want := `{"resourceType":"CodeSystem","meta":{"versionId":"2","lastUpdated":"2024-01-02T04:04:05.678Z"},"id":"a","n":2}`
	f.equal("stored", string(v.Body), want)
	f.equal("published", f.listener.published["CodeSystem/a"], want)
	f.journal.take()

	for _, same := range []string{
		`{"resourceType":"CodeSystem","id":"a","n":2}`,
		"{ \"resourceType\":\"CodeSystem\",\n\"id\":\"a\",\"n\" : 2 }",
		`{"resourceType":"CodeSystem","id":"a","meta":{"versionId":"1"},"n":2}`,
		string(v.Body),
	} {
		got, created, changed := f.update("a", same)
		if created || changed {
			t.Errorf("%s: created %v, changed %v", same, created, changed)
		}
		f.equal("the version stays", got, v)
	}
	f.equal("steps of updates that change nothing", f.journal.take(), []string(nil))

	if _, err := f.service.Delete(t.Context(), "CodeSystem", "a", resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	v, created, changed = f.update("a", `{"resourceType":"CodeSystem","id":"a","n":2}`)
	if v.VersionID != 4 || !created || !changed {
		t.Errorf("after delete: version %d, created %v, changed %v", v.VersionID, created, changed)
	}
}

// TestUpdateClockGoesBack checks that a version is not older than the previous one if the clock
// goes back.
func TestUpdateClockGoesBack(t *testing.T) {
	f := newFixture(t)
	first, _, _ := f.update("a", `{"resourceType":"CodeSystem","id":"a","n":1}`)
	f.now = f.now.Add(-time.Hour)
	second, _, _ := f.update("a", `{"resourceType":"CodeSystem","id":"a","n":2}`)
	f.equal("time", second.LastUpdated, first.LastUpdated)
	if !strings.Contains(string(second.Body), `"2024-01-02T03:04:05.678Z"`) {
		t.Errorf("lastUpdated differs in %s", second.Body)
	}
}

func TestIfMatch(t *testing.T) {
	f := newFixture(t)
	f.update("two", `{"resourceType":"CodeSystem","id":"two","n":1}`)
	f.update("two", `{"resourceType":"CodeSystem","id":"two","n":2}`)
	f.update("gone", `{"resourceType":"CodeSystem","id":"gone"}`)
	if _, err := f.service.Delete(t.Context(), "CodeSystem", "gone", resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	f.journal.take()
	for _, row := range []struct {
		id      string
		ifMatch int64
		message string
	}{
		{"two", 1, "CodeSystem/two: version conflict: expected version 1, but the current version is 2"},
		{"new", 1, "CodeSystem/new: version conflict: expected version 1, but it does not exist"},
		{"gone", 2, "CodeSystem/gone: version conflict: expected version 2, but it does not exist"},
	} {
		body := `{"resourceType":"CodeSystem","id":"` + row.id + `","n":2}`
		_, err := f.service.Update(t.Context(), "CodeSystem", row.id, []byte(body), resources.UpdateOptions{IfMatch: &row.ifMatch})
		if !errors.Is(err, resources.ErrConflict) || err.Error() != row.message {
			t.Errorf("Update %s: %v", row.id, err)
		}
		_, err = f.service.Delete(t.Context(), "CodeSystem", row.id, resources.UpdateOptions{IfMatch: &row.ifMatch})
		if !errors.Is(err, resources.ErrConflict) || err.Error() != row.message {
			t.Errorf("Delete %s: %v", row.id, err)
		}
	}
	f.equal("steps", f.journal.take(), []string(nil))
	two := int64(2)
	if v, err := f.service.Update(t.Context(), "CodeSystem", "two", []byte(`{"resourceType":"CodeSystem","id":"two","n":3}`), resources.UpdateOptions{IfMatch: &two}); err != nil || v.VersionID != 3 {
		t.Errorf("version %d, %v", v.VersionID, err)
	}
	f.update("once", `{"resourceType":"CodeSystem","id":"once"}`)
	if _, err := f.service.Update(t.Context(), "CodeSystem", "once", []byte(`{"resourceType":"CodeSystem","id":"once","n":2}`), resources.UpdateOptions{IfNoneMatch: true}); !errors.Is(err, resources.ErrConflict) {
		t.Errorf("one that is there: %v", err)
	}
	three := int64(3)
	if v, err := f.service.Delete(t.Context(), "CodeSystem", "two", resources.UpdateOptions{IfMatch: &three}); err != nil || !v.Changed || v.VersionID != 4 {
		t.Errorf("version %d, deleted %v, %v", v.VersionID, v.Changed, err)
	}
}

func TestDelete(t *testing.T) {
	f := newFixture(t)
	f.update("a", `{"resourceType":"CodeSystem","id":"a"}`)
	f.journal.take()
	v, err := f.service.Delete(t.Context(), "CodeSystem", "a", resources.UpdateOptions{})
	if err != nil || !v.Changed || v.VersionID != 2 || !v.Deleted {
		t.Errorf("%+v, %v", v, err)
	}
	f.equal("steps", f.journal.take(), []string{"prepare CodeSystem/a", "write CodeSystem/a version 2", "publish CodeSystem/a"})
	f.equal("published", f.listener.published, map[string]string{})
	for _, id := range []string{"a", "never"} {
		if o, err := f.service.Delete(t.Context(), "CodeSystem", id, resources.UpdateOptions{}); err != nil || o.Changed {
			t.Errorf("Delete of nothing, %s: changed %v, %v", id, o.Changed, err)
		}
	}
	f.equal("steps", f.journal.take(), []string(nil))
	if v, err := f.service.Read(t.Context(), "CodeSystem", "a"); !errors.Is(err, resources.ErrGone) || v.VersionID != 2 {
		t.Errorf("Read: version %d, %v", v.VersionID, err)
	}
}

func TestRefusals(t *testing.T) {
	f := newFixture(t)
	var syntax *r4.SyntaxError
	for _, row := range []struct {
		name, typ, id, body string
		is                  func(error) bool
	}{
		{"unknown type", "Cow", "a", `{"resourceType":"Cow","id":"a"}`, is(resources.ErrUnknownType)},
		{"never stored", "Parameters", "a", `{"resourceType":"Parameters","id":"a"}`, is(resources.ErrUnknownType)},
		{"empty type", "", "a", `{"resourceType":"","id":"a"}`, is(resources.ErrUnknownType)},
		{"empty id", "CodeSystem", "", `{"resourceType":"CodeSystem","id":""}`, is(resources.ErrBadID)},
		{"id with a slash", "CodeSystem", "a/b", `{"resourceType":"CodeSystem","id":"a/b"}`, is(resources.ErrBadID)},
		{"id with dots and slashes", "CodeSystem", "../x", `{"resourceType":"CodeSystem","id":"../x"}`, is(resources.ErrBadID)},
		{"id with a letter outside ASCII", "CodeSystem", "é", `{"resourceType":"CodeSystem","id":"é"}`, is(resources.ErrBadID)},
		{"id with _", "CodeSystem", "a_b", `{"resourceType":"CodeSystem","id":"a_b"}`, is(resources.ErrBadID)},
		{"id with a NUL", "CodeSystem", "a\x00", `{"resourceType":"CodeSystem","id":"a"}`, is(resources.ErrBadID)},
		{"id of 65", "CodeSystem", strings.Repeat("x", 65), `{"resourceType":"CodeSystem","id":"x"}`, is(resources.ErrBadID)},
		{"other type", "CodeSystem", "a", `{"resourceType":"ValueSet","id":"a"}`, is(resources.ErrTypeMismatch)},
		{"no type", "CodeSystem", "a", `{"id":"a"}`, is(resources.ErrTypeMismatch)},
		{"type not a string", "CodeSystem", "a", `{"resourceType":1,"id":"a"}`, is(resources.ErrTypeMismatch)},
		{"other id", "CodeSystem", "a", `{"resourceType":"CodeSystem","id":"b"}`, is(resources.ErrIDMismatch)},
		{"no id", "CodeSystem", "a", `{"resourceType":"CodeSystem"}`, is(resources.ErrIDMismatch)},
		{"id in other case", "CodeSystem", "a", `{"resourceType":"CodeSystem","id":"A"}`, is(resources.ErrIDMismatch)},
		{"id not a string", "CodeSystem", "1", `{"resourceType":"CodeSystem","id":1}`, as(&syntax)},
		{"meta not an object", "CodeSystem", "a", `{"resourceType":"CodeSystem","id":"a","meta":[]}`, as(&syntax)},
		{"not JSON", "CodeSystem", "a", `{"resourceType":"CodeSystem","id":"a"`, as(&syntax)},
		{"not an object", "CodeSystem", "a", `[]`, as(&syntax)},
		{"empty", "CodeSystem", "a", ``, as(&syntax)},
		{"not UTF-8", "CodeSystem", "a", "{\"resourceType\":\"CodeSystem\",\"id\":\"a\",\"name\":\"\xff\"}", as(&syntax)},
		{"too deep", "CodeSystem", "a", `{"resourceType":"CodeSystem","id":"a","x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, as(&syntax)},
		{"member twice", "CodeSystem", "a", `{"resourceType":"CodeSystem","id":"a","x":1,"x":2}`, as(&syntax)},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := f.service.Update(t.Context(), row.typ, row.id, []byte(row.body), resources.UpdateOptions{})
			if !row.is(err) {
				t.Errorf("Update: %v", err)
			}
			if _, err := f.service.Delete(t.Context(), row.typ, row.id, resources.UpdateOptions{}); (is(resources.ErrBadID)(err) || is(resources.ErrUnknownType)(err)) == (err == nil) {
				t.Errorf("Delete: %v", err)
			}
		})
	}
	f.equal("steps", f.journal.take(), []string(nil))
	for _, typ := range f.service.Types() {
		if err := f.service.Each(t.Context(), typ, func(resources.Version) error { return errors.New("there is one") }); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
	if err := f.service.Each(t.Context(), "Cow", nil); !errors.Is(err, resources.ErrUnknownType) {
		t.Errorf("Each of an unknown type: %v", err)
	}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[T error](target *T) func(error) bool {
	return func(err error) bool { return errors.As(err, target) }
}

func TestListenerRefuses(t *testing.T) {
	f := newFixture(t)
	f.listener.refuse = errors.New("a cycle")
	_, err := f.service.Create(t.Context(), "CodeSystem", []byte(`{"resourceType":"CodeSystem"}`), resources.CreateOptions{})
	if !errors.Is(err, f.listener.refuse) {
		t.Errorf("Create: %v", err)
	}
	f.equal("steps", f.journal.take(), []string{"prepare CodeSystem/made"})
	if _, err := f.service.Read(t.Context(), "CodeSystem", "made"); !errors.Is(err, resources.ErrNotFound) {
		t.Errorf("Read: %v", err)
	}
}

func TestStoreFails(t *testing.T) {
	f := newFixture(t)
	full := errors.New("disk full")
	f.store.beforeWrite = func(resources.Write) error { return full }
	_, err := f.service.Create(t.Context(), "CodeSystem", []byte(`{"resourceType":"CodeSystem"}`), resources.CreateOptions{})
	if !errors.Is(err, full) || !errors.Is(err, resources.ErrStoreFailed) {
		t.Errorf("Create: %v", err)
	}
	f.equal("steps", f.journal.take(), []string{"prepare CodeSystem/made"})
}

// TestOtherProcessIsFaster checks that a change is repeated after a write by another process that
// shares the store, but refused with If-Match.
func TestOtherProcessIsFaster(t *testing.T) {
	f := newFixture(t)
	f.update("a", `{"resourceType":"CodeSystem","id":"a","n":1}`)
	times := 0
	sneak := func(resources.Write) error { // as where several servers change it all the time
		times++
		_, err := f.store.Store.Write(context.Background(), resources.Write{
			Key: resources.Key{Type: "CodeSystem", ID: "a"},
			Render: func(int64, time.Time) ([]byte, error) {
				return []byte(`{"resourceType":"CodeSystem","id":"a","n":2}`), nil
			},
		})
		return err
	}
	f.store.beforeWrite = sneak
	v, _, _ := f.update("a", `{"resourceType":"CodeSystem","id":"a","n":3}`)
	if v.VersionID != 3 || times != 1 || !strings.Contains(string(v.Body), `"versionId":"3"`) {
		t.Errorf("version %d after %d others: %s", v.VersionID, times, v.Body)
	}
	f.equal("published", f.listener.published["CodeSystem/a"], string(v.Body))

	last := int64(3)
	_, err := f.service.Update(t.Context(), "CodeSystem", "a", []byte(`{"resourceType":"CodeSystem","id":"a","n":4}`), resources.UpdateOptions{IfMatch: &last})
	if !errors.Is(err, resources.ErrConflict) {
		t.Errorf("with If-Match: %v", err)
	}
	f.equal("published", f.listener.published["CodeSystem/a"], string(v.Body))

	if _, err := f.service.Delete(t.Context(), "CodeSystem", "a", resources.UpdateOptions{}); err != nil {
		t.Errorf("Delete where others are always faster: %v", err)
	}
	if _, err := f.store.Read(t.Context(), resources.Key{Type: "CodeSystem", ID: "a"}); !errors.Is(err, resources.ErrGone) {
		t.Errorf("after Delete: %v", err)
	}

	// A store without transactions.
	service := resources.NewService(struct{ resources.Store }{f.store}, nil, resources.WithoutValidation())
	times = 0
	_, err = service.Update(t.Context(), "CodeSystem", "a", []byte(`{"resourceType":"CodeSystem","id":"a","n":5}`), resources.UpdateOptions{})
	if !errors.Is(err, resources.ErrUnavailable) || errors.Is(err, resources.ErrConflict) || times != 100 {
		t.Errorf("where others are always faster: %v after %d others", err, times)
	}
}

func TestCallerGoesAway(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.listener.prepare = func(context.Context, string, string, []byte) error { cancel(); return nil }
	_, err := f.service.Create(ctx, "CodeSystem", []byte(`{"resourceType":"CodeSystem"}`), resources.CreateOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("gone before the write: %v", err)
	}
	f.equal("steps", f.journal.take(), []string{"prepare CodeSystem/made"})

	ctx, cancel = context.WithCancel(t.Context())
	f.listener.prepare = nil
	f.store.beforeWrite = func(resources.Write) error { cancel(); return nil }
	if _, err := f.service.Create(ctx, "CodeSystem", []byte(`{"resourceType":"CodeSystem"}`), resources.CreateOptions{}); err != nil {
		t.Errorf("gone during the write: %v", err)
	}
	f.equal("steps", f.journal.take(), []string{"prepare CodeSystem/made", "write CodeSystem/made version 1", "publish CodeSystem/made"})
}

// TestWritersOfOneResource checks that the published version is the stored one in any order of
// writers, and that the steps of two changes of one resource never interleave.
func TestWritersOfOneResource(t *testing.T) {
	f := newFixture(t)
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for i := range 20 {
				if i%7 == 6 {
					if _, err := f.service.Delete(t.Context(), "CodeSystem", "a", resources.UpdateOptions{}); err != nil {
						t.Error(err)
					}
					continue
				}
				body := fmt.Sprintf(`{"resourceType":"CodeSystem","id":"a","n":%d}`, n*100+i)
				if _, err := f.service.Update(t.Context(), "CodeSystem", "a", []byte(body), resources.UpdateOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	steps := f.journal.take()
	for i := 0; i+2 < len(steps); i += 3 {
		version := fmt.Sprintf("write CodeSystem/a version %d", i/3+1)
		f.equal("steps", steps[i:i+3], []string{"prepare CodeSystem/a", version, "publish CodeSystem/a"})
	}
	v, err := f.service.Read(t.Context(), "CodeSystem", "a")
	if err != nil && !errors.Is(err, resources.ErrGone) {
		t.Fatal(err)
	}
	f.equal("published", f.listener.published["CodeSystem/a"], string(v.Body))
}

func TestHistory(t *testing.T) {
	f := newFixture(t)
	first, _, _ := f.update("a", `{"resourceType":"CodeSystem","id":"a","n":1}`)
	second, _, _ := f.update("a", `{"resourceType":"CodeSystem","id":"a","n":2}`)
	page, err := f.service.History(t.Context(), resources.HistoryRequest{Type: "CodeSystem", ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	f.equal("History", page.Versions, []resources.Version{second, first})
	got, err := f.service.ReadVersion(t.Context(), "CodeSystem", "a", 1)
	if err != nil {
		t.Fatal(err)
	}
	f.equal("ReadVersion", got, first)
	if _, err := f.service.History(t.Context(), resources.HistoryRequest{Type: "CodeSystem", ID: "a_b"}); !errors.Is(err, resources.ErrBadID) {
		t.Errorf("bad id: %v", err)
	}

	plain := resources.NewService(struct{ resources.Store }{f.store}, nil)
	if plain.KeepsHistory() || !f.service.KeepsHistory() {
		t.Error("KeepsHistory does not say what the store can")
	}
	if _, err := plain.History(t.Context(), resources.HistoryRequest{Type: "CodeSystem", ID: "a"}); !errors.Is(err, resources.ErrNoHistory) {
		t.Errorf("History of a store without: %v", err)
	}
	if _, err := plain.ReadVersion(t.Context(), "CodeSystem", "a", 1); !errors.Is(err, resources.ErrNoHistory) {
		t.Errorf("ReadVersion of a store without: %v", err)
	}
}

func TestRestore(t *testing.T) {
	f := newFixture(t)
	f.update("good", `{"resourceType":"CodeSystem","id":"good"}`)
	f.update("bad", `{"resourceType":"CodeSystem","id":"bad"}`)
	f.update("gone", `{"resourceType":"CodeSystem","id":"gone"}`)
	if _, err := f.service.Update(t.Context(), "ValueSet", "v", []byte(`{"resourceType":"ValueSet","id":"v"}`), resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.service.Delete(t.Context(), "CodeSystem", "gone", resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	want := f.listener.published
	delete(want, "CodeSystem/bad")

	broken := errors.New("no longer fits")
	var log strings.Builder
	newID := &listener{journal: &journal{}, published: map[string]string{}}
	newID.prepare = func(_ context.Context, _, id string, _ []byte) error {
		if id == "bad" {
			return broken
		}
		return nil
	}
	service := resources.NewService(f.store, newID, resources.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	restored, failed, err := service.Restore(t.Context())
	if err != nil || restored != 2 || len(failed) != 1 || failed[0].ID != "bad" || !errors.Is(failed[0].Err, broken) {
		t.Errorf("restored %d, failed %v, %v", restored, failed, err)
	}
	f.equal("published", newID.published, want)
	if !strings.Contains(log.String(), "CodeSystem/bad") || !strings.Contains(log.String(), "no longer fits") {
		t.Errorf("log: %s", log.String())
	}
	f.equal("steps", newID.take(), []string{
		"prepare CodeSystem/bad", "prepare CodeSystem/good", "publish CodeSystem/good", "prepare ValueSet/v", "publish ValueSet/v",
	})

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := service.Restore(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if restored, _, err := resources.NewService(f.store, nil).Restore(t.Context()); err != nil || restored != 0 {
		t.Errorf("without a listener: %d, %v", restored, err)
	}
}

func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := resources.NewID()
		if !resources.ValidID(id) || len(id) != 36 || id[14] != '7' || id != strings.ToLower(id) || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
	for id, want := range map[string]bool{
		"a": true, "A-z.0": true, "..": true, "-": true, strings.Repeat("x", 64): true,
		"": false, "a b": false, "a_b": false, "$op": false, "a/b": false, "a%20": false, "é": false, strings.Repeat("x", 65): false,
	} {
		if got := resources.ValidID(id); got != want {
			t.Errorf("ValidID(%q) = %v", id, got)
		}
	}
}

func Example() {
	service := resources.NewService(memory.New(), nil)
	ctx := context.Background()
	body := []byte(`{"resourceType":"CodeSystem","id":"colours","url":"http://example.org/colours","status":"active","content":"complete"}`)
	o, err := service.Update(ctx, "CodeSystem", "colours", body, resources.UpdateOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(o.Key, "version", o.VersionID, "created", o.Created)
	o, _ = service.Update(ctx, "CodeSystem", "colours", body, resources.UpdateOptions{})
	fmt.Println("created", o.Created, "changed", o.Changed)
	// Output:
	// CodeSystem/colours version 1 created true
	// created false changed false
}

func BenchmarkUpdate(b *testing.B) {
	service := resources.NewService(memory.New(), nil)
	filler := strings.Repeat("x", 4<<10)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		body := fmt.Appendf(nil, `{"resourceType":"CodeSystem","id":"a","status":"active","version":"%d","description":"%s"}`, n, filler)
		if _, err := service.Update(b.Context(), "CodeSystem", "a", body, resources.UpdateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
