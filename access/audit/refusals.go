package audit

import (
	"sync"
	"time"
)

// Bounds of the lines about refused requests. A flood of them cannot fill the disk: beyond these
// numbers they are only counted.
const (
	refusalWindow  = time.Minute
	refusalsEach   = 20   // lines of one client in a window
	refusalsAll    = 2000 // lines of all clients in a window
	refusalClients = 1000 // clients that are counted one by one in a window
)

// Refusals decides which refused requests have a line of their own, and counts the others by client. It
// is safe for concurrent use.
type Refusals struct {
	now     func() time.Time
	mu      sync.Mutex
	began   time.Time
	lines   int
	clients map[refused]*refusalCount
}

// refused is a client that is refused: an address, and a subject if somebody was authenticated.
type refused struct{ address, issuer, subject string }

type refusalCount struct{ lines, counted int }

// NewRefusals returns Refusals with a clock.
func NewRefusals(now func() time.Time) *Refusals {
	return &Refusals{now: now, clients: map[refused]*refusalCount{}}
}

// Admit reports whether a refused request has a line of its own. Otherwise it is counted.
func (f *Refusals) Admit(r *Record) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.clients) == 0 {
		f.began, f.lines = f.now(), 0
	}
	who := refused{r.Address, r.Issuer, r.Subject}
	c := f.clients[who]
	if c == nil {
		if len(f.clients) >= refusalClients {
			who = refused{}
			c = f.clients[who]
		}
		if c == nil {
			c = new(refusalCount)
			f.clients[who] = c
		}
	}
	if c.lines < refusalsEach && f.lines < refusalsAll {
		c.lines++
		f.lines++
		return true
	}
	c.counted++
	return false
}

// Due returns the numbers of a window that is over, and begins another.
func (f *Refusals) Due() []Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.clients) == 0 || f.now().Sub(f.began) < refusalWindow {
		return nil
	}
	return f.flush()
}

// All returns the numbers of the window that is not over.
func (f *Refusals) All() []Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flush()
}

func (f *Refusals) flush() (records []Record) {
	for who, c := range f.clients {
		if c.counted > 0 {
			records = append(records, Record{
				Time: f.now(), Event: EventRefusals, Address: who.address, Issuer: who.issuer, Subject: who.subject, Count: c.counted,
			})
		}
	}
	clear(f.clients)
	return records
}
