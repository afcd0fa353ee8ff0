package catalogue

import (
	"cmp"
	"slices"
	"strings"
)

const (
	similar = 0.6 // the least similarity of a name that is suggested
	long    = 100 // bytes of a name; longer ones are like nothing
	most    = 8   // suggestions
)

// Suggest returns names of types a person may have meant, at most 8: those with the query in
// them in order, then those that resemble it, the best first. Platform toolkit, section 4.6.
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

// Nearest does for any names what Suggest does for those of types.
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
	return containing[:min(len(containing), most)]
}

// ratio is how alike two texts are, from 0 to 1, after Ratcliff and Obershelp: twice the
// length of what they share, over the length of both. What they share is their longest
// common part, and what they share before it and after it.
func ratio(a, b string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return 2 * float64(shared(a, b)) / float64(len(a)+len(b))
}

func shared(a, b string) int {
	// lengths[j] is the length of the common part that ends before a[i+1] and b[j].
	length, endA, endB := 0, 0, 0
	lengths := make([]int, len(b)+1)
	for i := range len(a) {
		for j := len(b); j > 0; j-- {
			if a[i] != b[j-1] {
				lengths[j] = 0
				continue
			}
			lengths[j] = lengths[j-1] + 1
			// Of several of one length the first in a, and in it the first in b, counts.
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
