package validation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
)

// How the display of a coding is checked:
//
//	a text of the concept in a requested language            valid
//	the same, but it is no longer in use                     valid with a warning; an error if
//	                                                         the request wants no lenience
//	other texts in a requested language exist                wrong; they are listed
//	none exist, but it is a text in another language         noted
//	none exist, and it is not a text of the concept          wrong
//
// Case is ignored. Different white space is reported as such. A text without a language
// counts for every language.

// A displayCheck is a display with the texts to check it against. Texts that are no longer in use
// are in former, those of inactive designations only after complete.
type displayCheck struct {
	v             *checker
	f             *finding
	texts, former []language.Wording
	complete      bool
}

func (v *checker) newDisplayCheck(f *finding) displayCheck {
	c := displayCheck{v: v, f: f}
	for w := range f.concept.Wordings {
		if w.Text != "" && (len(w.Accepted) == 0 || !c.lists(w)) { // designations of SNOMED CT include the display
			c.add(w)
		}
	}
	return c
}

func (c *displayCheck) add(w *language.Wording) {
	if w.Current() {
		c.texts = append(c.texts, *w)
		return
	}
	c.former = append(c.former, *w)
}

// formerText returns a text that is no longer in use, equals the display and passes, or nil.
func (c *displayCheck) formerText(passes func(*language.Wording) bool) *language.Wording {
	if !c.complete {
		c.complete = true
		for w := range c.f.concept.Former {
			c.add(w)
		}
	}
	for i := range c.former {
		if w := &c.former[i]; passes(w) && strings.EqualFold(c.f.display, w.Text) {
			return w
		}
	}
	return nil
}

// lists reports whether the check has a text already.
func (c *displayCheck) lists(w *language.Wording) bool {
	return slices.ContainsFunc(c.texts, func(other language.Wording) bool { return other.Text == w.Text && other.Language == w.Language })
}

// severity returns the severity of a wrong display. Grammars do not assign displays: UCUM has none,
// and BCP 47 calls its names informative. So another display is not wrong there, only noted.
func (c *displayCheck) severity() string {
	if c.v.lenient || c.v.state.Grammar(c.f.systemName(), c.f.version) != nil {
		return "warning"
	}
	return "error"
}

// checkDisplay checks the display of a coding that is in the value set.
func (v *checker) checkDisplay(f *finding) {
	c := v.newDisplayCheck(f)
	if c.has(strings.EqualFold, c.wanted) {
		return
	}
	switch former := c.formerText(c.wanted); {
	case former != nil:
		c.outdated(former)
	case len(c.texts) == 0:
	case c.count() > 0:
		c.wrong(c.has(sameText, c.wanted))
	default:
		c.otherLanguage()
	}
}

// checkForeignDisplay checks the display of a coding that is not in the value set. A text that is
// no longer in use needs no comment there.
func (v *checker) checkForeignDisplay(f *finding) {
	c := v.newDisplayCheck(f)
	switch {
	case len(c.texts) == 0 || c.has(strings.EqualFold, c.acceptable) || c.formerText(c.acceptable) != nil:
	case c.count() == 0:
		v.say(issue.NoDisplayAtAll.Issue(at(f.path, "display"), f.display, f.systemName(), f.code, v.want.Label()))
	default:
		c.wrong(c.has(sameText, c.acceptable))
	}
}

// wanted reports whether a text is in a requested language or has no language.
func (c *displayCheck) wanted(w *language.Wording) bool {
	return w.Language == "" || c.v.want.None() || c.v.want.Best(w) > language.FitNone
}

// acceptable reports whether a text is in a requested language or in that of the code system.
func (c *displayCheck) acceptable(w *language.Wording) bool {
	own := "en"
	if x := c.f.concept.Index; x != nil && x.Header().Language != "" {
		own = x.Header().Language
	}
	return c.wanted(w) || language.Fit(own, w.Language) > language.FitNone
}

// has reports whether the display equals a text that passes.
func (c *displayCheck) has(equal func(a, b string) bool, passes func(*language.Wording) bool) bool {
	for i := range c.texts {
		if w := &c.texts[i]; passes(w) && equal(c.f.display, w.Text) {
			return true
		}
	}
	return false
}

// count returns the number of texts for display that best fit a requested language.
func (c *displayCheck) count() int {
	byFit := map[int]int{}
	best := language.FitNone
	for i := range c.texts {
		w := &c.texts[i]
		if !w.ForDisplay() || !c.wanted(w) {
			continue
		}
		how := language.FitExact
		if w.Language != "" && !c.v.want.None() {
			how = c.v.want.Best(w)
		}
		byFit[how]++
		best = max(best, how)
	}
	return byFit[best]
}

// options returns the texts for display in a requested language, or all if there are none.
func (c *displayCheck) options() string {
	show := func(passes func(*language.Wording) bool) []string {
		var list []string
		for i := range c.texts {
			w := &c.texts[i]
			if !w.ForDisplay() || !passes(w) {
				continue
			}
			s := "'" + w.Text + "'"
			if w.Language != "" {
				s += " (" + w.Language + ")"
			}
			list = append(list, s)
		}
		return list
	}
	options := show(c.wanted)
	if len(options) == 0 {
		options = show(func(*language.Wording) bool { return true })
	}
	return issue.Enumerate(options, "or")
}

// wrong reports a wrong display. spaced is true if only its white space is wrong.
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
	c.v.say(m.As(c.severity()).Issue(at(f.path, "display"),
		f.systemName(), f.code, c.options(), f.display, c.v.want.Label(), strconv.Itoa(n)))
}

// otherLanguage reports on a display if the concept has none in a requested language.
func (c *displayCheck) otherLanguage() {
	v, f := c.v, c.f
	expression := at(f.path, "display")
	if c.has(strings.EqualFold, c.acceptable) || c.formerText(c.acceptable) != nil {
		v.say(issue.OtherLanguage.Issue(expression, f.display, f.systemName(), f.code, v.want.Label()))
		return
	}
	v.say(issue.OtherLanguageWrong.As(c.severity()).Issue(expression, f.display, f.systemName(), f.code, v.want.Label(), f.concept.Display))
}

// outdated reports that the display is a text that is no longer in use, and lists those that are:
// the texts for display, then the other names.
func (c *displayCheck) outdated(former *language.Wording) {
	var display, names []string
	for i := range c.texts {
		switch w := &c.texts[i]; {
		case slices.Contains(display, w.Text):
		case w.ForDisplay():
			display = append(display, w.Text)
		case w.Names() && !slices.Contains(names, w.Text):
			names = append(names, w.Text)
		}
	}
	names = slices.DeleteFunc(names, func(s string) bool { return slices.Contains(display, s) })
	current := append(display, names...)
	m := issue.OldDisplay
	if len(current) > 1 {
		m = issue.OldDisplays
	}
	if c.v.strictDisplay {
		m.Severity = "error"
	}
	c.v.issues.Add(m.Issue(at(c.f.path, "display"), c.f.display, c.f.code, strings.Join(current, ","), former.Status()))
}

// sameText compares displays, ignoring case and the amount of white space.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}
