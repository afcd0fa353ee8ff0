package ecl

import "strings"

// termsAhead reports whether a typedSearchTerm or a set of them comes next. A text written like an
// alternate identifier counts as a search term, which comes first in the grammar.
func (p *parser) termsAhead() bool {
	at := p.at
	defer func() { p.at = at }()
	if p.take("(") {
		p.at, _ = skipSpace(p.text, p.at)
	}
	if word := p.word(); word == "match" || word == "wild" {
		next, _ := skipSpace(p.text, p.at+len(word))
		return next < len(p.text) && p.text[next] == ':'
	}
	if p.peek(0) != '"' {
		return false
	}
	text, _, closed := strings.Cut(p.text[p.at+1:], `"`)
	scheme, code, ok := strings.Cut(text, "#")
	return !closed || !ok || code == "" || !schemeAlias(scheme)
}

// searchTerms reads a typedSearchTerm or a typedSearchTermSet. untyped is the kind of terms that
// do not state one.
func (p *parser) searchTerms(untyped termKind) (terms []searchTerm) {
	if !p.take("(") {
		return []searchTerm{p.searchTerm(untyped)}
	}
	p.space()
	terms = append(terms, p.searchTerm(untyped))
	for p.err == nil && p.separated() {
		terms = append(terms, p.searchTerm(untyped))
	}
	p.want(")", "at the end of the search terms")
	return terms
}

// searchTerm reads a typedSearchTerm.
func (p *parser) searchTerm(untyped termKind) searchTerm {
	kind := untyped
	if typed := p.takeWord("match", "wild"); typed >= 0 {
		kind = [...]termKind{termMatch, termWild}[typed]
		p.space()
		p.want(":", "between the kind of a search term and its text")
		p.space()
	}
	begin := p.at
	if kind == termWild {
		text := p.quoted("a pattern", `"\*`)
		if text == "" {
			p.failAt(begin, "expected a pattern of one character or more")
		}
		return searchTerm{kind, strings.ReplaceAll(text, `\"`, `"`)}
	}
	text := p.quoted("a search term", `"\`)
	if kind == termExact {
		text = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(text)
	} else {
		text = p.matchWords(text)
	}
	if strings.Trim(text, " \t\r\n") == "" {
		p.failAt(begin, "expected a search term with a word in it")
	}
	return searchTerm{kind, text}
}

// matchWords removes the escapes of a search term and leaves one space between words. Comments
// between words count as white space.
func (p *parser) matchWords(text string) string {
	var b strings.Builder
	for at, _ := skipSpace(text, 0); at < len(text); {
		switch c := text[at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			if at, _ = skipSpace(text, at); at < len(text) {
				b.WriteByte(' ')
			}
			continue
		case c == '\\' && at+1 < len(text):
			at++
		}
		b.WriteByte(text[at])
		at++
	}
	return b.String()
}

// times reads a timeValue or a timeValueSet.
func (p *parser) times() (times []string) {
	if !p.take("(") {
		return []string{p.time()}
	}
	p.space()
	times = append(times, p.time())
	for p.err == nil && p.separated() {
		times = append(times, p.time())
	}
	p.want(")", "at the end of the dates")
	return times
}

// time reads a timeValue.
func (p *parser) time() string {
	begin := p.at
	text := p.quoted("a date", "")
	if p.err == nil && text != "" && !date(text) {
		p.failAt(begin, `expected a date as "YYYYMMDD", or ""`)
	}
	return text
}

// date reports whether s is eight digits: a year, a month and a day.
func date(s string) bool {
	if len(s) != 8 || s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if !digit(s[i]) {
			return false
		}
	}
	return s[4:6] >= "01" && s[4:6] <= "12" && s[6:] >= "01" && s[6:] <= "31"
}
