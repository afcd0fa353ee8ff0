package language

import (
	"cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// A pick chooses a display among candidates that are offered one by one. The zero pick has no
// choice yet.
type pick struct {
	want    Preference
	best    Wording
	rank    int // of the range in the preference: lower is better
	current bool
	fit     int
	use     int
	found   bool
}

// offer takes a candidate if it is better than the choice so far: an earlier language of the list,
// then a text still in use, then a better fit, then a better use, then the one offered first.
func (p *pick) offer(w *Wording) {
	if w.Text == "" {
		return
	}
	for rank := range p.want.ranges {
		f := p.want.fit(rank, w)
		if f == FitNone {
			continue
		}
		use, current := w.rank(), w.Current()
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

// A Concept is a concept with the texts that value set and supplements add.
type Concept struct {
	Index       *codesystem.Index // nil if its code system is not loaded
	Ord         codesystem.Ord
	Display     string           // of the value set or the code system
	Own         []r4.Designation // of the value set
	OwnLanguage string           // ValueSet.language
	Supplements []*codesystem.Index
}

// PickDisplay returns the display of a concept in the best available language.
func (c *Concept) PickDisplay(want *Preference) string {
	if want.None() {
		return c.Display
	}
	return c.PickWording(want).Text
}

// PickWording is PickDisplay with the details of the text.
func (c *Concept) PickWording(want *Preference) Wording {
	p := pick{want: *want}
	var silent Wording
	for w := range c.Wordings {
		p.offer(w)
		if silent.Text == "" && w.Language == "" && w.ForDisplay() {
			silent = *w
		}
	}
	switch {
	case p.found && want.ranges[p.rank] == "*":
		return Wording{Text: c.Display, Display: true}
	case p.found:
		return p.best
	case want.strict:
		return silent
	}
	return Wording{Text: c.Display, Display: true}
}

// Wordings is an iterator over all texts of a concept: the display of the value set, the display
// and designations of the code system, those of its supplements, and the designations of the value
// set. A Wording is valid until the next one.
func (c *Concept) Wordings(yield func(*Wording) bool) {
	var w Wording
	if c.Index == nil {
		w = Wording{Text: c.Display, Language: c.OwnLanguage, Display: true}
		if !yield(&w) {
			return
		}
		c.ownDesignations(&w, yield)
		return
	}
	systemDisplay := c.Index.Display(c.Ord)
	if c.Display != systemDisplay {
		w = Wording{Text: c.Display, Language: cmp.Or(c.OwnLanguage, c.Index.Header().Language), Display: true}
		if !yield(&w) {
			return
		}
	}
	w = Wording{Text: systemDisplay, Language: c.Index.Header().Language, Display: true}
	if systemDisplay != "" && !yield(&w) {
		return
	}
	for i, end := c.Index.DesignationRange(c.Ord); i < end; i++ {
		kind := c.Index.DesignationKindOf(i)
		if kind.Inactive {
			continue
		}
		d := c.Index.Designation(i)
		w = Wording{Text: d.Value, Language: d.Language, Use: d.Use, Extension: d.Extension, Accepted: kind.Acceptability}
		if !yield(&w) {
			return
		}
	}
	if len(c.Supplements) > 0 && !c.ofSupplements(&w, yield) {
		return
	}
	c.ownDesignations(&w, yield)
}

// Former is an iterator over the inactive designations of the code system, such as descriptions of
// SNOMED CT that were retired. They are no texts of the concept, but records may still show them. A
// Wording is valid until the next one.
func (c *Concept) Former(yield func(*Wording) bool) {
	if c.Index == nil {
		return
	}
	var w Wording
	for i, end := c.Index.DesignationRange(c.Ord); i < end; i++ {
		kind := c.Index.DesignationKindOf(i)
		if !kind.Inactive {
			continue
		}
		d := c.Index.Designation(i)
		w = Wording{Text: d.Value, Language: d.Language, Use: d.Use, Extension: d.Extension, Accepted: kind.Acceptability, Inactive: true}
		if !yield(&w) {
			return
		}
	}
}

func (c *Concept) ownDesignations(w *Wording, yield func(*Wording) bool) {
	for i := range c.Own {
		d := &c.Own[i]
		*w = Wording{Text: d.Value, Language: d.Language, Use: d.Use, Extension: d.Extension}
		if !yield(w) {
			return
		}
	}
}

// ofSupplements yields the texts that supplements add, and reports whether to continue.
func (c *Concept) ofSupplements(w *Wording, yield func(*Wording) bool) bool {
	code := c.Index.Code(c.Ord)
	for _, x := range c.Supplements {
		o, ok := x.Find(code)
		if !ok {
			continue
		}
		if display := x.Display(o); display != "" {
			*w = Wording{Text: display, Language: x.Header().Language, Display: true, Supplement: x}
			if !yield(w) {
				return false
			}
		}
		for d := range x.Designations(o) {
			*w = Wording{Text: d.Value, Language: cmp.Or(d.Language, x.Header().Language), Use: d.Use, Extension: d.Extension, Supplement: x}
			if !yield(w) {
				return false
			}
		}
	}
	return true
}

// Designations is an iterator over the texts of a concept other than its own displays, as
// designations.
func (c *Concept) Designations(yield func(*r4.Designation) bool) {
	for w := range c.Wordings {
		if w.Display && w.Supplement == nil {
			continue
		}
		d := r4.Designation{Language: w.Language, Use: w.Use, Value: w.Text, Extension: w.Extension}
		if !yield(&d) {
			return
		}
	}
}
