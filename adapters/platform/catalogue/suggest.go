package catalogue

import (
	"cmp"
	"slices"
	"strings"
)

const (
	similar = 0.6 // lowest similarity of a suggested name
	long    = 100 // bytes; a longer name is similar to none
	limit   = 8   // suggestions
)

// Suggest returns at most 8 names of types that the user may have meant: names that contain the query, in
// order, then similar names, best first. Platform toolkit, section 4.6.
func Suggest(query string, views ...*Catalogue) []string {
	var names []string
	for _, view := range views {
		if view == nil {
			continue
		}
		for _, t := range view.Types {
			names = append(names, t.Name)
		}
	}
	return Nearest(query, names)
}

// Nearest is Suggest for any names.
func Nearest(query string, names []string) []string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	query = strings.ToLower(query)
	if len(query) > long || query == "" {
		return nil
	}
	type scored struct {
		name  string
		score float64
	}
	var containing []string
	var close []scored
	for _, name := range names {
		lower := strings.ToLower(name)
		if strings.Contains(lower, query) {
			containing = append(containing, name)
		} else if len(lower) > long {
			continue
		} else if score := ratio(query, lower); score >= similar {
			close = append(close, scored{name, score})
		}
	}
	slices.SortStableFunc(close, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, s := range close {
		containing = append(containing, s.name)
	}
	return containing[:min(len(containing), limit)]
}

// ratio returns the similarity of two texts from 0 to 1 after Ratcliff and Obershelp: twice the length of
// the common parts, divided by the length of both texts. The common parts are the longest common
// substring, and the common parts before it and after it.
func ratio(a, b string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return 2 * float64(shared(a, b)) / float64(len(a)+len(b))
}

func shared(a, b string) int {
	// lengths[j] is the length of the common substring that ends before a[i+1] and b[j].
	length, endA, endB := 0, 0, 0
	lengths := make([]int, len(b)+1)
	for i := range len(a) {
		for j := len(b); j > 0; j-- {
			if a[i] != b[j-1] {
				lengths[j] = 0
				continue
			}
			lengths[j] = lengths[j-1] + 1
			// Of several longest substrings, the first in a wins, then the first in b.
			if n := lengths[j]; n > length || n == length && i+1 == endA && j < endB {
				length, endA, endB = n, i+1, j
			}
		}
	}
	if length == 0 {
		return 0
	}
	return length + shared(a[:endA-length], b[:endB-length]) + shared(a[endA:], b[endB:])
}
