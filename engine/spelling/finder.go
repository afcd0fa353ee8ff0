package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// A Finder finds items whose texts are spelled nearly as some words.
type Finder[T any] struct {
	// Search returns the best items for a text. Each of its words is the beginning of a word of the
	// same text of an item.
	Search func(text string) ([]T, error)
	// Texts returns the code of an item, and the texts that it is known by.
	Texts func(item T) (code string, texts []string)
}

// A Match is an item that was found. Text is the text that is nearest, "" if that is the code.
type Match[T any] struct {
	Item T
	Text string

	off int
}

const (
	// attempts bounds the searches for one question.
	attempts = 32
	// maxWords bounds the words of one that is answered.
	maxWords = 8
)

// Find returns at most limit items that nearly have the words, the nearest first: with another
// spelling, or without one of the words, which is then returned as missing. Words are those that the
// function Words returns. Errors are those of Search.
func (f Finder[T]) Find(words []string, limit int) (found []Match[T], missing string, err error) {
	if len(words) == 0 || len(words) > maxWords {
		return nil, "", nil
	}
	left := attempts
	for _, guess := range guesses(words) {
		if left <= len(words)*2 {
			break // what is left is for the words that are left out
		}
		left--
		items, err := f.Search(guess)
		if err != nil {
			return nil, "", err
		}
		near := f.nearest(items, words)
		if len(near) > 0 && (len(found) == 0 || near[0].off < found[0].off) {
			found = near
		}
		if len(found) > 0 && found[0].off <= len(words) {
			break // a letter for each word: no other guess will be much better
		}
	}
	if len(found) > 0 {
		return found[:min(len(found), limit)], "", nil
	}
	for i := 0; len(words) > 1 && i < len(words) && left > 0; i++ {
		fewer := slices.Concat(words[:i], words[i+1:])
		found, used, err := f.without(fewer, left)
		if err != nil {
			return nil, "", err
		}
		if left -= used; len(found) > 0 {
			return found[:min(len(found), limit)], words[i], nil
		}
	}
	return nil, "", nil
}

// without returns the items that have the words, or nearly have them if there are none.
func (f Finder[T]) without(words []string, left int) (found []Match[T], used int, err error) {
	items, err := f.Search(strings.Join(words, " "))
	if err != nil {
		return nil, 1, err
	}
	for _, item := range items {
		found = append(found, Match[T]{Item: item})
	}
	shorter, _ := beginnings(words, 2)
	used = 1
	for _, guess := range []string{shorter, initials(words)} {
		if len(found) > 0 || used >= left {
			break
		}
		used++
		if items, err = f.Search(guess); err != nil {
			return nil, used, err
		}
		found = f.nearest(items, words)
	}
	return found, used, nil
}

// nearest returns the items with a text, or a code, that has a word near each of some words, the
// nearest first.
func (f Finder[T]) nearest(items []T, words []string) []Match[T] {
	var near []Match[T]
	for _, item := range items {
		code, texts := f.Texts(item)
		m := Match[T]{Item: item, off: Far}
		for _, text := range texts {
			if off := Distance(words, Words(text)); off < m.off {
				m.off, m.Text = off, text
			}
		}
		if off := Distance([]string{strings.Join(words, "")}, []string{strings.Join(Words(code), "")}); off < m.off {
			m.off, m.Text = off, ""
		}
		if m.off < Far {
			near = append(near, m)
		}
	}
	slices.SortStableFunc(near, func(a, b Match[T]) int { return cmp.Compare(a.off, b.off) })
	return near
}
