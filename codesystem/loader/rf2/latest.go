package rf2

// latest tells which row of a component counts: the one with the latest effectiveTime,
// and of rows with the same time the one that comes last. Where every component has one
// row only, slots is nil and nothing is looked up.
type latest[K comparable] struct {
	slots map[K]uint32
	times []uint32 // effectiveTime by slot
}

// newLatest makes a table; unique says that every component comes once.
func newLatest[K comparable](unique bool) latest[K] {
	if unique {
		return latest[K]{}
	}
	return latest[K]{slots: map[K]uint32{}}
}

// place returns the slot of a component for a row of it, and whether that row is the one
// that counts so far. Slots are numbered in the order of first appearance.
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

// put keeps the row of a slot.
func put[T any](rows []T, slot int, row T) []T {
	if slot == len(rows) {
		return append(rows, row)
	}
	rows[slot] = row
	return rows
}
