package spelling

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hbollon/go-edlib"
)

// Words returns the words of a text in lower case, without punctuation.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Far is the distance of texts that have nothing to do with each other.
const Far = 1 << 20

// maxLetters is the length of the longest word that may be misspelled.
const maxLetters = 64

// Distance adds up how far each word is from the nearest word of a text, in letters to insert,
// remove, replace, or swap with the next. It is Far if a word has no word near.
func Distance(want, have []string) int {
	sum := 0
	for _, w := range want {
		best := Far
		for _, h := range have {
			if d := apart(w, h); d < best {
				best = d
			}
		}
		if best == Far {
			return Far
		}
		sum += best
	}
	return sum
}

// Near reports whether a word may be a misspelling of another one.
func Near(want, have string) bool { return apart(want, have) < Far }

// apart returns how far two words are from each other, Far unless they are near.
func apart(want, have string) int {
	letters := utf8.RuneCountInString(want)
	if max(letters, utf8.RuneCountInString(have)) > maxLetters {
		return Far
	}
	if d := edlib.OSADamerauLevenshteinDistance(want, have); d <= letters/4+1 && d < letters {
		return d
	}
	return Far
}

// guesses returns filters that find words with another spelling: each word loses letters at its
// end. Then one word at a time keeps its first letter only, then all do, as the mistake may be near
// the beginning.
func guesses(want []string) []string {
	var list []string
	for drop := 1; drop <= 8; drop++ {
		filter, cut := beginnings(want, drop)
		if !cut {
			break
		}
		list = append(list, filter)
	}
	for i := range want {
		if len(want) > 1 {
			other := append([]string(nil), want...)
			other[i] = initials(want[i : i+1])
			list = append(list, strings.Join(other, " "))
		}
	}
	return append(list, initials(want))
}

// initials returns the first letters of words.
func initials(list []string) string {
	letters := make([]string, len(list))
	for i, w := range list {
		_, size := utf8.DecodeRuneInString(w)
		letters[i] = w[:size]
	}
	return strings.Join(letters, " ")
}

// beginnings returns words without some letters at their ends; two letters stay. cut is false if no
// word could lose that many.
func beginnings(list []string, drop int) (text string, cut bool) {
	parts := make([]string, len(list))
	for i, w := range list {
		letters := []rune(w)
		keep := max(len(letters)-drop, 2)
		cut = cut || keep == len(letters)-drop
		parts[i] = string(letters[:min(keep, len(letters))])
	}
	return strings.Join(parts, " "), cut
}
