package resources

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/search"
)

// A LoadItem is a document to store.
type LoadItem struct {
	Body []byte
	// New stores the document as a create, under an id that the service generates. Otherwise a
	// document with an id is an update, and one without is a create.
	New bool
	// IfNoneExist is the condition of a create; see CreateOptions. It implies New.
	IfNoneExist string
}

// A LoadResult is the result of one document of Load.
type LoadResult struct {
	Outcome
	// Err is why the document was refused, nil if it was stored.
	Err error
}

// Load stores documents in one durable change, each as a separate create or update. A document that
// is refused does not affect the others, and later documents see the changes of earlier ones.
// Results are in the order of the documents. An error from the store or ctx is returned as err;
// then nothing is stored. Without a store with transactions Load returns ErrNotSearchable.
func (s *Service) Load(ctx context.Context, items []LoadItem) ([]LoadResult, error) {
	loads := make([]load, len(items))
	err := parallel(ctx, len(items), func(i int) error {
		loads[i] = s.load(ctx, &items[i])
		return loads[i].failed
	})
	if err == nil {
		err = s.loadAnswers(ctx, loads)
	}
	if err != nil {
		return nil, err
	}
	var types []string
	entries := 0
	for i := range loads {
		if loads[i].err == nil {
			types = append(types, loads[i].key.Type)
			entries += loads[i].draft.entries()
		}
	}
	results := make([]LoadResult, len(items))
	err = s.transact(ctx, types, entries, func(ctx context.Context, w *serviceTx) error {
		clear(results)
		return w.load(ctx, loads, results)
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// A load is a checked item.
type load struct {
	key        Key
	draft      *draft
	conditions conditions // at most one, of a conditional create
	err        error
	failed     error // of the store or ctx
}

// load checks an item.
func (s *Service) load(ctx context.Context, item *LoadItem) (l load) {
	doc, err := parse(item.Body)
	if err != nil {
		return load{err: err}
	}
	typ := doc.Root().Get("resourceType")
	if typ.Kind() != document.String {
		return load{err: fmt.Errorf("%w: the document has no resourceType", ErrTypeMismatch)}
	}
	l.key = Key{Type: typ.Text(), ID: s.newID()}
	if err := s.checkType(l.key.Type); err != nil {
		return load{err: err}
	}
	if l.draft, l.err = s.draftOf(ctx, l.key.Type, doc); l.err != nil {
		if l.draft != nil && !errors.Is(l.err, ErrInvalid) {
			l.failed = l.err
		}
		return l
	}
	l.draft.action, l.draft.assigned = access.Create, true
	switch {
	case item.IfNoneExist != "":
		_, l.err = l.conditions.add(0, l.key.Type, item.IfNoneExist)
	case !item.New && l.draft.id != "":
		l.draft.action, l.draft.assigned = access.Update, false
		l.key, l.err = s.key(l.key.Type, l.draft.id)
	}
	if l.err == nil {
		l.err = s.covers(ctx, l.key.Type, l.draft.action)
	}
	if l.err == nil {
		l.err = s.index(l.draft)
	}
	if l.err == nil && s.publishes(l.key.Type) {
		// A refusal by the listener inside the transaction would abort all of it.
		_, l.err = s.prepare(ctx, Version{Key: l.key, Body: item.Body})
	}
	return l
}

// loadAnswers checks QuestionnaireResponses against their Questionnaires, which are stored or come
// before them.
func (s *Service) loadAnswers(ctx context.Context, loads []load) error {
	q := &questionnaires{s: s}
	for i := range loads {
		l := &loads[i]
		if l.err != nil {
			continue
		}
		q.add(l.key, l.draft)
		if l.err = q.check(ctx, l.draft); l.err != nil && !errors.Is(l.err, ErrInvalid) {
			return l.err
		}
	}
	return nil
}

// load stores the items that passed the checks.
func (w *serviceTx) load(ctx context.Context, loads []load, results []LoadResult) error {
	now, refused, err := w.currentOf(ctx, loads)
	if err != nil {
		return err
	}
	for i := range loads {
		l := &loads[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &results[i]
		if r.Err = cmp.Or(l.err, refused[l.key]); r.Err != nil {
			continue
		}
		if len(l.conditions.list) > 0 {
			found, err := w.s.only(ctx, w.tx, l.key.Type, l.conditions.params[l.conditions.list[0]])
			switch {
			case errors.Is(err, ErrMultipleMatches), errors.Is(err, search.ErrParameter), errors.Is(err, access.ErrForbidden):
				r.Err = err
				continue
			case err != nil:
				return fmt.Errorf("%s: %w", l.key, err)
			case found.VersionID > 0:
				r.Outcome = Outcome{Version: found}
				continue
			}
		}
		o, err := w.s.compare(now[l.key], l.draft)
		if r.Err = err; err != nil {
			continue
		}
		if r.Outcome = o; !o.Changed {
			continue
		}
		switch r.Outcome, err = w.store(ctx, o, l.draft); {
		case errors.Is(err, access.ErrForbidden), errors.Is(err, ErrNotFound):
			r.Err = err // nothing was written
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", l.key, err)
		}
		now[l.key] = r.Version
	}
	return nil
}

// currentOf returns the current versions of the resources to load, and why the grant refuses some of them.
func (w *serviceTx) currentOf(ctx context.Context, loads []load) (now map[Key]Version, refused map[Key]error, err error) {
	var keys []Key
	now, refused = map[Key]Version{}, map[Key]error{}
	for i := range loads {
		key := loads[i].key
		if _, known := now[key]; !known && loads[i].err == nil {
			now[key] = Version{Key: key}
			keys = append(keys, key)
		}
	}
	found, err := w.find(ctx, keys...)
	if err != nil {
		return nil, nil, err
	}
	for i, key := range keys {
		now[key], err = w.admit(ctx, needsUpdate(), &found[i], key)
		if errors.Is(err, access.ErrForbidden) {
			refused[key] = err
		} else if err != nil {
			return nil, nil, err
		}
	}
	return now, refused, nil
}
