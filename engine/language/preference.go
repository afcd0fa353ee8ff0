package language

import (
	"cmp"
	"strings"
)

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
