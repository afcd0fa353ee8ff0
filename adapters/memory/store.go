// Package memory is a resources.Store that lives as long as the process: for tests, experiments,
// and servers that read their content from files. It stores all versions and can be searched.
package memory

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/btree"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// Store keeps versions in slices and entries in a tree. Create it with New.
//
// One writer at a time appends to the data. Readers ignore versions with a Seq greater than the
// last committed one, so a reader never waits for a transaction.
type Store struct {
	writeToken chan struct{} // holds one token; whoever takes it may write

	mu     sync.RWMutex // guards everything below, and the until field of versions
	closed bool
	// lastSeq is the Seq of the last committed version.
	lastSeq index.Seq
	// The versions of all resources, of a type, and of a key, in ascending order of Seq. They
	// include those of the current transaction.
	versions []*version
	types    map[string][]*version
	keys     map[resources.Key][]*version
	entries  *btree.BTreeG[entry]
	// snapshot is a copy of entries as of the last commit, or nil.
	snapshot *btree.BTreeG[entry]
	// superseded are the superseded versions that still have entries, in ascending order of
	// until.
	superseded []*version
	marks      map[string]string
	journals   map[string][]resources.JournalRecord // in ascending order
	arena      arena                                // of the bodies and values of committed versions
}

// version is a version. Its Type and ID share the memory of other versions, not that of a request. The
// commit moves Body and values to the arena; besides, only until, values and entries change.
type version struct {
	resources.Version
	seq     index.Seq
	until   index.Seq
	values  []byte
	entries []*string
}

var (
	_ resources.Store      = (*Store)(nil)
	_ resources.Historian  = (*Store)(nil)
	_ resources.Indexed    = (*Store)(nil)
	_ resources.Reindexer  = (*Store)(nil)
	_ resources.Transactor = (*Store)(nil)
	_ resources.Marker     = (*Store)(nil)
	_ resources.Journaler  = (*Store)(nil)
)

// New returns an empty store.
func New() *Store {
	s := &Store{
		writeToken: make(chan struct{}, 1),
		types:      make(map[string][]*version),
		keys:       make(map[resources.Key][]*version),
		entries:    btree.NewBTreeGOptions(entry.less, btree.Options{NoLocks: true}),
		marks:      make(map[string]string),
		journals:   make(map[string][]resources.JournalRecord),
	}
	s.writeToken <- struct{}{}
	return s
}

// lockForRead takes the read lock. The caller must call s.mu.RUnlock unless there is an error.
func (s *Store) lockForRead(ctx context.Context) error {
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

// newest returns the last version up to a Seq, or nil.
func newest(versions []*version, at index.Seq) *version {
	for _, v := range slices.Backward(versions) {
		if v.seq <= at {
			return v
		}
	}
	return nil
}

func (s *Store) Read(ctx context.Context, key resources.Key) (resources.Version, error) {
	if err := s.lockForRead(ctx); err != nil {
		return resources.Version{}, err
	}
	defer s.mu.RUnlock()
	v := newest(s.keys[key], s.lastSeq)
	if v == nil {
		return resources.Version{}, resources.NotFound(key)
	}
	return checkDeleted(v.Version)
}

func (s *Store) ReadVersion(ctx context.Context, key resources.Key, versionID int64) (resources.Version, error) {
	if err := s.lockForRead(ctx); err != nil {
		return resources.Version{}, err
	}
	defer s.mu.RUnlock()
	all := committed(s.keys[key], s.lastSeq)
	if len(all) == 0 {
		return resources.Version{}, resources.NotFound(key)
	}
	if versionID < 1 || versionID > int64(len(all)) {
		return resources.Version{}, resources.VersionNotFound(key, versionID)
	}
	return checkDeleted(all[versionID-1].Version)
}

// History returns all versions, newest first.
func (s *Store) History(ctx context.Context, key resources.Key) ([]resources.Version, error) {
	if err := s.lockForRead(ctx); err != nil {
		return nil, err
	}
	defer s.mu.RUnlock()
	all := committed(s.keys[key], s.lastSeq)
	if len(all) == 0 {
		return nil, resources.NotFound(key)
	}
	history := make([]resources.Version, len(all))
	for i, v := range all {
		history[len(all)-1-i] = v.Version
	}
	return history, nil
}

// committed returns the versions up to a Seq.
func committed(versions []*version, at index.Seq) []*version {
	return versions[:countBefore(versions, at+1)]
}

// countBefore returns the number of versions with a smaller Seq.
func countBefore(versions []*version, seq index.Seq) int {
	n, _ := slices.BinarySearchFunc(versions, seq, func(v *version, seq index.Seq) int {
		if v.seq < seq {
			return -1
		}
		return 1
	})
	return n
}

func checkDeleted(v resources.Version) (resources.Version, error) {
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
	if err := s.lockForRead(ctx); err != nil {
		return nil, err
	}
	defer s.mu.RUnlock()
	var current []*version
	for _, v := range committed(s.types[typ], s.lastSeq) {
		if !v.Deleted && v.until > s.lastSeq {
			current = append(current, v)
		}
	}
	slices.SortFunc(current, func(a, b *version) int { return strings.Compare(a.ID, b.ID) })
	return current, nil
}

// Mark returns a named value about the store.
func (s *Store) Mark(ctx context.Context, name string) (string, error) {
	if err := s.lockForRead(ctx); err != nil {
		return "", err
	}
	defer s.mu.RUnlock()
	return s.marks[name], nil
}

// SetMark sets a named value about the store.
func (s *Store) SetMark(ctx context.Context, name, value string) error {
	return s.exclusively(ctx, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.marks[name] = value
		return nil
	})
}

// SwapMark sets a named value about the store if it has another, and returns the one it then has.
func (s *Store) SwapMark(ctx context.Context, name, was, value string) (now string, err error) {
	err = s.exclusively(ctx, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.marks[name] == was {
			s.marks[name] = value
		}
		now = s.marks[name]
		return nil
	})
	return now, err
}

// Close closes the store and drops its content.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.lastSeq = 0
	s.versions, s.types, s.keys, s.superseded, s.marks = nil, nil, nil, nil, nil
	s.entries, s.snapshot, s.journals, s.arena = nil, nil, nil, arena{}
	return nil
}
