package uiadapter

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/definitions"
)

// Config describes what the page shows. Engine, FHIR, Address and Explain are required.
type Config struct {
	// Engine answers questions about terminology.
	Engine *engine.Engine
	// FHIR serves requests for resources. It is asked in the context of the request for the page, so
	// that grants, limits and the audit apply.
	FHIR http.Handler
	// Address returns the absolute URL of the server as the client of a request sees it, without a
	// slash at its end.
	Address func(r *http.Request) string
	// Explain returns the HTTP status of an error and its text for the client.
	Explain func(err error) (status int, text string)
	// Login finds out whose the credentials in the header Authorization of a request are. nil means
	// that the server asks nobody who they are.
	Login func(r *http.Request) error
	// Sessions remember who has signed in; nil where Login is nil.
	Sessions *Sessions
	// Passwords is true if people can sign in with a user and a password, and OAuth says how they can
	// at an authorization server; nil if they cannot.
	Passwords bool
	OAuth     *OAuth
	// Stored reports whether the server stores resources, and Writable whether a value set that was
	// put together on the page can be stored.
	Stored, Writable bool
	// Facts describe the server for the page about it.
	Facts func(ctx context.Context) Facts
	// Logger receives errors; nil disables it.
	Logger *slog.Logger
	// Name and Version identify the software.
	Name, Version string
}

// Facts describe a server for people.
type Facts struct {
	// Groups of facts in the order of the page.
	Groups []FactGroup
}

// A FactGroup is a titled list of facts. Title is a key of the texts of the page, such as
// "server.memory", or the title itself.
type FactGroup struct {
	Title string
	Facts []Fact
}

// A Fact is a name with a value. Name is a key of the texts of the page, or the name itself.
type Fact struct{ Name, Value string }

// Handler serves the page below /ui. It is safe for concurrent use.
type Handler struct {
	Config
	mux    *http.ServeMux
	views  *views
	assets *assets
	texts  *texts
	tables *definitions.Tables
	rooms  []*room

	attempts   *lru.Cache[[sha256.Size]byte, *attempt]
	categories categories
	// timeForCounts bounds the time that counting all types takes.
	timeForCounts time.Duration
}

// New returns the handler that config describes.
func New(config Config) (*Handler, error) {
	if config.Engine == nil || config.FHIR == nil || config.Address == nil || config.Explain == nil {
		return nil, errors.New("uiadapter: Config.Engine, FHIR, Address or Explain is nil")
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Name == "" {
		config.Name = "Roget"
	}
	h := &Handler{Config: config, mux: http.NewServeMux(), tables: definitions.R4(), timeForCounts: time.Second}
	var err error
	if h.texts, err = readTexts(); err != nil {
		return nil, err
	}
	if h.assets, err = readAssets(); err != nil {
		return nil, err
	}
	if h.views, err = parseViews(h.assets); err != nil {
		return nil, err
	}
	if h.attempts, err = lru.New[[sha256.Size]byte, *attempt](maxSessions); err != nil {
		return nil, err
	}
	h.mux.Handle("GET /ui/assets/{name}", h.assets)
	h.mux.HandleFunc("GET /ui", func(w http.ResponseWriter, r *http.Request) { redirect(w, r, "ui/") })
	h.mux.HandleFunc("POST /ui/settings", h.changeSettings)
	for _, room := range rooms() {
		if room.stored && !config.Stored {
			continue
		}
		h.rooms = append(h.rooms, room)
		for pattern, serve := range room.routes {
			h.mux.HandleFunc(pattern, h.page(room, serve))
		}
	}
	h.mux.HandleFunc("/ui/", h.page(nil, func(*Page) error { return errNotFound }))
	return h, nil
}

// ServeHTTP serves a request whose path is /ui or below.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", contentSecurityPolicy)
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	header.Set("Cache-Control", "no-cache, private")
	h.mux.ServeHTTP(w, r)
}

// contentSecurityPolicy lets a page load what this server sends as a file, and nothing else. Texts of
// terminologies and resources therefore do nothing but show, whatever is in them.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// redirect sends the browser to another page, whose address is relative to that of the request.
func redirect(w http.ResponseWriter, _ *http.Request, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
