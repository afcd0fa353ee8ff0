package sqlite

import (
	"slices"

	"github.com/roget-health/roget/resources/index"
)

// overlay shows entries that are not in the table to a snapshot.
type overlay struct {
	table settled
	runs  []*sortedRun
	upTo  index.Seq // the last version of the snapshot
}

// cursor is a place in a run.
type cursor struct {
	run  *sortedRun
	i, n int // the next entry, and how many are left
}

// cursors are the places of a scan in runs. They have the next entry of the scan, if there are more.
type cursors struct {
	*overlay
	all     []cursor
	reverse bool
	next    row
	more    bool
}

// open returns the entries of a range that are not in the table.
func (o *overlay) open(in *index.Range, all []cursor) cursors {
	c := cursors{overlay: o, all: all[:0], reverse: in.Reverse}
	from, to, after := row{Bytes: in.From}, row{Bytes: in.To}, row{Bytes: in.After, Seq: in.AfterSeq}
	for _, run := range o.runs {
		low, high := 0, run.len()
		if in.After == nil || in.Reverse { // as in sqlstore.ScanSQL
			low = run.search(from, false)
		} else {
			low = run.search(after, true)
		}
		switch {
		case in.After != nil && in.Reverse:
			high = run.search(after, false)
		case in.To != nil:
			high = run.search(to, false)
		}
		if n := high - low; n > 0 {
			if in.Reverse {
				low = high - 1
			}
			c.all = append(c.all, cursor{run, low, n})
		}
	}
	c.advance()
	return c
}

// advance finds the next entry.
func (c *cursors) advance() {
	step := 1
	if c.reverse {
		step = -1
	}
	for c.more = false; len(c.all) > 0; {
		best := 0
		x := c.all[0].run.at(c.all[0].i)
		for k := 1; k < len(c.all); k++ {
			if y := c.all[k].run.at(c.all[k].i); y.Compare(x)*step < 0 {
				best, x = k, y
			}
		}
		at := &c.all[best]
		at.i += step
		if at.n--; at.n == 0 {
			c.all = slices.Delete(c.all, best, best+1)
		}
		if x.Seq <= c.upTo && !c.table.has(x.Bytes, x.Seq) {
			c.next, c.more = x, true
			return
		}
	}
}

// before reports whether the next entry comes before one of the table.
func (c *cursors) before(x row) bool { return (c.next.Compare(x) < 0) != c.reverse }

// maxPlaces is how many runs a scan usually has at most.
const maxPlaces = 8
