package resources

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
)

// The functions below return what a change needs of the current version of a resource: one of the
// actions of each element. The first element is the change itself.

func needsUpdate() []access.Actions { return []access.Actions{access.Update} }

// needsPatch includes seeing the resource, because the outcome of a patch depends on it.
func needsPatch() []access.Actions { return []access.Actions{access.Update, seen} }

func needsDelete() []access.Actions { return []access.Actions{access.Delete} }

// seen are the actions that show a resource.
const seen = access.Read | access.Search

// covers returns access.ErrForbidden unless the grant of a context covers one of the actions for a
// type. That does not depend on the resources that exist. It returns ErrAppendOnly for a change that
// nobody may make.
func (s *Service) covers(ctx context.Context, typ string, actions access.Actions) error {
	if err := s.changeable(typ, actions); err != nil {
		return err
	}
	grant := access.GrantOf(ctx)
	if grant == nil {
		return nil
	}
	if s.indexed == nil {
		return fmt.Errorf("%w: permissions are decided on the index of a store", ErrNotSearchable)
	}
	if !grant.Covers(typ, actions) {
		return forbidden(typ, actions)
	}
	return s.every(ctx, func(r index.Reader) error {
		g := s.newGuard(grant, r, actions)
		extent, err := g.byType(ctx, typ)
		switch {
		case err != nil || extent != never:
			return err
		case grant.Guards(typ, actions):
			return fmt.Errorf("%w: value sets decide what this request may do, so it cannot change a %s", access.ErrForbidden, typ)
		}
		return forbidden(typ, actions)
	})
}

// admit returns the current version of a resource for a change, as seen by a grant: with VersionID 0
// if the grant permits neither the change nor seeing it. It returns access.ErrForbidden if the grant
// only permits seeing it. rec has its body.
func (s *Service) admit(ctx context.Context, r index.Reader, needs []access.Actions, rec *index.Record, key Key) (Version, error) {
	v := VersionOf(rec)
	v.Key = key
	grant := access.GrantOf(ctx)
	if grant == nil || rec.Seq == 0 {
		return v, nil
	}
	if rec.Values == nil && !rec.Deleted {
		loaded, err := r.Load(ctx, []index.Seq{rec.Seq}, index.WithValues)
		if err != nil {
			return Version{}, err
		}
		with := *rec
		with.Values = loaded[0].Values
		rec = &with
	}
	g := s.newGuard(grant, r, seen|needs[0])
	visible, err := g.permits(ctx, rec)
	if err != nil {
		return Version{}, err
	}
	if !visible {
		return Version{Key: key}, nil
	}
	for _, need := range needs {
		permitted, err := g.forActions(need).permits(ctx, rec)
		if err != nil {
			return Version{}, err
		}
		if !permitted {
			return Version{}, fmt.Errorf("%w: no scope of this request covers %s of %s", access.ErrForbidden, actionNames(need), key)
		}
	}
	return v, nil
}

// admitDraft returns an error if the grant of a context does not permit storing a document as the
// version of a resource that follows current: if no scope covers the document, or if it could not be
// seen afterwards.
//
// A client that may not see all resources of a type cannot choose the id of a new one, because the
// outcome would tell which ids are taken. For such a client the resource does not exist.
func (s *Service) admitDraft(ctx context.Context, r index.Reader, current Version, d *draft) error {
	grant := access.GrantOf(ctx)
	if grant == nil {
		return nil
	}
	if err := s.index(d); err != nil {
		return err
	}
	g := s.newGuard(grant, r, d.action)
	rec := index.Record{Type: current.Type, ID: current.ID, Seq: r.At() + 1, Until: index.Current, LastUpdated: (r.At() + 1).Time(), Values: d.values.Append(nil)}
	if current.VersionID == 0 && !d.assigned {
		whole, err := g.forActions(seen|d.action).byType(ctx, rec.Type)
		if err != nil {
			return err
		}
		if whole != always {
			return fmt.Errorf("%w; a client whose scopes do not cover all resources of type %s creates new ones with POST", NotFound(current.Key), rec.Type)
		}
	}
	if err := s.admitSubscription(ctx, d); err != nil {
		return err
	}
	permitted, err := g.permits(ctx, &rec)
	if err != nil {
		return err
	}
	if !permitted {
		return fmt.Errorf("%w: no scope of this request covers %s of a %s with this content", access.ErrForbidden, actionNames(d.action), rec.Type)
	}
	reads := g.forActions(seen)
	switch extent, err := reads.byType(ctx, rec.Type); {
	case err != nil:
		return err
	case extent == never:
		return nil // the client only writes
	}
	permitted, err = reads.permits(ctx, &rec)
	if err == nil && !permitted {
		err = fmt.Errorf("%w: this request could not read a %s with this content", access.ErrForbidden, rec.Type)
	}
	return err
}

// shown returns the outcome of a change without its document if the grant of a context permits
// changes only.
func (s *Service) shown(ctx context.Context, o Outcome, err error) (Outcome, error) {
	if err == nil && o.Body != nil && access.GrantOf(ctx) != nil && s.covers(ctx, o.Type, seen) != nil {
		o.Body = nil
	}
	return o, err
}

// Covers reports whether the grant of the context covers one of the actions for some resources of a
// type, and whether it does for all of them, whatever resources exist. Without a grant it covers
// everything.
func (s *Service) Covers(ctx context.Context, typ string, actions access.Actions) (some, all bool, err error) {
	grant := access.GrantOf(ctx)
	if grant == nil {
		return true, true, nil
	}
	if s.indexed == nil {
		return false, false, s.covers(ctx, typ, actions)
	}
	err = s.every(ctx, func(r index.Reader) error {
		extent, err := s.newGuard(grant, r, actions).byType(ctx, typ)
		some, all = extent != never, extent == always
		return err
	})
	return some, all, err
}

// Permits returns access.ErrForbidden, with the reason, if the grant of the context permits one of the
// actions for no resource of a type, and requests that need it are refused. Otherwise it reports whether
// the grant permits it for all of them, whatever resources exist. Without a grant it permits everything.
func (s *Service) Permits(ctx context.Context, typ string, actions access.Actions) (all bool, err error) {
	if err := s.covers(ctx, typ, actions); err != nil {
		return false, err
	}
	_, all, err = s.Covers(ctx, typ, actions)
	return all, err
}

// Permitted reports, for each key, whether the resource exists and the grant of the context permits
// one of the actions for it. Without a grant it permits everything.
func (s *Service) Permitted(ctx context.Context, actions access.Actions, keys []Key) ([]bool, error) {
	permitted := make([]bool, len(keys))
	if access.GrantOf(ctx) == nil {
		for i := range permitted {
			permitted[i] = true
		}
		return permitted, nil
	}
	err := s.view(ctx, actions, func(r index.Reader) error {
		found, err := r.Find(ctx, keys, 0)
		for i := range found {
			permitted[i] = found[i].Seq != 0 && !found[i].Deleted
		}
		return err
	})
	return permitted, err
}
