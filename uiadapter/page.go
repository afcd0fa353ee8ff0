package uiadapter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/language"
)

// A Page is one request for a page or for a part of it. Templates see it as their data.
type Page struct {
	h *Handler
	w http.ResponseWriter
	r *http.Request

	// Settings are those of the person who looks.
	Settings
	// Room is the room of the page, nil for pages without one.
	Room *room
	// Title is the title of the page, before the name of the server.
	Title string
	// Data is what the template of the room shows.
	Data any
	// Problem is what went wrong, for the template of errors.
	Problem *Problem

	basket []picks
	want   *language.Preference // the languages of displays, once they are read
}

// A Problem is an error as people see it.
type Problem struct {
	Status int
	Title  string
	Text   string
}

var errNotFound = errors.New("there is no such page")

// page returns a handler that runs serve for requests of a room.
func (h *Handler) page(of *room, serve func(*Page) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p := &Page{h: h, w: w, r: r, Room: of, Settings: h.settingsOf(r), basket: basketOf(r)}
		err := p.permitted()
		if err == nil {
			err = serve(p)
		}
		if err != nil {
			p.fail(err)
		}
	}
}

// permitted returns an error unless the request may use what the room is about.
func (p *Page) permitted() error {
	if p.Room == nil {
		return nil
	}
	for _, typ := range p.Room.types {
		if !p.may(typ) {
			return fmt.Errorf("%w: no scope of this sign-in covers read or search of %s", access.ErrForbidden, typ)
		}
	}
	return nil
}

// may reports whether the request may use published terminology of a type.
func (p *Page) may(typ string) bool {
	grant := access.GrantOf(p.Context())
	return grant == nil || grant.Covers(typ, access.Read|access.Search)
}

// entries returns the published resources of a type that the request may use.
func (p *Page) entries(typ string) []*engine.Entry {
	if !p.may(typ) {
		return nil
	}
	return p.h.Engine.Entries(typ)
}

// Context returns the context of the request.
func (p *Page) Context() context.Context { return p.r.Context() }

// Query returns the first value of a parameter of the address or the form, without space around it.
func (p *Page) Query(name string) string { return strings.TrimSpace(p.r.FormValue(name)) }

// Queries returns the values of a parameter of the address or the form that are not blank.
func (p *Page) Queries(name string) []string {
	_ = p.r.FormValue(name) // parses the form
	var list []string
	for _, v := range p.r.Form[name] {
		if v = strings.TrimSpace(v); v != "" {
			list = append(list, v)
		}
	}
	return list
}

// Number returns a parameter as a number from low to high, or preset if it is none.
func (p *Page) Number(name string, preset, low, high int) int {
	n, err := strconv.Atoi(p.Query(name))
	if err != nil {
		return preset
	}
	return min(max(n, low), high)
}

// IsFragment reports whether htmx asks for a part of the page. It asks for all of it when the browser
// goes back to a page whose address htmx has changed.
func (p *Page) IsFragment() bool { return p.r.Header.Get("HX-Request-Type") == "partial" }

// Show renders the page of a template: all of it, or the template fragment if htmx asks for a part.
// The template is a file, such as "find.html", with the definitions "main" and fragment.
func (p *Page) Show(template, fragment, title string, data any) error {
	p.Title, p.Data = plain(title), data
	if p.IsFragment() && fragment != "" {
		return p.render(http.StatusOK, template, fragment)
	}
	return p.render(http.StatusOK, template, "layout")
}

// ShowPart renders a template that is a part of a page only. A browser that asks for it without htmx is
// sent to the page instead, with the same parameters.
func (p *Page) ShowPart(template, fragment, page, title string, data any) error {
	if !p.IsFragment() {
		if p.r.URL.RawQuery != "" {
			page += "?" + p.r.URL.RawQuery
		}
		redirect(p.w, p.r, page)
		return nil
	}
	return p.Show(template, fragment, title, data)
}

// render writes the response. A template that fails is an error of the program; nothing is sent then
// but an error.
func (p *Page) render(status int, template, name string) error {
	body, err := p.h.views.render(template, name, p)
	if err != nil {
		return fmt.Errorf("render %s: %w", template, err)
	}
	header := p.w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Language", p.Language)
	header.Add("Vary", "HX-Request-Type, Accept-Language, Cookie")
	p.w.WriteHeader(status)
	if p.r.Method != http.MethodHead {
		_, _ = p.w.Write(body) // the client has gone if it fails
	}
	return nil
}

// fail shows an error. Nobody sees it if the browser has given up the request, as it does when one
// types on.
func (p *Page) fail(err error) {
	if errors.Is(p.Context().Err(), context.Canceled) {
		return
	}
	problem := p.problem(err)
	if problem.Status >= http.StatusInternalServerError {
		p.h.Logger.LogAttrs(p.Context(), slog.LevelError, "page", slog.String("path", p.r.URL.Path), slog.Any("err", err))
	}
	if problem.Status == http.StatusServiceUnavailable {
		p.w.Header().Set("Retry-After", "5")
	}
	p.Problem, p.Title = problem, problem.Title
	name := "layout"
	if p.IsFragment() {
		name = "problem"
	}
	if err := p.render(problem.Status, "problem.html", name); err != nil {
		p.h.Logger.LogAttrs(p.Context(), slog.LevelError, "page", slog.Any("err", err))
		http.Error(p.w, problem.Text, problem.Status)
	}
}

// problem returns an error as people see it. What the engine and the service say about a request has
// the status and the text that FHIR clients get.
func (p *Page) problem(err error) *Problem {
	status, text := http.StatusNotFound, ""
	if answer, is := errors.AsType[*fhirError](err); is {
		status, text = answer.status, answer.text
	} else if errors.Is(err, errNotFound) {
		text = p.T("page.notfound")
	} else {
		status, text = p.h.Explain(err)
	}
	if status == http.StatusInternalServerError {
		text = p.T("page.failed") // the log has the rest
	}
	title := p.T("page.problem")
	if status == http.StatusNotFound {
		title = p.T("page.nothing")
	}
	return &Problem{Status: status, Title: title, Text: text}
}
