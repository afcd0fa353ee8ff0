package codesystem

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is a compiled text filter: folded words, each of which must be the beginning of a word of
// the same description (display or designation), in any order; or else the whole text must be the
// beginning of a code. A Query is immutable.
type Query struct {
	code     string   // the whole text, folded, for codes
	normal   string   // the words in order
	words    []string // without words that are the beginning of another
	language string   // primary subtag of the preferred language; "" for none

	forgiving bool        // see Forgiving
	effort    uint8       // see Tries
	forms     []wordForms // of words, in the dictionary that is searched; nil as written
}

// CompileQuery compiles a text filter. A blank query matches everything. Marks, case and word
// separators do not matter; see query_fold.go.
func CompileQuery(text string) *Query {
	text = strings.TrimSpace(text)
	q := &Query{
		code:   string(appendFoldedText(nil, text)),
		normal: string(appendNormal(nil, text)),
	}
	words := strings.Fields(q.normal)
	slices.Sort(words)
	for i, w := range words {
		if i+1 == len(words) || !strings.HasPrefix(words[i+1], w) {
			q.words = append(q.words, w)
		}
	}
	return q
}

// Empty reports whether the query matches everything. A query without words, such as "%", is not
// empty, since codes may begin with it.
func (q *Query) Empty() bool { return q.code == "" && len(q.words) == 0 }

// Score ranks a hit; lower is better. Texts in a language other than the preferred one come last.
// Then the order is by how the query matched: the code, the beginning of the code, a whole text,
// the beginning of a text, words of a text. Then it is by the length of the code or text; then a
// display, or a text that a language reference set prefers, comes before any other designation.
// Scores of one query are comparable across indexes.
type Score uint32

const (
	scoreCode Score = iota << scoreClassShift
	scoreCodePrefix
	scoreText
	scoreTextPrefix
	scoreWords

	scoreClassShift = 28
	scoreOther      = Score(1) << 31 // found only in a language other than the preferred one
	scoreMaxLength  = 1<<26 - 1
)

// textKey returns the part of a score that does not depend on the query: the length of the normal
// form in characters, then 0 for a preferred text and 1 for any other.
func textKey(length int, preferred bool) uint32 {
	key := uint32(min(length, scoreMaxLength)) << 1
	if !preferred {
		key |= 1
	}
	return key
}

// Match scores a code with its display as Search does; ok is false for no match. It is for codes
// and texts outside an index, such as codes listed in a value set.
func (q *Query) Match(code, text string) (score Score, ok bool) {
	if q.Empty() {
		return 0, true
	}
	if score, ok = q.matchCode(code); ok {
		return score, true
	}
	return q.matchText(text, true, true)
}

// MatchDesignation scores a designation as Search does. language is "" if it is unknown.
func (q *Query) MatchDesignation(language, text string) (score Score, ok bool) {
	if q.Empty() {
		return 0, true
	}
	return q.matchText(text, false, q.prefers(primarySubtag(language)))
}

func (q *Query) matchCode(code string) (Score, bool) {
	if q.code == "" {
		return 0, false
	}
	var buf [64]byte
	folded := appendFoldedText(buf[:0], code)
	if len(folded) < len(q.code) || string(folded[:len(q.code)]) != q.code {
		return 0, false
	}
	return codeScore(len(folded) == len(q.code), utf8.RuneCount(folded)), true
}

func codeScore(exact bool, length int) Score {
	class := scoreCodePrefix
	if exact {
		class = scoreCode
	}
	return class | Score(textKey(length, true))
}

// matchText scores a text. A preferred text comes before others of its length. A native text is in
// the preferred language, and comes before all others.
func (q *Query) matchText(text string, preferred, native bool) (Score, bool) {
	if len(q.words) == 0 || text == "" {
		return 0, false
	}
	var buf [256]byte
	normal := appendNormal(buf[:0], text)
	class, ok := q.matchNormal(normal)
	if !ok {
		return 0, false
	}
	if !native {
		class |= scoreOther
	}
	return class | Score(textKey(utf8.RuneCount(normal), preferred)), true
}

// matchNormal finds the query in a text in normal form.
func (q *Query) matchNormal(normal []byte) (class Score, ok bool) {
	for i := range q.forms {
		if !q.forms[i].has(normal, q.words[i]) {
			return 0, false
		}
	}
	if q.forms != nil {
		return scoreWords, true
	}
	if len(normal) >= len(q.normal) && string(normal[:len(q.normal)]) == q.normal {
		if len(normal) == len(q.normal) {
			return scoreText, true
		}
		return scoreTextPrefix, true
	}
	for _, w := range q.words {
		if !hasWordPrefix(normal, w) {
			return 0, false
		}
	}
	return scoreWords, true
}

// hasWordPrefix reports whether a word of a normal form begins with w.
func hasWordPrefix(normal []byte, w string) bool {
	for len(normal) >= len(w) {
		if string(normal[:len(w)]) == w {
			return true
		}
		i := bytes.IndexByte(normal, ' ')
		if i < 0 {
			return false
		}
		normal = normal[i+1:]
	}
	return false
}
