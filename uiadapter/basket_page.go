package uiadapter

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// basketRoom is where codes that were picked, and an expression, become a value set.
func basketRoom() *room {
	return &room{name: "basket", types: []string{"ValueSet"}, routes: map[string]func(*Page) error{
		"GET /ui/basket":   (*Page).composePage,
		"POST /ui/basket":  (*Page).pick,
		"GET /ui/download": (*Page).download,
		"POST /ui/store":   (*Page).store,
	}}
}

// composing is what basket.html shows.
type composing struct {
	Title, ID, URL string
	// Chosen is the code system of the expression, Text the expression.
	Systems []Choice
	Chosen  string
	Text    string
	Error   *Mistake
	// Selected is the number of concepts of the expression.
	Selected int
	Picked   []Pick
	// JSON is the value set, "" if there is nothing in it; Total the number of its codes.
	JSON  string
	Total int
	// Problem says why the value set cannot be expanded or was not stored.
	Problem  string
	Download string
	Replace  bool
	Writable bool

	set *r4.ValueSet
}

// A Pick is a code in the basket.
type Pick struct {
	Ref
	Known bool
	Name  string
}

// composePage shows the basket and the value set that it makes.
func (p *Page) composePage() error {
	d, err := p.composed()
	if err != nil {
		return err
	}
	return p.Show("basket.html", "made", p.T("basket.title"), d)
}

// maxName is the length of the longest title, id or URL of a value set.
const maxName = 1000

var validID = regexp.MustCompile(`^[A-Za-z0-9\-.]{1,64}$`)

// composed returns the value set of the basket and the form.
func (p *Page) composed() (*composing, error) {
	d := &composing{
		Title: p.Query("title"), ID: p.Query("id"), URL: p.Query("url"), Text: p.Query("ecl"), Chosen: p.Query("system"),
		Replace: p.Query("replace") != "", Writable: p.h.Writable,
	}
	switch {
	case len(d.Title) > maxName, len(d.ID) > maxName, len(d.URL) > maxName, len(d.Text) > maxExpression:
		return nil, fmt.Errorf("%w: a field is too long", engine.ErrInvalidParameter)
	case d.ID != "" && !validID.MatchString(d.ID):
		return nil, fmt.Errorf("%w: id: an id has letters, digits, - and ., 64 at most", engine.ErrInvalidParameter)
	}
	if d.Chosen == "" {
		d.Chosen = preset(p.choices(""))
	}
	d.Systems = p.choices(d.Chosen)
	d.set = &r4.ValueSet{
		Header:  r4.Header{ResourceType: "ValueSet", ID: d.ID, URL: d.URL, Title: d.Title, Status: "draft"},
		Compose: &r4.Compose{},
	}
	if d.URL == "" && d.ID != "" {
		d.set.URL = p.h.Address(p.r) + "/ValueSet/" + d.ID
	}
	p.include(d)
	if d.Text != "" {
		if err := p.includeExpression(d); err != nil {
			return nil, err
		}
	}
	if len(d.set.Compose.Include) == 0 || d.Error != nil {
		return d, nil
	}
	var err error
	if d.JSON, err = indented(d.set); err != nil {
		return nil, err
	}
	none := 0
	found, err := p.h.Engine.Expand(p.Context(), &engine.ExpandRequest{ValueSet: d.set, Count: &none})
	switch {
	case err == nil:
		d.Total = found.Total
	case p.Context().Err() != nil:
		return nil, err
	default:
		d.Problem = p.problem(err).Text
	}
	d.Download, err = link("download", "title", d.Title, "id", d.ID, "url", d.URL, "system", d.Chosen, "ecl", d.Text)
	return d, err
}

// include adds the codes of the basket to the value set.
func (p *Page) include(d *composing) {
	for _, picked := range p.basket {
		inc := r4.Include{System: picked.System}
		s, err := p.system(picked.System, "")
		if err != nil {
			s = nil
		}
		for _, code := range picked.Codes {
			pick := Pick{Ref: Ref{Term: Term{Text: code}, System: picked.System, Code: code}, Name: picked.System}
			c := r4.ConceptReference{Code: code}
			if s != nil {
				pick.Name = s.Name
			}
			if o, found := s.lookUp(code); found {
				pick.Ref, pick.Known, c.Display = s.ref(o), true, s.x.Display(o)
			}
			if isLong(c.Display) {
				c.Display = ""
			}
			inc.Concept = append(inc.Concept, c)
			d.Picked = append(d.Picked, pick)
		}
		d.set.Compose.Include = append(d.set.Compose.Include, inc)
	}
}

// includeExpression adds the concepts of the expression to the value set.
func (p *Page) includeExpression(d *composing) error {
	s, _, err := p.chosenSystem(d.Systems)
	if err != nil {
		return err
	}
	set, _, mistake, err := p.selected(s, d.Text)
	if err != nil || mistake != nil {
		d.Error = mistake
		return err
	}
	d.Selected = int(set.GetCardinality())
	d.set.Compose.Include = append(d.set.Compose.Include, r4.Include{
		System: s.URL, Version: s.Version, Filter: []r4.Filter{{Property: "constraint", Op: "=", Value: d.Text}},
	})
	return nil
}

// download sends the value set as a file.
func (p *Page) download() error {
	d, err := p.composed()
	if err != nil {
		return err
	}
	if d.JSON == "" {
		return fmt.Errorf("%w: there is nothing in the value set", engine.ErrInvalidParameter)
	}
	header := p.w.Header()
	header.Set("Content-Type", "application/fhir+json; charset=utf-8")
	header.Set("Content-Disposition", `attachment; filename="`+cmp.Or(d.ID, "valueset")+`.json"`)
	header.Set("X-Content-Type-Options", "nosniff")
	_, _ = p.w.Write([]byte(d.JSON + "\n")) // the client has gone if it fails
	return nil
}

// store puts the value set into the store of the server, as the person who looks. It replaces another
// one only if the form says so.
func (p *Page) store() error {
	if err := p.ownForm(); err != nil {
		return err
	}
	if !p.h.Writable {
		return errNotFound
	}
	d, err := p.composed()
	switch {
	case err != nil:
		return err
	case d.JSON == "":
		return fmt.Errorf("%w: there is nothing in the value set", engine.ErrInvalidParameter)
	case d.ID == "":
		return fmt.Errorf("%w: id, the id of the value set", engine.ErrMissingParameter)
	}
	if !d.Replace {
		_, err := p.FHIR(http.MethodGet, "ValueSet/"+d.ID, nil)
		if err == nil {
			return p.notStored(d, http.StatusConflict, p.T("basket.exists"))
		}
		var failed *fhirError
		if !errors.As(err, &failed) || failed.status != http.StatusNotFound && failed.status != http.StatusGone {
			return p.refused(d, err)
		}
	}
	if _, err := p.FHIR(http.MethodPut, "ValueSet/"+d.ID, []byte(d.JSON)); err != nil {
		return p.refused(d, err)
	}
	to, err := link("valueset", "url", d.set.URL)
	if err != nil {
		return err
	}
	redirect(p.w, p.r, to)
	return nil
}

// refused shows why the interface of the server refused a value set.
func (p *Page) refused(d *composing, err error) error {
	var failed *fhirError
	if !errors.As(err, &failed) {
		return err
	}
	return p.notStored(d, failed.status, strings.TrimSpace(failed.text))
}

// notStored shows the form again, with what is wrong.
func (p *Page) notStored(d *composing, status int, why string) error {
	d.Problem = cmp.Or(why, http.StatusText(status))
	p.Title, p.Data = p.T("basket.title"), d
	return p.render(status, "basket.html", "layout")
}

// Back returns the address of the page with the form as it is, for forms on it that come back.
func (p *Page) Back() (string, error) {
	return link("basket", "title", p.Query("title"), "id", p.Query("id"), "url", p.Query("url"), "system", p.Query("system"), "ecl", p.Query("ecl"))
}
