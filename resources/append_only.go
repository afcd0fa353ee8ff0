package resources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/roget-health/roget/access"
)

// ErrAppendOnly is returned for a change of a resource whose type is append-only.
var ErrAppendOnly = errors.New("resources of this type are never changed or deleted")

// WithAppendOnly lets clients create and read resources of a type, but not update, patch or delete
// them, so that nobody alters what Append and clients have recorded. Everything omits resources of
// the type unless the request names it.
func WithAppendOnly(typ string) Option {
	return func(s *Service) { s.appendOnly = typ }
}

// WithRetention lets Maintain remove resources of the type that is append-only, without a trace, when
// they are older than keep. The store must be a Forgetter.
func WithRetention(keep time.Duration) Option {
	return func(s *Service) { s.retention = keep }
}

// CanForget reports whether WithRetention works with the store.
func (s *Service) CanForget() bool {
	_, can := s.store.(Forgetter)
	return can
}

// Forget removes the resources that are older than WithRetention allows, and returns their number.
func (s *Service) Forget(ctx context.Context) (resources int, err error) {
	store, can := s.store.(Forgetter)
	if !can || s.retention <= 0 || s.appendOnly == "" {
		return 0, nil
	}
	now := time.Now
	if s.now != nil {
		now = s.now
	}
	return store.Forget(ctx, s.appendOnly, now().Add(-s.retention))
}

// AppendOnly reports whether resources of a type are never changed or deleted.
func (s *Service) AppendOnly(typ string) bool { return typ != "" && typ == s.appendOnly }

// changeable returns ErrReadOnly if one of the actions would write to a standby, and ErrAppendOnly if
// one would change resources that are append-only. A client cannot choose their ids, so that it cannot
// take those of Append.
func (s *Service) changeable(typ string, actions access.Actions) error {
	if actions&(access.Create|access.Update|access.Delete) != 0 && s.ReadsOnly() {
		return ErrReadOnly
	}
	if actions&(access.Update|access.Delete) != 0 && s.AppendOnly(typ) {
		return fmt.Errorf("%w: %s", ErrAppendOnly, typ)
	}
	return nil
}

// appendedPrefix begins the ids of resources that the server itself made. Clients cannot choose such
// an id, so it shows who made the resource.
const appendedPrefix = "server-"

// appendedAtOnce bounds the documents of one transaction, for which other writers wait.
const appendedAtOnce = 500

// Append stores documents that the server itself made, as new resources of the type that is
// append-only, whatever the grant of a context permits. It returns when they are durable. After an
// error, some of them may be stored. Their ids begin with "server-".
//
// Errors: *r4.SyntaxError, ErrInvalid, ErrTypeMismatch, ErrNotSearchable, and those of the store.
func (s *Service) Append(ctx context.Context, bodies [][]byte) error {
	if s.appendOnly == "" {
		return errors.New("no type is append-only")
	}
	ctx = access.WithGrant(ctx, nil)
	for part := range slices.Chunk(bodies, appendedAtOnce) {
		if err := s.appendPart(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) appendPart(ctx context.Context, bodies [][]byte) error {
	writes := make([]Write, len(bodies))
	err := parallel(ctx, len(bodies), func(i int) error {
		d, err := s.parseDraft(s.appendOnly, bodies[i])
		if err == nil {
			err = s.check(ctx, d)
		}
		if err != nil {
			return err
		}
		key := Key{Type: s.appendOnly, ID: appendedPrefix + s.newID()}
		writes[i], err = s.write(d, key, 0)
		writes[i].Fresh = true
		return err
	})
	if err != nil {
		return err
	}
	entries := 0
	for i := range writes {
		entries += len(writes[i].Entries) + len(writes[i].Terms)
	}
	return s.transact(ctx, []string{s.appendOnly}, entries, func(ctx context.Context, w *serviceTx) error {
		for i := range writes {
			if _, err := w.write(ctx, writes[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
