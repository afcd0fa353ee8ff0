package resources

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/roget-health/roget/resources/r4"
)

// attempts bounds how often a change starts again because another process, which shares
// the store, changed the same resource in between.
const attempts = 5

// Create stores a new resource under an id the service makes; id, meta.versionId and
// meta.lastUpdated in body are ignored (R4 http, create).
//
// Errors: *r4.SyntaxError, ErrInvalid, ErrUnknownType, ErrTypeMismatch, with a condition
// search.ErrParameter, ErrMultipleMatches and ErrNotSearchable, and those of the listener.
func (s *Service) Create(ctx context.Context, typ string, body []byte, opts CreateOptions) (Outcome, error) {
	if opts.IfNoneExist != "" {
		return Outcome{}, ErrNotSearchable
	}
	key, err := s.key(typ, s.newID())
	if err != nil {
		return Outcome{}, err
	}
	if _, err := s.check(typ, body); err != nil {
		return Outcome{}, err
	}
	unlock, err := s.locks.lock(ctx, key)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()
	v, err := s.change(ctx, Version{Key: key}, body)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Version: v, Created: true, Changed: true}, nil
}

// Update stores a version under id, which may be new. Content that is stored already
// (compared without white space, id, versionId and lastUpdated) keeps its version.
//
// Errors: *r4.SyntaxError, ErrInvalid, ErrUnknownType, ErrBadID, ErrTypeMismatch,
// ErrIDMismatch, ErrConflict, and those of the listener.
func (s *Service) Update(ctx context.Context, typ, id string, body []byte, opts UpdateOptions) (Outcome, error) {
	key, err := s.key(typ, id)
	if err != nil {
		return Outcome{}, err
	}
	bodyID, err := s.check(typ, body)
	if err != nil {
		return Outcome{}, err
	}
	if bodyID != id {
		return Outcome{}, fmt.Errorf("%w: %s.id is %q, the address says %q", ErrIDMismatch, typ, bodyID, id)
	}
	unlock, err := s.locks.lock(ctx, key)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()

	var o Outcome
	err = opts.retry(func() error {
		current, err := s.current(ctx, key, opts)
		if err != nil {
			return err
		}
		o = Outcome{Version: current, Created: current.VersionID == 0 || current.Deleted}
		if !o.Created && same(current.Body, body) {
			return nil
		}
		o.Version, err = s.change(ctx, current, body)
		o.Changed = true
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return o, nil
}

// Delete deletes a resource. Outcome.Changed is false when there was nothing to delete,
// which is no error (R4 http, delete).
//
// Errors: ErrUnknownType, ErrBadID, ErrConflict, and those of the listener.
func (s *Service) Delete(ctx context.Context, typ, id string, opts UpdateOptions) (Outcome, error) {
	key, err := s.key(typ, id)
	if err != nil {
		return Outcome{}, err
	}
	unlock, err := s.locks.lock(ctx, key)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()

	var o Outcome
	err = opts.retry(func() error {
		current, err := s.current(ctx, key, opts)
		if err != nil {
			return err
		}
		o = Outcome{Version: current}
		if current.VersionID == 0 || current.Deleted {
			return nil
		}
		o.Version, err = s.change(ctx, current, nil)
		o.Changed = true
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return o, nil
}

// check looks at a document before anything is done with it, and gives its id, "" when absent.
func (s *Service) check(typ string, body []byte) (id string, err error) {
	if err := r4.Check(body, r4.DefaultLimits()); err != nil {
		return "", err
	}
	var o outline
	if err := o.read(body); err != nil {
		return "", &r4.SyntaxError{Line: 1, Column: 1, Expression: typ, Code: "structure", Msg: err.Error()}
	}
	switch got, ok := o.resourceType.text(body); {
	case !ok:
		return "", fmt.Errorf("%w: the body has no resourceType, expected %s", ErrTypeMismatch, typ)
	case got != typ:
		return "", fmt.Errorf("%w: the body is a %s, expected %s", ErrTypeMismatch, got, typ)
	}
	id, ok := o.id.text(body)
	if o.id.present() && !ok {
		return "", &r4.SyntaxError{Line: 1, Column: 1, Expression: typ + ".id", Code: "structure", Msg: "id must be a string"}
	}
	if !s.relaxed {
		if err := o.minimum(typ, body); err != nil {
			return "", err
		}
	}
	return id, nil
}

// current gives the current version, which may be a deletion, or a Version with
// VersionID 0 when there is none; ErrConflict when it is not what opts demand.
func (s *Service) current(ctx context.Context, key Key, opts UpdateOptions) (Version, error) {
	v, err := s.store.Read(ctx, key)
	switch {
	case errors.Is(err, ErrNotFound):
		v = Version{Key: key}
	case errors.Is(err, ErrGone):
	case err != nil:
		return Version{}, err
	}
	return v, opts.check(v)
}

// check gives ErrConflict when a current version is not what the options demand.
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

// change prepares, stores and publishes what follows the current version; body nil deletes.
func (s *Service) change(ctx context.Context, current Version, body []byte) (Version, error) {
	key, next := current.Key, current.VersionID+1
	at := s.now().UTC().Truncate(time.Millisecond)
	if at.Before(current.LastUpdated) {
		at = current.LastUpdated
	}
	w := Write{Key: key, IfVersion: &current.VersionID, At: at}
	var document []byte
	if body != nil {
		var err error
		if document, err = SpliceMeta(body, key.ID, next, at); err != nil {
			return Version{}, fmt.Errorf("%s: %w", key, err)
		}
		w.Render = func(versionID int64, lastUpdated time.Time) ([]byte, error) {
			if versionID == next && lastUpdated.Equal(at) {
				return document, nil
			}
			return SpliceMeta(body, key.ID, versionID, lastUpdated)
		}
	}
	publish := func() {}
	if s.listener != nil {
		p, err := s.listener.Prepare(ctx, key.Type, key.ID, document)
		if err != nil {
			return Version{}, err
		}
		if p != nil {
			publish = p
		}
	}
	if err := ctx.Err(); err != nil {
		return Version{}, err
	}
	// From here on the caller going away must not leave the store and the listener
	// with different answers, so the write is not cancelled half way.
	v, err := s.store.Write(context.WithoutCancel(ctx), w)
	switch {
	case err == nil:
	case errors.Is(err, ErrConflict), errors.Is(err, ErrNotFound), errors.Is(err, ErrGone), errors.Is(err, ErrClosed):
		return Version{}, err
	default:
		return Version{}, fmt.Errorf("%s: %w: %w", w.Key, ErrStoreFailed, err)
	}
	publish()
	return v, nil
}

// retry runs a change again after a conflict the caller did not ask about.
func (o UpdateOptions) retry(change func() error) error {
	var err error
	for range attempts {
		if err = change(); o.IfMatch != nil || o.IfNoneMatch || !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return err
}

// same reports that two documents say the same.
func same(a, b []byte) bool {
	da, err := digest(a)
	if err != nil {
		return false
	}
	db, err := digest(b)
	return err == nil && da == db
}
