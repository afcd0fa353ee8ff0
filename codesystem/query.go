package codesystem

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is a compiled text filter: folded words, each of which must be the beginning
// of a word of one description (display or designation), in any order; or the whole
// of it the beginning of a code. A Query is immutable.
type Query struct {
	code     string   // the whole text, folded, for codes
	normal   string   // the words in order
	words    []string // without those that are the beginning of another
	language string   // primary subtag of the language preferred; "" for none
}

// CompileQuery folds a text filter. A blank query matches everything. Marks,
// case and what separates words do not matter; see query_fold.go.
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

// In returns the query with a preference: concepts found by a text in the language of a BCP 47
// tag come before those found only by texts in other languages. Region and script do not
// count, and a text whose language is unknown is as good as one in the language. What is
// found, and so the total, stays the same. "" and "*" prefer none.
func (q *Query) In(tag string) *Query {
	preferring := *q
	if preferring.language = primarySubtag(tag); preferring.language == "*" {
		preferring.language = ""
	}
	return &preferring
}

// prefers reports whether texts in a language, given by its primary subtag, come first.
func (q *Query) prefers(language string) bool {
	return q.language == "" || language == "" || language == q.language
}

// Empty reports whether the query asks for nothing and so matches everything. A query
// without words, such as "%", is not empty: codes may begin with it.
func (q *Query) Empty() bool { return q.code == "" && len(q.words) == 0 }

// Score ranks a hit; lower is better. Texts in another language than the one that the
// query prefers come last. Then it orders by how the query was found: as the
// code, as the beginning of the code, as a whole text, as the beginning of a text,
// as words of a text; then by the length of the code or text; then a display, or what a
// language reference set prefers, comes before any other designation. Scores of one query
// compare across indexes.
type Score uint32

const (
	scoreCode Score = iota << scoreClassShift
	scoreCodePrefix
	scoreText
	scoreTextPrefix
	scoreWords

	scoreClassShift = 28
	scoreOther      = Score(1) << 31 // found only in another language than the one preferred
	scoreMaxLength  = 1<<26 - 1
)

// textKey returns the part of a score that a text has whatever the query: length in
// characters of its normal form, then 0 for a preferred text and 1 for any other.
func textKey(length int, preferred bool) uint32 {
	key := uint32(min(length, scoreMaxLength)) << 1
	if !preferred {
		key |= 1
	}
	return key
}

// Match scores a code with its display the way Search does; ok is false for no match.
// For codes and texts that live outside an index, such as codes listed in a value set.
func (q *Query) Match(code, text string) (score Score, ok bool) {
	if q.Empty() {
		return 0, true
	}
	if score, ok = q.matchCode(code); ok {
		return score, true
	}
	return q.matchText(text, true, true)
}

// MatchDesignation scores a designation in a language, "" if that is unknown, the way
// Search does.
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

// matchText scores a text: preferred ones come before others of their length, native ones,
// which are in the language that the query prefers, before all others.
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
