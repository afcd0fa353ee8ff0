package rf2

// groups lists rows by their concept.
type groups struct {
	first []uint32 // by slot of the concept, and the end
	rows  []uint32
}

// groupBy groups n rows: of returns the concept of a row.
func groupBy(n, concepts int, of func(row int) uint32) groups {
	g := groups{first: make([]uint32, concepts+2), rows: make([]uint32, n)}
	for row := range n {
		g.first[of(row)+2]++
	}
	for i := 2; i < len(g.first); i++ {
		g.first[i] += g.first[i-1]
	}
	for row := range n { // first[c+1] moves from the start of c to its end
		at := &g.first[of(row)+1]
		g.rows[*at] = uint32(row)
		*at++
	}
	return g
}

// of returns the rows of a concept, in the order in which they were read.
func (g *groups) of(concept uint32) []uint32 {
	return g.rows[g.first[concept]:g.first[concept+1]]
}
