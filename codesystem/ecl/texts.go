package ecl

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/roget-health/roget/codesystem"
)

// textMatcher is a set of search terms; one of them must match.
type textMatcher struct {
	queries []*codesystem.Query
	words   []string // of the queries
	wild    []pattern
	exact   []string
}

// matching compiles search terms.
func matching(terms []searchTerm) *textMatcher {
	m := &textMatcher{}
	for _, t := range terms {
		switch t.kind {
		case termWild:
			m.wild = append(m.wild, newPattern(t.text))
			continue
		case termExact:
			m.exact = append(m.exact, t.text)
			continue
		}
		m.queries = append(m.queries, codesystem.CompileQuery(t.text))
		m.words = append(m.words, t.text)
	}
	return m
}

// matches tests a text.
func (m *textMatcher) matches(text string) bool {
	for i, q := range m.queries {
		if _, ok := q.MatchDesignation("", text); ok {
			return true
		}
		// Terms without letters and digits are not words, and are searched literally.
		if _, words := q.MatchDesignation("", m.words[i]); !words && strings.Contains(text, m.words[i]) {
			return true
		}
	}
	for i := range m.wild {
		if m.wild[i].matches(text) {
			return true
		}
	}
	return slices.Contains(m.exact, text)
}

// searchable reports whether all terms are words, which the text index finds.
func (m *textMatcher) searchable() bool {
	for i, q := range m.queries {
		if _, words := q.MatchDesignation("", m.words[i]); !words {
			return false
		}
	}
	return len(m.wild) == 0 && len(m.exact) == 0
}

// pattern matches a text as a whole, without regard to case. If the pattern has no letters with
// marks, marks are ignored; otherwise they must match.
type pattern struct {
	parts  []string // between the wildcards
	marked bool
}

// newPattern parses a pattern in which * is any text, and \* and \\ are these characters.
func newPattern(text string) pattern {
	var p pattern
	var part strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			part.WriteByte(text[i])
		case c == '*':
			p.parts = append(p.parts, part.String())
			part.Reset()
		default:
			part.WriteByte(c)
		}
	}
	p.parts = append(p.parts, part.String())
	for _, part := range p.parts {
		p.marked = p.marked || unmarked(part) != norm.NFD.String(part)
	}
	for i, part := range p.parts {
		p.parts[i] = p.fold(part)
	}
	return p
}

// fold returns the form in which texts are compared.
func (p *pattern) fold(text string) string {
	if !p.marked {
		text = unmarked(text)
	} else {
		text = norm.NFC.String(text)
	}
	return strings.ToLower(text)
}

// unmarked removes the marks from letters.
func unmarked(text string) string {
	plain := true
	for i := range len(text) {
		plain = plain && text[i] < utf8.RuneSelf
	}
	if plain {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// matches tests a text.
func (p *pattern) matches(text string) bool {
	text = p.fold(text)
	last := len(p.parts) - 1
	if last == 0 {
		return text == p.parts[0]
	}
	if !strings.HasPrefix(text, p.parts[0]) {
		return false
	}
	text = text[len(p.parts[0]):]
	for _, part := range p.parts[1:last] {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return strings.HasSuffix(text, p.parts[last])
}
