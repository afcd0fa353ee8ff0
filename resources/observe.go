package resources

import (
	"context"
	"math"
	"time"

	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/resources/index"
)

// An Observer is called for the steps of a service, for metrics and traces. It is called on the
// goroutine of the request and must be safe for concurrent use. A step is one of "search",
// "validate", and those of the store: "store-read", "store-write", "store-view", "store-transact".
// A view or transaction lasts as long as what is done within it.
type Observer interface {
	// Start is called before a step. The step runs with the context that Start returns.
	Start(ctx context.Context, step string) context.Context
	// Finish is called after the step, with that context, its duration and its error.
	Finish(ctx context.Context, step string, took time.Duration, err error)
}

// WithObserver sets the observer of the steps.
func WithObserver(o Observer) Option { return func(s *Service) { s.observer = o } }

// A span is the observation of a running step. A nil span does nothing.
type span struct {
	observer Observer
	step     string
	begun    time.Time
}

// observe starts an observation. It is small enough to be inlined, so that it costs nothing
// without an observer.
func (s *Service) observe(ctx context.Context, step string) (context.Context, *span) {
	if s.observer == nil {
		return ctx, nil
	}
	return s.begin(ctx, step)
}

func (s *Service) begin(ctx context.Context, step string) (context.Context, *span) {
	return s.observer.Start(ctx, step), &span{s.observer, step, time.Now()}
}

// finish ends an observation.
func (o *span) finish(ctx context.Context, err error) {
	if o != nil {
		o.observer.Finish(ctx, o.step, time.Since(o.begun), err)
	}
}

// storeRead reads a version from the store.
func (s *Service) storeRead(ctx context.Context, key Key) (Version, error) {
	ctx, span := s.observe(ctx, "store-read")
	v, err := s.store.Read(ctx, key)
	span.finish(ctx, err)
	return v, err
}

// storeWrite writes a version to the store.
func (s *Service) storeWrite(ctx context.Context, w Write) (Version, error) {
	done, err := s.turn(ctx, len(w.Entries)+len(w.Terms))
	if err != nil {
		return Version{}, err
	}
	defer done()
	ctx, span := s.observe(ctx, "store-write")
	v, err := s.store.Write(ctx, w)
	span.finish(ctx, err)
	return v, err
}

// storeView opens a view of the store.
func (s *Service) storeView(ctx context.Context, fn func(r index.Reader) error) error {
	ctx, span := s.observe(ctx, "store-view")
	if stale := s.stale.Load(); stale != nil {
		over := fn
		fn = func(r index.Reader) error { return over(stale.over(r)) }
	}
	err := s.indexed.View(ctx, fn)
	budget.Repay(ctx, math.MaxInt64) // the values that were read; what leaves has a body
	span.finish(ctx, err)
	return err
}

// storeTransact runs a transaction of the store that writes about as many entries as stated.
func (s *Service) storeTransact(ctx context.Context, entries int, fn func(tx Tx) error) error {
	done, err := s.turn(ctx, entries)
	if err != nil {
		return err
	}
	defer done()
	ctx, span := s.observe(ctx, "store-transact")
	if stale := s.stale.Load(); stale != nil {
		over := fn
		fn = func(tx Tx) error { return over(staleTx{staleReader{tx, stale}, tx}) }
	}
	if apart, is := s.transactor.(LargeTransactor); is && entries > LargeEntries {
		err = apart.TransactLarge(ctx, entries, fn)
	} else {
		err = s.transactor.Transact(ctx, fn)
	}
	span.finish(ctx, err)
	return err
}
