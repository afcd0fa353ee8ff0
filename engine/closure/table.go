package closure

import (
	"fmt"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources"
)

// A table is the state that the changes of a journal lead to.
type table struct {
	number  int64 // of the last change; 0 if the table does not exist
	began   int64 // the number of the change that initialised it
	systems []*system
	codes   int
	bytes   int64
}

// A system is a code system of a table with the codes that were added.
type system struct {
	systemChange
	// added has the number of the change that added a code.
	added map[string]int64
	// The following is derived from index, which is nil until it is needed.
	index   *codesystem.Index
	grammar bool
	members members
}

// apply makes the change of a record.
func (t *table) apply(r resources.JournalRecord) error {
	c, err := decodeChange(r.Body, len(t.systems))
	if err != nil {
		return fmt.Errorf("closure table: change %d cannot be read: %w", r.Number, err)
	}
	if c.Init {
		*t = table{began: r.Number}
	}
	t.number = r.Number
	t.bytes += int64(len(r.Body))
	for _, s := range c.Systems {
		t.systems = append(t.systems, &system{systemChange: s, added: map[string]int64{}})
	}
	for n, codes := range c.Codes {
		s := t.systems[n]
		for _, code := range codes {
			if _, known := s.added[code]; known {
				continue
			}
			s.added[code] = r.Number
			t.codes++
			if s.index == nil || s.grammar {
				continue
			}
			if o, ok := s.index.Find(code); ok {
				s.members.add(s.index, o, code)
			} else {
				s.index = nil // another process has another version; the next use finds out
			}
		}
	}
	return nil
}

// find returns the code system with a url and its number; nil if the table has none.
func (t *table) find(url string) (*system, int) {
	for i, s := range t.systems {
		if s.URL == url {
			return s, i
		}
	}
	return nil, len(t.systems)
}

// use sets the index of a code system, and finds the concepts of its codes.
func (s *system) use(x *codesystem.Index, grammar bool) error {
	if s.index == x {
		return nil
	}
	s.index, s.grammar, s.members = nil, grammar, newMembers()
	if !grammar {
		for code := range s.added {
			o, ok := x.Find(code)
			if !ok {
				return fmt.Errorf("%w: %s no longer has the code %q", ErrReinitialise, s.URL, code)
			}
			s.members.add(x, o, code)
		}
	}
	s.index = x
	return nil
}

// split returns the codes that were added up to a change, and those that were added later.
func (s *system) split(since int64) (old, fresh members) {
	old, fresh = newMembers(), newMembers()
	if s.grammar {
		return old, fresh
	}
	for code, number := range s.added {
		o, ok := s.index.Find(code)
		switch {
		case !ok:
		case number > since:
			fresh.add(s.index, o, code)
		default:
			old.add(s.index, o, code)
		}
	}
	return old, fresh
}
