package resources

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/resources/index"
)

// readerKey is the context key of the reader of a transaction.
type readerKey struct{}

// within returns a context in which the service reads the state of a transaction.
func within(ctx context.Context, r index.Reader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}

// readerOf returns the reader of the transaction that a context belongs to, or nil.
func readerOf(ctx context.Context) index.Reader {
	r, _ := ctx.Value(readerKey{}).(index.Reader)
	return r
}

// view calls fn with a reader of what the grant of ctx permits for one of the actions, in the state
// of the transaction that ctx belongs to, or of the store.
func (s *Service) view(ctx context.Context, actions access.Actions, fn func(r index.Reader) error) error {
	return s.every(ctx, func(r index.Reader) error { return fn(s.guarded(ctx, r, actions)) })
}

// every is view of everything, whatever is permitted. What it reads must not leave the service
// without a decision.
func (s *Service) every(ctx context.Context, fn func(r index.Reader) error) error {
	if r := readerOf(ctx); r != nil {
		return fn(r)
	}
	if s.indexed == nil {
		return ErrNotSearchable
	}
	return s.storeView(ctx, fn)
}

// fill loads the documents that the pages of a request left out. It takes the memory for all of them
// before, and waits for it outside the view of the store. A transaction does not wait, as others wait
// for it.
func (s *Service) fill(ctx context.Context, pages ...[]index.Record) error {
	weight, missing := int64(0), false
	for _, page := range pages {
		weight += index.Weight(page)
		missing = missing || index.Missing(page)
	}
	if !missing {
		return nil
	}
	take := budget.Take
	if readerOf(ctx) != nil {
		take = budget.Try
	}
	if err := take(ctx, weight); err != nil {
		return err
	}
	return s.every(ctx, func(r index.Reader) error { // the pages have what is permitted
		for _, page := range pages {
			if err := index.Fill(ctx, r, page); err != nil {
				return err
			}
		}
		return nil
	})
}

// Read returns the current version. It returns ErrNotFound for an id that was never stored, and
// ErrGone together with the deletion for a deleted resource.
func (s *Service) Read(ctx context.Context, typ, id string) (Version, error) {
	key, err := s.key(typ, id)
	if err != nil {
		return Version{}, err
	}
	if access.GrantOf(ctx) != nil {
		return s.readPermitted(ctx, key)
	}
	if r := readerOf(ctx); r != nil {
		return find(ctx, r, key)
	}
	return s.storeRead(ctx, key)
}

// readPermitted is Read with a grant.
func (s *Service) readPermitted(ctx context.Context, key Key) (v Version, err error) {
	if err := s.covers(ctx, key.Type, access.Read); err != nil {
		return Version{}, err
	}
	var found []index.Record
	err = s.view(ctx, access.Read, func(r index.Reader) error {
		found, err = r.Find(ctx, []Key{key}, index.WithSmallBody)
		return err
	})
	if err == nil {
		err = s.fill(ctx, found)
	}
	if err != nil {
		return Version{}, err
	}
	return existing(key, &found[0])
}

// find is Read in a transaction, which does not wait for memory.
func find(ctx context.Context, r index.Reader, key Key) (Version, error) {
	found, err := r.Find(ctx, []Key{key}, index.WithSmallBody)
	if err == nil && index.Missing(found) {
		if err = budget.Try(ctx, 2*int64(found[0].Size)); err == nil {
			err = index.Fill(ctx, r, found)
		}
	}
	if err != nil {
		return Version{}, err
	}
	return existing(key, &found[0])
}

// existing returns a record as a version, ErrNotFound if there is none, and ErrGone for a deletion.
func existing(key Key, rec *index.Record) (Version, error) {
	switch v := VersionOf(rec); {
	case v.VersionID == 0:
		return Version{}, NotFound(key)
	case v.Deleted:
		return v, Gone(key)
	default:
		return v, nil
	}
}

// ReadVersion returns one version (FHIR vread). It returns ErrNotFound, ErrGone for a version that
// is a deletion, and ErrNoHistory if the store keeps only current versions.
func (s *Service) ReadVersion(ctx context.Context, typ, id string, versionID int64) (Version, error) {
	key, err := s.key(typ, id)
	switch r := readerOf(ctx); {
	case err != nil:
		return Version{}, err
	case access.GrantOf(ctx) != nil:
		var v Version
		if err = s.covers(ctx, typ, access.Read); err == nil {
			err = s.view(ctx, access.Read, func(r index.Reader) error {
				v, err = findVersion(ctx, r, key, versionID)
				return err
			})
		}
		return v, err
	case r != nil:
		return findVersion(ctx, r, key, versionID)
	case s.history == nil:
		return Version{}, ErrNoHistory
	}
	return s.history.ReadVersion(ctx, key, versionID)
}

// findVersion is ReadVersion on a reader.
func findVersion(ctx context.Context, r index.Reader, key Key, versionID int64) (Version, error) {
	all, err := r.Versions(ctx, index.VersionsRequest{Type: key.Type, ID: key.ID})
	if err != nil {
		return Version{}, err
	}
	if len(all) == 0 {
		return Version{}, NotFound(key)
	}
	for i := range all {
		if all[i].VersionID != versionID {
			continue
		}
		if all[i].Deleted {
			return VersionOf(&all[i]), Gone(key)
		}
		whole, err := index.LoadBodies(ctx, r, []index.Seq{all[i].Seq})
		if err != nil {
			return Version{}, err
		}
		return VersionOf(&whole[0]), nil
	}
	return Version{}, VersionNotFound(key, versionID)
}

// Each calls fn with the current version of every resource of a type that is not deleted, in
// ascending order of id. It stops at the first error of fn and returns it.
func (s *Service) Each(ctx context.Context, typ string, fn func(Version) error) error {
	if err := s.checkType(typ); err != nil {
		return err
	}
	if access.GrantOf(ctx) == nil {
		return s.store.Each(ctx, typ, fn)
	}
	if err := s.covers(ctx, typ, access.Read); err != nil {
		return err
	}
	return s.store.Each(ctx, typ, func(v Version) error {
		switch permitted, err := s.Read(ctx, typ, v.ID); {
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrGone):
			return nil
		case err != nil:
			return err
		default:
			return fn(permitted)
		}
	})
}

// storeFailed wraps an error of a store that was writing as ErrStoreFailed. Errors of this package
// and of a context are returned unchanged.
func storeFailed(what string, err error) error {
	for _, known := range [...]error{
		nil, ErrConflict, ErrNotFound, ErrGone, ErrClosed, budget.ErrBusy, budget.ErrTooLarge, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%s: %w: %w", what, ErrStoreFailed, err)
}

// writeTime returns the time to record for a write, zero for the clock of the store.
func (s *Service) writeTime() time.Time {
	if s.now == nil {
		return time.Time{}
	}
	return s.now()
}
