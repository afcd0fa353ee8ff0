// Package suggest finds names that are like one that does not exist.
package suggest

import (
	"cmp"
	"slices"
	"strings"
)

const (
	most   = 8    // suggestions
	enough = 0.6  // similarity
	long   = 1000 // bytes of a name; longer ones are like nothing
)

// Names gives at most 8 of the names for a query: those that contain it whatever the case,
// sorted, and then those that are similar, best first. Platform toolkit, section 4.6.
func Names(query string, names []string) []string {
	wanted := strings.ToLower(query)
	if wanted == "" || len(wanted) > long {
		return nil
	}
	var containing, similar []string
	similarity := map[string]float64{}
	for _, name := range names {
		lower := strings.ToLower(name)
		if strings.Contains(lower, wanted) {
			containing = append(containing, name)
		} else if s := ratio(wanted, lower); s >= enough {
			similarity[name] = s
			similar = append(similar, name)
		}
	}
	slices.Sort(containing)
	slices.SortFunc(similar, func(a, b string) int {
		return cmp.Or(cmp.Compare(similarity[b], similarity[a]), strings.Compare(a, b))
	})
	found := append(slices.Compact(containing), slices.Compact(similar)...)
	return found[:min(len(found), most)]
}

// ratio is twice the length of the longest common subsequence by the sum of the lengths:
// from 0 to 1.
func ratio(a, b string) float64 {
	if len(b) > long || len(a)+len(b) == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for i := range len(a) {
		diagonal := 0
		for j := range len(b) {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return 2 * float64(row[len(b)]) / float64(len(a)+len(b))
}
