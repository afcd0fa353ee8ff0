package engine

import (
	"context"
	"time"
)

// An Observer is called for every operation of an engine, for metrics, traces or logs. It is
// called on the goroutine of the request and must be safe for concurrent use.
type Observer interface {
	// Start is called before an operation. The operation runs with the context that Start returns.
	Start(ctx context.Context, op Observed) context.Context
	// Finish is called after the operation, with that context, its duration and its error.
	Finish(ctx context.Context, op Observed, took time.Duration, err error)
}

// Observed describes an operation. It has no codes, because they may be about a patient.
type Observed struct {
	Operation string // "lookup", "validate-code", "subsumes", "expand", "member-of", "translate", "find-matches", "explain", "compare"
	Canonical string // of the code system, value set or concept map; may be empty
}

// A span is the observation of a running operation. A nil span does nothing.
type span struct {
	observer Observer
	op       Observed
	begun    time.Time
}

// observe starts an observation. It is small enough to be inlined, so that it costs nothing
// without an observer.
func (e *Engine) observe(ctx context.Context, operation, canonical string) (context.Context, *span) {
	if e.family.observer == nil {
		return ctx, nil
	}
	return e.begin(ctx, operation, canonical)
}

func (e *Engine) begin(ctx context.Context, operation, canonical string) (context.Context, *span) {
	s := &span{observer: e.family.observer, op: Observed{Operation: operation, Canonical: canonical}, begun: time.Now()}
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
