package uiadapter

import (
	"cmp"
	"slices"
	"strings"

	bcp47 "golang.org/x/text/language"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/language"
)

// A System is a version of a code system that a page shows.
type System struct {
	URL string
	// Version is "" for the default version, so that links to it stay short and lead to the default
	// version of tomorrow.
	Version string
	// Name is what people call it, and Release its version.
	Name, Release string
	BuiltIn       bool
	// Language is that of the displays if the address names it, which links then do as well.
	Language string

	x     *codesystem.Index
	packs []*codesystem.Index // supplements with displays in other languages
	want  *language.Preference
}

// system returns a code system by its canonical. Errors are those of Engine.System.
func (p *Page) system(url, version string) (*System, error) {
	x, err := p.h.Engine.System(url, version)
	if err != nil {
		return nil, err
	}
	return p.systemOf(x)
}

// systemOf returns the code system of an index.
func (p *Page) systemOf(x *codesystem.Index) (*System, error) {
	packs, err := p.h.Engine.LanguagePacks(x)
	if err != nil {
		return nil, err
	}
	header := x.Header()
	s := &System{
		URL: x.URL(), Version: x.Version(), Release: releaseOf(x.Version()), x: x, packs: packs, want: p.displays(), Language: p.chosenLanguage(),
		Name: cmp.Or(header.Title, header.Name, header.ID, header.URL),
	}
	for _, e := range p.entries("CodeSystem") {
		if e.Header.URL == s.URL && e.Header.Version == x.Version() {
			s.BuiltIn = e.BuiltIn
			if p.h.Engine.IsDefault(e) {
				s.Version = ""
			}
		}
	}
	return s, nil
}

// releaseOf returns a version as people read it: that of SNOMED CT is a URL that ends with a day.
func releaseOf(version string) string {
	if _, day, found := strings.Cut(version, "/version/"); found {
		return day
	}
	return version
}

// displays returns the languages in which displays are wanted. It is read once for each page.
func (p *Page) displays() *language.Preference {
	if p.want == nil {
		want, err := language.Choose("", "", cmp.Or(p.chosenLanguage(), p.DisplayLanguage()), "")
		if err != nil {
			want = language.Preference{}
		}
		p.want = &want
	}
	return p.want
}

// chosenLanguage returns the language of the displays that the address asks for, "" for that of the
// settings.
func (p *Page) chosenLanguage() string {
	tag := p.Query("lang")
	if _, err := bcp47.Parse(tag); err != nil {
		return ""
	}
	return tag
}

// systems returns the code systems that have codes, in their default versions: those that were
// loaded before those that are built in, by title.
func (p *Page) systems() []*engine.Entry {
	list := slices.DeleteFunc(slices.Clone(p.entries("CodeSystem")), func(e *engine.Entry) bool {
		return !e.HasCodes(false) || e.Header.URL == "" || !p.h.Engine.IsDefault(e)
	})
	sortBy(list, byName)
	return list
}

// byName compares two resources for a list: what was loaded comes before what is built in.
func byName(x, y *engine.Entry) int {
	switch {
	case x.BuiltIn == y.BuiltIn:
		return cmp.Or(cmp.Compare(strings.ToLower(nameOf(x)), strings.ToLower(nameOf(y))), cmp.Compare(x.Header.Version, y.Header.Version))
	case y.BuiltIn:
		return -1
	}
	return 1
}

// nameOf returns what people call a resource.
func nameOf(e *engine.Entry) string {
	return cmp.Or(e.Header.Title, e.Header.Name, e.Header.ID, e.Header.URL)
}

// A Term is a text with its language, "" if that is unknown.
type Term struct{ Text, Language string }

// A Ref is a concept as pages show and link it.
type Ref struct {
	Term
	System, Version, Code string
	// In is the language of displays that links ask for.
	In                 string
	Inactive, Abstract bool
	// Below is the number of concepts directly below it.
	Below int
}

// Link returns the address of the page of the concept.
func (r *Ref) Link() (string, error) {
	return link("concept", "system", r.System, "version", r.Version, "code", r.Code, "lang", r.In)
}

// ref returns a concept.
func (s *System) ref(o codesystem.Ord) Ref {
	return Ref{
		Term: s.term(o), System: s.URL, Version: s.Version, Code: s.x.Code(o), In: s.Language,
		Inactive: s.x.Inactive(o), Abstract: s.x.Abstract(o), Below: len(s.x.Children(o)),
	}
}

// refs returns concepts.
func (s *System) refs(list []codesystem.Ord) []Ref {
	refs := make([]Ref, len(list))
	for i, o := range list {
		refs[i] = s.ref(o)
	}
	return refs
}

// term returns the display of a concept in the best available language, its code if it has none.
// Where a code system does not say which language its displays have, they pass for English, as those
// of FHIR: a synonym that is marked as English does not take their place.
func (s *System) term(o codesystem.Ord) Term {
	own := s.x.Display(o)
	ofSystem := s.x.Header().Language
	if s.want.None() {
		return Term{cmp.Or(own, s.x.Code(o)), ofSystem}
	}
	c := language.Concept{Index: s.x, Ord: o, Display: own, Supplements: s.packs}
	w := c.PickWording(s.want)
	switch {
	case w.Text == "":
		return Term{Text: cmp.Or(own, s.x.Code(o))}
	case ofSystem == "" && own != "" && language.Fit("en", w.Language) > language.FitNone:
		return Term{Text: own}
	}
	return Term{w.Text, w.Language}
}
