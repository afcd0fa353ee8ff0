package codesystem

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// lettersOff returns how many letters may be wrong, missing, doubled or swapped in a word of this
// many letters: one in five or more, two in nine or more.
func lettersOff(letters int) int {
	switch {
	case letters >= 9:
		return 2
	case letters >= 5:
		return 1
	}
	return 0
}

// longestNear is the length of the longest word that may be misspelt, in letters.
const longestNear = 64

// near returns the tokens that are spelled as w with 1 to limit letters wrong, missing, added or
// swapped with the next, and no more than lettersOff.
//
// It walks through the sorted tokens as through a tree, with the row of the table of distances for
// each letter on the way. Where a beginning is too far off, it jumps to the next letter that may
// follow.
func (v *textView) near(w string, limit int) (found []uint32) {
	want := []rune(w)
	m := len(want)
	if limit = min(limit, lettersOff(m+limit)); limit == 0 || m > longestNear {
		return nil
	}
	width := m + 1
	rows := make([]int8, (m+limit+2)*width)
	for j := range width {
		rows[j] = int8(j)
	}
	letters := slices.Compact(slices.Sorted(slices.Values(want)))
	path := make([]rune, 0, m+limit+1) // letters whose rows are known
	ends := make([]int, 0, cap(path))  // where each letter ends, in bytes
	var key []byte
	n := uint32(len(v.alone))
tokens:
	for i := uint32(0); i < n; {
		token := v.tokens.at(i)
		// Keep the rows of the beginning that the token shares with the last one.
		depth, at := 0, 0
		for depth < len(path) && at < len(token) {
			r, size := utf8.DecodeRuneInString(token[at:])
			if r != path[depth] {
				break
			}
			depth, at = depth+1, at+size
		}
		path, ends = path[:depth], ends[:depth]
		for at < len(token) {
			r, size := utf8.DecodeRuneInString(token[at:])
			depth, at = depth+1, at+size
			path, ends = append(path, r), append(ends, at)
			if depth <= m+limit && nextRow(rows, want, path, depth, limit) <= int8(limit) {
				continue
			}
			// No token with this beginning is near. One that is has a letter of w here: the row
			// above is at the limit already, or this one would not be beyond it.
			depth--
			path, ends = path[:depth], ends[:depth]
			key = append(key[:0], token[:at-size]...)
			next, known := slices.BinarySearch(letters, r)
			if known {
				next++
			}
			if next < len(letters) && depth < m+limit {
				key = utf8.AppendRune(key, letters[next])
			} else {
				key = append(key, 0xFF) // beyond all letters
			}
			i = v.from(i, textOf(key))
			continue tokens
		}
		if off := int(rows[depth*width+m]); depth >= m-limit && off > 0 && off <= min(limit, lettersOff(depth)) {
			found = append(found, i)
		}
		i++
	}
	return found
}

// nextRow fills the row of distances of the beginning of a word, path[:depth], and returns the least
// one. It fills what may be within a limit, and beside it.
func nextRow(rows []int8, want, path []rune, depth, limit int) int8 {
	width := len(want) + 1
	row, above := rows[depth*width:][:width], rows[(depth-1)*width:][:width]
	r := path[depth-1]
	first, end := max(1, depth-limit), min(width, depth+limit+1)
	row[first-1] = int8(limit + 1)
	if first == 1 {
		row[0] = int8(depth)
	}
	if end < width {
		row[end] = int8(limit + 1)
	}
	least := row[first-1]
	for j := first; j < end; j++ {
		d := above[j-1]
		if want[j-1] != r {
			d = min(d, above[j], row[j-1]) + 1
		}
		if depth > 1 && j > 1 && r == want[j-2] && path[depth-2] == want[j-1] {
			d = min(d, rows[(depth-2)*width+j-2]+1)
		}
		row[j] = d
		least = min(least, d)
	}
	return least
}

// from returns the first token after i that is not less than a key.
func (v *textView) from(i uint32, key string) uint32 {
	n := uint32(len(v.alone))
	lo, step := i+1, uint32(1)
	for lo+step < n && v.tokens.at(lo+step) < key {
		lo += step
		step *= 2
	}
	hi := min(lo+step, n)
	for lo < hi {
		if mid := lo + (hi-lo)/2; v.tokens.at(mid) < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// stemmed returns the tokens that differ from w in their ending only, in one of some languages.
func (v *textView) stemmed(w string, languages []string) (found []uint32) {
	for _, language := range languages {
		stem := stemOf(language, w)
		shared := 0
		for shared < len(stem) && shared < len(w) && stem[shared] == w[shared] {
			shared++
		}
		if shared < shortestStem {
			continue
		}
		// The last letter of a stem may differ from that of the word: biopsies, biopsi, biopsy.
		lo, hi := v.words(strings.ToValidUTF8(w[:shared-1], ""))
		if hi-lo > mostToStem {
			lo, hi = v.words(strings.ToValidUTF8(w[:shared], ""))
		}
		for t := lo; t < min(hi, lo+mostToStem); t++ {
			if token := v.tokens.at(t); len(token) <= shared+longestEnding && token != w && stemOf(language, token) == stem {
				found = append(found, t)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

const (
	shortestStem  = 4    // letters that words of one stem share
	longestEnding = 12   // bytes of a word that follow them
	mostToStem    = 2048 // words with a beginning that are stemmed
)

// stemLanguages returns the languages of the texts, that of the code system first. It is English if
// the code system states none.
func (x *Index) stemLanguages() []string {
	list := []string{"en"}
	if x.header.Language != "" {
		list[0] = primarySubtag(x.header.Language)
	}
	for i := range x.designations.table {
		if tag := primarySubtag(x.designations.table[i].Language); tag != "" && !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return list
}
