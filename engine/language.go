package engine

import (
	"strings"

	"golang.org/x/text/language"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// languages are the languages a request prefers, best first. Empty: none asked for.
type languages []string

// parseLanguages reads displayLanguage: one BCP 47 tag, or a list with quality values as
// Accept-Language has it. Tags of quality 0 and * are passed over.
func parseLanguages(name, text string) (languages, error) {
	if text == "" {
		return nil, nil
	}
	tags, qualities, err := language.ParseAcceptLanguage(text)
	if err != nil {
		return nil, invalid(name, "not a language tag (BCP 47) or a list of them")
	}
	var list languages
	for i, tag := range tags {
		if s := tag.String(); qualities[i] > 0 && s != "und" && s != "mul" {
			list = append(list, s)
		}
	}
	return list, nil
}

// How well a language fits the one asked for; higher is better.
const (
	fitNone    = iota
	fitSibling // de-AT for de-CH
	fitNarrow  // de-CH for de
	fitBroad   // de for de-CH
	fitExact
)

// fit tells how well the language have fits want, by their subtags (RFC 4647).
func fit(want, have string) int {
	switch {
	case have == "":
		return fitNone
	case strings.EqualFold(want, have):
		return fitExact
	case hasSubtags(want, have):
		return fitBroad
	case hasSubtags(have, want):
		return fitNarrow
	}
	base, _, _ := strings.Cut(want, "-")
	if strings.EqualFold(base, have) || hasSubtags(have, base) {
		return fitSibling
	}
	return fitNone
}

// hasSubtags reports that tag is prefix with further subtags.
func hasSubtags(tag, prefix string) bool {
	return len(tag) > len(prefix) && tag[len(prefix)] == '-' && strings.EqualFold(tag[:len(prefix)], prefix)
}

// worded is a text a display may be picked from.
type worded struct {
	text, language string
	use            *r4.Coding
}

// useRank orders designations of one language: those meant for display first.
func useRank(use *r4.Coding) int {
	if use == nil {
		return 1
	}
	switch use.Code {
	case "display", "preferredForLanguage", "preferred":
		return 0
	case "900000000000003001": // fully specified name of SNOMED CT: not for display
		return 3
	}
	return 2
}

// pick is the choice of a display among candidates, offered one by one. The zero pick
// has none.
type pick struct {
	want  languages
	text  string
	rank  int // of want: lower is better
	fit   int
	use   int
	found bool
}

// offer takes a candidate when it is better than what there is: an earlier language of
// the list, then a better fit, then a better use, then what came first.
func (p *pick) offer(w worded) {
	for rank, want := range p.want {
		f := fit(want, w.language)
		if f == fitNone {
			continue
		}
		use := useRank(w.use)
		if w.text != "" && (!p.found || rank < p.rank || rank == p.rank && (f > p.fit || f == p.fit && use < p.use)) {
			p.text, p.rank, p.fit, p.use, p.found = w.text, rank, f, use, true
		}
		return
	}
}

// concept is a concept with what value set and supplements add to it.
type concept struct {
	index       *codesystem.Index // nil when its system is not loaded
	ord         codesystem.Ord
	display     string           // that of the value set, or of the system
	own         []r4.Designation // those of the value set
	supplements []*codesystem.Index
}

// pickDisplay gives the display of a concept in the best language there is, and its
// display when there is none: the one place where displayLanguage is applied.
func (c *concept) pickDisplay(want languages) string {
	if len(want) == 0 {
		return c.display
	}
	p := pick{want: want}
	if c.index != nil {
		// The display is in the language of the system, and meant for display.
		p.offer(worded{text: c.display, language: c.index.Header().Language, use: &r4.Coding{Code: "display"}})
	}
	for d := range c.designations {
		p.offer(worded{text: d.Value, language: d.Language, use: d.Use})
	}
	if p.found {
		return p.text
	}
	return c.display
}

// designations yields those of the value set, of the system, and of its supplements,
// in this order. It has the form of an iterator.
func (c *concept) designations(yield func(*r4.Designation) bool) {
	for i := range c.own {
		if !yield(&c.own[i]) {
			return
		}
	}
	if c.index == nil {
		return
	}
	for d := range c.index.Designations(c.ord) {
		if !yield(&d) {
			return
		}
	}
	if len(c.supplements) == 0 {
		return
	}
	code := c.index.Code(c.ord)
	for _, x := range c.supplements {
		o, ok := x.Find(code)
		if !ok {
			continue
		}
		if display := x.Display(o); display != "" {
			d := r4.Designation{Language: x.Header().Language, Value: display}
			if !yield(&d) {
				return
			}
		}
		for d := range x.Designations(o) {
			if !yield(&d) {
				return
			}
		}
	}
}
