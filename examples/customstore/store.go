package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// Store is a resources.Store on a journal file. One line of JSON holds the versions of one
// transaction; a line counts when it is complete and on the medium. All versions are in memory
// too, which bounds the size of a store by that of the memory.
type Store struct {
	turn  chan struct{} // holds one token; whoever has it is the only writer
	file  *os.File
	size  int64             // bytes of the journal that are durable; the writer's
	stuck error             // a failure of the medium, after which nothing is written; the writer's
	marks map[string]string // the writer's

	mu       sync.RWMutex // guards what follows; never held while a callback runs
	closed   bool
	versions []*version                   // in the order of Seq
	byKey    map[resources.Key][]*version // version n is item n-1
	entries  []entry                      // in order; replaced as a whole, never changed
}

// version is a stored version of a resource, with what searches need of it.
type version struct {
	resources.Version
	seq    index.Seq
	values []byte
	purged bool // its entries are out of the index
}

// line is a transaction in the journal.
type line struct{ Versions []written }

// written is a version in the journal; its time is that of Seq.
type written struct {
	Type, ID  string
	VersionID int64
	Seq       index.Seq
	Deleted   bool   `json:",omitempty"`
	Body      []byte `json:",omitempty"`
}

var _ resources.Store = (*Store)(nil)

// Open opens the journal at path, which is created when it does not exist. A last line that
// is incomplete was never acknowledged, and is removed.
func Open(path string) (*Store, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	s := &Store{
		turn:  make(chan struct{}, 1),
		file:  file,
		marks: make(map[string]string),
		byKey: make(map[resources.Key][]*version),
	}
	s.turn <- struct{}{}
	if err := s.replay(); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// replay reads the journal into memory.
func (s *Store) replay() error {
	r := bufio.NewReader(s.file)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return s.file.Truncate(s.size)
		}
		if err != nil {
			return err
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		for _, w := range l.Versions {
			if !w.Deleted && w.Body == nil {
				w.Body = []byte{}
			}
			s.add(&version{seq: w.Seq, Version: resources.Version{
				Key: resources.Key{Type: w.Type, ID: w.ID}, VersionID: w.VersionID,
				LastUpdated: w.Seq.Time(), Deleted: w.Deleted, Body: w.Body,
			}})
		}
		s.size += int64(len(text))
	}
}

// add adds a version to those in memory.
func (s *Store) add(v *version) {
	s.versions = append(s.versions, v)
	s.byKey[v.Key] = append(s.byKey[v.Key], v)
}

// journal appends a transaction to the file and waits until it is on the medium.
func (s *Store) journal(added []*version) error {
	if s.stuck != nil {
		return s.stuck
	}
	l := line{Versions: make([]written, len(added))}
	for i, v := range added {
		l.Versions[i] = written{Type: v.Type, ID: v.ID, VersionID: v.VersionID, Seq: v.seq, Deleted: v.Deleted, Body: v.Body}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if _, err = s.file.WriteAt(text, s.size); err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		// What is on the medium now is unknown. Opening the journal again finds out.
		s.stuck = err
		return err
	}
	s.size += int64(len(text))
	return nil
}

// writing calls fn as the only writer.
func (s *Store) writing(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.turn:
	}
	defer func() { s.turn <- struct{}{} }()
	if _, err := s.now(ctx); err != nil {
		return err
	}
	return fn()
}

// now returns the present state of the store.
func (s *Store) now(ctx context.Context) (*state, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, resources.ErrClosed
	}
	st := &state{store: s, versions: s.versions, entries: s.entries}
	if n := len(s.versions); n > 0 {
		st.at = s.versions[n-1].seq
	}
	return st, nil
}

// Read returns the current version of a resource.
func (s *Store) Read(ctx context.Context, key resources.Key) (resources.Version, error) {
	now, err := s.now(ctx)
	if err != nil {
		return resources.Version{}, err
	}
	all := now.of(key)
	if len(all) == 0 {
		return resources.Version{}, resources.NotFound(key)
	}
	return orGone(all[len(all)-1])
}

// orGone returns a version, with ErrGone for a deletion.
func orGone(v *version) (resources.Version, error) {
	if v.Deleted {
		return v.Version, resources.Gone(v.Key)
	}
	return v.Version, nil
}

// Write stores a version. It is a transaction of one write.
func (s *Store) Write(ctx context.Context, w resources.Write) (v resources.Version, err error) {
	err = s.Transact(ctx, func(tx resources.Tx) error {
		v, err = tx.Write(ctx, w)
		return err
	})
	return v, err
}

// Each calls fn with the current version of each resource of a type, in the order of ids.
func (s *Store) Each(ctx context.Context, typ string, fn func(resources.Version) error) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	var current []*version
	for _, v := range now.versions {
		if v.Type == typ && !v.Deleted && now.until(v) == index.Current {
			current = append(current, v)
		}
	}
	slices.SortFunc(current, func(a, b *version) int { return strings.Compare(a.ID, b.ID) })
	for _, v := range current {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(v.Version); err != nil {
			return err
		}
	}
	return nil
}

// Close waits for a transaction that is under way and closes the journal.
func (s *Store) Close() error {
	<-s.turn
	defer func() { s.turn <- struct{}{} }()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.file.Close()
}
