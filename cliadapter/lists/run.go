package lists

import (
	"context"
	"errors"
	"sync"
)

// A Verdict is what became of a record.
type Verdict uint8

// The verdicts. A record that is Passed does not count, such as a blank line.
const (
	Passed Verdict = iota
	Yes            // the answer is yes
	No             // the answer is no
	Empty          // there is no code
	Broken         // it could not be read or answered
)

// A Tally counts records by their verdicts.
type Tally struct{ Yes, No, Empty, Broken int }

// Total returns the number of records.
func (t Tally) Total() int { return t.Yes + t.No + t.Empty + t.Broken }

func (t *Tally) add(o Tally) {
	t.Yes += o.Yes
	t.No += o.No
	t.Empty += o.Empty
	t.Broken += o.Broken
}

func (t *Tally) count(v Verdict) {
	switch v {
	case Yes:
		t.Yes++
	case No:
		t.No++
	case Empty:
		t.Empty++
	case Broken:
		t.Broken++
	}
}

// A Fault is a record that is broken.
type Fault struct {
	Line int
	Err  error
}

// A Worker answers records one after the other. It appends what is to be written to dst, and
// returns what became of the record and, for a broken one, why. An error of type *Stop ends the
// run.
type Worker func(dst []byte, rec *Record) ([]byte, Verdict, error)

// A Stop is an error that is not about one record and ends the run.
type Stop struct{ Err error }

func (s *Stop) Error() string { return s.Err.Error() }

// Unwrap returns the cause.
func (s *Stop) Unwrap() error { return s.Err }

// A Job says how records are answered.
type Job struct {
	// Workers is the number of workers.
	Workers int
	// Worker makes a worker. Each runs in a goroutine of its own.
	Worker func() Worker
	// Write takes what the workers appended, in the order of the records.
	Write func(block []byte) error
	// Report is called after each Write with the counts so far and the broken records since the
	// last call.
	Report func(Tally, []Fault)
}

// Limits of a batch.
const (
	batchRecords = 512
	batchBytes   = 64 << 10
)

// A span is a record of a batch whose text is text[from:to].
type span struct {
	Record
	from, to int
}

// A batch is a number of records with their answers.
type batch struct {
	text    []byte
	records []span
	out     []byte
	tally   Tally
	faults  []Fault
	err     error
	done    chan struct{}
}

// Run answers all records of r and returns their number by verdicts. It keeps a bounded number of
// records in memory. A record is answered as soon as the source has no more to read without
// waiting. Errors are those of the source, of Write, *Stop, and of ctx; what was answered before
// is written. No worker runs after Run has returned, but a read from the source may.
func Run(ctx context.Context, r *Reader, job Job) (Tally, error) {
	inner, cancel := context.WithCancel(ctx)
	count := 3*job.Workers + 2
	ordered, todo, free := make(chan *batch, count), make(chan *batch, count), make(chan *batch, count)
	for range count {
		free <- &batch{done: make(chan struct{}, 1)}
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	for range job.Workers {
		workers.Go(func() { work(inner, job.Worker(), todo) })
	}
	go read(inner, r, free, ordered, todo)

	var tally Tally
	for {
		var b *batch
		select {
		case b = <-ordered:
		case <-ctx.Done():
			return tally, ctx.Err()
		}
		switch {
		case ctx.Err() != nil: // which also ends the reading
			return tally, ctx.Err()
		case b == nil:
			return tally, r.Err()
		}
		select {
		case <-b.done:
		case <-ctx.Done():
			return tally, ctx.Err()
		}
		tally.add(b.tally)
		if len(b.out) > 0 {
			if err := job.Write(b.out); err != nil {
				return tally, err
			}
		}
		job.Report(tally, b.faults)
		if b.err != nil {
			return tally, b.err
		}
		free <- b
	}
}

// read fills batches with records until the end.
func read(ctx context.Context, r *Reader, free <-chan *batch, ordered, todo chan<- *batch) {
	defer close(ordered)
	defer close(todo)
	var rec Record
	for more := true; more; {
		var b *batch
		select {
		case b = <-free:
		case <-ctx.Done():
			return
		}
		b.reset()
		for len(b.records) < batchRecords && len(b.text) < batchBytes && (len(b.records) == 0 || r.Ready()) {
			if more = r.Next(&rec); !more {
				break
			}
			b.add(&rec)
		}
		if ctx.Err() != nil {
			return
		}
		ordered <- b
		todo <- b
	}
}

// reset empties a batch. It keeps no memory of unusually long records.
func (b *batch) reset() {
	if cap(b.text) > 4*batchBytes {
		b.text = nil
	}
	if cap(b.out) > 64*batchBytes {
		b.out = nil
	}
	clear(b.records)
	b.text, b.records, b.out, b.faults, b.tally, b.err = b.text[:0], b.records[:0], b.out[:0], nil, Tally{}, nil
}

// add copies a record.
func (b *batch) add(rec *Record) {
	s := span{Record: *rec, from: len(b.text)}
	s.Text = nil
	b.text = append(b.text, rec.Text...)
	s.to = len(b.text)
	b.records = append(b.records, s)
}

// work answers batches until there are no more.
func work(ctx context.Context, worker Worker, todo <-chan *batch) {
	for {
		var b *batch
		select {
		case b = <-todo:
		case <-ctx.Done():
			return
		}
		if b == nil {
			return
		}
		b.answer(ctx, worker)
		b.done <- struct{}{}
	}
}

// answer answers the records of a batch. It stops at an error that is not about one record.
func (b *batch) answer(ctx context.Context, worker Worker) {
	for i := range b.records {
		if ctx.Err() != nil {
			return
		}
		s := &b.records[i]
		s.Text = b.text[s.from:s.to:s.to]
		var verdict Verdict
		var err error
		b.out, verdict, err = worker(b.out, &s.Record)
		if stop, ok := errors.AsType[*Stop](err); ok {
			b.err = stop
			return
		}
		b.tally.count(verdict)
		if verdict == Broken {
			b.faults = append(b.faults, Fault{s.Line, err})
		}
	}
}
