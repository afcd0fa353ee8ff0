// Package contexttest is for tests of long work: a context that ends in the midst of it.
package contexttest

import (
	"context"
	"sync/atomic"
)

// After returns a context that is canceled once Err has been asked looks times: work that
// does not look, or looks at the start only, does not hear of it.
func After(ctx context.Context, looks int) *Context {
	s := &Context{Context: ctx}
	s.left.Store(int64(looks))
	return s
}

// A Context ends in the midst of work.
type Context struct {
	context.Context
	left atomic.Int64
}

// Seen reports whether the work was told that the context has ended.
func (s *Context) Seen() bool { return s.left.Load() < 0 }

// Err counts the looks.
func (s *Context) Err() error {
	if s.left.Add(-1) < 0 {
		return context.Canceled
	}
	return s.Context.Err()
}
