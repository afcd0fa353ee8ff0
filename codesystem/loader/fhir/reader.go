package fhir

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// A reader is the state of one call of Load or Read.
type reader struct {
	ctx     context.Context
	reading *loader.Reading
	limits  Limits
	opts    Options
	sink    Sink
	errs    []error
	stopped bool // the last of errs ends the reading
	// converted is set while JSON is read that was made from XML.
	converted bool

	scanner  *r4.Scanner
	kind     string            // resourceType of the resource read last, "" for none
	nodes    []*node           // by level of nesting
	declared map[string]string // see kindsDeclared
}

func newReader(ctx context.Context, opts Options, sink Sink) *reader {
	reading := loader.Begin(ctx, opts)
	return &reader{ctx: ctx, reading: reading, limits: reading.Limits(), opts: opts, sink: sink, scanner: new(r4.Scanner)}
}

// fail records an error at a place and reports whether to continue.
func (l *reader) fail(origin Origin, err error) (goOn bool) {
	if l.converted {
		err = unplaced(err)
	}
	return l.failed(fmt.Errorf("%s: %w", origin, err))
}

func (l *reader) failed(err error) (goOn bool) {
	l.errs = append(l.errs, err)
	const maxErrors = 1000
	if !l.opts.KeepGoing || l.ctx.Err() != nil || len(l.errs) >= maxErrors {
		l.stopped = true
	}
	return !l.stopped
}

// stop records an error that ends the reading, such as an error of the sink.
func (l *reader) stop(origin Origin, err error) {
	l.errs = append(l.errs, fmt.Errorf("%s: %w", origin, err))
	l.stopped = true
}

// finish returns the result of the call.
func (l *reader) finish(name string) error {
	if len(l.errs) == 1 {
		return l.errs[0]
	}
	if len(l.errs) > 0 {
		return errors.Join(l.errs...)
	}
	if p := l.reading.Progress(); p.Resources == 0 {
		if p.Skipped > 0 {
			return fmt.Errorf("%s: %w, only %d resources of other types were found", name, ErrNothing, p.Skipped)
		}
		return fmt.Errorf("%s: %w", name, ErrNothing)
	}
	return nil
}

// close ends the reading. Its error does not matter.
func (l *reader) close() { _ = l.reading.Close() }
