package closure

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// Tables are closure tables. They are safe for concurrent use.
type Tables struct {
	terminology Terminology
	journal     resources.Journaler
	limits      Limits
	now         func() time.Time
	contents    contents
	slots       slots
}

// journalPrefix begins the names of the journals of tables.
const journalPrefix = "closure/"

// New returns the tables in a journal. now may be nil.
func New(t Terminology, journal resources.Journaler, limits Limits, now func() time.Time) *Tables {
	if now == nil {
		now = time.Now
	}
	limits = limits.orDefaults()
	return &Tables{terminology: t, journal: journal, limits: limits, now: now, slots: newSlots(limits)}
}

// Limits returns the limits with the defaults filled in.
func (ts *Tables) Limits() Limits { return ts.limits }

// Initialise makes a table, or empties it. Errors: ErrBadName, ErrTooLarge if there are too many
// tables, and those of the journal.
func (ts *Tables) Initialise(ctx context.Context, name string) (Answer, error) {
	if err := checkName(name); err != nil {
		return Answer{}, err
	}
	body, err := (&change{Init: true}).encode()
	if err != nil {
		return Answer{}, err
	}
	number, err := ts.journal.AppendJournal(ctx, resources.JournalAppend{
		Name: journalOf(ctx, name), Body: body, Restart: true, MaxNames: ts.limits.MaxTables,
	})
	if errors.Is(err, resources.ErrTooManyJournals) {
		return Answer{}, fmt.Errorf("%w: there are %d tables, as many as this server allows", ErrTooLarge, ts.limits.MaxTables)
	}
	return Answer{Name: name, Version: number, Created: true, At: ts.now()}, err
}

// Add adds codes to a table and returns the relations that follow: among them, and with the codes
// that are in the table. Codes that are there already are ignored. Errors, after which the table is
// as before: ErrBadName, ErrNotInitialised, ErrReinitialise, ErrTooLarge, a *CodeError, and those of
// the journal. If the journal fails, Replay shows whether the codes were added.
func (ts *Tables) Add(ctx context.Context, name string, codings []r4.Coding) (Answer, error) {
	var answer Answer
	err := ts.with(ctx, name, func(t *table) error {
		for {
			c, groups, err := ts.prepare(ctx, t, codings)
			if err != nil {
				return err
			}
			answer = Answer{Name: name, Version: t.number, At: ts.now(), Groups: groups}
			if len(c.Codes) == 0 {
				return nil
			}
			body, err := c.encode()
			if err != nil {
				return err
			}
			if err := ts.fits(t, c, body); err != nil {
				return err
			}
			number, err := ts.journal.AppendJournal(ctx, resources.JournalAppend{Name: journalOf(ctx, name), After: t.number, Body: body})
			if errors.Is(err, resources.ErrConflict) { // another process was faster
				if err := ts.refresh(ctx, name, t); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return err
			}
			answer.Version = number
			return t.apply(resources.JournalRecord{Number: number, Body: body})
		}
	})
	if err != nil {
		return Answer{}, err
	}
	return answer, nil
}

// Replay returns the relations that were added after a version of a table, which an Answer has; "0"
// stands for the empty table. Errors: those of Add, and ErrReinitialise for a version from before
// the table was initialised again.
func (ts *Tables) Replay(ctx context.Context, name, version string) (Answer, error) {
	since, err := strconv.ParseInt(version, 10, 64)
	if err != nil || since < 0 {
		return Answer{}, &CodeError{Param: "version", Err: fmt.Errorf("%q is not a version that this server returned", version)}
	}
	var answer Answer
	err = ts.with(ctx, name, func(t *table) error {
		switch {
		case since > t.number:
			return &CodeError{Param: "version", Err: fmt.Errorf("the table has the version %d; %q comes later", t.number, version)}
		case since > 0 && since < t.began:
			return fmt.Errorf("%w: %q was initialised again after version %s; the version 0 returns all that was added since", ErrReinitialise, name, version)
		}
		answer = Answer{Name: name, Version: t.number, At: ts.now()}
		for _, s := range t.systems {
			old, fresh := s.split(since)
			if err := answer.add(ctx, s, s.index, old, fresh, ts.limits.MaxEntries); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	return answer, nil
}

// add adds the group of a code system.
func (a *Answer) add(ctx context.Context, s *system, x *codesystem.Index, old, fresh members, limit int) error {
	for i := range a.Groups {
		for k := range a.Groups[i].Elements {
			limit -= len(a.Groups[i].Elements[k].Targets)
		}
	}
	elements, err := relate(ctx, x, old, fresh, limit)
	if err == nil && len(elements) > 0 {
		a.Groups = append(a.Groups, Group{System: s.URL, Version: s.Version, Elements: elements})
	}
	return err
}

// with calls fn with the current state of a table.
func (ts *Tables) with(ctx context.Context, name string, fn func(t *table) error) error {
	if err := checkName(name); err != nil {
		return err
	}
	journal := journalOf(ctx, name)
	slot, err := ts.slots.take(ctx, journal)
	if err != nil {
		return err
	}
	defer ts.slots.release(journal, slot)
	if err := ts.refresh(ctx, name, &slot.table); err != nil {
		return err
	}
	return fn(&slot.table)
}

// refresh makes the changes of other processes, and checks that the code systems of a table are what
// they were.
func (ts *Tables) refresh(ctx context.Context, name string, t *table) error {
	if err := ts.follow(ctx, name, t); err != nil {
		return err
	}
	for _, s := range t.systems {
		if err := ts.check(s); err != nil {
			return err
		}
	}
	return nil
}

// follow makes the changes of other processes.
func (ts *Tables) follow(ctx context.Context, name string, t *table) error {
	records, err := ts.journal.Journal(ctx, journalOf(ctx, name), t.number)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := t.apply(r); err != nil {
			*t = table{}
			return err
		}
	}
	if t.number == 0 {
		return fmt.Errorf("%w: %q", ErrNotInitialised, name)
	}
	return nil
}

// check returns ErrReinitialise if a code system is no longer what it was when its first code was
// added.
func (ts *Tables) check(s *system) error {
	version := ""
	if s.Pinned {
		version = s.Version
	}
	x, grammar, err := ts.terminology.Hierarchy(s.URL, version)
	if err != nil {
		return fmt.Errorf("%w: %s %s cannot be used any more: %v", ErrReinitialise, s.URL, s.Version, err) //nolint:errorlint // the class of the cause does not matter
	}
	if x == s.index {
		return nil
	}
	if x.Version() != s.Version {
		return fmt.Errorf("%w: %s had the version %q and has %q now", ErrReinitialise, s.URL, s.Version, x.Version())
	}
	if ts.contents.of(x, grammar) != s.Content {
		return fmt.Errorf("%w: the codes or the hierarchy of %s have changed", ErrReinitialise, s.URL)
	}
	return s.use(x, grammar)
}

// fits checks the limits of a table.
func (ts *Tables) fits(t *table, c *change, body []byte) error {
	n := t.codes
	for _, codes := range c.Codes {
		n += len(codes)
	}
	switch {
	case n > ts.limits.MaxConcepts:
		return fmt.Errorf("%w: the table would have %d codes; %d are allowed", ErrTooLarge, n, ts.limits.MaxConcepts)
	case t.bytes+int64(len(body)) > ts.limits.MaxBytes:
		return fmt.Errorf("%w: the table would have %d bytes; %d are allowed", ErrTooLarge, t.bytes+int64(len(body)), ts.limits.MaxBytes)
	}
	return nil
}

// checkName returns ErrBadName unless a name has the form of an id.
func checkName(name string) error {
	if !resources.ValidID(name) {
		return fmt.Errorf("%w %.80q: expected 1 to 64 letters, digits, hyphens and full stops", ErrBadName, name)
	}
	return nil
}
