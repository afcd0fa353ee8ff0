package closure

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// A CodeError is an error of a parameter of a request: a coding that cannot be added, or a version
// that does not exist.
type CodeError struct {
	Param string
	Err   error
}

func (e *CodeError) Error() string { return e.Err.Error() }
func (e *CodeError) Unwrap() error { return e.Err }

// A batch is the codes of one code system that are to be added.
type batch struct {
	system *system
	number int // of the system in the table
	index  *codesystem.Index
	codes  []string
	seen   map[string]bool
	fresh  members
}

// prepare returns the change that adds codings to a table, and the relations that follow. It does not
// change the table.
func (ts *Tables) prepare(ctx context.Context, t *table, codings []r4.Coding) (*change, []Group, error) {
	c := &change{Codes: map[int][]string{}}
	var batches []*batch
	for i := range codings {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		var err error
		if batches, err = ts.enter(ctx, t, batches, &codings[i]); err != nil {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			return nil, nil, &CodeError{Param: "concept", Err: fmt.Errorf("concept %d (%s|%s): %w", i+1, codings[i].System, codings[i].Code, err)}
		}
	}
	var answer Answer
	for _, b := range batches {
		if len(b.codes) == 0 {
			continue
		}
		if b.number >= len(t.systems) {
			// Systems without a new code are left out, so numbers are given now.
			b.number = len(t.systems) + len(c.Systems)
			c.Systems = append(c.Systems, b.system.systemChange)
		}
		c.Codes[b.number] = b.codes
		old := newMembers()
		if b.system.index != nil {
			old = b.system.members
		}
		if err := answer.add(ctx, b.system, b.index, old, b.fresh, ts.limits.MaxEntries); err != nil {
			return nil, nil, err
		}
	}
	return c, answer.Groups, nil
}

// enter adds a coding to the batch of its code system.
func (ts *Tables) enter(ctx context.Context, t *table, batches []*batch, coding *r4.Coding) ([]*batch, error) {
	if coding.Code == "" || coding.System == "" {
		return nil, errors.New("a system and a code are required")
	}
	b, batches, err := ts.batchOf(t, batches, coding)
	if err != nil {
		return nil, err
	}
	if _, known := b.system.added[coding.Code]; known || b.seen[coding.Code] {
		return batches, nil
	}
	if b.system.grammar {
		switch ok, err := ts.terminology.HasCode(ctx, b.index, coding.Code); {
		case err != nil:
			return nil, err
		case !ok:
			return nil, errUnknownCode(b)
		}
	} else {
		o, ok := b.index.Find(coding.Code)
		if !ok {
			return nil, errUnknownCode(b)
		}
		b.fresh.add(b.index, o, coding.Code)
	}
	b.seen[coding.Code] = true
	b.codes = append(b.codes, coding.Code)
	return batches, nil
}

func errUnknownCode(b *batch) error {
	if b.system.Version == "" {
		return errors.New("the code is unknown in the code system")
	}
	return fmt.Errorf("the code is unknown in version %q of the code system", b.system.Version)
}

// batchOf returns the batch of the code system of a coding.
func (ts *Tables) batchOf(t *table, batches []*batch, coding *r4.Coding) (*batch, []*batch, error) {
	url, version, _, err := r4.SplitCanonical(coding.System)
	if err != nil {
		return nil, nil, err
	}
	if coding.Version != "" {
		version = coding.Version
	}
	var found *batch
	for _, b := range batches {
		if b.system.URL == url {
			found = b
		}
	}
	if found == nil {
		s, number := t.find(url)
		found = &batch{system: s, number: number, seen: map[string]bool{}, fresh: newMembers()}
		if s == nil {
			x, grammar, err := ts.terminology.Hierarchy(url, version)
			if err != nil {
				return nil, nil, err
			}
			found.index = x
			found.system = &system{grammar: grammar, systemChange: systemChange{
				URL: x.URL(), Version: x.Version(), Pinned: version != "", Content: ts.contents.of(x, grammar),
			}}
			if url != x.URL() {
				return nil, nil, fmt.Errorf("the code system is %s", x.URL())
			}
		} else {
			found.index = s.index
		}
		batches = append(batches, found)
	}
	if version != "" && version != found.system.Version {
		x, _, err := ts.terminology.Hierarchy(url, version)
		if err != nil {
			return nil, nil, err
		}
		if x.Version() != found.system.Version {
			return nil, nil, fmt.Errorf("version %q of the code system: the table has version %q, and a table has one version of each code system", version, found.system.Version)
		}
	}
	return found, batches, nil
}
