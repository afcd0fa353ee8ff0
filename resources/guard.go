package resources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// A guard is an index.Reader that has only what a grant permits. To its caller the other resources
// do not exist: Load and Find return a zero Record for them, and Versions leaves them out. The
// service reads through a guard whenever its context has a grant, so a search, its total, its chains
// and its includes are those of a store without the other resources.
//
// A version is permitted if the grant permits its content, and that of the current version: who may
// no longer see a resource does not see how it was. A deletion is permitted if the version before it
// is.
//
// Scan is not filtered: entries lead to versions, which Load decides on.
type guard struct {
	service *Service
	grant   *access.Grant
	reader  index.Reader
	// actions are those of which the grant has to permit one.
	actions access.Actions
	known   *knownGrant // shared by requests with equal grants
	// verdicts are those that are shared, nil if the reader is that of a transaction.
	verdicts *verdicts
	environ  *search.Env // reads everything, as scopes may be about resources that are hidden; nil at first
	last     *typeRules  // of the type that was decided on last
	// keys are the decisions about the current version of resources.
	keys map[Key]bool
}

// typeRules are the rules of a type for the actions of a guard.
type typeRules struct {
	typ    string
	extent extent // the most that one of the rules permits
	rules  []*rule
	// lasting reports whether the rules look at nothing but the version they decide on.
	lasting bool
}

// maxDecided bounds how many decisions a guard remembers.
const maxDecided = 50_000

// newGuard returns a guard for one of the actions on what a reader has.
func (s *Service) newGuard(grant *access.Grant, reader index.Reader, actions access.Actions) *guard {
	return &guard{service: s, grant: grant, reader: reader, actions: actions, known: s.known.of(grant, s.generation())}
}

// generation returns the generation of the terminology that rules depend on.
func (s *Service) generation() uint64 {
	if s.terminology == nil {
		return 0
	}
	return s.terminology.Generation()
}

// env returns what criteria need besides the values of a version.
func (g *guard) env() *search.Env {
	if g.environ == nil {
		g.environ = g.service.tools().searcher.NewEnv(g.reader, g.service.bases)
	}
	return g.environ
}

// forActions returns a guard for other actions that shares the rules of g.
func (g *guard) forActions(actions access.Actions) *guard {
	other := *g
	other.actions, other.last, other.keys, other.verdicts = actions, nil, nil, nil
	return &other
}

// guarded returns a reader of what the grant of a context permits for one of the actions.
func (s *Service) guarded(ctx context.Context, r index.Reader, actions access.Actions) index.Reader {
	grant := access.GrantOf(ctx)
	if grant == nil || grant.CoversAll("*", actions) {
		return r
	}
	g := s.newGuard(grant, r, actions)
	if readerOf(ctx) == nil {
		g.verdicts = g.known.verdictsFor(actions)
	}
	return g
}

// At implements index.Reader.
func (g *guard) At() index.Seq { return g.reader.At() }

// Scan implements index.Reader.
func (g *guard) Scan(ctx context.Context, r index.Range, fn func(entry []byte, seq index.Seq) bool) error {
	return g.reader.Scan(ctx, r, fn)
}

// Unrestricted returns the reader of everything; see index.Unrestricted.
func (g *guard) Unrestricted() index.Reader { return g.reader }

// Load implements index.Reader. It does not load versions that are known to be hidden, and no values to
// decide on those that are known to be permitted.
func (g *guard) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	if g.verdicts == nil {
		records, err := g.reader.Load(ctx, seqs, parts|index.WithValues)
		if err != nil {
			return nil, err
		}
		return records, g.hide(ctx, records)
	}
	list, count := g.verdicts.about(seqs)
	switch len(seqs) {
	case count[permitted]:
		records, err := g.reader.Load(ctx, seqs, parts)
		if err != nil {
			return nil, err
		}
		return records, g.hideFormer(ctx, records)
	case count[unknown]:
		return g.loadUnknown(ctx, seqs, parts)
	}
	records := make([]index.Record, len(seqs))
	for _, asked := range [...]verdict{permitted, unknown} {
		if count[asked] == 0 {
			continue
		}
		some := make([]index.Seq, 0, count[asked])
		for i, seq := range seqs {
			if list[i] == asked {
				some = append(some, seq)
			}
		}
		var found []index.Record
		var err error
		if asked == unknown {
			found, err = g.loadUnknown(ctx, some, parts)
		} else if found, err = g.reader.Load(ctx, some, parts); err == nil {
			err = g.hideFormer(ctx, found)
		}
		if err != nil {
			return nil, err
		}
		for i := range seqs {
			if list[i] == asked {
				records[i], found = found[0], found[1:]
			}
		}
	}
	return records, nil
}

// loadUnknown is Load for versions without a verdict, which get one.
func (g *guard) loadUnknown(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	records, err := g.reader.Load(ctx, seqs, parts|index.WithValues)
	if err != nil {
		return nil, err
	}
	list := make([]verdict, len(seqs))
	for i := range records {
		rec := &records[i]
		if rec.Seq == 0 {
			continue
		}
		of, err := g.of(ctx, rec.Type)
		if err != nil {
			return nil, err
		}
		is, err := g.content(ctx, of, rec)
		if err != nil {
			return nil, err
		}
		if of.lasting && !rec.Deleted {
			if list[i] = denied; is {
				list[i] = permitted
			}
		}
		if !is {
			*rec = index.Record{}
		}
	}
	g.service.known.grown(g.known, g.verdicts.note(seqs, list))
	return records, g.hideFormer(ctx, records)
}

// hideFormer makes the records zero of resources whose current version is not permitted. The content
// of the records is permitted.
func (g *guard) hideFormer(ctx context.Context, records []index.Record) error {
	for i := range records {
		rec := &records[i]
		if rec.Seq == 0 || rec.Until == index.Current {
			continue
		}
		of, err := g.of(ctx, rec.Type)
		if err != nil {
			return err
		}
		is, err := g.current(ctx, of, rec)
		if err != nil {
			return err
		}
		if !is {
			*rec = index.Record{}
		}
	}
	return nil
}

// Find implements index.Reader.
func (g *guard) Find(ctx context.Context, keys []Key, parts index.Parts) ([]index.Record, error) {
	records, err := g.reader.Find(ctx, keys, parts|index.WithValues)
	if err != nil {
		return nil, err
	}
	return records, g.hide(ctx, records)
}

// versionsBatch is the number of versions that are read at once when some may be hidden.
const versionsBatch = 64

// Versions implements index.Reader. It reads on until it has as many versions as are asked for.
func (g *guard) Versions(ctx context.Context, r index.VersionsRequest) ([]index.Record, error) {
	limit := r.Limit
	r.Parts |= index.WithValues
	if limit > 0 {
		r.Limit = max(limit, versionsBatch)
	}
	var found []index.Record
	for {
		records, err := g.reader.Versions(ctx, r)
		if err != nil {
			return nil, err
		}
		n := len(records)
		var last index.Seq
		if n > 0 {
			last = records[n-1].Seq
		}
		if err := g.hide(ctx, records); err != nil {
			return nil, err
		}
		for i := range records {
			if records[i].Seq == 0 {
				continue
			}
			if found = append(found, records[i]); len(found) == limit {
				return found, nil
			}
		}
		if r.Limit == 0 || n < r.Limit {
			return found, nil
		}
		r.Before = last
	}
}

// hide makes the records zero that are not permitted.
func (g *guard) hide(ctx context.Context, records []index.Record) error {
	for i := range records {
		if records[i].Seq == 0 {
			continue
		}
		permitted, err := g.permits(ctx, &records[i])
		if err != nil {
			return err
		}
		if !permitted {
			records[i] = index.Record{}
		}
	}
	return nil
}

// permits reports whether the grant permits one of the actions for a version. The record has its
// values.
func (g *guard) permits(ctx context.Context, rec *index.Record) (bool, error) {
	of, err := g.of(ctx, rec.Type)
	if err != nil {
		return false, err
	}
	if is, err := g.content(ctx, of, rec); err != nil || !is {
		return false, err
	}
	return g.current(ctx, of, rec)
}

// content reports whether the content of a version is permitted. The record has its values.
func (g *guard) content(ctx context.Context, of *typeRules, rec *index.Record) (bool, error) {
	if of.extent != sometimes {
		return of.extent == always, nil
	}
	return g.decide(ctx, of, rec)
}

// current reports whether the current version is permitted, for a record whose own content is.
func (g *guard) current(ctx context.Context, of *typeRules, rec *index.Record) (bool, error) {
	if of.extent == always || rec.Until == index.Current {
		return true, nil
	}
	return g.permitsKey(ctx, of, Key{Type: rec.Type, ID: rec.ID})
}

// decide decides by the content of a version, or for a deletion by the content before it.
func (g *guard) decide(ctx context.Context, of *typeRules, rec *index.Record) (bool, error) {
	if rec.Deleted {
		former, err := g.reader.Versions(ctx, index.VersionsRequest{Type: rec.Type, ID: rec.ID, Before: rec.Seq, Limit: 1, Parts: index.WithValues})
		if err != nil || len(former) == 0 || former[0].Deleted {
			return false, err
		}
		rec = &former[0]
	}
	for _, rule := range of.rules {
		permitted, err := rule.permits(ctx, rec, g.env())
		if err != nil {
			return false, g.undecided(ctx, rec.Type, err)
		}
		if permitted {
			return true, nil
		}
	}
	return false, nil
}

// permitsKey decides by the current content of a resource.
func (g *guard) permitsKey(ctx context.Context, of *typeRules, key Key) (bool, error) {
	if permitted, known := g.keys[key]; known {
		return permitted, nil
	}
	found, err := g.reader.Find(ctx, []Key{key}, index.WithValues)
	if err != nil || found[0].Seq == 0 {
		return false, err
	}
	permitted, err := g.decide(ctx, of, &found[0])
	if err != nil {
		return false, err
	}
	if g.keys == nil || len(g.keys) >= maxDecided {
		g.keys = map[Key]bool{}
	}
	g.keys[key] = permitted
	return permitted, nil
}

// undecided returns the error for a type about which the grant cannot be decided. Its text does not
// repeat the scope, which may be the policy of the operator; the log has the cause. An error of the store stays
// what it is: the same request may succeed later.
func (g *guard) undecided(ctx context.Context, typ string, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, is := errors.AsType[*search.Error](cause); !is {
		return cause // of the store, or made by this function
	}
	g.service.log.LogAttrs(ctx, slog.LevelWarn, "a request is refused, as a scope or policy cannot be decided",
		slog.String("type", typ), slog.Any("error", cause))
	return &undecidedError{typ}
}

// An undecidedError is returned if it cannot be decided what a grant permits of a type.
type undecidedError struct{ typ string }

func (e *undecidedError) Error() string {
	return fmt.Sprintf("%v: this server cannot decide which resources of type %s the scopes or the policy permit; its log has the reason", access.ErrForbidden, e.typ)
}

func (e *undecidedError) Unwrap() error { return access.ErrForbidden }

func isUndecided(err error) bool {
	_, is := errors.AsType[*undecidedError](err)
	return is
}

// forbidden returns the error for actions that a grant does not cover.
func forbidden(typ string, actions access.Actions) error {
	if typ == "" {
		return fmt.Errorf("%w: no scope of this request covers %s of any type", access.ErrForbidden, actionNames(actions))
	}
	return fmt.Errorf("%w: no scope of this request covers %s of %s", access.ErrForbidden, actionNames(actions), typ)
}

// actionNames describes actions in messages.
func actionNames(actions access.Actions) string {
	names := map[access.Actions]string{
		access.Create: "create", access.Read: "read", access.Update: "update", access.Delete: "delete", access.Search: "search",
	}
	text := ""
	for action := access.Create; action <= access.Search; action <<= 1 {
		if actions&action == 0 {
			continue
		}
		if text != "" {
			text += " or "
		}
		text += names[action]
	}
	return text
}
