package loader

import (
	"io"
	"sync"
)

// A readAhead reads from r in a separate goroutine, so that decompressing and parsing run in
// parallel.
type readAhead struct {
	full  chan chunk
	empty chan []byte
	quit  chan struct{}
	once  sync.Once
	ended chan struct{}

	current, rest []byte
	err           error
}

type chunk struct {
	data []byte
	err  error
}

const (
	chunkSize  = 256 << 10
	chunkCount = 4
)

func newReadAhead(r io.Reader) *readAhead {
	a := &readAhead{
		full:  make(chan chunk, chunkCount),
		empty: make(chan []byte, chunkCount),
		quit:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	for range chunkCount {
		a.empty <- make([]byte, chunkSize)
	}
	go a.run(r)
	return a
}

func (a *readAhead) run(r io.Reader) {
	defer close(a.ended)
	for {
		var buf []byte
		select {
		case buf = <-a.empty:
		case <-a.quit:
			return
		}
		n, err := fill(r, buf)
		select {
		case a.full <- chunk{buf[:n], err}:
		case <-a.quit:
			return
		}
		if err != nil {
			return
		}
	}
}

// fill reads until buf is full or an error occurs, including io.EOF.
func fill(r io.Reader, buf []byte) (n int, err error) {
	for idle := 0; n < len(buf) && err == nil; {
		var m int
		m, err = r.Read(buf[n:])
		n += m
		if m > 0 {
			idle = 0
		} else if idle++; idle > 100 && err == nil {
			err = io.ErrNoProgress
		}
	}
	return n, err
}

// Read returns what the goroutine has read.
func (a *readAhead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.err != nil {
			return 0, a.err
		}
		if a.current != nil {
			a.empty <- a.current[:cap(a.current)]
		}
		c := <-a.full
		a.current, a.rest, a.err = c.data, c.data, c.err
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// stop ends the goroutine and waits for it. Nothing uses r afterwards.
func (a *readAhead) stop() {
	a.once.Do(func() { close(a.quit) })
	<-a.ended
}
