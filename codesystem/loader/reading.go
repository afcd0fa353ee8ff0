package loader

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// A Reading is one call of a Load: its context, limits and progress, and the archives it
// has open. Its methods may be called by several goroutines.
type Reading struct {
	ctx    context.Context
	limits Limits
	tell   func(Progress)
	warn   func(string)

	mu       sync.Mutex
	progress Progress
	archives []io.Closer

	read atomic.Int64 // bytes as stored, of all streams
}

// Begin starts a reading. It must be closed.
func Begin(ctx context.Context, opts Options) *Reading {
	return &Reading{ctx: ctx, limits: opts.Limits.WithDefaults(), tell: opts.Progress, warn: opts.Warn}
}

// Context is that of the reading.
func (r *Reading) Context() context.Context { return r.ctx }

// Limits are those of the reading, with defaults filled in.
func (r *Reading) Limits() Limits { return r.limits }

// Close closes the archives that Files opened. Streams must be closed before.
func (r *Reading) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, a := range r.archives {
		errs = append(errs, a.Close())
	}
	r.archives = nil
	return errors.Join(errs...)
}

func (r *Reading) keep(a *zip.ReadCloser) {
	r.mu.Lock()
	r.archives = append(r.archives, a)
	r.mu.Unlock()
}

// Expect adds to the bytes that are to be read, as stored.
func (r *Reading) Expect(bytes int64) {
	r.mu.Lock()
	r.progress.BytesTotal += bytes
	r.mu.Unlock()
}

// Count adds to the counters of the progress and reports it when a resource is done.
func (r *Reading) Count(concepts, resources, skipped int) {
	r.mu.Lock()
	r.progress.Concepts += concepts
	r.progress.Resources += resources
	r.progress.Skipped += skipped
	r.mu.Unlock()
	if resources > 0 {
		r.report("")
	}
}

// Warn reports something about a source that its user should know.
func (r *Reading) Warn(origin Origin, format string, args ...any) {
	if r.warn == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warn(fmt.Sprintf("%s: %s", origin, fmt.Sprintf(format, args...)))
}

// Tell reports the progress, in work that reads nothing.
func (r *Reading) Tell() { r.report("") }

// Progress returns the state of the moment.
func (r *Reading) Progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.progress
	p.BytesRead = r.read.Load()
	return p
}

// report tells the progress; path is the file being read, "" for the one told last.
func (r *Reading) report(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if path != "" {
		r.progress.Path = path
	}
	if r.tell == nil {
		return
	}
	p := r.progress
	p.BytesRead = r.read.Load()
	r.tell(p)
}
