package auditevents

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/access/audit/balp"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("audit events are no longer stored")

// A Store stores the JSON of AuditEvents and returns when they are durable. *resources.Service
// implements it.
type Store interface {
	Append(ctx context.Context, events [][]byte) error
}

// Options configure Events. The zero Options are valid but for Writer.
type Options struct {
	Writer  *balp.Writer
	Timeout time.Duration // of storing up to maxTogether events; 0 means 10 s
	Retry   time.Duration // interval of attempts to store an event after a failure; 0 means 1 s
	Logger  *slog.Logger  // nil logs nothing
	Now     func() time.Time
}

// maxTogether is the number of events from which a request begins another batch.
const maxTogether = 1000

// Events stores audit records as AuditEvents. It is safe for concurrent use.
type Events struct {
	store Store
	opts  Options

	mu     sync.Mutex // guards queue and closed
	queue  []*batch   // that are not stored yet; requests join the last one
	closed bool
	wake   chan struct{}

	failure  atomic.Pointer[error] // of the last attempt to store
	refusals *audit.Refusals
	group    sync.WaitGroup
	stop     context.CancelFunc
	stats    stats
}

type stats struct {
	stored, failed atomic.Int64 // events
	nanoseconds    atomic.Int64 // of storing
}

// Stats are the numbers of events that were stored and that could not be, and the time that storing took.
type Stats struct {
	Stored, Failed int64
	Time           time.Duration
}

// Stats returns the numbers since Open.
func (e *Events) Stats() Stats {
	return Stats{e.stats.stored.Load(), e.stats.failed.Load(), time.Duration(e.stats.nanoseconds.Load())}
}

// A batch is events that are stored together.
type batch struct {
	docs [][]byte
	done chan struct{} // closed when err is set
	err  error
}

// Open begins to store events, the first of which says so.
func Open(ctx context.Context, store Store, o Options) (*Events, error) {
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Retry <= 0 {
		o.Retry = time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	e := &Events{store: store, opts: o, wake: make(chan struct{}, 1), refusals: audit.NewRefusals(o.Now)}
	running, stop := context.WithCancel(context.Background())
	e.stop = stop
	e.group.Go(func() { e.run(running) })
	e.group.Go(func() { e.maintain(running) })
	if err := e.event(ctx, audit.EventStart, ""); err != nil {
		stop()
		e.group.Wait()
		return nil, err
	}
	return e, nil
}

// event stores an event about the server itself.
func (e *Events) event(ctx context.Context, name, note string) error {
	return e.Append(ctx, audit.Record{Time: e.opts.Now(), Event: name, Note: note})
}

// Append stores the events of records and returns when they are durable. After an error, none or some
// of them may be stored. If ctx ends first, they may be as well.
func (e *Events) Append(ctx context.Context, records ...audit.Record) error {
	var docs [][]byte
	var err error
	for i := range records {
		if docs, err = e.opts.Writer.Append(docs, &records[i]); err != nil {
			return err
		}
	}
	if len(docs) == 0 {
		return nil
	}
	b, err := e.join(docs)
	if err != nil {
		return err
	}
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join adds events to the last batch that waits.
func (e *Events) join(docs [][]byte) (*batch, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	n := len(e.queue)
	if n == 0 || len(e.queue[n-1].docs) >= maxTogether {
		e.queue = append(e.queue, &batch{done: make(chan struct{})})
		n++
	}
	b := e.queue[n-1]
	b.docs = append(b.docs, docs...)
	select {
	case e.wake <- struct{}{}:
	default:
	}
	return b, nil
}

// run stores one batch after the other. Meanwhile requests join the next one.
func (e *Events) run(ctx context.Context) {
	for {
		select {
		case <-e.wake:
			e.storeAll()
		case <-ctx.Done():
			e.storeAll()
			return
		}
	}
}

func (e *Events) storeAll() {
	for {
		e.mu.Lock()
		var b *batch
		if len(e.queue) > 0 {
			b = e.queue[0]
			e.queue = slices.Delete(e.queue, 0, 1)
		}
		e.mu.Unlock()
		if b == nil {
			return
		}
		e.storeBatch(b)
	}
}

func (e *Events) storeBatch(b *batch) {
	ctx, cancel := context.WithTimeout(context.Background(), e.opts.Timeout*time.Duration(1+len(b.docs)/maxTogether))
	began := time.Now()
	b.err = e.store.Append(ctx, b.docs)
	cancel()
	e.stats.nanoseconds.Add(int64(time.Since(began)))
	if b.err != nil {
		e.stats.failed.Add(int64(len(b.docs)))
		if e.failure.Swap(&b.err) == nil {
			e.opts.Logger.Error("audit events cannot be stored; requests are refused until they can", "err", b.err)
		}
	} else {
		e.stats.stored.Add(int64(len(b.docs)))
		if e.failure.Swap(nil) != nil {
			e.opts.Logger.Info("audit events are stored again")
		}
	}
	close(b.done)
}

// Check returns an error while events cannot be stored. It does not wait.
func (e *Events) Check(context.Context) error {
	if err := e.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// AppendRefused is Append for a refused request. Of a client that is refused often, it only counts the
// requests, and their number is stored each minute.
func (e *Events) AppendRefused(ctx context.Context, r audit.Record) error {
	if !e.refusals.Admit(&r) {
		return nil
	}
	return e.Append(ctx, r)
}

// maintain stores the numbers of refusals, and tries again after a failure.
func (e *Events) maintain(ctx context.Context) {
	tick := time.NewTicker(e.opts.Retry)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if e.failure.Load() != nil {
			_ = e.event(ctx, audit.EventStart, "after a failure") // which sets or clears failure
			continue
		}
		if err := e.Append(ctx, e.refusals.Due()...); err != nil {
			e.opts.Logger.Warn("the number of refused requests is not in the audit events", "err", err)
		}
	}
}

// Close stores what remains, with an event about the end, and ends. The store must still be open.
func (e *Events) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), e.opts.Timeout)
	defer cancel()
	err := e.Append(ctx, e.refusals.All()...)
	err = errors.Join(err, e.event(ctx, audit.EventStop, ""))
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop()
	e.group.Wait()
	return err
}
