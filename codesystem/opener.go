package codesystem

import "fmt"

// An opener passes the sections of a snapshot to the code that opens them, and decides how much of
// them is checked.
//
// Untrusted bytes are checked so that no later read can be out of range. Trusted bytes were
// checked before and have not changed since. Of them only lengths and the ends of lists are
// checked, at a cost that does not depend on their size. Code that opens a section either uses the
// methods below for checks that walk through it, or skips such checks when trusted is set: a large
// snapshot only opens in milliseconds if no section is read through.
type opener struct {
	get     func(id uint32) []byte // nil: the section is absent
	trusted bool
}

// offsets verifies that off has count+1 entries that rise from 0 to limit.
func (in opener) offsets(off []uint32, count, limit int) error {
	if err := checkEnds(off, count, limit); err != nil || in.trusted {
		return err
	}
	return checkRising(off)
}

// below verifies that every value is less than limit.
func (in opener) below(values []uint32, limit int) error {
	if in.trusted {
		return nil
	}
	return checkBelow(values, limit)
}

// sorted verifies that no value is less than the one before.
func (in opener) sorted(values []uint32) error {
	if in.trusted {
		return nil
	}
	return checkRising(values)
}

// texts opens an arena of count texts; both sections may be absent if optional.
func (in opener) texts(offsets, data uint32, count int, optional bool) (texts, error) {
	raw := in.get(offsets)
	if raw == nil && optional {
		return texts{}, nil
	}
	off, err := numbersOf[uint32](raw)
	if err != nil {
		return texts{}, fmt.Errorf("section %d: %w", offsets, err)
	}
	t := texts{off: off, data: in.get(data)}
	if err := in.offsets(off, count, len(t.data)); err != nil {
		return texts{}, fmt.Errorf("section %d: %w", offsets, err)
	}
	return t, nil
}
