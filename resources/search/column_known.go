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

// extend adds the rows of a column that are new to an answer, or without an answer those of a set.
func (a answer) extend(column *column, among bitmap, decide func(id uint32) (bool, error)) (answer, error) {
	n := len(column.ids)
	yes := make(bitmap, (n+63)/64)
	copy(yes, a.yes)
	const unknown, no, match = 0, 1, 2
	verdicts := make([]uint8, len(column.ends))
	var err error
	add := func(row uint32) bool {
		id := column.ids[row]
		if verdicts[id] == unknown {
			var is bool
			if is, err = decide(id); err != nil {
				return false
			}
			if verdicts[id] = no; is {
				verdicts[id] = match
			}
		}
		if verdicts[id] == match {
			yes.set(row)
		}
		return true
	}
	if among != nil {
		among.each(add)
	} else {
		for row := a.rows; row < n && add(uint32(row)); row++ {
		}
	}
	return answer{yes: yes, rows: n}, err
}
