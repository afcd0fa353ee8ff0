package uiadapter

import (
	"cmp"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/language"
)

// LanguageNames are the names of a concept in a language, "" for unknown.
type LanguageNames struct {
	Language string
	Names    []Name
	// Rest are shown on demand.
	Rest []Name
}

// A Name is a text of a concept.
type Name struct {
	Text string
	// Use says what the text is for: a key of a text, or a name.
	Use string
	// Dialects are the language reference sets that have the text.
	Dialects []Dialect
	// From is the supplement that adds the text.
	From     string
	Display  bool
	Inactive bool
}

// A Dialect is a language reference set that has a text. Name is a language tag, or the display of the
// reference set.
type Dialect struct {
	Name      string
	Preferred bool
}

// namesAtOnce is the number of names in a language that are shown at once, and maxNames that of all.
const namesAtOnce, maxNames = 25, 2000

// names returns the texts of a concept: by language, the wanted language first, and in a language the
// displays first.
func (s *System) names(o codesystem.Ord) []LanguageNames {
	c := language.Concept{Index: s.x, Ord: o, Display: s.x.Display(o), Supplements: s.packs}
	var list []LanguageNames
	count := 0
	add := func(w *language.Wording) bool {
		if count++; count > maxNames {
			return false
		}
		at := slices.IndexFunc(list, func(l LanguageNames) bool { return l.Language == w.Language })
		if at < 0 {
			at = len(list)
			list = append(list, LanguageNames{Language: w.Language})
		}
		n := s.name(w)
		if i := slices.IndexFunc(list[at].Names, func(o Name) bool { return o.Display && o.Text == n.Text && o.From == n.From }); i >= 0 && !n.Inactive {
			list[at].Names[i].Dialects = append(list[at].Names[i].Dialects, n.Dialects...) // the display is listed as a designation as well
			return true
		}
		list[at].Names = append(list[at].Names, n)
		return true
	}
	c.Wordings(add)
	c.Former(add)
	sortBy(list, func(a, b LanguageNames) int {
		return cmp.Or(cmp.Compare(s.wants(b.Language), s.wants(a.Language)), cmp.Compare(a.Language, b.Language))
	})
	for i := range list {
		sortBy(list[i].Names, func(a, b Name) int { return cmp.Compare(a.rank(), b.rank()) })
		if n := len(list[i].Names); n > namesAtOnce+5 {
			list[i].Names, list[i].Rest = list[i].Names[:namesAtOnce], list[i].Names[namesAtOnce:]
		}
	}
	return list
}

// wants returns how well a language fits the wanted ones.
func (s *System) wants(tag string) int {
	if tag == "" {
		return language.FitExact
	}
	return s.want.Best(&language.Wording{Language: tag})
}

// rank orders names of a language.
func (n *Name) rank() int {
	switch {
	case n.Inactive:
		return 3
	case n.Display:
		return 0
	case slices.ContainsFunc(n.Dialects, func(d Dialect) bool { return d.Preferred }):
		return 1
	}
	return 2
}

func (s *System) name(w *language.Wording) Name {
	n := Name{Text: w.Text, Display: w.Display, Inactive: w.Inactive}
	if w.Display {
		n.Use = "concept.display"
	} else if w.Use != nil {
		n.Use = cmp.Or(usesOfNames[w.Use.Code], w.Use.Display, w.Use.Code)
		if n.Use == w.Use.Code {
			if o, found := s.x.Find(w.Use.Code); found {
				n.Use = s.term(o).Text
			}
		}
	}
	if w.Supplement != nil {
		h := w.Supplement.Header()
		n.From = cmp.Or(h.Title, h.Name, h.URL)
	}
	for _, a := range w.Accepted {
		n.Dialects = append(n.Dialects, Dialect{s.dialect(a.Refset), a.Preferred})
	}
	return n
}

// usesOfNames are the texts for uses of designations.
var usesOfNames = map[string]string{
	"900000000000003001": "concept.fullname", "900000000000013009": "concept.synonym", "900000000000550004": "concept.definition",
	"hasExactSynonym": "concept.synonym", "hasRelatedSynonym": "concept.related", "hasNarrowSynonym": "concept.narrow", "hasBroadSynonym": "concept.broad",
	"display": "concept.display", "preferredForLanguage": "concept.display",
}

// dialect returns the name of a language reference set.
func (s *System) dialect(refset string) string {
	for _, tag := range [...]string{"en-US", "en-GB", "en-CA", "en-AU", "en-NZ", "en-IE", "de", "fr", "fr-BE", "fr-CA", "es", "es-UY", "nl-NL", "nl-BE", "da-DK", "sv-SE", "nb-NO", "nn-NO", "et-EE", "ja", "zh", "mi"} {
		if set, ok := codesystem.DialectRefset(tag); ok && set == refset {
			return tag
		}
	}
	if o, found := s.x.Find(refset); found {
		return s.term(o).Text
	}
	return refset
}
