package search

import (
	"fmt"
	"slices"
	"sync"

	"github.com/roget-health/roget/resources/definitions"
)

const (
	// maxAnswers bounds the answers that a table keeps.
	maxAnswers = 64
	// maxAsked is the number of alternatives of a criterion whose answer is kept.
	maxAsked = 64
)

// asked identifies alternatives of a criterion by two hashes, with the state of the terminology. The
// zero value stands for those whose answer is not kept.
type asked [2]uint64

// answer are the rows of a table whose values match alternatives. Rows that are added later leave
// the others as they are.
type answer struct {
	yes  bitmap
	rows int // that were examined
}

// answers are those that a table keeps.
type answers struct {
	mu sync.Mutex
	of map[asked]answer
}

func (k *answers) get(key asked) answer {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.of[key]
}

func (k *answers) put(key asked, a answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[asked]answer{}
	}
	if _, known := k.of[key]; !known && len(k.of) == maxAnswers {
		for other := range k.of { // any will do: those that are asked often come back
			delete(k.of, other)
			break
		}
	}
	k.of[key] = a
}

// askedOf returns the key of the alternatives of a criterion.
func (c *columnar) askedOf(t *table, of *Criterion, alternatives []Alternative) asked {
	first := &alternatives[0]
	if key, known := c.asked[first]; known {
		return key
	}
	var key asked
	under := of.Modifier == Below || of.Modifier == Above
	if len(alternatives) <= maxAsked && !(under && slices.ContainsFunc(alternatives, func(a Alternative) bool { return a.Kind == definitions.Reference })) {
		generation := uint64(0)
		if terminology := c.run.env.terminology; terminology != nil && (under || of.Modifier == In || of.Modifier == NotIn || of.Modifier == ECL) {
			generation = terminology.Generation()
		}
		// The form is that of Go's syntax, in which different alternatives never look the same.
		key = t.hash(fmt.Sprintf("%d %d %#v %#v", of.Modifier, generation, alternatives, c.run.query.Bases))
	}
	if c.asked == nil {
		c.asked = map[*Alternative]asked{}
	}
	c.asked[first] = key
	return key
}

// extend adds the rows of a column that are new to an answer.
func (a answer) extend(column *column, decide func(id uint32) (bool, error)) (answer, error) {
	n := len(column.ids)
	yes := make(bitmap, (n+63)/64)
	copy(yes, a.yes)
	v := make(verdicts, len(column.ends))
	for row := a.rows; row < n; row++ {
		if is, err := v.of(column.ids[row], decide); err != nil {
			return answer{}, err
		} else if is {
			yes.set(uint32(row))
		}
	}
	return answer{yes: yes, rows: n}, nil
}

// verdicts are what was decided about values, by their numbers.
type verdicts []uint8

func (v verdicts) of(id uint32, decide func(id uint32) (bool, error)) (bool, error) {
	const unknown, no, match = 0, 1, 2
	if v[id] == unknown {
		is, err := decide(id)
		if err != nil {
			return false, err
		}
		if v[id] = no; is {
			v[id] = match
		}
	}
	return v[id] == match, nil
}

// among adds those of n rows to met whose values match. It takes little memory for a few of many.
func (c *column) among(rows bitmap, n int, decide func(id uint32) (bool, error), met bitmap) (err error) {
	decided := map[uint32]bool{}
	of := func(id uint32) (is bool, err error) {
		is, known := decided[id]
		if !known {
			is, err = decide(id)
			decided[id] = is
		}
		return is, err
	}
	if 16*n > len(c.ends) {
		v := make(verdicts, len(c.ends))
		of = func(id uint32) (bool, error) { return v.of(id, decide) }
	}
	for row := range rows.each {
		var is bool
		if is, err = of(c.ids[row]); err != nil {
			return err
		}
		if is {
			met.set(row)
		}
	}
	return nil
}
