package synth

import (
	"context"
	"sync"
)

// ahead is the number of chunks per worker that may be ready before they are consumed.
const ahead = 4

// Each generates all patients, several in parallel, and calls fn with their chunks in order, one
// at a time. Memory is bounded by a few patients, whatever their number. Each stops at the first
// error of fn or of ctx and returns it.
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
			t := newStoryWriter(p, form)
			for patient := range todo {
				if ctx.Err() != nil {
					return
				}
				s := &slots[(patient-p.first)%uint64(len(slots))]
				t.d.buf = s.buf[:0]
				t.chunk(patient)
				s.buf, s.count = t.d.buf, t.framer.count
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
		if err := ctx.Err(); err != nil { // both channels may have been ready
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

// A slot holds a chunk until fn has consumed it.
type slot struct {
	buf   []byte
	count int
	ready chan struct{}
}
