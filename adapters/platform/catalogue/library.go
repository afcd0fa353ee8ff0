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

// A Fetcher asks the server for a document: a GET of a path such as "/api/schemas". It is
// false when the server has no such document.
type Fetcher interface {
	Fetch(ctx context.Context, path string, query url.Values) (doc []byte, there bool, err error)
}

// A Library finds types of one server, or of none. Platform toolkit, section 4.3.
type Library struct {
	// Major is that of the client: 41, 42 or 43.
	Major int
	// BaseURL and RawVersion say whose catalogues are kept. Without a version, which only
	// the server tells, the last ones kept for the server and Major are used.
	BaseURL, RawVersion string
	// Store keeps what was fetched.
	Store Store
	// Fetcher asks the server; nil when there is none.
	Fetcher Fetcher

	mu   sync.Mutex
	read map[string]*Catalogue // by version and source, as they are on disk
}

// What a type was found in.
const (
	FromCache    = "cache"
	FromEmbedded = "embedded"
	FromServer   = "server"
)

// Found is an answer of Lookup.
type Found struct {
	Type    *Type
	Source  Source
	Version string // of the client: "v42"
	From    string
	// Warnings are what went wrong without being in the way: a view that the server would
	// not give, a file that could not be written.
	Warnings []error
}

// ErrUnknownType is in the error of a name that is that of no type.
var ErrUnknownType = errors.New("unknown type")

// UnknownTypeError says which name no type has, and which names there are.
type UnknownTypeError struct {
	Name, Version string
	Suggestions   []string
}

// Error says all in one line.
func (e *UnknownTypeError) Error() string {
	text := fmt.Sprintf("unknown type '%s' for %s", e.Name, e.Version)
	if len(e.Suggestions) > 0 {
		text += ". Did you mean: " + strings.Join(e.Suggestions, ", ") + "?"
	}
	return text
}

// Is makes it an ErrUnknownType.
func (e *UnknownTypeError) Is(target error) bool { return target == ErrUnknownType }

// ErrNoDocument is in the error of a view that the server does not have.
var ErrNoDocument = errors.New("the server has no document of its types")

var errNoServer = errors.New("there is no server to ask for its types")

// views returns the order in which views are looked at.
func views(source Source) []Source {
	if source == "" {
		return []Source{OpenAPI, Schemas}
	}
	return []Source{source}
}

// Lookup finds a type in one view, or with an empty source in both. What is kept of the
// server's exact version comes first, then what is embedded, and only what neither has is
// asked of the server, and kept. With live the server is asked in any case. A name that no
// type has is an UnknownTypeError.
func (l *Library) Lookup(ctx context.Context, name string, source Source, live bool) (*Found, error) {
	order := views(source)
	var known []*Catalogue
	if !live {
		for _, source := range order {
			cached, embedded := l.kept(source), Embedded(l.Major, source)
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
	var absent []error // views that could not be had
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
	// A view that could not be had may well have the type: then nobody knows that it is
	// unknown. That one of two is not there at all is no such case.
	for _, err := range absent {
		if !isNoDocument(err) || len(absent) == len(order) {
			return nil, err
		}
	}
	if live && l.Fetcher == nil {
		return nil, errNoServer
	}
	for _, view := range views("") {
		known = append(known, l.kept(view), Embedded(l.Major, view))
	}
	return nil, &UnknownTypeError{Name: name, Version: l.version(), Suggestions: Suggest(name, known...)}
}

func isNoDocument(err error) bool { return errors.Is(err, ErrNoDocument) }

// Refresh asks the server for a view and keeps it. Where it could not be kept there is an
// error beside the view.
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
		return c, fmt.Errorf("keep the types of the server: %w", err)
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

// Names returns the plurals of the types of metadata, of the server's schemas when they are
// kept, else of those embedded, sorted. It asks no server.
func (l *Library) Names() []string {
	c := l.kept(Schemas)
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

// TypeNames returns the names of all types that are known without asking a server, sorted.
func (l *Library) TypeNames() []string {
	var names []string
	for _, source := range views("") {
		for _, c := range []*Catalogue{l.kept(source), Embedded(l.Major, source)} {
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

// Collection returns the name that a type has in paths, of its plural, singular or name in any
// case; a type that is not known has the name that was given. It asks no server.
func (l *Library) Collection(name string) string {
	if _, t := Find(name, l.kept(Schemas), Embedded(l.Major, Schemas)); t != nil && t.Endpoint != "" {
		return t.Endpoint[strings.LastIndexByte(t.Endpoint, '/')+1:]
	}
	return name
}

// UnknownFields returns those of some field names that no view known without asking a server
// declares for a type, in any case. Where the fields of the type are not known, none are
// unknown. Platform toolkit, section 3.1.
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

// FieldNames returns the names of all fields that a view known without asking a server
// declares for a type, sorted.
func (l *Library) FieldNames(typ string) []string {
	var names []string
	for _, source := range views("") {
		for _, c := range []*Catalogue{l.kept(source), Embedded(l.Major, source).detailed()} {
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

// kept returns the view of the server that is on disk.
func (l *Library) kept(source Source) *Catalogue {
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
