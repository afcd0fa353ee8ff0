package synth

import (
	"context"
	"sync"
)

// ahead is how many chunks for each worker may be ready before they are asked for.
const ahead = 4

// Each makes all patients, several at a time, and calls fn with their chunks in order, one
// after the other. Memory is that of a few patients, however many there are. The error is
// that of ctx or of the first call of fn that had one; both end the work.
func (p *Population) Each(ctx context.Context, form Form, fn func(Chunk) error) error {
	ctx, cancel := context.WithCancel(ctx)
	slots := make([]slot, ahead*p.workers)
	todo := make(chan uint64, len(slots)) // numbers of patients whose slots are free
	var work sync.WaitGroup
	defer work.Wait()
	defer close(todo)
	defer cancel()
	for range p.workers {
		work.Go(func() {
			t := newTeller(p, form)
			for patient := range todo {
				if ctx.Err() != nil {
					return
				}
				s := &slots[(patient-p.first)%uint64(len(slots))]
				t.d.buf = s.buf[:0]
				t.chunk(patient)
				s.buf, s.count = t.d.buf, t.lines.count
				s.ready <- struct{}{}
			}
		})
	}
	for i := range slots {
		slots[i].ready = make(chan struct{}, 1)
		if patient := p.first + uint64(i); patient < p.end {
			todo <- patient
		}
	}
	for patient := p.first; patient < p.end; patient++ {
		s := &slots[(patient-p.first)%uint64(len(slots))]
		select {
		case <-s.ready:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil { // both may have been true
			return err
		}
		if err := fn(Chunk{Patient: patient, Bytes: s.buf, Resources: s.count}); err != nil {
			return err
		}
		if next := patient + uint64(len(slots)); next < p.end {
			todo <- next
		}
	}
	return ctx.Err()
}

// A slot holds a chunk from when it is made until it was handed on.
type slot struct {
	buf   []byte
	count int
	ready chan struct{}
}
