package catalogue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A Fetcher gets a document from the server at a path such as "/api/schemas". It returns false if the
// server has no such document.
type Fetcher interface {
	Fetch(ctx context.Context, path string, query url.Values) (doc []byte, there bool, err error)
}

// A Library finds types of a server, or embedded types without a server. Platform toolkit, section 4.3.
type Library struct {
	// Major is the major of the client: 41, 42 or 43.
	Major int
	// BaseURL and RawVersion identify the stored catalogues. Without a version, which only the
	// server knows, the newest catalogues of the server and Major are used.
	BaseURL, RawVersion string
	// Store stores fetched catalogues.
	Store Store
	// Fetcher asks the server. It may be nil.
	Fetcher Fetcher

	mu   sync.Mutex
	read map[string]*Catalogue // catalogues on disk by version and source
}

// Origins of a type.
const (
	FromCache    = "cache"
	FromEmbedded = "embedded"
	FromServer   = "server"
)

// Found is the result of Lookup.
type Found struct {
	Type    *Type
	Source  Source
	Version string // of the client: "v42"
	From    string
	// Warnings are errors that did not prevent the result: a view that the server refused, or a
	// file that could not be written.
	Warnings []error
}

// ErrUnknownType is wrapped by the error for a name that no type has.
var ErrUnknownType = errors.New("unknown type")

// An UnknownTypeError is returned for a name that no type has. It suggests other names.
type UnknownTypeError struct {
	Name, Version string
	Suggestions   []string
}

// Error returns one line with the suggestions.
func (e *UnknownTypeError) Error() string {
	text := fmt.Sprintf("unknown type '%s' for %s", e.Name, e.Version)
	if len(e.Suggestions) > 0 {
		text += ". Did you mean: " + strings.Join(e.Suggestions, ", ") + "?"
	}
	return text
}

// Is reports whether target is ErrUnknownType.
func (e *UnknownTypeError) Is(target error) bool { return target == ErrUnknownType }

// ErrNoDocument is wrapped by the error for a view that the server does not have.
var ErrNoDocument = errors.New("the server has no description of its types")

var errNoServer = errors.New("no connection to a platform that describes the type")

// views returns the views in the order in which they are searched.
func views(source Source) []Source {
	if source == "" {
		return []Source{OpenAPI, Schemas}
	}
	return []Source{source}
}

// Lookup finds a type in one view, or in both if source is empty. It searches the stored catalogue of the
// server's exact version, then the embedded catalogue, and asks the server if neither has the type. The
// server's catalogue is stored. If live is set, it asks the server first. If no type has the name, the
// error is an UnknownTypeError.
func (l *Library) Lookup(ctx context.Context, name string, source Source, live bool) (*Found, error) {
	order := views(source)
	var known []*Catalogue
	if !live {
		for _, source := range order {
			cached, embedded := l.stored(source), Embedded(l.Major, source)
			if cached != nil {
				known = append(known, cached)
			}
			if view, t := Find(name, cached, embedded.detailed()); t != nil {
				from := FromEmbedded
				if view == cached {
					from = FromCache
				}
				return &Found{Type: t, Source: source, Version: l.version(), From: from}, nil
			}
		}
	}
	found := &Found{Version: l.version(), From: FromServer}
	var absent []error // errors of views that are not available
	for _, view := range order {
		if l.Fetcher == nil || slices.ContainsFunc(known, func(c *Catalogue) bool { return c.Source == view }) {
			continue
		}
		fetched, err := l.Refresh(ctx, view)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case fetched == nil:
			absent = append(absent, err)
			continue
		case err != nil:
			found.Warnings = append(found.Warnings, err)
		}
		known = append(known, fetched)
		if _, found.Type = Find(name, fetched); found.Type != nil {
			found.Source = view
			found.Warnings = append(found.Warnings, slices.DeleteFunc(absent, isNoDocument)...)
			return found, nil
		}
	}
	// An unavailable view may have the type, so it is not certain that the type is unknown. That does
	// not apply to a view that the server does not have.
	for _, err := range absent {
		if !isNoDocument(err) || len(absent) == len(order) {
			return nil, err
		}
	}
	if live && l.Fetcher == nil {
		return nil, errNoServer
	}
	for _, view := range views("") {
		known = append(known, l.stored(view), Embedded(l.Major, view))
	}
	return nil, &UnknownTypeError{Name: name, Version: l.version(), Suggestions: Suggest(name, known...)}
}

func isNoDocument(err error) bool { return errors.Is(err, ErrNoDocument) }

// Refresh asks the server for a view and stores it. If only storing fails, it returns the view and an
// error.
func (l *Library) Refresh(ctx context.Context, source Source) (*Catalogue, error) {
	if l.Fetcher == nil {
		return nil, errNoServer
	}
	var types []Type
	doc, err := l.fetch(ctx, source)
	if err == nil {
		if source == Schemas {
			types, err = FromSchemas(doc)
		} else {
			types, err = FromOpenAPI(doc)
		}
	}
	if err != nil {
		return nil, err
	}
	c := &Catalogue{Version: l.version(), RawVersion: l.RawVersion, Source: source, Types: types}
	err = l.Store.Put(l.BaseURL, c)
	l.mu.Lock()
	clear(l.read)
	l.mu.Unlock()
	if err != nil {
		return c, fmt.Errorf("store the types of the server: %w", err)
	}
	return c, nil
}

func (l *Library) fetch(ctx context.Context, source Source) ([]byte, error) {
	paths, query := openAPIPaths[:], url.Values(nil)
	if source == Schemas {
		paths, query = []string{schemasPath}, schemasQuery()
	}
	for _, path := range paths {
		doc, there, err := l.Fetcher.Fetch(ctx, path, query)
		if err != nil || there {
			return doc, err
		}
	}
	return nil, fmt.Errorf("%w at %s", ErrNoDocument, strings.Join(paths, " or "))
}

// Names returns the sorted plurals of the metadata types, from the stored schemas of the server or the
// embedded ones. It asks no server.
func (l *Library) Names() []string {
	c := l.stored(Schemas)
	if c == nil {
		c = Embedded(l.Major, Schemas)
	}
	var names []string
	for _, t := range c.Types {
		if t.Metadata && t.Endpoint != "" && t.Plural != "" {
			names = append(names, t.Plural)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TypeNames returns the sorted names of all types that are known without asking a server.
func (l *Library) TypeNames() []string {
	var names []string
	for _, source := range views("") {
		for _, c := range []*Catalogue{l.stored(source), Embedded(l.Major, source)} {
			if c == nil {
				continue
			}
			for _, t := range c.Types {
				names = append(names, t.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Collection returns the name of a type in paths, given its plural, singular or name in any case. The name
// of an unknown type is returned unchanged. It asks no server.
func (l *Library) Collection(name string) string {
	if _, t := Find(name, l.stored(Schemas), Embedded(l.Major, Schemas)); t != nil && t.Endpoint != "" {
		return t.Endpoint[strings.LastIndexByte(t.Endpoint, '/')+1:]
	}
	return name
}

// UnknownFields returns the field names that no view known without asking a server declares for a type,
// ignoring case. If the fields of the type are unknown, it returns none. Platform toolkit, section 3.1.
func (l *Library) UnknownFields(typ string, fields []string) []string {
	known := l.FieldNames(typ)
	if len(known) == 0 {
		return nil
	}
	var unknown []string
	for _, field := range fields {
		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, field) }) {
			unknown = append(unknown, field)
		}
	}
	return unknown
}

// FieldNames returns the sorted names of the fields of a type that are known without asking a server.
func (l *Library) FieldNames(typ string) []string {
	var names []string
	for _, source := range views("") {
		for _, c := range []*Catalogue{l.stored(source), Embedded(l.Major, source).detailed()} {
			if _, t := Find(typ, c); t != nil {
				for _, f := range t.Fields {
					names = append(names, f.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// stored returns the stored view of the server.
func (l *Library) stored(source Source) *Catalogue {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := string(source) + " " + l.RawVersion
	c, read := l.read[key]
	switch {
	case read:
		return c
	case l.RawVersion == "":
		c = l.Store.Latest(l.BaseURL, l.version(), source)
	default:
		c = l.Store.Get(l.BaseURL, l.RawVersion, source)
	}
	if l.read == nil {
		l.read = map[string]*Catalogue{}
	}
	l.read[key] = c
	return c
}

func (l *Library) version() string { return fmt.Sprintf("v%d", l.Major) }
