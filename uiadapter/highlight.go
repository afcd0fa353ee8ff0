package uiadapter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/spelling"
)

// A Span is a part of a text, marked if it is what was sought.
type Span struct {
	Text string
	Mark bool
}

// A marker marks what was sought in texts.
type marker struct {
	words []sought
}

// sought is a word of a query.
type sought struct {
	text  string
	query *codesystem.Query
}

// newMarker returns a marker for the words of a text.
func newMarker(text string) *marker {
	m := &marker{}
	for _, w := range spelling.Words(text) {
		m.words = append(m.words, sought{w, codesystem.CompileQuery(w)})
	}
	return m
}

// mark returns a text for a list in spans. Words that begin like a word that was sought are marked up
// to there, by the rules of the search: without regard to case and accents. If nearly is true and
// there are none, words that are spelled nearly so are marked.
func (m *marker) mark(text string, nearly bool) []Span {
	text = short(text)
	if len(m.words) == 0 {
		return []Span{{Text: text}}
	}
	spans, found := split(text, m.beginning)
	if !found && nearly {
		spans, _ = split(text, m.near)
	}
	return spans
}

// split returns a text in spans. marked returns how many bytes of the beginning of a word are marked.
func split(text string, marked func(word string) int) (spans []Span, found bool) {
	from := 0 // of what is not in spans yet
	for at := 0; at < len(text); {
		word := wordAt(text[at:])
		if n := marked(word); n > 0 {
			if at > from {
				spans = append(spans, Span{Text: text[from:at]})
			}
			spans = append(spans, Span{text[at : at+n], true})
			from, found = at+n, true
		}
		at += len(word)
		for at < len(text) {
			c, size := utf8.DecodeRuneInString(text[at:])
			if inWord(c) {
				break
			}
			at += size
		}
	}
	if from < len(text) {
		spans = append(spans, Span{Text: text[from:]})
	}
	return spans, found
}

// wordAt returns the word at the beginning of a text.
func wordAt(text string) string {
	if end := strings.IndexFunc(text, func(c rune) bool { return !inWord(c) }); end >= 0 {
		return text[:end]
	}
	return text
}

func inWord(c rune) bool { return unicode.In(c, unicode.L, unicode.N, unicode.M) }

// beginning returns the length of the beginning of a word that was sought, 0 for none.
func (m *marker) beginning(word string) int {
	longest := 0
	for i := range m.words {
		longest = max(longest, m.words[i].in(word))
	}
	return longest
}

// in returns the length of the shortest beginning of a word that the query finds, 0 for none.
func (s *sought) in(word string) int {
	if _, ok := s.query.MatchDesignation("", word); !ok {
		return 0
	}
	for at := range word {
		if _, ok := s.query.MatchDesignation("", word[:at]); ok {
			return at
		}
	}
	return len(word)
}

// near returns the length of a word if it may be meant by one that was sought, else 0.
func (m *marker) near(word string) int {
	for i := range m.words {
		if spelling.Near(m.words[i].text, strings.ToLower(word)) {
			return len(word)
		}
	}
	return 0
}
