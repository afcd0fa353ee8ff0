package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/issue"
)

// How the display of a coding is checked:
//
//	it is a text of the concept, in a language asked for     fine; noted when the text is
//	                                                         no longer in use
//	there are texts in a language asked for                  wrong; they are listed
//	there are none, but it is a text in another language     noted
//	there are none, and it is no text of the concept         wrong
//
// Case does not count; white space that differs is called that. A text without a
// language is in any language.

// displayCheck is a display with the texts it is checked against.
type displayCheck struct {
	v     *validation
	f     *finding
	texts []wording
}

func (v *validation) newDisplayCheck(f *finding) displayCheck {
	c := displayCheck{v: v, f: f}
	for w := range f.concept.wordings {
		if w.text != "" && (len(w.accepted) == 0 || !c.lists(w)) { // SNOMED CT has its display among its designations
			c.texts = append(c.texts, *w)
		}
	}
	return c
}

// lists reports that a text is there already.
func (c *displayCheck) lists(w *wording) bool {
	return slices.ContainsFunc(c.texts, func(other wording) bool { return other.text == w.text && other.language == w.language })
}

// severity is that of a wrong display.
func (v *validation) severity() string {
	if v.lenient {
		return "warning"
	}
	return "error"
}

// checkDisplay checks the display of a coding that is in the value set.
func (v *validation) checkDisplay(f *finding) {
	c := v.newDisplayCheck(f)
	switch {
	case len(c.texts) == 0:
	case c.has(strings.EqualFold, c.wanted):
		if !c.has(strings.EqualFold, func(w *wording) bool { return c.wanted(w) && w.current() }) {
			c.outdated()
		}
	case c.count() > 0:
		c.wrong(c.has(sameText, c.wanted))
	default:
		c.otherLanguage()
	}
}

// checkForeignDisplay checks the display of a coding that is not in the value set.
func (v *validation) checkForeignDisplay(f *finding) {
	c := v.newDisplayCheck(f)
	switch {
	case len(c.texts) == 0 || c.has(strings.EqualFold, c.acceptable):
	case c.count() == 0:
		v.say(issue.NoDisplayAtAll.Issue(at(f.path, "display"), f.display, f.systemName(), f.code, v.want.label()))
	default:
		c.wrong(c.has(sameText, c.acceptable))
	}
}

// wanted reports that a text is in a language asked for, or does not say its language.
func (c *displayCheck) wanted(w *wording) bool {
	return w.language == "" || c.v.want.none() || c.v.want.best(w) > fitNone
}

// acceptable reports that a text is in a language asked for, or that of the code system.
func (c *displayCheck) acceptable(w *wording) bool {
	language := "en"
	if x := c.f.concept.index; x != nil && x.Header().Language != "" {
		language = x.Header().Language
	}
	return c.wanted(w) || fit(language, w.language) > fitNone
}

// has reports that a text that passes is the display, as equal sees it.
func (c *displayCheck) has(equal func(a, b string) bool, passes func(*wording) bool) bool {
	for i := range c.texts {
		if w := &c.texts[i]; passes(w) && equal(c.f.display, w.text) {
			return true
		}
	}
	return false
}

// count counts the texts for display in a language asked for: those that fit best.
func (c *displayCheck) count() int {
	byFit := map[int]int{}
	best := fitNone
	for i := range c.texts {
		w := &c.texts[i]
		if !w.forDisplay() || !c.wanted(w) {
			continue
		}
		how := fitExact
		if w.language != "" && !c.v.want.none() {
			how = c.v.want.best(w)
		}
		byFit[how]++
		best = max(best, how)
	}
	return byFit[best]
}

// options lists the texts for display in a language asked for; all, when there are none.
func (c *displayCheck) options() string {
	show := func(passes func(*wording) bool) []string {
		var list []string
		for i := range c.texts {
			w := &c.texts[i]
			if !w.forDisplay() || !passes(w) {
				continue
			}
			s := "'" + w.text + "'"
			if w.language != "" {
				s += " (" + w.language + ")"
			}
			list = append(list, s)
		}
		return list
	}
	options := show(c.wanted)
	if len(options) == 0 {
		options = show(func(*wording) bool { return true })
	}
	return issue.Enumerate(options, "or")
}

// wrong says that the display is none of the texts; spaced, that it is one but for its
// white space.
func (c *displayCheck) wrong(spaced bool) {
	n := c.count()
	m := issue.Display
	switch {
	case spaced && n > 1:
		m = issue.DisplaySpaces
	case spaced:
		m = issue.DisplaySpace
	case n > 1:
		m = issue.Displays
	}
	f := c.f
	c.v.say(m.As(c.v.severity()).Issue(at(f.path, "display"),
		f.systemName(), f.code, c.options(), f.display, c.v.want.label(), strconv.Itoa(n)))
}

// otherLanguage speaks of a display while there is none in a language asked for.
func (c *displayCheck) otherLanguage() {
	v, f := c.v, c.f
	expression := at(f.path, "display")
	if c.has(strings.EqualFold, c.acceptable) {
		v.say(issue.OtherLanguage.Issue(expression, f.display, f.systemName(), f.code, v.want.label()))
		return
	}
	v.say(issue.OtherLanguageWrong.As(v.severity()).Issue(expression, f.display, f.systemName(), f.code, v.want.label(), f.concept.display))
}

// outdated says that the display is a text of the concept that is no longer in use.
func (c *displayCheck) outdated() {
	var current []string
	status := ""
	for i := range c.texts {
		w := &c.texts[i]
		if w.current() && w.forDisplay() && !slices.Contains(current, w.text) {
			current = append(current, w.text)
		}
		if status == "" && strings.EqualFold(w.text, c.f.display) {
			status = w.status()
		}
	}
	m := issue.OldDisplay
	if len(current) > 1 {
		m = issue.OldDisplays
	}
	c.v.say(m.As(c.v.severity()).Issue(at(c.f.path, "display"), c.f.display, c.f.code, strings.Join(current, ","), status))
}

// sameText compares displays: case and the amount of white space do not count.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}
