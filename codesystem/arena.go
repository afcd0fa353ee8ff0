package codesystem

// An arena stores texts in one byte slice, delimited by offsets, without a string header or
// pointer per text.
type arena struct {
	data []byte
	off  []uint32 // text i lies from off[i] to off[i+1]
}

func newArena() arena { return arena{off: []uint32{0}} }

func (a *arena) add(s string) {
	a.data = append(a.data, s...)
	a.off = append(a.off, uint32(len(a.data)))
}

// fits reports whether a text of n bytes can be added.
func (a *arena) fits(n int) bool { return uint64(len(a.data))+uint64(n) <= maxArena }

func (a *arena) len() int { return len(a.off) - 1 }

func (a *arena) at(i uint32) string { return textOf(a.data[a.off[i]:a.off[i+1]]) }

// texts returns a view of the arena for reading.
func (a *arena) texts() texts { return texts{off: a.off, data: a.data} }

// inOrder lays the texts out in another order: text i of the result is text order[i].
func (a *arena) inOrder(order []uint32) (offsets []uint32, data []byte) {
	offsets = make([]uint32, 0, len(order)+1)
	data = make([]byte, 0, len(a.data))
	for _, old := range order {
		offsets = append(offsets, uint32(len(data)))
		data = append(data, a.data[a.off[old]:a.off[old+1]]...)
	}
	return append(offsets, uint32(len(data))), data
}

// texts reads an arena of a snapshot.
type texts struct {
	off  []uint32
	data []byte
}

func (t *texts) at(i uint32) string {
	if t.off == nil {
		return ""
	}
	return textOf(t.data[t.off[i]:t.off[i+1]])
}
