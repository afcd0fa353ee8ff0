// Package language chooses among the texts of a concept by the languages that a request prefers.
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
