package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

var errFaster = errors.New("another process was faster")

// state is what a fake stores. The rows are in the order of their Seq.
type state struct {
	rows    []Row
	marks   map[string]string
	journal []resources.JournalRecord
}

func (s *state) clone() *state {
	return &state{slices.Clone(s.rows), maps.Clone(s.marks), slices.Clone(s.journal)}
}

func (s *state) at() (last index.Seq) {
	if n := len(s.rows); n > 0 {
		last = s.rows[n-1].Seq
	}
	return last
}

// current returns the newest version of a key, or a Row of its own.
func (s *state) current(key resources.Key) *Row {
	for i := range slices.Backward(s.rows) {
		if r := &s.rows[i]; r.Type == key.Type && r.ID == key.ID {
			return r
		}
	}
	return new(Row)
}

func (s *state) insert(rows []Row) error {
	for _, r := range rows {
		former := s.current(resources.Key{Type: r.Type, ID: r.ID})
		switch {
		case r.Seq <= s.at() || r.Until != index.Current:
			return errors.New("the rows are not in order")
		case r.VersionID != former.VersionID+1 || !r.Follows && r.Former != former.Seq:
			return errFaster
		}
		former.Until = r.Seq
		s.rows = append(s.rows, r)
	}
	return nil
}

// fake is a Database in memory. Each use of it is a step, which may fail.
type fake struct {
	Database                       // what the tests do not use
	now      atomic.Pointer[state] // what is committed, which does not change
	sums     Sums
	mu       sync.Mutex
	steps    []string
	fail     func(ctx context.Context, n int, step string) error
	open     atomic.Int64 // transactions
}

func newFake() *fake {
	f := &fake{}
	f.now.Store(&state{marks: map[string]string{}})
	return f
}

func (f *fake) step(ctx context.Context, name string) error {
	f.mu.Lock()
	n := len(f.steps)
	f.steps = append(f.steps, name)
	f.mu.Unlock()
	if f.fail != nil {
		if err := f.fail(ctx, n, name); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// taken returns the steps since the last forget.
func (f *fake) taken() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.steps)
}

func (f *fake) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps = nil
}

// record is a Row without what was not requested. Bodies of more than a byte are large.
func record(r *Row, parts index.Parts) index.Record {
	x := r.Record
	x.Size = len(x.Body)
	if parts&index.WithBody == 0 && (parts&index.WithSmallBody == 0 || x.Size > 1) {
		x.Body = nil
	}
	if parts&index.WithValues == 0 {
		x.Values = nil
	}
	return x
}

func (f *fake) Read(ctx context.Context, key resources.Key) (index.Record, error) {
	return record(f.now.Load().current(key), index.WithSmallBody), f.step(ctx, "read")
}

func (f *fake) ReadVersion(ctx context.Context, key resources.Key, id int64) (x index.Record, err error) {
	now := f.now.Load()
	for i := range now.rows {
		if r := &now.rows[i]; r.ID == key.ID && r.VersionID == id {
			x = record(r, index.WithSmallBody)
		}
	}
	return x, f.step(ctx, "read version")
}

func (f *fake) begin(ctx context.Context, kind string) (*fakeTx, error) {
	if err := f.step(ctx, kind+"begin"); err != nil {
		return nil, err
	}
	f.open.Add(1)
	return &fakeTx{fake: f, kind: kind, state: f.now.Load().clone()}, nil
}

func (f *fake) Reader(ctx context.Context) (Reader, error) { return f.begin(ctx, "r.") }
func (f *fake) Writer(ctx context.Context) (Writer, error) { return f.begin(ctx, "w.") }
func (f *fake) Stage(ctx context.Context) (Staging, error) { return f.begin(ctx, "s.") }
func (f *fake) Mark(ctx context.Context, name string) (string, error) {
	return f.now.Load().marks[name], f.step(ctx, "mark")
}

func (f *fake) Journal(ctx context.Context, _ string, after int64) ([]resources.JournalRecord, error) {
	journal := f.now.Load().journal
	i := slices.IndexFunc(journal, func(r resources.JournalRecord) bool { return r.Number > after })
	return journal[max(i, 0):], f.step(ctx, "journal")
}

func (f *fake) Inspect(ctx context.Context, _ resources.Structure) ([]string, error) {
	return nil, f.step(ctx, "inspect")
}

func (f *fake) Follows() bool            { return true }
func (f *fake) Retry(err error) bool     { return errors.Is(err, errFaster) }
func (f *fake) Failure(err error) error  { return err }
func (f *fake) Sums() *Sums              { return &f.sums }
func (*fake) Ping(context.Context) error { return nil }
func (*fake) Writable() error            { return nil }
func (*fake) ReadsOnly() bool            { return false }
func (*fake) Close() error               { return nil }

// fakeTx is a transaction of a fake.
type fakeTx struct {
	Writer
	*state
	fake   *fake
	kind   string
	saved  *state
	staged []Row
}

func (t *fakeTx) step(ctx context.Context, name string) error { return t.fake.step(ctx, t.kind+name) }
func (t *fakeTx) At() index.Seq                               { return t.at() }
func (t *fakeTx) End()                                        { t.fake.open.Add(-1) }

func (t *fakeTx) Scan(ctx context.Context, _ index.Range, fn func([]byte, index.Seq) bool) error {
	for _, r := range t.rows {
		for _, e := range r.Entries {
			fn(e, r.Seq)
		}
	}
	return t.step(ctx, "scan")
}

func (t *fakeTx) ScanMany(ctx context.Context, _ []index.Range, _ int, fn func(int, []byte, index.Seq) bool) error {
	return t.Scan(ctx, index.Range{}, func(e []byte, seq index.Seq) bool { return fn(0, e, seq) })
}

func (t *fakeTx) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	found := make([]index.Record, len(seqs))
	for i, seq := range seqs {
		if at := slices.IndexFunc(t.rows, func(r Row) bool { return r.Seq == seq }); at >= 0 {
			found[i] = record(&t.rows[at], parts)
		}
	}
	return found, t.step(ctx, "load")
}

func (t *fakeTx) Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error) {
	if t.kind == "s." {
		t.state = t.fake.now.Load()
	}
	found := make([]index.Record, len(keys))
	for i, key := range keys {
		if key.ID == "" {
			return nil, errors.New("a key is missing")
		}
		found[i] = record(t.current(key), parts)
	}
	return found, t.step(ctx, "find")
}

func (t *fakeTx) Versions(ctx context.Context, r index.VersionsRequest) (found []index.Record, err error) {
	for i := range slices.Backward(t.rows) {
		if x := &t.rows[i]; x.Type == r.Type && (r.ID == "" || x.ID == r.ID) && x.Seq >= r.Since {
			found = append(found, record(x, r.Parts))
		}
	}
	return found, t.step(ctx, "versions")
}

func (t *fakeTx) List(ctx context.Context, typ, after string, limit int) (listed []VersionSize, err error) {
	sorted := slices.SortedFunc(slices.Values(t.rows), func(a, b Row) int { return cmp.Compare(a.ID, b.ID) })
	for _, r := range sorted {
		if r.Type == typ && r.ID > after && r.Until == index.Current && !r.Deleted && len(listed) < limit {
			listed = append(listed, VersionSize{r.Seq, len(r.Body)})
		}
	}
	return listed, t.step(ctx, "list")
}

func (t *fakeTx) Walk(ctx context.Context, after index.Seq, limit int, fn func(*resources.StoredVersion) (bool, error)) error {
	for _, r := range t.rows {
		if r.Seq > after && limit > 0 {
			v := resources.StoredVersion{Record: r.Record, DocumentSum: r.Sum, ValuesSum: r.Sum}
			if more, err := fn(&v); err != nil || !more {
				return err
			}
			limit--
		}
	}
	return t.step(ctx, "walk")
}

func (t *fakeTx) Insert(ctx context.Context, rows []Row) error {
	if err := t.step(ctx, "insert"); err != nil {
		return err
	}
	return t.insert(rows)
}

func (t *fakeTx) Save(ctx context.Context) error {
	t.saved = t.clone()
	return t.step(ctx, "save")
}

func (t *fakeTx) Undo(ctx context.Context) error {
	t.state = t.saved.clone()
	return t.step(ctx, "undo")
}

func (t *fakeTx) stale(limit int, is func(*Row) bool) (found []Stale) {
	for i := range t.rows {
		if r := &t.rows[i]; is(r) && len(found) < limit {
			found = append(found, Stale{r.Seq, r.Until, r.Entries})
		}
	}
	return found
}

func (t *fakeTx) Superseded(ctx context.Context, before index.Seq, limit int) ([]Stale, error) {
	return t.stale(limit, func(r *Row) bool { return r.Until < before && r.Entries != nil }), t.step(ctx, "superseded")
}

func (t *fakeTx) Sole(ctx context.Context, typ string, before index.Seq, limit int) ([]Stale, error) {
	return t.stale(limit, func(r *Row) bool {
		return r.Type == typ && r.Seq < min(before, t.at()) && r.Until == index.Current && r.VersionID == 1
	}), t.step(ctx, "sole")
}

func (t *fakeTx) Entries(ctx context.Context, seqs []index.Seq) ([]Stale, error) {
	return t.stale(len(seqs), func(r *Row) bool { return slices.Contains(seqs, r.Seq) }), t.step(ctx, "entries")
}

func (t *fakeTx) Clear(ctx context.Context, versions []Stale) error {
	for i := range t.rows {
		if slices.ContainsFunc(versions, func(v Stale) bool { return v.Seq == t.rows[i].Seq }) {
			t.rows[i].Entries = nil
		}
	}
	return t.step(ctx, "clear")
}

func (t *fakeTx) Forget(ctx context.Context, versions []Stale) error {
	t.rows = slices.DeleteFunc(t.rows, func(r Row) bool {
		return slices.ContainsFunc(versions, func(v Stale) bool { return v.Seq == r.Seq })
	})
	return t.step(ctx, "forget")
}

func (t *fakeTx) Reindex(ctx context.Context, had []Stale, versions []resources.Reindexed) error {
	for i, v := range versions {
		at := slices.IndexFunc(t.rows, func(r Row) bool { return r.Seq == v.Seq && had[i].Seq == v.Seq })
		t.rows[at].Entries = v.Entries
	}
	return t.step(ctx, "reindex")
}

func (t *fakeTx) FillSums(ctx context.Context, sums []Summed) error {
	for _, s := range sums {
		t.rows[slices.IndexFunc(t.rows, func(r Row) bool { return r.Seq == s.Seq })].Sum = s.Document
	}
	return t.step(ctx, "fill sums")
}

func (t *fakeTx) SetMark(ctx context.Context, name, value string) error {
	t.marks[name] = value
	return t.step(ctx, "set mark")
}

func (t *fakeTx) JournalLast(ctx context.Context, _ string) (last int64, err error) {
	if n := len(t.journal); n > 0 {
		last = t.journal[n-1].Number
	}
	return last, t.step(ctx, "last")
}

func (t *fakeTx) JournalNames(ctx context.Context) (int, error) {
	return min(len(t.journal), 1), t.step(ctx, "names")
}

func (t *fakeTx) ClearJournal(ctx context.Context, _ string) error {
	t.journal = nil
	return t.step(ctx, "clear journal")
}

func (t *fakeTx) InsertJournal(ctx context.Context, _ string, number int64, body []byte) error {
	t.journal = append(t.journal, resources.JournalRecord{Number: number, Body: body})
	return t.step(ctx, "insert journal")
}

func (t *fakeTx) Commit(ctx context.Context) error {
	err := t.step(ctx, "commit")
	if err == nil {
		t.fake.now.Store(t.state)
	}
	return err
}

func (t *fakeTx) Stage(ctx context.Context, rows []Row) error {
	t.staged = append(t.staged, rows...)
	return t.step(ctx, "stage")
}

func (t *fakeTx) Lock(ctx context.Context, _, _ index.Seq) (index.Seq, error) {
	return t.fake.now.Load().at(), t.step(ctx, "lock")
}

func (t *fakeTx) Finish(rows []Row) {
	t.state = t.fake.now.Load().clone()
	if len(rows) != len(t.staged) || t.insert(t.staged) != nil {
		panic("rows were staged that are not those of the change: " + strings.Join(t.fake.taken(), ", "))
	}
}
