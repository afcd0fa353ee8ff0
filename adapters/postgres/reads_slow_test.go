package postgres

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/resources"
)

// TestPatientReads begins reads that take some time each. One waits for another for a millisecond at most, and
// no longer than it takes.
func TestPatientReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, row := range []struct{ take, want []time.Duration }{ // in microseconds
			{[]time.Duration{300, 300, 300}, []time.Duration{0, 300, 600}},
			{[]time.Duration{5000, 300, 300}, []time.Duration{0, 1000, 1300}},
			{[]time.Duration{5000, 5000, 300}, []time.Duration{0, 1000, 2000}},
			{[]time.Duration{1500, 700, 300, 300}, []time.Duration{0, 1000, 1700, 2000}},
		} {
			var q reads
			began := time.Now()
			at := make([]time.Duration, len(row.take))
			var group sync.WaitGroup
			for i, take := range row.take {
				group.Go(func() {
					q.mu.Lock()
					may := q.admit()
					w := &waitingRead{turn: make(chan struct{})}
					if !may {
						q.waiting = append(q.waiting, w)
					}
					q.mu.Unlock()
					if !may {
						<-w.turn
					}
					q.timed(func() {
						at[i] = time.Since(began) / time.Microsecond
						time.Sleep(take * time.Microsecond)
					})
				})
				synctest.Wait()
			}
			group.Wait()
			if !slices.Equal(at, row.want) || q.running != 0 || q.slow != 0 {
				t.Errorf("reads of %d began after %d, want %d; %d run, %d are slow", row.take, at, row.want, q.running, q.slow)
			}
		}
	})
}

// TestWaitingReads joins reads that wait, at most 64 with the one that asks, and lets one leave. One that was
// admitted and leaves lets another begin.
func TestWaitingReads(t *testing.T) {
	var q reads
	var all []*waitingRead
	for range 70 {
		all = append(all, &waitingRead{turn: make(chan struct{}), key: resources.Key{Type: "Patient"}})
	}
	q.waiting = slices.Clone(all)
	q.leave(all[3])
	q.next()
	if joined := q.join(); !all[0].leads || q.running != 1 || !slices.Equal(joined, slices.Concat(all[1:3], all[4:65])) || !slices.Equal(q.waiting, all[65:]) {
		t.Errorf("%d joined, %d wait, %d run", len(joined), len(q.waiting), q.running)
	}
	q.leave(all[0])
	if !all[65].leads || q.running != 1 || len(q.waiting) != 4 || len(q.join()) != 4 || len(q.join()) != 0 {
		t.Errorf("after it has left %d run, and %d wait", q.running, len(q.waiting))
	}
}

// TestSlowReads lets queries stop as if they waited for the disk. Others begin meanwhile, at most maxReads in
// all, and each lets one more begin when it ends.
func TestSlowReads(t *testing.T) {
	var q reads
	begun, end := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	read := func() {
		q.mu.Lock()
		if !q.admit() {
			w := &waitingRead{turn: make(chan struct{})}
			q.waiting = append(q.waiting, w)
			q.mu.Unlock()
			<-w.turn
		} else {
			q.mu.Unlock()
		}
		q.timed(func() { begun <- struct{}{}; <-end })
	}
	const all = 3 * maxReads
	for range all {
		group.Go(read)
	}
	for range maxReads {
		<-begun
	}
	for range all - maxReads {
		q.mu.Lock()
		if q.running != maxReads {
			t.Errorf("%d queries run", q.running)
		}
		q.mu.Unlock()
		select {
		case <-begun:
			t.Error("one too many runs")
		default:
		}
		end <- struct{}{}
		<-begun
	}
	close(end)
	group.Wait()
	if q.running != 0 || q.slow != 0 || len(q.waiting) != 0 {
		t.Errorf("at the end: %d run, %d slow, %d wait", q.running, q.slow, len(q.waiting))
	}
}
