package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// Which language a display is in. All of it is here:
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

// languages are the languages a request wants. The zero value: none asked for.
type languages struct {
	given  string   // as asked for, for the echo of parameters
	named  string   // as messages name them: without "*", best first
	ranges []string // of quality above 0, best first; "*" stands for any
	// refsets has the language reference set that a range stands for, "" for none; nil when
	// no range does.
	refsets []string
	strict  bool // "*;q=0": no language but these
}

// none reports that no language is asked for.
func (l *languages) none() bool { return len(l.ranges) == 0 && !l.strict }

// first is the language wanted most, "" for none.
func (l *languages) first() string {
	if len(l.ranges) == 0 {
		return ""
	}
	return l.ranges[0]
}

// label names the languages in a message.
func (l *languages) label() string { return cmp.Or(l.named, "--") }

// ranged is a language range with its quality, from 0 to 1 (RFC 9110 12.5.4).
type ranged struct {
	tag     string
	quality float64
}

// String writes a range as messages have it.
func (r ranged) String() string {
	if r.quality == 1 {
		return r.tag
	}
	return r.tag + "; q=" + strconv.FormatFloat(r.quality, 'g', -1, 64)
}

// parseLanguages reads displayLanguage: one BCP 47 tag, or a list with quality values as
// Accept-Language has it.
func parseLanguages(text string) (languages, error) {
	l := languages{given: text}
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
				return languages{}, invalidLanguage(text)
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
			return languages{}, invalidLanguage(text)
		}
	}
	slices.SortStableFunc(list, func(a, b ranged) int { return cmp.Compare(b.quality, a.quality) })
	var names []string
	for _, r := range list {
		if r.quality > 0 {
			l.add(r.tag)
		}
		if r.tag != "*" {
			names = append(names, r.String())
		}
	}
	l.named = strings.Join(names, ", ")
	return l, nil
}

// invalidLanguage is the error of a displayLanguage that is none.
func invalidLanguage(text string) error {
	cause := issue.Invalid("displayLanguage", "not a language tag (BCP 47) or a list of them")
	return issue.InvalidLanguage.Failure(issue.ClassInvalid, cause, "", text)
}

// isRefset reports that what stands for a language is the identifier of a language
// reference set: the shortest identifiers of SNOMED CT have six digits.
func isRefset(tag string) bool { return len(tag) >= 6 && isNumber(tag) }

// add adds a range.
func (l *languages) add(tag string) {
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

// chooseLanguages returns the languages of a request, from where they may be asked for:
// its displayLanguage, the one the value set brings, its Accept-Language, and the
// language of the value set. A header that cannot be read counts as absent.
func chooseLanguages(displayLanguage, ofValueSet, accept, valueSetLanguage string) (languages, error) {
	if s := cmp.Or(displayLanguage, ofValueSet); s != "" {
		return parseLanguages(s)
	}
	if accept != "" {
		if l, err := parseLanguages(accept); err == nil {
			return l, nil
		}
	}
	if l, err := parseLanguages(valueSetLanguage); err == nil {
		return l, nil
	}
	return languages{}, nil
}

// How well a language fits the one asked for; higher is better.
const (
	fitNone    = iota
	fitSibling // de-AT for de-CH
	fitNarrow  // de-CH for de
	fitBroad   // de for de-CH
	fitExact
	fitDialect // the preferred term of the language reference set asked for
)

// fit tells how well a text fits one of the ranges.
func (l *languages) fit(rank int, w *wording) int {
	if l.refsets != nil && l.refsets[rank] != "" && len(w.accepted) > 0 && useRank(w.use) < useName {
		switch in, preferred := w.acceptedIn(l.refsets[rank]); {
		case preferred:
			return fitDialect
		case in && l.ranges[rank] == "":
			return fitSibling
		}
	}
	return fit(l.ranges[rank], w.language)
}

// best tells how well a text fits the range that it fits best.
func (l *languages) best(w *wording) int {
	best := fitNone
	for rank := range l.ranges {
		best = max(best, l.fit(rank, w))
	}
	return best
}

// fit tells how well the language have fits the range want, by their subtags (RFC 4647).
func fit(want, have string) int {
	switch {
	case want == "*":
		return fitExact
	case have == "", want == "":
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

// wording is one text of a concept: its display, or a designation.
type wording struct {
	text, language string
	use            *r4.Coding
	extension      r4.Extensions
	// display marks the display of the code system, of a supplement, or of the value set.
	display bool
	// supplement is where the text comes from, nil for the code system and the value set.
	supplement *codesystem.Index
	accepted   []codesystem.Acceptability // the language reference sets that have it
}

// acceptedIn reports that a language reference set has a text, and that it is the preferred one.
func (w *wording) acceptedIn(refset string) (in, preferred bool) {
	for i := range w.accepted {
		if w.accepted[i].Refset == refset {
			return true, w.accepted[i].Preferred
		}
	}
	return false, false
}

// standardsStatus is the extension that tells the status of what it stands on.
const standardsStatus = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"

// status is the standards status of a designation.
func (w *wording) status() string { return w.extension.Text(standardsStatus) }

// current reports that a text may still be used.
func (w *wording) current() bool {
	if w.extension == nil {
		return true
	}
	status := w.status()
	return status != "withdrawn" && status != "inactive"
}

// forDisplay reports that a text is meant to be shown for the concept.
func (w *wording) forDisplay() bool { return w.rank() <= 1 }

// rank orders texts of one language: those meant for display first.
func (w *wording) rank() int {
	if w.display {
		return 0
	}
	rank := useRank(w.use)
	if rank < useName && slices.ContainsFunc(w.accepted, func(a codesystem.Acceptability) bool { return a.Preferred }) {
		return 0
	}
	return rank
}

// useName is the rank of texts that are not for display: names in full, definitions.
const useName = 3

// useRank is what the use of a text says for its rank.
func useRank(use *r4.Coding) int {
	if use == nil {
		return 1
	}
	switch use.Code {
	case "display", "preferredForLanguage", "preferred",
		"900000000000548007": // preferred term of SNOMED CT
		return 0
	case "900000000000003001", "900000000000550004": // fully specified name and definition of SNOMED CT
		return useName
	}
	return 2
}

// pick is the choice of a display among candidates, offered one by one. The zero pick
// has none.
type pick struct {
	want    languages
	best    wording
	rank    int // of the ranges wanted: lower is better
	current bool
	fit     int
	use     int
	found   bool
}

// offer takes a candidate when it is better than what there is: an earlier language of
// the list, then one still in use, then a better fit, then a better use, then what
// came first.
func (p *pick) offer(w *wording) {
	if w.text == "" {
		return
	}
	for rank := range p.want.ranges {
		f := p.want.fit(rank, w)
		if f == fitNone {
			continue
		}
		use, current := w.rank(), w.current()
		better := cmp.Or(
			cmp.Compare(p.rank, rank),
			boolCompare(current, p.current),
			cmp.Compare(f, p.fit),
			cmp.Compare(p.use, use),
		)
		if !p.found || better > 0 {
			p.best, p.rank, p.current, p.fit, p.use, p.found = *w, rank, current, f, use, true
		}
		return
	}
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// concept is a concept with what value set and supplements add to it.
type concept struct {
	index       *codesystem.Index // nil when its system is not loaded
	ord         codesystem.Ord
	display     string           // that of the value set, or of the system
	own         []r4.Designation // those of the value set
	ownLanguage string           // ValueSet.language
	supplements []*codesystem.Index
}

// pickDisplay returns the display of a concept in the best language there is: the one
// place where languages choose.
func (c *concept) pickDisplay(want *languages) string {
	if want.none() {
		return c.display
	}
	return c.pickWording(want).text
}

// pickWording is pickDisplay with all there is to know about the text.
func (c *concept) pickWording(want *languages) wording {
	p := pick{want: *want}
	var silent wording
	for w := range c.wordings {
		p.offer(w)
		if silent.text == "" && w.language == "" && w.forDisplay() {
			silent = *w
		}
	}
	switch {
	case p.found && want.ranges[p.rank] == "*":
		return wording{text: c.display, display: true}
	case p.found:
		return p.best
	case want.strict:
		return silent
	}
	return wording{text: c.display, display: true}
}

// wordings yields every text of a concept: the display of the value set, the display
// and the designations of the system, those of its supplements, and the designations
// of the value set. It has the form of an iterator. What it yields is valid until the
// next one.
func (c *concept) wordings(yield func(*wording) bool) {
	var w wording
	if c.index == nil {
		w = wording{text: c.display, language: c.ownLanguage, display: true}
		if !yield(&w) {
			return
		}
		c.ownDesignations(&w, yield)
		return
	}
	systemDisplay := c.index.Display(c.ord)
	if c.display != systemDisplay {
		w = wording{text: c.display, language: cmp.Or(c.ownLanguage, c.index.Header().Language), display: true}
		if !yield(&w) {
			return
		}
	}
	w = wording{text: systemDisplay, language: c.index.Header().Language, display: true}
	if systemDisplay != "" && !yield(&w) {
		return
	}
	for i, end := c.index.DesignationRange(c.ord); i < end; i++ {
		kind := c.index.DesignationKindOf(i)
		if kind.Inactive {
			continue
		}
		d := c.index.Designation(i)
		w = wording{text: d.Value, language: d.Language, use: d.Use, extension: d.Extension, accepted: kind.Acceptability}
		if !yield(&w) {
			return
		}
	}
	if len(c.supplements) > 0 && !c.ofSupplements(&w, yield) {
		return
	}
	c.ownDesignations(&w, yield)
}

func (c *concept) ownDesignations(w *wording, yield func(*wording) bool) {
	for i := range c.own {
		d := &c.own[i]
		*w = wording{text: d.Value, language: d.Language, use: d.Use, extension: d.Extension}
		if !yield(w) {
			return
		}
	}
}

// ofSupplements yields the texts that supplements add, and reports that more are wanted.
func (c *concept) ofSupplements(w *wording, yield func(*wording) bool) bool {
	code := c.index.Code(c.ord)
	for _, x := range c.supplements {
		o, ok := x.Find(code)
		if !ok {
			continue
		}
		if display := x.Display(o); display != "" {
			*w = wording{text: display, language: x.Header().Language, display: true, supplement: x}
			if !yield(w) {
				return false
			}
		}
		for d := range x.Designations(o) {
			*w = wording{text: d.Value, language: cmp.Or(d.Language, x.Header().Language), use: d.Use, extension: d.Extension, supplement: x}
			if !yield(w) {
				return false
			}
		}
	}
	return true
}

// designations yields the texts of a concept other than its own displays, as
// designations. It has the form of an iterator.
func (c *concept) designations(yield func(*r4.Designation) bool) {
	for w := range c.wordings {
		if w.display && w.supplement == nil {
			continue
		}
		d := r4.Designation{Language: w.language, Use: w.use, Value: w.text, Extension: w.extension}
		if !yield(&d) {
			return
		}
	}
}
