package engine

import (
	"context"
	"time"
)

// Observer hears of the operations of an engine: for metrics, traces, logs. It is
// called on the goroutine of the request and must be safe for concurrent use.
type Observer interface {
	// Start is called before an operation; the context it returns is the operation's.
	Start(ctx context.Context, op Observed) context.Context
	// Finish is called after it, with that context, the time it took and its error.
	Finish(ctx context.Context, op Observed, took time.Duration, err error)
}

// Observed tells which operation it is about. No codes: they may be a patient's.
type Observed struct {
	Operation string // "lookup", "validate-code", "subsumes", "expand", "member-of", "translate", "find-matches", "explain", "compare"
	Canonical string // of the code system, value set or concept map asked; may be empty
}

// span is a running observation; a nil span observes nothing.
type span struct {
	observer Observer
	op       Observed
	begun    time.Time
}

// observe begins an observation. It is small so that it costs nothing where nobody observes.
func (e *Engine) observe(ctx context.Context, operation, canonical string) (context.Context, *span) {
	if e.observer == nil {
		return ctx, nil
	}
	return e.begin(ctx, operation, canonical)
}

func (e *Engine) begin(ctx context.Context, operation, canonical string) (context.Context, *span) {
	s := &span{observer: e.observer, op: Observed{Operation: operation, Canonical: canonical}, begun: time.Now()}
	return s.observer.Start(ctx, s.op), s
}

// finish ends an observation.
func (s *span) finish(ctx context.Context, err error) {
	if s != nil {
		s.end(ctx, err)
	}
}

func (s *span) end(ctx context.Context, err error) {
	s.observer.Finish(ctx, s.op, time.Since(s.begun), err)
}
