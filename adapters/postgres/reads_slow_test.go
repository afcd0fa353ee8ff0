package postgres

import (
	"sync"
	"testing"
)

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
