package resources

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/roget-health/roget/resources/index"
)

// maxEntries bounds the entries of a transaction.
const maxEntries = 10_000

// TransactionOptions are for Service.Transaction.
type TransactionOptions struct {
	// Answer reads what a GET entry asks for, and is called for each of them in their order
	// after all changes. What it reads from the Service with ctx is the state within the
	// transaction. It may be called again when the transaction has to start anew. nil refuses
	// transactions with a GET.
	Answer func(ctx context.Context, i int, entry *BundleEntry) error
}

// A transaction is a bundle on its way into the store.
type transaction struct {
	s        *Service
	opts     TransactionOptions
	steps    []*step
	where    conditions // of creates, updates, patches and references
	outcomes []Outcome

	names    map[string]*step   // by fullUrl
	referred map[condition]bool // those of references
	// What follows depends on what the conditions find: plan is what the steps are ready
	// for, nil when for nothing; targets the entry that changes a resource, made what
	// the conditions that found nothing create.
	plan    resolution
	targets map[Key]int
	made    map[condition]Key
}

// Transaction does what the entries of a bundle of type transaction ask, all or nothing, in
// the order DELETE, POST, PUT and PATCH, GET (R4 http, transaction). References to the
// fullUrl of an entry become references to the resource it made; references that are
// searches, Type?query, to the one resource they find. The outcomes are one for each entry,
// in their order; that of a GET is zero.
//
// Conditions and references are decided on the state after the deletions. One that matches
// nothing there, but stands at a POST or PUT of the same bundle too, means that entry.
//
// Errors are *EntryError around those of the interaction of the entry, or ErrBundle.
func (s *Service) Transaction(ctx context.Context, b *Bundle, opts TransactionOptions) ([]Outcome, error) {
	switch {
	case s.transactor == nil:
		return nil, ErrNotSearchable
	case b.Type != "transaction":
		return nil, fmt.Errorf("%w: Bundle.type is %.40q, not transaction", ErrBundle, b.Type)
	case len(b.Entries) > maxEntries:
		return nil, fmt.Errorf("%w: it has %d entries, more than the %d of a transaction", ErrBundle, len(b.Entries), maxEntries)
	}
	t := &transaction{s: s, opts: opts, names: map[string]*step{}, outcomes: make([]Outcome, len(b.Entries))}
	if err := t.read(b); err != nil {
		return nil, err
	}
	if err := t.foresee(ctx); err != nil {
		return nil, err
	}
	if err := s.transact(ctx, t.types(), t.run); err != nil {
		return nil, err
	}
	return t.outcomes, nil
}

// read reads all entries, and finds the references that are to be resolved.
func (t *transaction) read(b *Bundle) error {
	for i := range b.Entries {
		e := &b.Entries[i]
		st, err := t.s.stepOf(i, e, &t.where)
		if err == nil && st.action == actGet && t.opts.Answer == nil {
			err = fmt.Errorf("%w: a GET is not answered here", ErrBundle)
		}
		if err != nil {
			return entryFailed(i, "", err)
		}
		t.steps = append(t.steps, st)
		if e.FullURL == "" || st.action == actGet || st.action == actDelete {
			continue
		}
		if other := t.names[e.FullURL]; other != nil {
			return entryFailed(i, "", fmt.Errorf("%w: fullUrl %.100q is also that of entry %d", ErrBundle, e.FullURL, other.index))
		}
		t.names[e.FullURL] = st
	}
	return t.findLinks()
}

// types are the resource types that the transaction may change.
func (t *transaction) types() []string {
	var types []string
	for _, st := range t.steps {
		if st.action != actGet && !slices.Contains(types, st.typ) {
			types = append(types, st.typ)
		}
	}
	return types
}

// foresee makes the steps ready for the present state, so that little is left to do while
// others wait for the transaction: what it finds out about conditions may be wrong by then.
// A transaction that fails in one state of the store has failed, unless it deletes first.
func (t *transaction) foresee(ctx context.Context) error {
	var found resolution
	err := t.s.view(ctx, func(r index.Reader) error {
		var err error
		found, err = t.resolve(ctx, r)
		return err
	})
	if err == nil {
		err = t.prepare(ctx, found)
	}
	if slices.ContainsFunc(t.steps, func(st *step) bool { return st.action == actDelete }) {
		return ctx.Err()
	}
	return err
}

// run does the steps within a transaction of the store.
func (t *transaction) run(ctx context.Context, w *work) error {
	clear(t.outcomes)
	removed, err := t.remove(ctx, w)
	if err != nil {
		return err
	}
	found, err := t.resolve(ctx, w.tx)
	if err != nil {
		return err
	}
	if !t.plan.equal(found) {
		if err := t.prepare(ctx, found); err != nil {
			return err
		}
	}
	for key, i := range removed {
		if j, twice := t.targets[key]; twice {
			return changedTwice(key, i, j)
		}
	}
	if err := t.store(ctx, w, found); err != nil {
		return err
	}
	for _, st := range t.steps {
		if st.action != actGet {
			continue
		}
		if err := t.opts.Answer(within(ctx, w.tx), st.index, st.entry); err != nil {
			return entryFailed(st.index, "", err)
		}
	}
	return nil
}

func changedTwice(key Key, i, j int) error {
	return entryFailed(max(i, j), "", fmt.Errorf("%w: %s is changed by entry %d, too", ErrBundle, key, min(i, j)))
}

// remove does the deletions, and tells which entry each resource was deleted by.
func (t *transaction) remove(ctx context.Context, w *work) (map[Key]int, error) {
	removed := map[Key]int{}
	for _, st := range t.steps {
		if st.action != actDelete {
			continue
		}
		current, err := t.target(ctx, w, st)
		if err == nil {
			err = st.opts.check(current)
		}
		if err == nil {
			t.outcomes[st.index], err = w.remove(ctx, current)
		}
		if err != nil {
			return nil, entryFailed(st.index, st.typ, err)
		}
		if j, twice := removed[current.Key]; twice && current.ID != "" {
			return nil, changedTwice(current.Key, st.index, j)
		}
		removed[current.Key] = st.index
	}
	return removed, nil
}

// target returns what a deletion is about: a Version without an id when its condition
// matches nothing.
func (t *transaction) target(ctx context.Context, w *work, st *step) (Version, error) {
	if st.id == "" {
		return t.s.only(ctx, w.tx, st.typ, t.where.params[st.where])
	}
	current, err := w.current(ctx, Key{Type: st.typ, ID: st.id})
	if err != nil {
		return Version{}, err
	}
	return current[0], nil
}

// store does creates, then updates and patches.
func (t *transaction) store(ctx context.Context, w *work, found resolution) error {
	var steps []*step
	for _, st := range t.steps {
		if st.action == actCreate && !st.there {
			steps = append(steps, st)
		}
	}
	for _, st := range t.steps {
		if st.action == actUpdate || st.action == actPatch {
			steps = append(steps, st)
		}
	}
	keys := make([]Key, len(steps))
	for i, st := range steps {
		keys[i] = st.key
	}
	current, err := w.current(ctx, keys...)
	if err != nil {
		return err
	}
	for i, st := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := t.storeStep(ctx, w, st, current[i], found)
		if err != nil {
			return entryFailed(st.index, st.typ, err)
		}
		t.outcomes[st.index] = o
	}
	return t.report(found)
}

// storeStep does one create, update or patch.
func (t *transaction) storeStep(ctx context.Context, w *work, st *step, current Version, found resolution) (Outcome, error) {
	if err := st.opts.check(current); err != nil {
		return Outcome{}, err
	}
	switch exists := current.VersionID > 0 && !current.Deleted; {
	case st.action == actCreate && exists:
		return Outcome{}, Conflict(st.key, 0, current.VersionID)
	case st.action == actUpdate && exists && st.id == "" && st.key.ID == st.fresh && found[st.where].ID != st.fresh:
		return Outcome{}, inUse(st.key)
	case st.action != actPatch:
		return w.put(ctx, current, st.ready)
	case current.VersionID == 0:
		return Outcome{}, NotFound(st.key)
	case current.Deleted:
		return Outcome{}, Gone(st.key)
	}
	d, err := t.s.patched(current, st.patch)
	if err != nil {
		return Outcome{}, err
	}
	return w.put(ctx, current, d)
}

// report fills in the outcomes of conditional creates that had nothing to do.
func (t *transaction) report(found resolution) error {
	for _, st := range t.steps {
		if st.action != actCreate || !st.there {
			continue
		}
		if v := found[st.where]; v.VersionID > 0 {
			t.outcomes[st.index] = Outcome{Version: v}
			continue
		}
		first, is := t.targets[st.key]
		if !is {
			return entryFailed(st.index, st.typ, NotFound(st.key))
		}
		t.outcomes[st.index] = Outcome{Version: t.outcomes[first].Version}
	}
	return nil
}

// together runs fn for numbers below n on all processors, and gives the error of the
// smallest number.
func together(ctx context.Context, n int, fn func(i int) error) error {
	errs := make([]error, n)
	var group errgroup.Group
	workers := min(runtime.GOMAXPROCS(0), n)
	for k := range workers {
		group.Go(func() error {
			for i := k; i < n; i += workers {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = fn(i)
				}
			}
			return nil
		})
	}
	_ = group.Wait() // they give none
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
