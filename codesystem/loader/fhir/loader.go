package fhir

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/r4"
)

// A loader is one call of Load or Read.
type loader struct {
	ctx      context.Context
	limits   Limits
	opts     Options
	sink     Sink
	progress Progress
	done     int64 // bytes of the files read to their end
	errs     []error
	stopped  bool // the last of errs ends the reading

	scanner  *r4.Scanner
	kind     string            // resourceType of the resource read last, "" for none
	nodes    []*node           // by level of nesting
	declared map[string]string // see kindsDeclared
}

func newLoader(ctx context.Context, opts Options, sink Sink) *loader {
	return &loader{ctx: ctx, limits: opts.Limits.withDefaults(), opts: opts, sink: sink, scanner: new(r4.Scanner)}
}

// fail records an error at a place and reports whether to go on.
func (l *loader) fail(origin Origin, err error) (goOn bool) {
	return l.failed(fmt.Errorf("%s: %w", origin, err))
}

func (l *loader) failed(err error) (goOn bool) {
	l.errs = append(l.errs, err)
	const most = 1000
	if !l.opts.KeepGoing || l.ctx.Err() != nil || len(l.errs) >= most {
		l.stopped = true
	}
	return !l.stopped
}

// stop records an error that no other resource can make up for, such as the sink's.
func (l *loader) stop(origin Origin, err error) {
	l.errs = append(l.errs, fmt.Errorf("%s: %w", origin, err))
	l.stopped = true
}

// finish gives the outcome of the call.
func (l *loader) finish(name string) error {
	if len(l.errs) == 1 {
		return l.errs[0]
	}
	if len(l.errs) > 0 {
		return errors.Join(l.errs...)
	}
	if l.progress.Resources == 0 {
		if l.progress.Skipped > 0 {
			return fmt.Errorf("%s: %w, only %d resources of other types", name, ErrNothing, l.progress.Skipped)
		}
		return fmt.Errorf("%s: %w", name, ErrNothing)
	}
	return nil
}

// report calls Progress, with bytes of the current file read so far.
func (l *loader) report(origin Origin, bytes int64) {
	if l.opts.Progress == nil {
		return
	}
	p := l.progress
	p.Path = origin.Path
	p.BytesRead = l.done + bytes
	l.opts.Progress(p)
}
