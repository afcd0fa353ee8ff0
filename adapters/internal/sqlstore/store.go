package sqlstore

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// Store is a resources.Store in an SQL database.
type Store struct {
	db    Database
	queue chan *job
	// closing is closed by Close, stopped when the last writer has ended.
	closing, stopped chan struct{}
	lifetime         context.Context //nolint:containedctx // ends with the store
	endLifetime      context.CancelFunc
	once             sync.Once
	closeErr         error
	health           health
	pace             pace
	trust            trust
	written          atomic.Int64
}

// Written returns the Seq of the last version that this process has committed, 0 if there is none.
func (s *Store) Written() index.Seq { return index.Seq(s.written.Load()) }

// wrote records what was committed.
func (s *Store) wrote(seq index.Seq) {
	for was := s.written.Load(); was < int64(seq) && !s.written.CompareAndSwap(was, int64(seq)); was = s.written.Load() {
	}
}

var (
	_ resources.Store           = (*Store)(nil)
	_ resources.Historian       = (*Store)(nil)
	_ resources.Indexed         = (*Store)(nil)
	_ resources.Reindexer       = (*Store)(nil)
	_ resources.LargeTransactor = (*Store)(nil)
	_ resources.Sequenced       = (*Store)(nil)
	_ resources.Marker          = (*Store)(nil)
	_ resources.Journaler       = (*Store)(nil)
	_ resources.Monitored       = (*Store)(nil)
	_ resources.Verifiable      = (*Store)(nil)
	_ resources.DamageReporter  = (*Store)(nil)
)

// New returns a store on a migrated database. Closing the store closes the database.
func New(db Database) *Store {
	s := &Store{db: db, queue: make(chan *job, 64), closing: make(chan struct{}), stopped: make(chan struct{})}
	if f, can := db.(Follower); can {
		s.trust.follows = f.Follows()
	}
	s.lifetime, s.endLifetime = context.WithCancel(context.Background())
	go s.runQueue()
	return s
}

// ready returns an error if the store is closed or the context has ended.
func (s *Store) ready(ctx context.Context) error {
	select {
	case <-s.closing:
		return resources.ErrClosed
	default:
		return ctx.Err()
	}
}

func (s *Store) Read(ctx context.Context, key resources.Key) (resources.Version, error) {
	if err := s.ready(ctx); err != nil {
		return resources.Version{}, err
	}
	record, err := s.db.Read(ctx, key)
	if err == nil {
		err = CheckNewest(&record)
	}
	switch {
	case err != nil:
		return resources.Version{}, s.failure(err)
	case record.Seq == 0:
		return resources.Version{}, resources.NotFound(key)
	}
	return s.whole(ctx, &record)
}

// whole returns the version of a record, with its body. It takes the memory for a large body, and a
// copy of it in the database's library, before it loads the body.
func (s *Store) whole(ctx context.Context, record *index.Record) (resources.Version, error) {
	if record.Body == nil && record.Size > 0 {
		if err := budget.Take(ctx, 2*int64(record.Size)); err != nil {
			return resources.Version{}, err
		}
		err := s.view(ctx, func(r Reader) error {
			loaded, err := r.Load(ctx, []index.Seq{record.Seq}, index.WithBody)
			if err == nil && loaded[0].Seq == 0 { // Forget has removed it meanwhile
				err = resources.NotFound(resources.Key{Type: record.Type, ID: record.ID})
			}
			if err == nil {
				*record = loaded[0]
			}
			return err
		})
		if err != nil {
			return resources.Version{}, err
		}
	}
	return checkDeleted(version(record))
}

func (s *Store) ReadVersion(ctx context.Context, key resources.Key, versionID int64) (resources.Version, error) {
	if err := s.ready(ctx); err != nil {
		return resources.Version{}, err
	}
	record, err := s.db.ReadVersion(ctx, key, versionID)
	if err != nil {
		return resources.Version{}, s.failure(err)
	}
	if record.Seq > 0 {
		return s.whole(ctx, &record)
	}
	switch record, err = s.db.Read(ctx, key); {
	case err != nil:
		return resources.Version{}, s.failure(err)
	case record.Seq == 0:
		return resources.Version{}, resources.NotFound(key)
	}
	return resources.Version{}, resources.VersionNotFound(key, versionID)
}

// History returns all versions, newest first.
func (s *Store) History(ctx context.Context, key resources.Key) ([]resources.Version, error) {
	var history []resources.Version
	err := s.view(ctx, func(r Reader) error {
		records, err := r.Versions(ctx, index.VersionsRequest{Type: key.Type, ID: key.ID, Parts: index.WithBody})
		for i := range records {
			history = append(history, version(&records[i]))
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case len(history) == 0:
		return nil, resources.NotFound(key)
	}
	return history, nil
}

// View calls fn with a reader of one snapshot.
func (s *Store) View(ctx context.Context, fn func(index.Reader) error) error {
	return s.view(ctx, func(r Reader) error { return fn(r) })
}

func (s *Store) view(ctx context.Context, fn func(Reader) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	r, err := s.db.Reader(ctx)
	if err != nil {
		return s.failure(err)
	}
	defer r.End()
	return s.failure(fn(r))
}

// Limits of the batches that Each reads.
const (
	eachVersions = 256
	eachBytes    = 1 << 20
)

// Each calls fn for the current versions of a type. It does not hold a database transaction
// during the calls.
func (s *Store) Each(ctx context.Context, typ string, fn func(resources.Version) error) error {
	after := ""
	for {
		var records []index.Record
		err := s.view(ctx, func(r Reader) error {
			listed, err := r.List(ctx, typ, after, eachVersions)
			if err != nil {
				return err
			}
			var seqs []index.Seq
			for size := 0; len(listed) > 0 && (len(seqs) == 0 || size+listed[0].Size <= eachBytes); listed = listed[1:] {
				seqs, size = append(seqs, listed[0].Seq), size+listed[0].Size
			}
			records, err = r.Load(ctx, seqs, index.WithBody)
			return err
		})
		if err != nil || len(records) == 0 {
			return err
		}
		for i := range records {
			if err := fn(version(&records[i])); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		after = records[len(records)-1].ID
	}
}

// Inspect checks the structure of the files.
func (s *Store) Inspect(ctx context.Context, how resources.Structure) ([]string, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	problems, err := s.db.Inspect(ctx, how)
	return problems, s.failure(err)
}

// Mark returns a named value about the store.
func (s *Store) Mark(ctx context.Context, name string) (string, error) {
	if err := s.ready(ctx); err != nil {
		return "", err
	}
	value, err := s.db.Mark(ctx, name)
	return value, s.failure(err)
}

// Close waits for the current writer and closes the database.
func (s *Store) Close() error {
	s.once.Do(func() {
		close(s.closing)
		s.endLifetime()
		<-s.stopped
		s.closeErr = s.db.Close()
	})
	return s.closeErr
}

func version(r *index.Record) resources.Version {
	v := resources.Version{
		Key:       resources.Key{Type: r.Type, ID: r.ID},
		VersionID: r.VersionID, LastUpdated: r.LastUpdated, Deleted: r.Deleted, Body: r.Body,
	}
	if v.Body == nil && !v.Deleted {
		v.Body = []byte{} // some drivers do not distinguish empty from null
	}
	return v
}

func checkDeleted(v resources.Version) (resources.Version, error) {
	if v.Deleted {
		return v, resources.Gone(v.Key)
	}
	return v, nil
}
