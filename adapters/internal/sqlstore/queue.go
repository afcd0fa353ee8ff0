package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/resources"
)

// How many writers share one commit at most, and for how long the first of them waits
// for those that came after it.
const (
	groupJobs = 256
	groupTime = 20 * time.Millisecond
)

// attempts bounds how often a transaction is run again because another process was faster.
const attempts = 20

// A job is what one caller wants to write. A transaction runs on the goroutine of its
// caller when its turn has come; a single write, which is short, on the one that gives
// turns.
type job struct {
	key      resources.Key              // that a single write is about
	single   func(t *transaction) error // nil for a transaction
	panicked any                        // value of a panic in single
	state    atomic.Int32
	turn     chan *transaction // one is sent when the turn has come
	ran      chan error        // the caller sends what came of it
	outcome  chan error        // what came of all
}

// States of a job.
const (
	waiting int32 = iota
	running
	withdrawn
)

var errPanic = errors.New("the transaction panicked")

// submit runs fn in a transaction, when its turn has come, as often as it must be. key is
// not nil when fn is a single write.
func (s *Store) submit(ctx context.Context, key *resources.Key, fn func(*transaction) error) error {
	for n := 0; ; n++ {
		err := s.attempt(ctx, key, fn)
		if err == nil || !s.db.Retry(err) {
			return err
		}
		if n == attempts {
			return fmt.Errorf("other writers were faster %d times: %w", attempts, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(n*n) * time.Millisecond):
		}
	}
}

func (s *Store) attempt(ctx context.Context, key *resources.Key, fn func(*transaction) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	j := &job{outcome: make(chan error, 1)}
	if key != nil {
		j.key, j.single = *key, func(t *transaction) error { return t.run(ctx, fn) }
	} else {
		j.turn, j.ran = make(chan *transaction, 1), make(chan error, 1)
	}
	err := s.await(ctx, j, fn)
	if j.panicked != nil && errors.Is(err, errPanic) {
		panic(j.panicked)
	}
	return err
}

// await puts a job in the queue and waits for its outcome.
func (s *Store) await(ctx context.Context, j *job, fn func(*transaction) error) error {
	select {
	case s.queue <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return resources.ErrClosed
	}
	select {
	case t := <-j.turn:
		return j.run(ctx, t, fn)
	case err := <-j.outcome:
		return err
	case <-s.stopped: // nobody serves the queue any more
		select {
		case err := <-j.outcome:
			return err
		default:
			return resources.ErrClosed
		}
	case <-ctx.Done():
		if j.state.CompareAndSwap(waiting, withdrawn) {
			return ctx.Err()
		}
		// It is not to be had back: the turn comes, or the outcome.
		select {
		case t := <-j.turn:
			return j.run(ctx, t, fn)
		case err := <-j.outcome:
			return err
		}
	}
}

// run does the work of a job. What came of it is known when all of its group is durable.
func (j *job) run(ctx context.Context, t *transaction, fn func(*transaction) error) error {
	ended := false
	defer func() {
		if !ended { // fn panics, and goes on to do so
			j.ran <- errPanic
			<-j.outcome //nolint:errcheck // it is known: the panic
		}
	}()
	err := t.run(ctx, fn)
	ended = true
	j.ran <- err
	return <-j.outcome
}

// alone runs a single write.
func (j *job) alone(t *transaction) (err error) {
	defer func() {
		if p := recover(); p != nil {
			j.panicked, err = p, errPanic
		}
	}()
	return j.single(t)
}

// serve returns turns until the store is closed.
func (s *Store) serve() {
	defer close(s.stopped)
	for {
		select {
		case j := <-s.queue:
			s.serveGroup(j)
		case <-s.closing:
			for {
				select {
				case j := <-s.queue:
					j.outcome <- resources.ErrClosed
				default:
					return
				}
			}
		}
	}
}

// serveGroup runs jobs one after the other in one transaction, beginning with one that
// waits, and commits them together.
func (s *Store) serveGroup(first *job) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	unwatch := context.AfterFunc(s.open, cancel) // so that Close ends a wait for another process
	w, err := s.db.Writer(ctx)
	unwatch()
	if err != nil {
		if s.open.Err() != nil {
			err = resources.ErrClosed
		}
		first.outcome <- err
		return
	}
	defer w.End()
	g := newGroup(w)
	var done []*job
	results := make(map[*job]error)
	jobs := s.waiting([]*job{first})
	for end := time.Now().Add(groupTime); len(jobs) > 0 && g.broken == nil; {
		g.prefetch(ctx, jobs)
		for i, j := range jobs {
			if g.broken != nil {
				jobs = jobs[i:]
				break
			}
			if j.state.CompareAndSwap(waiting, running) {
				results[j] = g.give(ctx, j)
				done = append(done, j)
			}
		}
		if g.broken != nil || len(done) >= groupJobs || time.Now().After(end) {
			break
		}
		jobs = s.waiting(jobs[:0])
	}
	if g.broken == nil {
		g.broken = g.commit(ctx)
	}
	for _, j := range done {
		switch err := results[j]; {
		case errors.Is(err, errPanic):
			j.outcome <- err
		case g.broken != nil:
			// Also an error of a job may be due to what was not committed.
			j.outcome <- g.broken
		default:
			j.outcome <- err
		}
	}
	if g.broken != nil {
		for _, j := range jobs {
			if j.state.CompareAndSwap(waiting, running) {
				j.outcome <- g.broken
			}
		}
	}
}

// waiting appends the jobs that wait.
func (s *Store) waiting(jobs []*job) []*job {
	for len(jobs) < groupJobs {
		select {
		case j := <-s.queue:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}
