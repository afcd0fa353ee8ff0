package uiadapter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine"
)

// findRoom is the first page: concepts by their words, as one types.
func findRoom() *room {
	return &room{name: "find", link: "./", types: []string{"CodeSystem"}, routes: map[string]func(*Page) error{
		"GET /ui/{$}": (*Page).find,
	}}
}

const (
	// hitsOfOne is a page of the hits in one code system, hitsOfEach are those in each one of several,
	// and hitsOfBasic those in the code systems of FHIR.
	hitsOfOne, hitsOfEach, hitsOfBasic = 50, 8, 50
	// maxSought is the length of the longest text that is searched, in bytes.
	maxSought = 500
	// inBasic stands for the code systems of FHIR in addresses.
	inBasic = "fhir"
)

// findData is what find.html shows.
type findData struct {
	seeking
	// Loaded are the code systems that were loaded, Basic is the number of those that are built in.
	Loaded []Loaded
	Basic  int
	// Other is the chosen code system if it is none of those.
	Other *Loaded
	// Languages are those of the displays.
	Languages []string

	findings
	Named     []Named
	MoreNamed int
	Facets    []Facet
	// Status says what was found, for people who do not see it.
	Summary string
	// Previous and Next are the addresses of other pages of hits, "" for none.
	Previous, Next string
	First, Last    int // hits of the page
}

// A Loaded is a code system that one can search.
type Loaded struct {
	URL, Version, Name, Release string
	Codes                       int
	Chosen                      bool
}

// find shows the page, or the results as one types.
func (p *Page) find() error {
	s, err := p.seeking()
	if err != nil {
		return err
	}
	d := &findData{seeking: s}
	entries := p.systems()
	loaded, basic := apart(entries)
	d.Basic = len(basic)
	for _, e := range loaded {
		d.Loaded = append(d.Loaded, loadedOf(e, s.URL))
	}
	switch {
	case s.URL == "" && s.Text == "":
		d.Languages, err = p.languages(loaded)
		if err != nil {
			return err
		}
		return p.Show("find.html", "results", p.T("find.title"), d)
	case s.URL == inBasic:
		err = p.searchBasic(d, basic)
	case s.URL != "":
		err = p.searchOne(d)
	default:
		err = p.searchLoaded(d, loaded, basic)
	}
	if err != nil {
		return err
	}
	if d.Languages, err = p.languages(loaded); err != nil {
		return err
	}
	if s.Text != "" && s.From == 0 && (s.URL == "" || s.URL == inBasic) {
		d.Named, d.MoreNamed = p.named(&s)
	}
	d.Summary = p.summary(d)
	title := p.T("find.title")
	if s.Text != "" {
		title = s.Text + " – " + title
	}
	return p.Show("find.html", "results", title, d)
}

// apart returns the code systems that were loaded, and those that are built in. The first ones come
// first in the list.
func apart(list []*engine.Entry) (loaded, basic []*engine.Entry) {
	for i, e := range list {
		if e.BuiltIn {
			return list[:i], list[i:]
		}
	}
	return list, nil
}

func loadedOf(e *engine.Entry, chosen string) Loaded {
	return Loaded{URL: e.Header.URL, Name: nameOf(e), Release: releaseOf(e.Header.Version), Codes: e.Concepts, Chosen: e.Header.URL == chosen}
}

// languages returns the languages that the texts of code systems have, and the chosen one.
func (p *Page) languages(entries []*engine.Entry) ([]string, error) {
	set := map[string]bool{}
	for _, e := range entries {
		x, err := p.h.Engine.System(e.Header.URL, e.Header.Version)
		if err != nil {
			return nil, err
		}
		set[x.Header().Language] = true
		kinds := x.DesignationKinds()
		for i := range kinds {
			set[kinds[i].Language] = true
		}
		packs, err := p.h.Engine.LanguagePacks(x)
		if err != nil {
			return nil, err
		}
		for _, pack := range packs {
			set[pack.Header().Language] = true
		}
	}
	set[p.chosenLanguage()] = true
	delete(set, "")
	return sortedKeys(set), nil
}

// summary says in a sentence what was found.
func (p *Page) summary(d *findData) string {
	switch {
	case d.Total == 0:
		return p.T("find.none")
	case d.Nearly && d.Missing != "":
		return p.T("find.without", d.Missing)
	case d.Nearly:
		return p.T("find.nearly")
	case d.Total == 1:
		return p.T("find.one")
	case d.In == 1 || d.URL != "" && d.URL != inBasic:
		return p.T("find.some", number(d.Total))
	}
	return p.T("find.several", number(d.Total), number(d.In))
}

// seeking is what one looks for. The address of the page has it.
type seeking struct {
	Text         string
	URL, Version string // of a code system, "" for all that were loaded
	Status       string // active, inactive or abstract
	Category     string // key of a category
	Language     string // of the displays, "" for that of the settings
	From         int    // hits to skip
	// Part is true for the answer that only has what was found in the code systems of FHIR.
	Part bool

	*marker
}

// seeking returns what the request looks for.
func (p *Page) seeking() (seeking, error) {
	s := seeking{
		Text: p.Query("q"), URL: p.Query("system"), Version: p.Query("version"), Status: p.Query("status"), Category: p.Query("category"),
		Language: p.chosenLanguage(), From: p.Number("from", 0, 0, 1<<30), Part: p.Query("part") != "",
	}
	if len(s.Text) > maxSought {
		return s, fmt.Errorf("%w: the text to find has more than %d bytes: give the few words that matter", engine.ErrInvalidParameter, maxSought)
	}
	switch s.Status {
	case "", "active", "inactive", "abstract":
	default:
		return s, fmt.Errorf("%w: status is %q, want active, inactive or abstract", engine.ErrInvalidParameter, cut(s.Status, 20))
	}
	s.marker = newMarker(s.Text)
	return s, nil
}

// with returns the address of the page with some parameters changed, on its first hits.
func (s *seeking) with(pairs ...string) string {
	next := *s
	next.From, next.Part = 0, false
	for pair := range slices.Chunk(pairs, 2) {
		value := pair[len(pair)-1]
		switch pair[0] {
		case "system":
			if value != next.URL {
				next.Version, next.Category = "", ""
			}
			next.URL = value
		case "status":
			next.Status = value
		case "category":
			next.Category = value
		}
	}
	return next.address()
}

// page returns the address of the page from a hit on.
func (s *seeking) page(from int) string {
	next := *s
	next.From = from
	return next.address()
}

// address returns the address of the page.
func (s *seeking) address() string {
	from, part := "", ""
	if s.From > 0 {
		from = fmt.Sprint(s.From)
	}
	if s.Part {
		part = "1"
	}
	address, err := link("./", "q", s.Text, "system", s.URL, "version", s.Version, "status", s.Status, "category", s.Category,
		"lang", s.Language, "from", from, "part", part)
	if err != nil {
		return "./" // link fails for an odd number of arguments only
	}
	return address
}

// Everywhere returns the address of the same search in all code systems, and In that in one.
func (s *seeking) Everywhere() string { return s.with("system", "") }

// Inside returns the address of the same search in one code system.
func (s *seeking) Inside(url string) string { return s.with("system", url) }

// Basic returns the address of the same search in the code systems of FHIR.
func (s *seeking) InBasic() string { return s.with("system", inBasic) }

// BasicPart returns the address of what was found there, for below the other hits.
func (s *seeking) BasicPart() string {
	next := *s
	next.URL, next.Version, next.Category, next.From, next.Part = inBasic, "", "", 0, true
	return next.address()
}

// trimmed returns the text before a vertical bar, as in 73211009 |Diabetes mellitus|.
func (s *seeking) trimmed() string {
	before, _, _ := strings.Cut(s.Text, "|")
	return strings.TrimSpace(before)
}
