package language

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
)

// How the language of a display is chosen:
//
//	wanted by           in this order: displayLanguage; the value set's own expansion
//	                    parameter displayLanguage; Accept-Language; ValueSet.language
//	a list              is tried by quality, best first; "*" takes what there is
//	nothing fits        the display of the concept, except with "*;q=0": then only a
//	                    display that does not say its language, or none
//	several fit         the better fit by subtags, then what is meant for display, then
//	                    what came first
//	a language          en-GB, en-x-sctlang-90000000-00005080-04 or the identifier of a
//	reference set       language reference set of SNOMED CT: the preferred term of that
//	                    set, where the texts of a concept say so; else the language

// A Preference has the languages that a request prefers. The zero value has none.
type Preference struct {
	Given  string   // as requested, for the echo of parameters
	named  string   // as messages name them: without "*", best first
	ranges []string // of quality above 0, best first; "*" stands for any
	// refsets has the language reference set of each range, "" for none; nil if no range has one.
	refsets []string
	strict  bool // "*;q=0": no language but these
}

// None reports whether no language is requested.
func (l *Preference) None() bool { return len(l.ranges) == 0 && !l.strict }

// First returns the most preferred language, "" if there is none.
func (l *Preference) First() string {
	if len(l.ranges) == 0 {
		return ""
	}
	return l.ranges[0]
}

// Label returns the languages for a message.
func (l *Preference) Label() string { return cmp.Or(l.named, "--") }

// A ranged is a language range with its quality, from 0 to 1 (RFC 9110 12.5.4).
type ranged struct {
	tag     string
	quality float64
}

// String returns a range for messages.
func (r ranged) String() string {
	if r.quality == 1 {
		return r.tag
	}
	return r.tag + "; q=" + strconv.FormatFloat(r.quality, 'g', -1, 64)
}

// Parse parses displayLanguage: a BCP 47 tag, or a list with quality values as in Accept-Language.
func Parse(text string) (Preference, error) {
	l := Preference{Given: text}
	if text == "" {
		return l, nil
	}
	var list []ranged
	for entry := range strings.SplitSeq(text, ",") {
		tag, params, hasParams := strings.Cut(entry, ";")
		r := ranged{strings.TrimSpace(tag), 1}
		if hasParams {
			q, found := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			var err error
			if r.quality, err = strconv.ParseFloat(q, 64); !found || err != nil || r.quality < 0 || r.quality > 1 {
				return Preference{}, invalidLanguage(text)
			}
		}
		switch _, err := language.Parse(r.tag); {
		case isRefset(r.tag):
			list = append(list, r)
		case r.tag == "" && len(text) > len(entry): // an empty element of a list (RFC 9110 5.6.1)
		case r.tag == "*":
			l.strict = l.strict || r.quality == 0
			fallthrough
		case err == nil:
			list = append(list, r)
		default:
			return Preference{}, invalidLanguage(text)
		}
	}
	slices.SortStableFunc(list, func(a, b ranged) int { return cmp.Compare(b.quality, a.quality) })
	var names []string
	for _, r := range list {
		if r.tag != "*" {
			names = append(names, r.String())
		}
		if r.quality > 0 {
			l.add(r.tag)
		}
	}
	l.named = strings.Join(names, ", ")
	return l, nil
}

// invalidLanguage returns the error of a malformed displayLanguage.
func invalidLanguage(text string) error {
	cause := issue.Invalid("displayLanguage", "not a language tag (BCP 47) or a list of them")
	return issue.InvalidLanguage.Failure(issue.ClassInvalid, cause, "", text)
}

// isRefset reports whether a tag is the identifier of a language reference set. Identifiers of
// SNOMED CT have at least six digits.
func isRefset(tag string) bool { return len(tag) >= 6 && strings.Trim(tag, "0123456789") == "" }

// add adds a range.
func (l *Preference) add(tag string) {
	refset, ok := tag, isRefset(tag)
	if ok {
		tag = ""
	} else {
		tag, refset, ok = codesystem.LanguageRefset(tag)
	}
	l.ranges = append(l.ranges, tag)
	if !ok {
		refset = ""
	}
	if ok && l.refsets == nil {
		l.refsets = make([]string, len(l.ranges)-1, cap(l.ranges))
	}
	if l.refsets != nil {
		l.refsets = append(l.refsets, refset)
	}
}

// Choose returns the preferred languages of a request: its displayLanguage, that of the value set,
// its Accept-Language header, or the language of the value set, whichever comes first. A malformed
// header is ignored.
func Choose(displayLanguage, ofValueSet, accept, valueSetLanguage string) (Preference, error) {
	if s := cmp.Or(displayLanguage, ofValueSet); s != "" {
		return Parse(s)
	}
	if accept != "" {
		if l, err := Parse(accept); err == nil {
			return l, nil
		}
	}
	if l, err := Parse(valueSetLanguage); err == nil {
		return l, nil
	}
	return Preference{}, nil
}

// How well a language fits the requested one; higher is better.
const (
	FitNone    = iota
	fitSibling // de-AT for de-CH
	FitNarrow  // de-CH for de
	fitBroad   // de for de-CH
	FitExact
	fitDialect // the preferred term of the requested language reference set
)

// fit returns how well a text fits one of the ranges.
func (l *Preference) fit(rank int, w *Wording) int {
	if l.refsets != nil && l.refsets[rank] != "" && len(w.Accepted) > 0 && useRank(w.Use) < useName {
		switch in, preferred := w.AcceptedIn(l.refsets[rank]); {
		case preferred:
			return fitDialect
		case in && l.ranges[rank] == "":
			return fitSibling
		}
	}
	return Fit(l.ranges[rank], w.Language)
}

// Best returns how well a text fits the range that it fits best.
func (l *Preference) Best(w *Wording) int {
	best := FitNone
	for rank := range l.ranges {
		best = max(best, l.fit(rank, w))
	}
	return best
}

// Fit returns how well the language have fits the range want, by their subtags (RFC 4647).
func Fit(want, have string) int {
	switch {
	case want == "*":
		return FitExact
	case have == "", want == "":
		return FitNone
	case strings.EqualFold(want, have):
		return FitExact
	case hasSubtags(want, have):
		return fitBroad
	case hasSubtags(have, want):
		return FitNarrow
	}
	base, _, _ := strings.Cut(want, "-")
	if strings.EqualFold(base, have) || hasSubtags(have, base) {
		return fitSibling
	}
	return FitNone
}

// hasSubtags reports whether tag is prefix with further subtags.
func hasSubtags(tag, prefix string) bool {
	return len(tag) > len(prefix) && tag[len(prefix)] == '-' && strings.EqualFold(tag[:len(prefix)], prefix)
}
