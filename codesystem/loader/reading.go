package loader

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/codesystem"
)

// A Reading is the state of one call of Load: its context, limits and progress, and the archives
// it has open. Its methods are safe for concurrent use.
type Reading struct {
	ctx    context.Context
	limits Limits
	notify func(Progress)
	warn   func(string)

	mu       sync.Mutex
	progress Progress
	archives []io.Closer

	read atomic.Int64 // bytes as stored, of all streams
}

// Begin starts a reading, which must be closed.
func Begin(ctx context.Context, opts Options) *Reading {
	return &Reading{ctx: ctx, limits: opts.Limits.WithDefaults(), notify: opts.Progress, warn: opts.Warn}
}

// Context returns the context of the reading.
func (r *Reading) Context() context.Context { return r.ctx }

// Limits returns the limits of the reading, with defaults filled in.
func (r *Reading) Limits() Limits { return r.limits }

// Close closes the archives that Files opened. Close their streams first.
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

// Expect adds to the number of bytes to be read, as stored.
func (r *Reading) Expect(bytes int64) {
	r.mu.Lock()
	r.progress.BytesTotal += bytes
	r.mu.Unlock()
}

// Count adds to the counters of the progress, and reports the progress when a resource is done.
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

// skip warns of a file that is not read.
func (r *Reading) skip(reason string) {
	if r.warn == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warn("skipped: " + reason)
}

// Report reports the progress, for work that reads nothing.
func (r *Reading) Report() { r.report("") }

// Progress returns the current progress.
func (r *Reading) Progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.progress
	p.BytesRead = r.read.Load()
	return p
}

// report reports the progress; path is the file being read, or "" if that is unchanged.
func (r *Reading) report(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if path != "" {
		r.progress.Path = path
	}
	if r.notify == nil {
		return
	}
	p := r.progress
	p.BytesRead = r.read.Load()
	r.notify(p)
}

// Deliver builds the index of a builder and passes it to the sink, for formats with one code system
// in a file. Errors name the origin.
func (r *Reading) Deliver(b *codesystem.Builder, origin Origin, sink Sink) error {
	index, err := b.Build(r.ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", origin, err)
	}
	if err := sink.CodeSystem(index, origin); err != nil {
		return fmt.Errorf("%s: %w", origin, err)
	}
	r.Count(0, 1, 0)
	return nil
}
