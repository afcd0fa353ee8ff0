package agreement

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Notes are kept in a place that all servers reach. Each method is one transaction.
type Notes interface {
	// Put writes a note.
	Put(ctx context.Context, name, text string) error
	// All returns all notes that are there after all Puts that have returned.
	All(ctx context.Context) ([]Note, error)
	// Swap writes a note if its text is old, "" if there is none.
	Swap(ctx context.Context, name, old, text string) error
	// Remove removes a note.
	Remove(ctx context.Context, name string) error
}

// A Note has the age that the place of the notes says it has.
type Note struct {
	Name, Text string
	Age        time.Duration
}

// ErrBehind is the error of a request while the server has not what was agreed, or cannot know.
var ErrBehind = errors.New("this server does not know or have the agreed edition of the terminology")

const (
	editionNote  = "edition"
	memberPrefix = "server "
	// usually and soon are the times between two looks at the notes, the second while something changes.
	usually, soon = 500 * time.Millisecond, 20 * time.Millisecond
	// holdTime is the longest time that a request waits.
	holdTime = 5 * time.Second
)

// Content is something that a server can answer from: what is newer is higher.
type Content struct {
	Digest string
	Height int
}

// A Server takes part in the agreement. It is safe for concurrent use.
type Server struct {
	notes Notes
	lease time.Duration
	log   *slog.Logger
	name  string
	now   atomic.Pointer[standing]

	mu      sync.Mutex
	newest  Content
	offers  map[string]func() error // those that can be published, and nil for the published one
	changed chan struct{}           // wakes the loop
}

// standing is what holds at a time.
type standing struct {
	state  state
	number int
	began  time.Time     // of the look at the notes
	ended  chan struct{} // closed when another state, number or lease holds
}

// NewServer returns a server that answers from what it has now, if that was agreed. The lease is how long
// it answers after it last could look at the notes.
func NewServer(notes Notes, lease time.Duration, now Content, log *slog.Logger) *Server {
	s := &Server{
		notes: notes, lease: lease, log: log, name: memberPrefix + rand.Text()[:10], newest: now,
		offers: map[string]func() error{now.Digest: nil}, changed: make(chan struct{}, 1),
	}
	s.now.Store(&standing{ended: make(chan struct{})})
	return s
}

// Offer says that the server can answer from something newer, and how to begin that.
func (s *Server) Offer(now Content, publish func() error) {
	s.mu.Lock()
	if _, had := s.offers[now.Digest]; !had {
		s.offers[now.Digest] = publish
	}
	s.newest = now
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Pass waits while an edition changes, and returns the number of the edition that the request is answered
// from.
func (s *Server) Pass(ctx context.Context) (number int, err error) {
	ctx, cancel := context.WithTimeout(ctx, holdTime)
	defer cancel()
	for {
		now := s.now.Load()
		inTime := within(now.began, s.lease)
		switch {
		case now.state == answering && inTime:
			return now.number, nil
		case now.state == refusing:
			return 0, ErrBehind
		}
		select {
		case <-now.ended:
		case <-ctx.Done():
			return 0, ErrBehind
		}
	}
}

// Ready returns an error if requests are refused.
func (s *Server) Ready(context.Context) error {
	if now := s.now.Load(); now.state == refusing || !within(now.began, s.lease) {
		return ErrBehind
	}
	return nil
}

// within reports whether less than a lease has passed, by both clocks, of which one may have stood still.
func within(began time.Time, lease time.Duration) bool {
	now := time.Now()
	return now.Sub(began) < lease && now.Round(0).Sub(began.Round(0)) < lease
}

// Run takes part until ctx ends.
func (s *Server) Run(ctx context.Context) {
	said, wait, failed := note{Lease: s.lease}, soon, false
	for {
		err := s.look(ctx, &said, &wait)
		if ctx.Err() != nil {
			break
		}
		if err != nil && !failed {
			s.log.Warn("the servers cannot agree on the edition", "err", err, "lease", s.lease.String())
		} else if err == nil && failed {
			s.log.Info("the servers can agree on the edition again")
		}
		failed = err != nil
		select {
		case <-ctx.Done():
		case <-s.changed:
		case <-time.After(wait):
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	s.set(refusing, 0, time.Time{})
	if err := s.notes.Remove(ctx, s.name); err != nil {
		s.log.Warn("the others wait for this server until its lease ends", "err", err)
	}
}

// look writes the note of the server, reads all, and does what follows.
func (s *Server) look(ctx context.Context, said *note, wait *time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, max(s.lease/2, time.Second))
	defer cancel()
	s.mu.Lock()
	newest := s.newest
	s.mu.Unlock()
	said.Has = newest.Digest
	began := time.Now()
	*wait = usually
	text, err := json.Marshal(said)
	if err == nil {
		err = s.notes.Put(ctx, s.name, string(text))
	}
	if err != nil {
		return err
	}
	notes, err := s.notes.All(ctx)
	if err != nil {
		return err
	}
	v, old, err := read(notes)
	if err != nil {
		return err
	}
	m := next(v, newest.Digest, newest.Height, s.has)
	if m.state == answering {
		if err := s.publish(v.edition); err != nil {
			m.state = refusing
			s.log.Error("the agreed edition cannot be published", "number", v.edition.Number, "err", err)
		}
	}
	if s.set(m.state, v.edition.Number, began) {
		s.log.Info("edition", "number", v.edition.Number, "digest", v.edition.Digest, "state", [...]string{"not here", "changing", "answering"}[m.state], "newest", newest.Digest, "servers", len(v.members))
	}
	said.Stop = m.stop
	if m.state != answering || newest.Digest != v.edition.Digest {
		*wait = soon
	}
	if m.propose == nil {
		return nil
	}
	if text, err = json.Marshal(m.propose); err == nil {
		err = s.notes.Swap(ctx, editionNote, old, string(text))
	}
	return err
}

// read returns the view of notes, and the text of the edition.
func read(notes []Note) (v *view, edition string, err error) {
	v = &view{members: map[string]member{}}
	for _, n := range notes {
		if n.Name == editionNote {
			v.age, edition = n.Age, n.Text
			if err := json.Unmarshal([]byte(n.Text), &v.edition); err != nil {
				return nil, "", err
			}
			continue
		}
		m := member{age: n.Age}
		if err := json.Unmarshal([]byte(n.Text), &m.note); err != nil {
			return nil, "", err
		}
		if m.age < m.Lease+m.Lease/10+drift {
			v.members[n.Name] = m
		}
	}
	return v, edition, nil
}

func (s *Server) has(digest string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, has := s.offers[digest]
	return has
}

// publish begins to answer from an edition. Older offers are dropped.
func (s *Server) publish(e Edition) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn := s.offers[e.Digest]
	if fn == nil {
		return nil
	}
	if err := fn(); err != nil {
		return err
	}
	for digest := range s.offers {
		if digest != s.newest.Digest && digest != e.Digest {
			delete(s.offers, digest)
		}
	}
	s.offers[e.Digest] = nil
	return nil
}

// set changes what holds, and reports whether more than the lease is new.
func (s *Server) set(to state, number int, began time.Time) bool {
	was := s.now.Load()
	s.now.Store(&standing{to, number, began, make(chan struct{})})
	close(was.ended)
	return was.state != to || was.number != number
}
