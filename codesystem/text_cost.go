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
	costOfScoring = 500  // scoring a concept by its texts
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
		r := s.ranges[0]
		candidates += v.sets.count(tokens+r.lo, tokens+r.hi)
		if len(s.ranges) == 1 {
			merging += v.costOfAdding(tokens+r.lo, tokens+r.hi, len(s.union)) + int(v.first[r.hi]-v.first[r.lo])
		} else {
			merging += r.count // descriptions to read at most
			for _, r := range s.ranges {
				merging += v.costOfAdding(r.lo, r.hi, len(s.marks)) + costOfChunk*len(s.marks)/chunkWords
			}
		}
	}
	switch {
	case count*costOfScoring <= merging:
		return byScoring
	case candidates*costOfScoring <= merging && (f.noText || len(s.ranges) > 1):
		return byRarest
	}
	return byMerging
}

// costOfAdding estimates the cost of merging the sets from lo to hi over a bitmap with this many
// words: a bit at a time, or a word at a time.
func (v *textView) costOfAdding(lo, hi uint32, words int) int {
	return min(v.sets.count(lo, hi), int(hi-lo)*words)
}
