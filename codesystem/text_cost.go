package codesystem

// Ways to search. All return the same hits.
const (
	byCost    = iota // whichever of the following seems cheapest
	byMerging        // merge the sets of words
	byScoring        // read the texts of all concepts asked for
	byRarest         // read the texts of the concepts with the rarest word
)

// Costs in nanoseconds, by which the way to search is chosen.
const (
	costOfScoring = 250  // scoring a concept by its texts, for one word and once more
	costOfChunk   = 1500 // a pass over a chunk for one word
	costOfVisit   = 3    // checking whether the concept of a description is asked for
)

// cheapest chooses the way to search. count is the number of concepts asked for.
func (f *finder) cheapest(count int) int {
	s, v := f.s, f.v
	codes := f.codeTo - f.codeFrom
	merging := costOfChunk*(2+len(s.union)/chunkWords) + codes
	candidates := codes
	if !f.noText {
		tokens := uint32(len(v.alone))
		for _, p := range s.ranges[0].spans {
			candidates += v.sets.count(tokens+p.lo, tokens+p.hi)
			if len(s.ranges) == 1 {
				merging += v.costOfAdding(tokens+p.lo, tokens+p.hi, len(s.union)) + int(v.first[p.hi]-v.first[p.lo])
			}
		}
		if len(s.ranges) > 1 {
			merging += s.ranges[0].count // descriptions to read at most
			for _, r := range s.ranges {
				merging += costOfChunk * len(s.marks) / chunkWords
				for _, p := range r.spans {
					merging += v.costOfAdding(p.lo, p.hi, len(s.marks))
				}
			}
		}
	}
	scoring := costOfScoring * (1 + len(f.q.words))
	switch {
	case count*scoring <= merging:
		return byScoring
	case candidates*scoring <= merging && (f.noText || len(s.ranges) > 1):
		return byRarest
	}
	return byMerging
}

// costOfAdding estimates the cost of merging the sets from lo to hi over a bitmap with this many
// words: a bit at a time, or a word at a time.
func (v *textView) costOfAdding(lo, hi uint32, words int) int {
	return min(v.sets.count(lo, hi), int(hi-lo)*words)
}
