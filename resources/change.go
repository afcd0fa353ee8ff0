package resources

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
)

// attempts is how often a change is tried while another process that shares the store changes the same resource
// in between, if the store has no transactions.
const attempts = 100

// Create stores a new resource under an id that the service generates. It ignores id,
// meta.versionId and meta.lastUpdated in body (R4 http, create).
//
// Errors: *r4.SyntaxError, ErrInvalid, ErrUnknownType, ErrTypeMismatch, with a condition
// search.ErrParameter, ErrMultipleMatches and ErrNotSearchable, and those of the listener.
func (s *Service) Create(ctx context.Context, typ string, body []byte, opts CreateOptions) (Outcome, error) {
	key, err := s.key(typ, s.newID())
	if err != nil {
		return Outcome{}, err
	}
	if err := s.covers(ctx, typ, access.Create); err != nil {
		return Outcome{}, err
	}
	d, err := s.draft(ctx, typ, body)
	if err != nil {
		return Outcome{}, err
	}
	d.action, d.assigned = access.Create, true
	if opts.IfNoneExist != "" {
		o, err := s.createUnless(ctx, key, d, opts.IfNoneExist)
		return s.shown(ctx, o, err)
	}
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()
	v, err := s.change(ctx, Version{Key: key}, d)
	if err != nil {
		return Outcome{}, err
	}
	return s.shown(ctx, Outcome{Version: v, Created: true, Changed: true, Issues: d.issues}, nil)
}

// Update stores a new version under id, which may be new. If the content is already stored
// (compared without white space, id, versionId and lastUpdated), the version stays.
//
// Errors: *r4.SyntaxError, ErrInvalid, ErrUnknownType, ErrBadID, ErrTypeMismatch, ErrIDMismatch,
// ErrConflict, and those of the listener.
func (s *Service) Update(ctx context.Context, typ, id string, body []byte, opts UpdateOptions) (Outcome, error) {
	key, err := s.key(typ, id)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.covers(ctx, typ, access.Update); err != nil {
		return Outcome{}, err
	}
	d, err := s.draft(ctx, typ, body)
	if err == nil {
		err = d.requireID(id)
	}
	if err != nil {
		return Outcome{}, err
	}
	return s.replace(ctx, needsUpdate(), key, opts, func(current Version) (*draft, error) { return d, nil })
}

// Patch applies a patch to the current version and stores the result, which is checked like the
// body of an update. A patch cannot change id and resourceType.
//
// Errors: those of the patch and of Update, ErrNotFound, ErrGone.
func (s *Service) Patch(ctx context.Context, typ, id string, p Patch, opts UpdateOptions) (Outcome, error) {
	key, err := s.key(typ, id)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.covers(ctx, typ, access.Update); err != nil {
		return Outcome{}, err
	}
	return s.replace(ctx, needsPatch(), key, opts, func(current Version) (*draft, error) {
		switch {
		case current.VersionID == 0:
			return nil, NotFound(key)
		case current.Deleted:
			return nil, Gone(key)
		}
		d, err := s.patched(ctx, current, p)
		if err == nil {
			err = s.answers(ctx, d)
		}
		return d, err
	})
}

// patched applies a patch to a version and checks the result alone.
func (s *Service) patched(ctx context.Context, current Version, p Patch) (*draft, error) {
	body, err := p.Apply(current.Body)
	if err != nil {
		return nil, err
	}
	d, err := s.draftAlone(ctx, current.Type, body, false)
	if err != nil {
		return nil, err
	}
	return d, d.requireID(current.ID)
}

// replace stores the document that next makes from the current version, unless the content is
// equal.
func (s *Service) replace(ctx context.Context, needs []access.Actions, key Key, opts UpdateOptions, next func(current Version) (*draft, error)) (Outcome, error) {
	o, err := s.exclusively(ctx, needs, key, opts, func(current Version, change changeFunc) (Outcome, error) {
		d, err := next(current)
		if err != nil {
			return Outcome{}, err
		}
		o, err := s.compare(current, d)
		if err == nil && o.Changed {
			o.Version, err = change(ctx, current, d)
		}
		return o, err
	})
	return s.shown(ctx, o, err)
}

// An attempt makes a change from the current version of a resource, and stores what follows with change.
type attempt func(current Version, change changeFunc) (Outcome, error)

// A changeFunc stores the document that follows a version. A nil draft deletes.
type changeFunc func(ctx context.Context, current Version, d *draft) (Version, error)

// exclusively changes one resource. While many change it at the same time, it does so in transactions, which
// have no others beside them and are committed together: where changes wait for each other, or after a conflict
// with another process, and for some time after that. If the caller named the version to change, a conflict is
// the outcome.
func (s *Service) exclusively(ctx context.Context, needs []access.Actions, key Key, opts UpdateOptions, try attempt) (Outcome, error) {
	switch {
	case opts.IfMatch != nil || opts.IfNoneMatch:
		return s.withLock(ctx, needs, key, opts, 1, try)
	case s.transactor == nil:
		o, err := s.withLock(ctx, needs, key, opts, attempts, try)
		if errors.Is(err, ErrConflict) {
			err = fmt.Errorf("%w: others changed %s %d times meanwhile; try again", ErrUnavailable, key, attempts)
		}
		return o, err
	}
	if s.locks.waiting(key) {
		s.contended.note(key)
	}
	if !s.contended.recently(key) {
		o, err := s.withLock(ctx, needs, key, opts, 1, try)
		if !errors.Is(err, ErrConflict) {
			return o, err
		}
		s.contended.note(key)
	}
	return s.withTurn(ctx, needs, key, opts, try)
}

// withLock changes a resource while no other writer of this service does, and tries again after conflicts.
func (s *Service) withLock(ctx context.Context, needs []access.Actions, key Key, opts UpdateOptions, tries int, try attempt) (Outcome, error) {
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()
	if o, done, err := s.fromMemory(ctx, key, opts, try); done {
		return o, err
	}
	for range tries {
		var current Version
		var o Outcome
		if current, err = s.current(ctx, needs, key, opts); err == nil {
			o, err = try(current, s.change)
		}
		switch {
		case err == nil:
			return o, nil
		case !errors.Is(err, ErrConflict):
			return Outcome{}, err
		}
	}
	return Outcome{}, err
}

// fromMemory changes a resource from the version that the store remembers. It is not done if there is none, if
// it is no longer the newest, or if the version decides anything else than what is stored: that takes the newest.
func (s *Service) fromMemory(ctx context.Context, key Key, opts UpdateOptions, try attempt) (o Outcome, done bool, err error) {
	if s.remembers == nil || access.GrantOf(ctx) != nil {
		return Outcome{}, false, nil
	}
	current, known := s.remembers.Remembered(key)
	if known = known && opts.check(current) == nil; !known {
		return Outcome{}, false, nil
	}
	o, err = try(current, func(ctx context.Context, current Version, d *draft) (Version, error) {
		v, err := s.change(ctx, current, d)
		done = !errors.Is(err, ErrConflict)
		return v, err
	})
	return o, done, err
}

// withTurn changes a resource in a transaction.
func (s *Service) withTurn(ctx context.Context, needs []access.Actions, key Key, opts UpdateOptions, try attempt) (o Outcome, err error) {
	err = s.transact(ctx, []string{key.Type}, 0, func(ctx context.Context, w *serviceTx) error {
		current, err := w.current(ctx, needs, key)
		if err == nil {
			err = opts.check(current)
		}
		if err == nil {
			o, err = try(current, w.change)
		}
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return o, nil
}

// compare returns the outcome of storing a document after the current version. Changed is false if
// the content is equal and nothing has to be stored.
func (s *Service) compare(current Version, d *draft) (Outcome, error) {
	o := Outcome{Version: current, Created: current.VersionID == 0 || current.Deleted, Changed: true, Issues: d.issues}
	if o.Created {
		return o, nil
	}
	was, err := parse(current.Body)
	if err != nil { // stored documents were well-formed when they were written
		return o, nil //nolint:nilerr // so this one is replaced
	}
	if o.Changed = !equalContent(was, d.doc); o.Changed {
		o.Issues, err = s.lifecycleIssues(d, was)
	}
	return o, err
}

// Delete deletes a resource. Outcome.Changed is false if there was nothing to delete, which is not
// an error (R4 http, delete).
//
// Errors: ErrUnknownType, ErrBadID, ErrConflict, and those of the listener.
func (s *Service) Delete(ctx context.Context, typ, id string, opts UpdateOptions) (Outcome, error) {
	key, err := s.key(typ, id)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.covers(ctx, typ, access.Delete); err != nil {
		return Outcome{}, err
	}
	return s.exclusively(ctx, needsDelete(), key, opts, func(current Version, change changeFunc) (Outcome, error) {
		if current.VersionID == 0 || current.Deleted {
			return Outcome{Version: current}, nil
		}
		v, err := change(ctx, current, nil)
		return Outcome{Version: v, Changed: true}, err
	})
}

// current returns the current version, which may be a deletion. VersionID is 0 if there is none. It
// returns ErrConflict if the version is not the one that opts require.
func (s *Service) current(ctx context.Context, needs []access.Actions, key Key, opts UpdateOptions) (v Version, err error) {
	if access.GrantOf(ctx) != nil {
		err := s.every(ctx, func(r index.Reader) error {
			found, err := r.Find(ctx, []Key{key}, index.WithBody|index.WithValues)
			if err == nil {
				v, err = s.admit(ctx, r, needs, &found[0], key)
			}
			return err
		})
		if err == nil {
			err = opts.check(v)
		}
		return v, err
	}
	v, err = s.storeRead(ctx, key)
	switch {
	case errors.Is(err, ErrNotFound):
		v = Version{Key: key}
	case errors.Is(err, ErrGone):
	case err != nil:
		return Version{}, err
	}
	return v, opts.check(v)
}

// check returns ErrConflict if the current version is not the one that the options require.
func (o UpdateOptions) check(current Version) error {
	exists := current.VersionID
	if current.Deleted {
		exists = 0
	}
	switch {
	case o.IfNoneMatch && exists != 0:
		return Conflict(current.Key, 0, exists)
	case o.IfMatch != nil && *o.IfMatch != exists:
		return Conflict(current.Key, *o.IfMatch, exists)
	}
	return nil
}

// change prepares, stores and publishes the version that follows current. A nil draft deletes. The
// caller holds the lock of the resource.
func (s *Service) change(ctx context.Context, current Version, d *draft) (Version, error) {
	w := Write{Key: current.Key, IfVersion: &current.VersionID, At: s.writeTime()}
	if d != nil {
		var err error
		if access.GrantOf(ctx) != nil {
			err = s.every(ctx, func(r index.Reader) error { return s.admitDraft(ctx, r, current, d) })
		}
		if err != nil {
			return Version{}, err
		}
		if w, err = s.write(d, current.Key, current.VersionID); err != nil {
			return Version{}, err
		}
		w.JustRead = true
	}
	if s.publishes(current.Type) {
		return s.changePublished(ctx, current, d, w)
	}
	v, err := s.storeWrite(ctx, w)
	if err != nil {
		return Version{}, storeFailed(w.String(), err)
	}
	s.vocabulary.Add(w.Terms)
	return v, nil
}
