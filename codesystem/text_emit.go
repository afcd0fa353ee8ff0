package codesystem

import "sort"

// mask returns the descriptions that a pass ranks, among the 64 from 64*word on.
func (f *finder) mask(word uint32) uint64 {
	if f.pass == everyText {
		return ^uint64(0)
	}
	native := uint64(0)
	for i, is := range f.native {
		if is {
			native |= f.languages.texts[i][word]
		}
	}
	if f.pass == otherTexts {
		return ^native
	}
	return native
}

// emitTexts ranks descriptions in the given order.
func (f *finder) emitTexts(descs []uint32, class Score) bool {
	for _, desc := range descs {
		if f.mask(desc>>6)>>(desc&63)&1 == 0 {
			continue
		}
		if !f.emit(f.v.owners[desc], f.other|class|Score(f.v.key(desc))) {
			return false
		}
	}
	return true
}

// emit ranks a concept next. It returns false when no more are needed.
func (f *finder) emit(o Ord, score Score) bool {
	if f.within && !f.s.isWithin(o) {
		return true
	}
	w, bit := &f.s.seen[o>>6], uint64(1)<<(o&63)
	if *w&bit != 0 {
		return true
	}
	*w |= bit
	f.s.ranked = append(f.s.ranked, o)
	if f.skip > 0 {
		f.skip--
		return true
	}
	f.dst = append(f.dst, Hit{o, score})
	f.want--
	return f.want > 0
}

func (s *searchScratch) isWithin(o Ord) bool { return s.within[o>>6]>>(o&63)&1 != 0 }

// key returns the textKey of a description.
func (v *textView) key(desc uint32) uint32 {
	i := sort.Search(len(v.keys)/2-1, func(i int) bool { return v.keys[2*i+2] > desc })
	return v.keys[2*i+1]
}
