package resources

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/resources/document"
)

// LoadItem is a document to store.
type LoadItem struct {
	Body []byte
	// New stores it under an id of the service's making, whatever its own id is, as a create
	// does; else it is an update of the resource with its id, and a create when it has none.
	New bool
	// IfNoneExist is the condition of a create; see CreateOptions. It implies New.
	IfNoneExist string
}

// LoadResult tells what became of one document of Load.
type LoadResult struct {
	Outcome
	// Err says why the document was refused; nil when it is stored.
	Err error
}

// Load stores documents in one durable change, each as a create or update of its own: one
// that is refused leaves the others alone, and those behind see what those before have
// stored. The results are in the order of the documents; err is of the store, or ctx, and
// nothing is stored then. It needs a store with transactions: ErrNotSearchable.
func (s *Service) Load(ctx context.Context, items []LoadItem) ([]LoadResult, error) {
	loads := make([]load, len(items))
	err := parallel(ctx, len(items), func(i int) error {
		loads[i] = s.load(ctx, &items[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	var types []string
	for i := range loads {
		if loads[i].err == nil {
			types = append(types, loads[i].key.Type)
		}
	}
	results := make([]LoadResult, len(items))
	err = s.transact(ctx, types, func(ctx context.Context, w *serviceTx) error {
		clear(results)
		return w.load(ctx, loads, results)
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// A load is an item that was checked.
type load struct {
	key        Key
	draft      *draft
	conditions conditions // of a conditional create: one
	err        error
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
	if l.draft, l.err = s.draftOf(l.key.Type, doc); l.err != nil {
		return l
	}
	switch {
	case item.IfNoneExist != "":
		_, l.err = l.conditions.add(0, l.key.Type, item.IfNoneExist)
	case !item.New && l.draft.id != "":
		l.key, l.err = s.key(l.key.Type, l.draft.id)
	}
	if l.err == nil {
		l.err = s.index(l.draft)
	}
	if l.err == nil && s.publishes(l.key.Type) {
		// What the listener refuses within the transaction would refuse all of it.
		_, l.err = s.prepare(ctx, Version{Key: l.key, Body: item.Body})
	}
	return l
}

// load stores the items that were found good.
func (w *serviceTx) load(ctx context.Context, loads []load, results []LoadResult) error {
	now, err := w.currentOf(ctx, loads)
	if err != nil {
		return err
	}
	for i := range loads {
		l := &loads[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &results[i]
		if r.Err = l.err; r.Err != nil {
			continue
		}
		if len(l.conditions.list) > 0 {
			found, err := w.s.only(ctx, w.tx, l.key.Type, l.conditions.params[l.conditions.list[0]])
			if r.Err = err; err != nil || found.VersionID > 0 {
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
		if r.Outcome, err = w.store(ctx, o, l.draft); err != nil {
			return fmt.Errorf("%s: %w", l.key, err)
		}
		now[l.key] = r.Version
	}
	return nil
}

// currentOf returns the current versions of what is loaded.
func (w *serviceTx) currentOf(ctx context.Context, loads []load) (map[Key]Version, error) {
	var keys []Key
	now := map[Key]Version{}
	for i := range loads {
		key := loads[i].key
		if _, known := now[key]; !known && loads[i].err == nil {
			now[key] = Version{Key: key}
			keys = append(keys, key)
		}
	}
	current, err := w.current(ctx, keys...)
	for _, v := range current {
		now[v.Key] = v
	}
	return now, err
}
