package terminology

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hbollon/go-edlib"
)

// searching is a search by text in one value set.
type searching struct {
	tools         *Tools
	in            FindInput
	set           any
	limit, offset int
}

// run asks for a page of the codes that have the words.
func (s *searching) run(ctx context.Context) (*expansion, error) {
	return s.tools.expanded(ctx, s.parameters(s.in.Text).number("offset", s.offset).number("count", s.limit).yes("includeDesignations", true))
}

func (s *searching) parameters(filter string) parameters {
	return parameters{}.resource("valueSet", s.set).text("filter", filter).
		text("displayLanguage", s.in.Language).yes("activeOnly", s.in.ActiveOnly)
}

const (
	// candidates are the codes that one attempt looks at, attempts the most it takes.
	candidates, attempts = 200, 32
	maxNear              = 10 // codes that are returned

	noteSpelled = "no code has these very words; these are spelled nearly so"
)

// nearly returns codes that nearly have the words: with another spelling, or without one of
// the words. Note says which.
func (s *searching) nearly(ctx context.Context) (found []member, note string, err error) {
	want := tokens(s.in.Text)
	if len(want) == 0 || len(want) > 8 {
		return nil, "", nil
	}
	left, least := attempts, 0
	try := func(filter string) ([]member, error) {
		left--
		e, err := s.tools.expanded(ctx, s.parameters(filter).number("count", candidates).yes("includeDesignations", true))
		if err != nil {
			return nil, err
		}
		return e.Contains, nil
	}
	for _, filter := range guesses(want) {
		if left <= len(want)*2 {
			break // what is left is for the words that are left out
		}
		list, err := try(filter)
		if err != nil {
			return nil, "", err
		}
		near, off := nearest(list, want)
		if len(near) > 0 && (len(found) == 0 || off < least) {
			found, least = near, off
		}
		if len(found) > 0 && least <= len(want) {
			break // a letter for each word: no other guess will be much better
		}
	}
	if len(found) > 0 {
		return found, noteSpelled, nil
	}
	for i := 0; len(want) > 1 && i < len(want) && left > 0; i++ {
		fewer := slices.Concat(want[:i], want[i+1:])
		list, err := try(strings.Join(fewer, " "))
		if err != nil {
			return nil, "", err
		}
		if len(list) == 0 { // the other words may be misspelled as well
			shorter, _ := beginnings(fewer, 2)
			for _, filter := range []string{shorter, initials(fewer)} {
				if len(list) > 0 || left <= 0 {
					break
				}
				if list, err = try(filter); err != nil {
					return nil, "", err
				}
				list, _ = nearest(list, fewer)
			}
		}
		if len(list) > 0 {
			return list[:min(len(list), maxNear)], "no code has all these words; these have all but " + want[i], nil
		}
	}
	return nil, "", nil
}

// guesses returns filters that find words with another spelling: each word loses letters at
// its end; then one word at a time keeps its first letter only, then all do, as the mistake may
// be near the beginning.
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
			other := slices.Clone(want)
			other[i] = initials(want[i : i+1])
			list = append(list, strings.Join(other, " "))
		}
	}
	if len(want) > 1 {
		list = append(list, initials(want))
	}
	return list
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

// beginnings returns words without some letters at their ends; two letters stay. Cut is false if no word could lose that many.
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

// nearest returns the codes with a designation, or a code, that has a word near each word of
// a text. The nearest come first; off is how far the first is.
func nearest(list []member, want []string) (found []member, off int) {
	type scored struct {
		member
		off int
	}
	var near []scored
	for i := range list {
		m := &list[i]
		best := distance(want, tokens(m.Display))
		best = min(best, distance([]string{strings.Join(want, "")}, []string{strings.Join(tokens(m.Code), "")}))
		for _, d := range m.Designation {
			if off := distance(want, tokens(d.Value)); off < best {
				best, m.near = off, d.Value
			}
		}
		if best < far {
			near = append(near, scored{*m, best})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.off, b.off) })
	for i := range near[:min(len(near), maxNear)] {
		found = append(found, near[i].member)
	}
	if len(near) > 0 {
		off = near[0].off
	}
	return found, off
}

// far is the distance of texts that have nothing to do with each other.
const far = 1 << 20

// maxLetters is the length of the longest word that may be misspelled.
const maxLetters = 64

// distance adds up how far each word is from the nearest word of a text, in letters to insert,
// remove, replace, or swap with the next; far if one has no word near.
func distance(want, have []string) int {
	sum := 0
	for _, w := range want {
		best := far
		for _, h := range have {
			letters := utf8.RuneCountInString(w)
			if max(letters, utf8.RuneCountInString(h)) > maxLetters {
				continue
			}
			if d := edlib.OSADamerauLevenshteinDistance(w, h); d <= letters/4+1 && d < letters {
				best = min(best, d)
			}
		}
		if best == far {
			return far
		}
		sum += best
	}
	return sum
}
