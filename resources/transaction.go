package resources

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/roget-health/roget/resources/index"
)

// maxEntries bounds the entries of a transaction.
const maxEntries = 10_000

// TransactionOptions configure Service.Transaction.
type TransactionOptions struct {
	// Answer answers an entry that is a GET or a POST to an operation, which must not change
	// anything. It is called for each of them in order, after all changes. Reads from the Service with
	// ctx show the state within the transaction. Answer may be called again if the transaction is
	// retried. If it is nil, transactions with such an entry are refused.
	Answer func(ctx context.Context, i int, entry *BundleEntry) error
}

// A transaction is a bundle that is being executed.
type transaction struct {
	s          *Service
	opts       TransactionOptions
	reader     index.Reader // of the transaction of the store, nil before it
	actions    []*action
	conditions conditions // of creates, updates, patches and references
	outcomes   []Outcome

	// prepared counts the entries of the documents that are prepared, entries also those of patches.
	prepared, entries entryCount

	byFullURL  map[string]*action // by fullUrl
	referenced map[condition]bool // the conditions of references
	// The fields below depend on what the conditions match: preparedFor is the resolution that the
	// actions are ready for, nil if none; targets maps each changed resource to its entry; created
	// maps the conditions that matched nothing to the resources they create; questionnaires are those of
	// the responses.
	preparedFor    resolution
	targets        map[Key]int
	created        map[condition]Key
	questionnaires *questionnaires
}

// Transaction executes the entries of a bundle of type transaction, all or nothing, in the order
// DELETE, POST, PUT and PATCH, GET and operations (R4 http, transaction). References to the fullUrl of an entry
// become references to the resource of that entry. References that are searches, Type?query, become
// references to their one match. There is one outcome for each entry, in the same order; the
// outcome of a GET or operation is zero.
//
// Conditions and references are resolved in the state after the deletions. A condition that matches
// nothing there, but is also the condition of a POST or PUT of the same bundle, refers to that
// entry.
//
// Errors are an *EntryError around those of the interaction, ErrBundle, or index.ErrTooManyValues if
// the resources have more than MaxTransactionEntries entries in the index together.
func (s *Service) Transaction(ctx context.Context, b *Bundle, opts TransactionOptions) ([]Outcome, error) {
	switch {
	case s.transactor == nil:
		return nil, ErrNotSearchable
	case b.Type != "transaction":
		return nil, fmt.Errorf("%w: Bundle.type must be transaction, not %.40q", ErrBundle, b.Type)
	case len(b.Entries) > maxEntries:
		return nil, fmt.Errorf("%w: the bundle has %d entries; a transaction has at most %d", ErrBundle, len(b.Entries), maxEntries)
	}
	t := &transaction{s: s, opts: opts, byFullURL: map[string]*action{}, outcomes: make([]Outcome, len(b.Entries))}
	if err := t.read(ctx, b); err != nil {
		return nil, err
	}
	if err := t.prepareAhead(ctx); err != nil {
		return nil, err
	}
	if err := s.transact(ctx, t.types(), t.prepared.all(), t.run); err != nil {
		return nil, err
	}
	for i := range t.outcomes {
		t.outcomes[i], _ = s.shown(ctx, t.outcomes[i], nil)
	}
	return t.outcomes, nil
}

// read parses all entries and finds the references to resolve.
func (t *transaction) read(ctx context.Context, b *Bundle) error {
	for i := range b.Entries {
		e := &b.Entries[i]
		act, err := t.s.actionOf(ctx, i, e, &t.conditions)
		if err == nil && act.kind == actGet && t.opts.Answer == nil {
			err = fmt.Errorf("%w: a GET or an operation is not allowed in this transaction", ErrBundle)
		}
		if err != nil {
			return entryFailed(i, "", err)
		}
		t.actions = append(t.actions, act)
		if e.FullURL == "" || act.kind == actGet || act.kind == actDelete {
			continue
		}
		if other := t.byFullURL[e.FullURL]; other != nil {
			return entryFailed(i, "", fmt.Errorf("%w: entry %[3]d has the same fullUrl %.100[2]q", ErrBundle, e.FullURL, other.index))
		}
		t.byFullURL[e.FullURL] = act
	}
	return t.findLinks()
}

// types returns the resource types that the transaction may change.
func (t *transaction) types() []string {
	var types []string
	for _, act := range t.actions {
		if act.kind != actGet && !slices.Contains(types, act.typ) {
			types = append(types, act.typ)
		}
	}
	return types
}

// prepareAhead prepares the actions for the present state, so that little work is left while others
// wait for the transaction. By then the conditions may match other resources. An error in one state
// of the store fails the transaction, unless it deletes first. Too many entries are too many in each.
func (t *transaction) prepareAhead(ctx context.Context) error {
	found := resolution{}
	var err error
	if len(t.conditions.list) > 0 {
		err = t.s.every(ctx, func(r index.Reader) error {
			found, err = t.resolve(ctx, r)
			return err
		})
	}
	if err == nil {
		err = t.prepare(ctx, found)
	}
	if !errors.Is(err, index.ErrTooManyValues) && slices.ContainsFunc(t.actions, func(act *action) bool { return act.kind == actDelete }) {
		return ctx.Err()
	}
	return err
}

// run executes the actions within a transaction of the store.
func (t *transaction) run(ctx context.Context, w *serviceTx) error {
	t.reader = w.tx
	removed, err := t.remove(ctx, w)
	if err != nil {
		return err
	}
	found, err := t.resolve(ctx, w.tx)
	if err != nil {
		return err
	}
	if !t.preparedFor.equal(found) {
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
	for _, act := range t.actions {
		if act.kind != actGet {
			continue
		}
		if err := t.opts.Answer(within(ctx, w.tx), act.index, act.entry); err != nil {
			return entryFailed(act.index, "", err)
		}
	}
	return nil
}

func changedTwice(key Key, i, j int) error {
	return entryFailed(max(i, j), "", fmt.Errorf("%w: entry %[3]d changes %[2]s, too", ErrBundle, key, min(i, j)))
}

// remove executes the deletions and returns the index of the entry that deleted each resource.
func (t *transaction) remove(ctx context.Context, w *serviceTx) (map[Key]int, error) {
	removed := map[Key]int{}
	for _, act := range t.actions {
		if act.kind != actDelete {
			continue
		}
		current, err := t.target(ctx, w, act)
		if err == nil {
			err = act.opts.check(current)
		}
		if err == nil {
			t.outcomes[act.index], err = w.remove(ctx, current)
		}
		if err != nil {
			return nil, entryFailed(act.index, act.typ, err)
		}
		if j, twice := removed[current.Key]; twice && current.ID != "" {
			return nil, changedTwice(current.Key, act.index, j)
		}
		removed[current.Key] = act.index
	}
	return removed, nil
}

// target returns the resource of a deletion, a Version without an id if its condition matches
// nothing.
func (t *transaction) target(ctx context.Context, w *serviceTx, act *action) (Version, error) {
	if act.id != "" {
		return w.current(ctx, needsDelete(), Key{Type: act.typ, ID: act.id})
	}
	match, err := t.s.only(ctx, w.tx, act.typ, t.conditions.params[act.condition])
	if err != nil || match.VersionID == 0 {
		return match, err
	}
	return w.current(ctx, needsDelete(), match.Key)
}

// store executes the creates, then updates and patches.
func (t *transaction) store(ctx context.Context, w *serviceTx, matches resolution) error {
	t.entries.set(&t.prepared)
	var actions []*action
	for _, act := range t.actions {
		if act.kind == actCreate && !act.matched {
			actions = append(actions, act)
		}
	}
	for _, act := range t.actions {
		if act.kind == actUpdate || act.kind == actPatch {
			actions = append(actions, act)
		}
	}
	creates := 0 // they come first, and have fresh ids
	for creates < len(actions) && actions[creates].kind == actCreate {
		creates++
	}
	keys := make([]Key, 0, len(actions)-creates)
	for _, act := range actions[creates:] {
		keys = append(keys, act.key)
	}
	found, err := w.find(ctx, keys...)
	if err != nil {
		return err
	}
	current := slices.Concat(make([]index.Record, creates), found)
	for i, act := range actions {
		if err := ctx.Err(); err != nil {
			return err
		}
		now, err := w.admit(ctx, act.needs(), &current[i], act.key)
		if err == nil {
			err = act.opts.check(now)
		}
		var o Outcome
		if err == nil {
			o, err = t.storeAction(ctx, w, act, now, matches)
		}
		if err != nil {
			return entryFailed(act.index, act.typ, err)
		}
		o.Issues = slices.Concat(act.dangling, o.Issues)
		t.outcomes[act.index] = o
	}
	return t.report(matches)
}

// storeAction executes one create, update or patch.
func (t *transaction) storeAction(ctx context.Context, w *serviceTx, act *action, current Version, found resolution) (Outcome, error) {
	switch exists := current.VersionID > 0 && !current.Deleted; {
	case act.kind == actUpdate && exists && act.id == "" && act.key.ID == act.newID && found[act.condition].ID != act.newID:
		return Outcome{}, inUse(act.key)
	case act.kind != actPatch:
		return w.put(ctx, current, act.result)
	case current.VersionID == 0:
		return Outcome{}, NotFound(act.key)
	case current.Deleted:
		return Outcome{}, Gone(act.key)
	}
	d, err := t.s.patched(ctx, current, act.patch)
	if err == nil {
		err = t.questionnaires.check(within(ctx, t.reader), d)
	}
	if err == nil {
		err = t.s.index(d)
	}
	if err == nil {
		err = t.entries.add(d)
	}
	if err != nil {
		return Outcome{}, err
	}
	return w.put(ctx, current, d)
}

// report fills in the outcomes of conditional creates that found their match.
func (t *transaction) report(found resolution) error {
	for _, act := range t.actions {
		if act.kind != actCreate || !act.matched {
			continue
		}
		if v := found[act.condition]; v.VersionID > 0 {
			t.outcomes[act.index] = Outcome{Version: v}
			continue
		}
		first, is := t.targets[act.key]
		if !is {
			return entryFailed(act.index, act.typ, NotFound(act.key))
		}
		t.outcomes[act.index] = Outcome{Version: t.outcomes[first].Version}
	}
	return nil
}

// parallel runs fn for the numbers below n on all processors, and returns the error of the smallest
// number.
func parallel(ctx context.Context, n int, fn func(i int) error) error {
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
	_ = group.Wait() // the functions return no error
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
