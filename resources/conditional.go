package resources

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// maxDeleted bounds how many resources DeleteWhere deletes in one call.
const maxDeleted = 10_000

// ParseQuery parses a search string, such as identifier=http://example.org|1&active=true, with or
// without a leading question mark. Its errors are search.ErrParameter.
func ParseQuery(query string) ([]search.Param, error) {
	query = strings.TrimPrefix(query, "?")
	var params []search.Param
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		plainName, err := url.QueryUnescape(name)
		if err == nil {
			value, err = url.QueryUnescape(value)
		}
		if err == nil && (!utf8.ValidString(plainName) || !utf8.ValidString(value)) {
			err = errors.New("the text is not valid UTF-8")
		}
		if err != nil {
			return nil, &search.Error{Param: search.Param{Name: name, Value: value}, Text: err.Error()}
		}
		params = append(params, search.Param{Name: plainName, Value: value})
	}
	return params, nil
}

// ParseCondition parses the condition of a conditional create: a search string, alone or after the
// type of the resource, as in Patient?identifier=1. Its errors are search.ErrParameter.
func ParseCondition(typ, condition string) ([]search.Param, error) {
	path, query, found := strings.Cut(condition, "?")
	if !found || strings.ContainsAny(path, "=&") {
		return ParseQuery(condition) // the question mark is part of a value
	}
	if path = strings.TrimPrefix(path, "/"); path != "" && path != typ {
		return nil, &search.Error{Text: fmt.Sprintf("the condition of a create of %[1]s must search %[1]s, not %.60[2]q", typ, path)}
	}
	return ParseQuery(query)
}

// matches returns up to limit resources that a condition matches in the state of a reader. It
// refuses a condition that matches every resource.
func (s *Service) matches(ctx context.Context, r index.Reader, typ string, query []search.Param, limit int) ([]index.Record, error) {
	if err := s.covers(within(ctx, r), typ, access.Search); err != nil {
		return nil, err
	}
	t := s.tools()
	q, err := t.searcher.Parse(typ, query, search.Options{Strict: true})
	if err != nil {
		return nil, err
	}
	if len(q.Types) != 1 || len(q.Types[0].Criteria) == 0 {
		return nil, &search.Error{Text: "a condition needs a parameter that selects resources of " + typ + ", such as identifier"}
	}
	return t.searcher.Keys(ctx, s.guarded(ctx, r, access.Search), typ, query, limit)
}

// only returns the single match of a condition, or a Version without an id if nothing matches. It
// returns ErrMultipleMatches if there are several.
func (s *Service) only(ctx context.Context, r index.Reader, typ string, query []search.Param) (Version, error) {
	found, err := s.matches(ctx, r, typ, query, 2)
	switch {
	case err != nil || len(found) == 0:
		return Version{}, err
	case len(found) > 1:
		return Version{}, fmt.Errorf("%w: several resources of type %s match %s", ErrMultipleMatches, typ, queryText(query))
	}
	return VersionOf(&found[0]), nil
}

// queryText formats a condition for error messages.
func queryText(query []search.Param) string {
	var b strings.Builder
	for i, p := range query {
		if i > 0 {
			b.WriteByte('&')
		}
		fmt.Fprintf(&b, "%.40s=%.100s", p.Name, p.Value)
	}
	return b.String()
}

// createUnless creates a resource unless one matches. An existing match can be seen without a
// transaction; that nothing matches is certain only within one.
func (s *Service) createUnless(ctx context.Context, key Key, d *draft, condition string) (Outcome, error) {
	query, err := ParseCondition(key.Type, condition)
	if err != nil {
		return Outcome{}, err
	}
	if s.transactor == nil {
		return Outcome{}, ErrNotSearchable
	}
	var match Version
	err = s.every(ctx, func(r index.Reader) error {
		match, err = s.only(ctx, r, key.Type, query)
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	if match.VersionID > 0 {
		return Outcome{Version: match}, nil
	}
	if err := s.index(d); err != nil { // not while others wait
		return Outcome{}, err
	}
	var o Outcome
	err = s.transact(ctx, []string{key.Type}, d.entries(), func(ctx context.Context, w *serviceTx) error {
		match, err := s.only(ctx, w.tx, key.Type, query)
		switch {
		case err != nil:
			return err
		case match.VersionID > 0:
			o = Outcome{Version: match}
			return nil
		}
		o, err = w.put(ctx, Version{Key: key}, d)
		return err
	})
	return o, err
}

// UpdateWhere updates the one resource that a search finds (R4 http, conditional update). If there
// is none, it creates one, under the id of the body if present.
//
// Errors: those of Update, ErrInUse for an id that another resource has, search.ErrParameter,
// ErrMultipleMatches, ErrNotSearchable.
func (s *Service) UpdateWhere(ctx context.Context, typ string, query []search.Param, body []byte, opts UpdateOptions) (Outcome, error) {
	if err := s.checkType(typ); err != nil {
		return Outcome{}, err
	}
	if err := s.covers(ctx, typ, access.Update); err != nil {
		return Outcome{}, err
	}
	d, err := s.draft(ctx, typ, body)
	if err != nil {
		return Outcome{}, err
	}
	fresh := Key{Type: typ, ID: s.newID()}
	d.assigned = d.id == ""
	if d.id != "" {
		if fresh, err = s.key(typ, d.id); err != nil {
			return Outcome{}, err
		}
	}
	if err := s.index(d); err != nil { // not while others wait
		return Outcome{}, err
	}
	var o Outcome
	err = s.transact(ctx, []string{typ}, d.entries(), func(ctx context.Context, w *serviceTx) error {
		match, err := s.only(ctx, w.tx, typ, query)
		if err != nil {
			return err
		}
		if match.VersionID == 0 {
			if match, err = w.unused(ctx, fresh); err != nil {
				return err
			}
		} else if match, err = w.current(ctx, needsUpdate(), match.Key); err != nil {
			return err
		} else if d.id != "" {
			if err := d.requireID(match.ID); err != nil {
				return err
			}
		}
		if err := opts.check(match); err != nil {
			return err
		}
		o, err = w.put(ctx, match, d)
		return err
	})
	return s.shown(ctx, o, err)
}

// unused returns the version that a resource created under an id follows, which may be a deletion.
// It returns ErrInUse if the resource exists.
func (w *serviceTx) unused(ctx context.Context, key Key) (Version, error) {
	current, err := w.current(ctx, needsUpdate(), key)
	if err == nil && current.VersionID > 0 && !current.Deleted {
		err = inUse(key)
	}
	return current, err
}

// PatchWhere patches the one resource that a search finds. Errors: those of Patch,
// search.ErrParameter, ErrNoMatch, ErrMultipleMatches, ErrNotSearchable.
func (s *Service) PatchWhere(ctx context.Context, typ string, query []search.Param, p Patch, opts UpdateOptions) (Outcome, error) {
	if err := s.checkType(typ); err != nil {
		return Outcome{}, err
	}
	if err := s.covers(ctx, typ, access.Update); err != nil {
		return Outcome{}, err
	}
	var o Outcome
	err := s.transact(ctx, []string{typ}, 0, func(ctx context.Context, w *serviceTx) error {
		match, err := s.only(ctx, w.tx, typ, query)
		if err == nil && match.VersionID == 0 {
			err = fmt.Errorf("%w: no resource of type %s matches %s", ErrNoMatch, typ, queryText(query))
		}
		if err == nil {
			match, err = w.current(ctx, needsPatch(), match.Key)
		}
		if err == nil {
			err = opts.check(match)
		}
		if err != nil {
			return err
		}
		d, err := s.patched(ctx, match, p)
		if err != nil {
			return err
		}
		o, err = w.put(ctx, match, d)
		return err
	})
	return o, err
}

// DeleteWhere deletes the one resource that a search finds. With many it deletes all that are
// found, up to 10,000, as one change. It is not an error if nothing matches.
//
// Errors: those of Delete, search.ErrParameter, ErrMultipleMatches, ErrNotSearchable.
func (s *Service) DeleteWhere(ctx context.Context, typ string, query []search.Param, many bool, opts UpdateOptions) ([]Outcome, error) {
	if err := s.checkType(typ); err != nil {
		return nil, err
	}
	if err := s.covers(ctx, typ, access.Delete); err != nil {
		return nil, err
	}
	var outcomes []Outcome
	err := s.transact(ctx, []string{typ}, 0, func(ctx context.Context, w *serviceTx) error {
		outcomes = outcomes[:0]
		limit := 2
		if many {
			limit = maxDeleted + 1
		}
		found, err := s.matches(ctx, w.tx, typ, query, limit)
		switch {
		case err != nil:
			return err
		case len(found) == limit:
			return fmt.Errorf("%w: %d or more resources of type %s match %s, but at most %d are deleted at once",
				ErrMultipleMatches, limit, typ, queryText(query), limit-1)
		}
		for i := range found {
			match, err := w.admit(ctx, needsDelete(), &found[i], Key{Type: typ, ID: found[i].ID})
			if err == nil {
				err = opts.check(match)
			}
			if err != nil {
				return err
			}
			o, err := w.remove(ctx, match)
			if err != nil {
				return err
			}
			outcomes = append(outcomes, o)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}
