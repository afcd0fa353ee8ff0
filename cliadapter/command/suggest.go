package command

import (
	"strings"

	"github.com/hbollon/go-edlib"
)

// Nearest returns the candidate a person most likely meant by word, or "" when none
// is close: one within a third of its length in edits, or the only one it begins. Edits are
// insertions, deletions, replacements and swaps of neighbours.
func Nearest(word string, candidates []string) string {
	best, least := "", len(word)/3+1 // one more than allowed
	var begun []string
	for _, c := range candidates {
		if d := edlib.OSADamerauLevenshteinDistance(word, c); d > 0 && d < least {
			best, least = c, d
		}
		if len(word) > 1 && strings.HasPrefix(c, word) {
			begun = append(begun, c)
		}
	}
	if best == "" && len(begun) == 1 {
		return begun[0]
	}
	return best
}

// DidYouMean asks whether a word was meant; it is empty for an empty word.
func DidYouMean(word string) string {
	if word == "" {
		return ""
	}
	return "; did you mean " + word + "?"
}
