package search

import (
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// exact leads from codes, ids and URLs to the rows of a column whose values have them.
type exact struct {
	column *column
	heads  map[uint64]uint32 // by index.Range.Exact: the last place in list plus 1
	list   []exactValues
	last   []uint32 // by number of values: the last row that has them plus 1
	former []uint32 // by row: the row before it with the same values plus 1
}

// exactValues are values with a code, and the place before with others that have it, plus 1.
type exactValues struct{ id, next uint32 }

// extend adds the rows that were added to the column, so many at most.
func (e *exact) extend(most int) {
	end := min(len(e.former)+most, len(e.column.ids))
	if e.heads == nil {
		e.heads, e.last = map[uint64]uint32{}, []uint32{0}
	}
	var numbers []uint64
	for row := len(e.former); row < end; row++ {
		id := e.column.ids[row]
		for next := uint32(len(e.last)); next <= id; next++ {
			e.last = append(e.last, 0)
			numbers = index.AppendExact(numbers[:0], e.column.values(next))
			slices.Sort(numbers)
			for _, n := range slices.Compact(numbers) {
				e.list = append(e.list, exactValues{next, e.heads[n]})
				e.heads[n] = uint32(len(e.list))
			}
		}
		e.former = append(e.former, e.last[id])
		e.last[id] = uint32(row) + 1
	}
}

func (e *exact) size() int64 {
	return int64(24*len(e.heads) + 8*cap(e.list) + 4*cap(e.last) + 4*cap(e.former))
}

// rows calls fn for the rows that have one of the numbers and whose values decide returns true for, several
// times for those that have several. It stops when there are more than limit, and then reports false.
func (e *exact) rows(numbers []uint64, limit int, decide func(id uint32) (bool, error), fn func(row uint32)) (bool, error) {
	for _, n := range numbers {
		for at := e.heads[n]; at != 0; at = e.list[at-1].next {
			id := e.list[at-1].id
			is, err := decide(id)
			if err != nil {
				return false, err
			}
			if !is {
				continue
			}
			for row := e.last[id]; row != 0; row = e.former[row-1] {
				if limit--; limit < 0 {
					return false, nil
				}
				fn(row - 1)
			}
		}
	}
	return true, nil
}

// exactOf returns the numbers of the codes, ids and URLs that alternatives with one parameter ask for, nil if
// they ask for something else.
func (c *columnar) exactOf(of *Criterion, alternatives []Alternative) []uint64 {
	first := &alternatives[0]
	if numbers, known := c.exact[first]; known {
		return numbers
	}
	numbers := []uint64{}
	for i := range alternatives {
		a := &alternatives[i]
		var ranges []index.Range
		var may func([]byte) bool
		ok := len(alternatives) <= maxAsked && !ofRecord(a.Param)
		switch a.Kind {
		case definitions.Token, definitions.Reference, definitions.URI:
			if ok {
				ranges, may, ok = rangesOf(c.run.field(a.Param), of.Modifier, a)
			}
		default:
			ok = false
		}
		ok = ok && may == nil && !slices.ContainsFunc(ranges, func(r index.Range) bool {
			n, is := r.Exact()
			numbers = append(numbers, n)
			return !is
		})
		if !ok {
			numbers = nil
			break
		}
	}
	if numbers != nil {
		slices.Sort(numbers)
		numbers = slices.Compact(numbers)
	}
	if c.exact == nil {
		c.exact = map[*Alternative][]uint64{}
	}
	c.exact[first] = numbers
	return numbers
}

// exactly returns what leads from the codes, ids and URLs of alternatives to rows, nil if they are compared.
func (c *columnar) exactly(t *table, of *Criterion, alternatives []Alternative) (*exact, []uint64) {
	e := t.exact[alternatives[0].Param.Number]
	if e == nil || len(e.former) < len(e.column.ids) {
		return nil, nil
	}
	numbers := c.exactOf(of, alternatives)
	if numbers == nil {
		return nil, nil
	}
	return e, numbers
}
