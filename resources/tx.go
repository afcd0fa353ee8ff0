package resources

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/resources/index"
)

// A serviceTx is a transaction of a Service. It reads, decides and writes as one, and publishes its
// writes once they are durable.
type serviceTx struct {
	s       *Service
	tx      Tx
	publish []func()
	terms   [][]byte // terms of the vocabulary written so far
}

// transact runs fn as one change. fn may be run again after a collision, so its side effects must
// not accumulate. types are the types of the resources it may change, entries is how many entries of
// the index it may write, as far as that is known before.
func (s *Service) transact(ctx context.Context, types []string, entries int, fn func(ctx context.Context, w *serviceTx) error) error {
	if s.transactor == nil {
		return ErrNotSearchable
	}
	caller, published := ctx, false
	for _, typ := range types {
		published = published || s.publishes(typ)
	}
	if published {
		if err := s.publishing.Acquire(ctx, allPublishing); err != nil {
			return err
		}
		defer s.publishing.Release(allPublishing)
		// A caller that goes away must not leave the store and the listener with different states:
		// it ends the work, but not the commit.
		var cancel context.CancelFunc
		ctx, cancel = uncancelled(ctx)
		defer cancel()
	}
	w := &serviceTx{s: s}
	var refused error
	err := s.storeTransact(ctx, entries, func(tx Tx) error {
		w.tx, w.publish, w.terms = tx, nil, nil
		refused = fn(caller, w)
		if refused == nil {
			refused = caller.Err()
		}
		return refused
	})
	switch {
	case err == nil:
	case refused != nil && errors.Is(err, refused):
		return err
	default:
		return storeFailed("transaction", err)
	}
	s.vocabulary.Add(w.terms)
	for _, publish := range w.publish {
		publish()
	}
	return nil
}

// put stores a document after the current version, unless the content is equal.
func (w *serviceTx) put(ctx context.Context, current Version, d *draft) (Outcome, error) {
	o, err := w.s.compare(current, d)
	if err != nil || !o.Changed {
		return o, err
	}
	return w.store(ctx, o, d)
}

// store stores the document that follows the version of an outcome.
func (w *serviceTx) store(ctx context.Context, o Outcome, d *draft) (Outcome, error) {
	if err := w.s.admitDraft(ctx, w.tx, o.Version, d); err != nil {
		return Outcome{}, err
	}
	change, err := w.s.write(d, o.Key, o.VersionID)
	if err != nil {
		return Outcome{}, err
	}
	o.Version, err = w.write(ctx, change)
	return o, err
}

// change is Service.change in the transaction.
func (w *serviceTx) change(ctx context.Context, current Version, d *draft) (Version, error) {
	if d == nil {
		return w.write(ctx, Write{Key: current.Key, IfVersion: &current.VersionID, At: w.s.writeTime()})
	}
	o, err := w.store(ctx, Outcome{Version: current}, d)
	return o.Version, err
}

// remove deletes a resource, which may not exist.
func (w *serviceTx) remove(ctx context.Context, current Version) (Outcome, error) {
	if current.VersionID == 0 || current.Deleted {
		return Outcome{Version: current}, nil
	}
	v, err := w.change(ctx, current, nil)
	return Outcome{Version: v, Changed: true}, err
}

// write makes a change and prepares it with the listener.
func (w *serviceTx) write(ctx context.Context, change Write) (Version, error) {
	v, err := w.tx.Write(ctx, change)
	if err != nil {
		return Version{}, storeFailed(change.String(), err)
	}
	w.terms = append(w.terms, change.Terms...)
	if !w.s.publishes(v.Type) {
		return v, nil
	}
	publish, err := w.s.prepare(ctx, v)
	if err != nil {
		return Version{}, err
	}
	w.publish = append(w.publish, publish)
	return v, nil
}

// current returns the newest version of a key for a change, with VersionID 0 for a resource that was
// never stored; see Service.admit.
func (w *serviceTx) current(ctx context.Context, needs []access.Actions, key Key) (Version, error) {
	found, err := w.find(ctx, key)
	if err != nil {
		return Version{}, err
	}
	return w.admit(ctx, needs, &found[0], key)
}

// admit is Service.admit in the state of the transaction, and loads the document if find has left it
// out. Others wait for the transaction, so it does not wait for memory, but returns budget.ErrBusy.
func (w *serviceTx) admit(ctx context.Context, needs []access.Actions, rec *index.Record, key Key) (Version, error) {
	v, err := w.s.admit(ctx, w.tx, needs, rec, key)
	one := []index.Record{*rec}
	if err != nil || v.VersionID == 0 || !index.Missing(one) {
		return v, err
	}
	if err := budget.Try(ctx, 2*int64(rec.Size)); err != nil {
		return Version{}, err
	}
	err = index.Fill(ctx, w.tx, one)
	v.Body = one[0].Body
	return v, err
}

// find returns the newest version of each key, whatever is permitted, without documents that are not
// small.
func (w *serviceTx) find(ctx context.Context, keys ...Key) ([]index.Record, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := w.tx.Find(ctx, keys, index.WithSmallBody)
	if err != nil {
		return nil, err
	}
	if len(found) != len(keys) {
		return nil, fmt.Errorf("%w: the store returned %d of %d resources", ErrStoreFailed, len(found), len(keys))
	}
	return found, nil
}
