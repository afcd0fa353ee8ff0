package rf2

// latest decides which row of a component counts: the row with the latest effectiveTime, and the
// last one among rows with the same time. Where every component only has one row, slots is nil and
// nothing is looked up.
type latest[K comparable] struct {
	slots map[K]uint32
	times []uint32 // effectiveTime by slot
}

// newLatest returns a table; unique means that every component occurs once.
func newLatest[K comparable](unique bool) latest[K] {
	if unique {
		return latest[K]{}
	}
	return latest[K]{slots: map[K]uint32{}}
}

// place returns the slot of a component for a row of it, and whether that row is the latest so
// far. Slots are numbered in the order of first appearance.
func (l *latest[K]) place(key K, time uint32) (slot int, counts bool) {
	if l.slots != nil {
		if at, ok := l.slots[key]; ok {
			if time < l.times[at] {
				return int(at), false
			}
			l.times[at] = time
			return int(at), true
		}
		l.slots[key] = uint32(len(l.times))
	}
	l.times = append(l.times, time)
	return len(l.times) - 1, true
}

// put stores the row of a slot.
func put[T any](rows []T, slot int, row T) []T {
	if slot == len(rows) {
		return append(rows, row)
	}
	rows[slot] = row
	return rows
}
