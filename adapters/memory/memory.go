// Package memory is a resources.Store that lives as long as the process: for tests, for
// trying things out, and for servers whose content comes from files alone. It keeps all
// versions, and can be searched. Everything is gone when the process ends.
package memory

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/btree"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// Store keeps versions in lists and entries in a tree. The zero value is not usable; see New.
//
// One writer at a time adds to what is there; readers pass over what has a Seq beyond the
// last one that was committed. So a reader never waits for a transaction.
type Store struct {
	turn chan struct{} // holds one token: who has it may write

	mu     sync.RWMutex // guards all below, and the Until of versions
	closed bool
	// last is the Seq of the last version that was committed.
	last index.Seq
	// versions of all resources, of a type, and of a key, in ascending order of Seq. Those of
	// the transaction at work are there too.
	versions []*version
	types    map[string][]*version
	keys     map[resources.Key][]*version
	entries  *btree.BTreeG[entry]
	// frozen is a copy of entries as of the last commit; nil when there is none yet.
	frozen *btree.BTreeG[entry]
	// superseded versions that have entries still, in ascending order of Until.
	superseded []*version
	marks      map[string]string
}

// version is one version; all but until and what a search needs never changes.
type version struct {
	resources.Version
	seq     index.Seq
	until   index.Seq
	values  []byte
	entries [][]byte
}

// entry is a row of the key space.
type entry struct {
	key []byte
	seq index.Seq
}

func (e entry) less(than entry) bool {
	if c := bytes.Compare(e.key, than.key); c != 0 {
		return c < 0
	}
	return e.seq < than.seq
}

var (
	_ resources.Store      = (*Store)(nil)
	_ resources.Historian  = (*Store)(nil)
	_ resources.Indexed    = (*Store)(nil)
	_ resources.Reindexer  = (*Store)(nil)
	_ resources.Transactor = (*Store)(nil)
	_ resources.Marker     = (*Store)(nil)
)

// New makes an empty store.
func New() *Store {
	s := &Store{
		turn:    make(chan struct{}, 1),
		types:   make(map[string][]*version),
		keys:    make(map[resources.Key][]*version),
		entries: btree.NewBTreeGOptions(entry.less, btree.Options{NoLocks: true}),
		marks:   make(map[string]string),
	}
	s.turn <- struct{}{}
	return s
}

// reading begins to read: the caller ends with s.mu.RUnlock when there is no error.
func (s *Store) reading(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return resources.ErrClosed
	}
	return nil
}

// newest returns the last of versions whose Seq is not beyond a point, nil when there is none.
func newest(versions []*version, at index.Seq) *version {
	for _, v := range slices.Backward(versions) {
		if v.seq <= at {
			return v
		}
	}
	return nil
}

// Read returns the current version.
func (s *Store) Read(ctx context.Context, key resources.Key) (resources.Version, error) {
	if err := s.reading(ctx); err != nil {
		return resources.Version{}, err
	}
	defer s.mu.RUnlock()
	v := newest(s.keys[key], s.last)
	if v == nil {
		return resources.Version{}, resources.NotFound(key)
	}
	return orGone(v.Version)
}

// ReadVersion returns one version.
func (s *Store) ReadVersion(ctx context.Context, key resources.Key, versionID int64) (resources.Version, error) {
	if err := s.reading(ctx); err != nil {
		return resources.Version{}, err
	}
	defer s.mu.RUnlock()
	all := committed(s.keys[key], s.last)
	if len(all) == 0 {
		return resources.Version{}, resources.NotFound(key)
	}
	if versionID < 1 || versionID > int64(len(all)) {
		return resources.Version{}, resources.VersionNotFound(key, versionID)
	}
	return orGone(all[versionID-1].Version)
}

// History returns all versions, newest first.
func (s *Store) History(ctx context.Context, key resources.Key) ([]resources.Version, error) {
	if err := s.reading(ctx); err != nil {
		return nil, err
	}
	defer s.mu.RUnlock()
	all := committed(s.keys[key], s.last)
	if len(all) == 0 {
		return nil, resources.NotFound(key)
	}
	history := make([]resources.Version, len(all))
	for i, v := range all {
		history[len(all)-1-i] = v.Version
	}
	return history, nil
}

// committed returns the versions whose Seq is not beyond a point.
func committed(versions []*version, at index.Seq) []*version {
	return versions[:before(versions, at+1)]
}

// before counts the versions with a smaller Seq.
func before(versions []*version, seq index.Seq) int {
	n, _ := slices.BinarySearchFunc(versions, seq, func(v *version, seq index.Seq) int {
		if v.seq < seq {
			return -1
		}
		return 1
	})
	return n
}

func orGone(v resources.Version) (resources.Version, error) {
	if v.Deleted {
		return v, resources.Gone(v.Key)
	}
	return v, nil
}

// Each calls fn for the current versions of a type.
func (s *Store) Each(ctx context.Context, typ string, fn func(resources.Version) error) error {
	current, err := s.current(ctx, typ)
	if err != nil {
		return err
	}
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

func (s *Store) current(ctx context.Context, typ string) ([]*version, error) {
	if err := s.reading(ctx); err != nil {
		return nil, err
	}
	defer s.mu.RUnlock()
	var current []*version
	for _, v := range committed(s.types[typ], s.last) {
		if !v.Deleted && v.until > s.last {
			current = append(current, v)
		}
	}
	slices.SortFunc(current, func(a, b *version) int { return strings.Compare(a.ID, b.ID) })
	return current, nil
}

// Mark returns a word about the store.
func (s *Store) Mark(ctx context.Context, name string) (string, error) {
	if err := s.reading(ctx); err != nil {
		return "", err
	}
	defer s.mu.RUnlock()
	return s.marks[name], nil
}

// SetMark sets a word about the store.
func (s *Store) SetMark(ctx context.Context, name, value string) error {
	return s.writing(ctx, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.marks[name] = value
		return nil
	})
}

// Close empties the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.last = 0
	s.versions, s.types, s.keys, s.superseded, s.marks = nil, nil, nil, nil, nil
	s.entries, s.frozen = nil, nil
	return nil
}
