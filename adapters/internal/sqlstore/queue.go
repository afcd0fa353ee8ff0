package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/resources"
)

// The maximum number of jobs per commit, and the maximum time for which the first one waits for
// later ones.
const (
	maxGroupJobs = 256
	maxGroupTime = 20 * time.Millisecond
)

// confirmGrace is how long a caller whose time is over waits for the outcome of its change, so that
// it rarely has to leave without one.
const confirmGrace = 200 * time.Millisecond

// maxAttempts limits the retries of a transaction that conflicts with other processes.
const maxAttempts = 20

// A job is the write request of one caller. A transaction runs on the goroutine of its caller,
// when its turn comes. A single write is short and runs on the goroutine of the queue.
type job struct {
	key      resources.Key              // of a single write
	known    bool                       // no version of key is to be looked for
	again    bool                       // it failed before, so what is known is looked for
	single   func(t *transaction) error // nil for a transaction
	large    bool                       // it takes long, and is committed alone
	panicked any                        // value of a panic in single
	state    atomic.Int32
	turn     chan *transaction // receives the transaction when the turn comes
	result   chan error        // the caller sends the error of its function
	outcome  chan error        // receives the error of the whole group
}

// A request says what kind of write a caller requests.
type request struct {
	key   *resources.Key // of a single write; nil for a transaction
	known bool
	large bool
}

// States of a job.
const (
	waiting int32 = iota
	running
	withdrawn
)

// errUnconfirmed is returned when the time of a caller ends while its change is being written.
// The change may be stored or not.
var errUnconfirmed = errors.New("the store has not confirmed the change in time; it may be stored or not")

var errPanic = errors.New("panic in a transaction")

// submit runs fn in a transaction when its turn comes, and retries as needed.
func (s *Store) submit(ctx context.Context, kind request, fn func(*transaction) error) error {
	for n := 0; ; n++ {
		err := s.attempt(ctx, kind, n > 0, fn)
		if err == nil || !s.db.Retry(err) && !errors.Is(err, ErrInterrupted) {
			return s.failure(err)
		}
		if kind.known {
			s.trust.doubt()
		}
		if n == maxAttempts {
			return s.failure(fmt.Errorf("gave up after %d attempts: %w", maxAttempts, err))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(n*n) * time.Millisecond):
		}
	}
}

func (s *Store) attempt(ctx context.Context, kind request, again bool, fn func(*transaction) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	j := &job{large: kind.large, known: kind.known, again: again, outcome: make(chan error, 1)}
	if kind.key != nil {
		j.key, j.single = *kind.key, func(t *transaction) error { return t.run(ctx, fn) }
	} else {
		j.turn, j.result = make(chan *transaction, 1), make(chan error, 1)
	}
	err := s.await(ctx, j, fn)
	if errors.Is(err, errPanic) && j.panicked != nil { // in this order: otherwise it may still run
		panic(j.panicked)
	}
	return err
}

// await queues a job and waits for its outcome.
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
	case <-s.stopped: // the queue has stopped
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
		// The job can no longer be withdrawn.
		if j.single == nil {
			select {
			case t := <-j.turn:
				return j.run(ctx, t, fn)
			case err := <-j.outcome:
				return err
			}
		}
		return j.confirmed(ctx)
	}
}

// confirmed returns the outcome of a job that is being written. A caller whose time is over does
// not wait for a database that has stopped.
func (j *job) confirmed(ctx context.Context) error {
	select {
	case err := <-j.outcome:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-j.outcome:
		return err
	case <-time.After(confirmGrace):
		return fmt.Errorf("%w: %w", errUnconfirmed, ctx.Err())
	}
}

// run runs the function of a job. The outcome is known when the whole group is durable.
func (j *job) run(ctx context.Context, t *transaction, fn func(*transaction) error) error {
	ended := false
	defer func() {
		if !ended { // fn panics, and the panic continues
			j.result <- errPanic
			<-j.outcome //nolint:errcheck // it is known: the panic
		}
	}()
	err := t.run(ctx, fn)
	ended = true
	j.result <- err
	return j.confirmed(ctx)
}

// runSingle runs a single write.
func (j *job) runSingle(t *transaction) (err error) {
	defer func() {
		if p := recover(); p != nil {
			j.panicked, err = p, errPanic
		}
	}()
	return j.single(t)
}

// runQueue runs jobs until the store is closed.
func (s *Store) runQueue() {
	defer close(s.stopped)
	var jobs []*job // taken from the queue
	for {
		if len(jobs) == 0 {
			select {
			case j := <-s.queue:
				jobs = append(jobs, j)
			case <-s.closing:
			}
		}
		select {
		case <-s.closing:
			for _, j := range s.takeAll(jobs) {
				j.outcome <- resources.ErrClosed
			}
			return
		default:
			jobs = s.runGroup(jobs)
		}
	}
}

// runGroup runs waiting jobs one after the other in one transaction, beginning with first, and
// commits them together. A large job is alone in its group: those before it need not wait for its
// commit. runGroup returns the jobs that it has taken from the queue for the next group.
func (s *Store) runGroup(first []*job) (next []*job) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	unwatch := context.AfterFunc(s.lifetime, cancel) // so that Close interrupts waiting for another process
	w, err := s.db.Writer(ctx)
	unwatch()
	s.observe(err)
	if err != nil {
		if s.lifetime.Err() != nil {
			err = resources.ErrClosed
		}
		first[0].outcome <- err
		return first[1:]
	}
	defer w.End()
	s.meet(w.At())
	g := newGroup(w, &s.trust)
	var done []*job
	results := make(map[*job]error)
	jobs := s.takeWaiting(first)
	for end := time.Now().Add(maxGroupTime); len(jobs) > 0 && g.failure == nil; {
		jobs, next = untilLarge(jobs, len(done) == 0)
		g.prefetch(ctx, jobs)
		for i, j := range jobs {
			if g.failure != nil {
				jobs = jobs[i:]
				break
			}
			if j.state.CompareAndSwap(waiting, running) {
				results[j] = g.runJob(ctx, j)
				done = append(done, j)
			}
		}
		if g.failure != nil || len(next) > 0 || len(done) >= maxGroupJobs || time.Now().After(end) {
			break
		}
		jobs = s.takeWaiting(jobs[:0])
	}
	if g.failure == nil {
		if g.failure = g.commit(ctx); errors.Is(g.failure, ErrInterrupted) {
			g.failure = unconfirmed(g.failure)
		} else if g.failure == nil {
			s.wrote(g.lastSeq)
		}
	}
	s.observe(g.failure)
	for _, j := range done {
		switch err := results[j]; {
		case errors.Is(err, errPanic):
			j.outcome <- err
		case g.failure != nil:
			// The error of a job may also be a consequence of data that was not committed.
			j.outcome <- g.failure
		default:
			j.outcome <- err
		}
	}
	if g.failure != nil {
		for _, j := range jobs {
			if j.state.CompareAndSwap(waiting, running) {
				j.outcome <- g.failure
			}
		}
	}
	return next
}

// untilLarge divides jobs into those of one group and the others. empty reports whether the group
// has no job yet, so that it may have a large one.
func untilLarge(jobs []*job, empty bool) (group, next []*job) {
	if empty && jobs[0].large {
		return jobs[:1:1], jobs[1:]
	}
	if i := slices.IndexFunc(jobs, func(j *job) bool { return j.large }); i >= 0 {
		return jobs[:i:i], jobs[i:]
	}
	return jobs, nil
}

// takeAll appends all jobs that are waiting.
func (s *Store) takeAll(jobs []*job) []*job {
	for {
		select {
		case j := <-s.queue:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
}

// takeWaiting appends the jobs that are waiting.
func (s *Store) takeWaiting(jobs []*job) []*job {
	for len(jobs) < maxGroupJobs {
		select {
		case j := <-s.queue:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}
