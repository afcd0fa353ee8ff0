package codesystem

import "math/bits"

// rankWords ranks the descriptions that have all words. If all is set, it continues when no more
// are needed, to collect every concept found.
func (f *finder) rankWords(all bool) {
	s, v := f.s, f.v
	f.union = f.union || all
	f.startCursors()
	more := f.want > 0
	for key := uint32(0); key < uint32((len(v.owners)+1<<chunkBits-1)>>chunkBits); key++ {
		if !f.chunk(key) {
			continue
		}
		for i, w := range &s.acc {
			if w == 0 {
				continue
			}
			s.acc[i] = 0
			if !more && !all {
				continue
			}
			at := key<<(chunkBits-6) | uint32(i)
			ranked := f.mask(at)
			if !all {
				w &= ranked
			}
			for ; w != 0; w &= w - 1 {
				bit := bits.TrailingZeros64(w)
				desc := at<<6 | uint32(bit)
				o := v.owners[desc]
				if all {
					s.union[o>>6] |= 1 << (o & 63)
				}
				if more && ranked>>bit&1 != 0 {
					more = f.emit(o, f.other|scoreWords|Score(v.key(desc)))
				}
			}
		}
		if !more && !all {
			return
		}
	}
}

// startCursors sets the cursors to the first chunk of every token.
func (f *finder) startCursors() {
	f.s.cursors = f.s.cursors[:0]
	for i := range f.s.ranges {
		r := &f.s.ranges[i]
		r.cursor = len(f.s.cursors)
		for _, p := range r.spans {
			f.s.cursors = append(f.s.cursors, f.v.sets.first[p.lo:p.hi]...)
		}
	}
}

// chunk stores the descriptions of one chunk that have all words in scratch.acc. If there are
// none, it returns false and scratch.acc is zero.
func (f *finder) chunk(key uint32) bool {
	s := f.s
	if !f.addWord(&s.acc, &s.ranges[0], key) {
		return false
	}
	for i := 1; i < len(s.ranges); i++ {
		r := &s.ranges[i]
		var any uint64
		if m := f.denseChunkOf(r, key); m != nil {
			for j, w := range m {
				s.acc[j] &= w
				any |= s.acc[j]
			}
		} else if f.addWord(&s.word, r, key) {
			for j, w := range &s.word {
				s.acc[j] &= w
				any |= s.acc[j]
			}
			clear(s.word[:])
		} else {
			clear(s.acc[:])
		}
		if any == 0 {
			return false
		}
	}
	return true
}

// denseChunkOf returns the bitmap of one chunk of a word that is one token. It is nil where the
// word has several tokens or the chunk is not dense.
func (f *finder) denseChunkOf(r *wordRange, key uint32) *chunkMap {
	token, one := r.token()
	if !one {
		return nil
	}
	sets := &f.v.sets
	at, end := f.s.cursors[r.cursor], sets.first[token+1]
	for at < end && chunkKey(sets.chunks[at]) < key {
		at++
	}
	f.s.cursors[r.cursor] = at
	if at == end || chunkKey(sets.chunks[at]) != key || !chunkIsDense(sets.chunks[at]) {
		return nil
	}
	return sets.dense(sets.chunks[at])
}

// addWord adds the descriptions of one chunk that have one word.
func (f *finder) addWord(dst *chunkMap, r *wordRange, key uint32) (found bool) {
	sets := &f.v.sets
	cursors := f.s.cursors[r.cursor:]
	for _, p := range r.spans {
		ends := sets.first[p.lo+1 : p.hi+1]
		for i, end := range ends {
			at := cursors[i]
			for at < end && chunkKey(sets.chunks[at]) < key {
				at++
			}
			if at < end && chunkKey(sets.chunks[at]) == key {
				sets.addTo(dst, sets.chunks[at])
				at++
				found = true
			}
			cursors[i] = at
		}
		cursors = cursors[len(ends):]
	}
	return found
}
