package command

import (
	"strings"
)

// Nearest returns the candidate a person most likely meant by word, or "" when none
// is close: one within a third of its length in edits, or the only one it begins.
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+1 // one more than allowed
	prefixed := 0
	prefix := ""
	for _, c := range candidates {
		if d := editDistance(word, c); d > 0 && d < bestDistance {
			best, bestDistance = c, d
		}
		if len(word) > 1 && strings.HasPrefix(c, word) {
			prefixed++
			prefix = c
		}
	}
	if best == "" && prefixed == 1 {
		return prefix
	}
	return best
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// DidYouMean asks whether a word was meant; it is empty for an empty word.
func DidYouMean(word string) string {
	if word == "" {
		return ""
	}
	return "; did you mean " + word + "?"
}
