package uiadapter

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// apiRoom is the page about the HTTP interface: its requests, as the OpenAPI document describes them.
// Like the document it is for everybody.
func apiRoom() *room {
	return &room{name: "api", link: "api", routes: map[string]func(*Page) error{
		"GET /ui/api": (*Page).api,
	}}
}

// apiVersions are the versions of FHIR that have a document of their own, with its path.
var apiVersions = [...]apiVersion{{"R4", "openapi.json"}, {"R5", "r5/openapi.json"}}

type apiVersion struct{ Name, Path string }

// mostRequests is how many requests one page shows.
const mostRequests = 100

// apiData is what api.html shows.
type apiData struct {
	Versions []apiVersion
	Version  apiVersion
	Groups   []*apiGroup // all of them, for the choice
	Group    string      // the name of the chosen one, "" for all
	Text     string
	Found    []*apiGroup // those with requests that fit
	Total    int
	Shown    int
}

// An apiGroup is a tag of the document: a resource type, the system or the server.
type apiGroup struct {
	Name, Description string
	Requests          []*apiRequest
}

// An apiRequest is a request that the interface takes.
type apiRequest struct {
	ID           string `json:"operationId"`
	Method, Path string
	Tags         []string
	Summary      string
	Description  string
	ExternalDocs struct{ URL string }
	Parameters   []*apiParameter
	RequestBody  *apiShared
	Responses    map[string]apiShared
}

// An apiShared is a part of a request that the document describes once.
type apiShared struct {
	Ref string `json:"$ref"`
}

// Name returns the name of the part.
func (s apiShared) Name() string { return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:] }

// An apiParameter is a parameter of a request.
type apiParameter struct {
	apiShared
	Name, In, Description string
	Required              bool
	Schema                apiSchema
}

// An apiSchema says what the value of a parameter is.
type apiSchema struct {
	apiShared
	Type  any
	Enum  []any
	Items *apiSchema
}

// Text returns the type of the values, or the values if the list is closed.
func (s *apiSchema) Text() string {
	switch {
	case len(s.Enum) > 0:
		list := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			list[i] = fmt.Sprint(v)
		}
		return strings.Join(list, " | ")
	case s.Items != nil:
		return s.Items.Text() + " …"
	case s.Ref != "":
		return s.Name()
	case s.Type != nil:
		return fmt.Sprint(s.Type)
	}
	return ""
}

// Statuses returns the statuses of the responses that the document lists.
func (r *apiRequest) Statuses() []string { return slices.Sorted(maps.Keys(r.Responses)) }

// An apiDocument is what the page reads of the OpenAPI document.
type apiDocument struct {
	Tags  []*apiGroup
	Paths map[string]struct {
		Parameters                    []*apiParameter
		Get, Put, Post, Patch, Delete *apiRequest
	}
	Components struct {
		Parameters map[string]*apiParameter
	}
}

func (p *Page) api() error {
	d := apiData{Versions: apiVersions[:], Version: apiVersions[0], Group: p.Query("tag"), Text: p.Query("q")}
	for _, v := range apiVersions {
		if v.Name == p.Query("version") {
			d.Version = v
		}
	}
	var doc apiDocument
	if err := p.Get(d.Version.Path, &doc); err != nil {
		return err
	}
	d.Groups = doc.groups()
	if !p.r.Form.Has("tag") && d.Text == "" && len(d.Groups) > 0 {
		d.Group = d.Groups[0].Name
	}
	d.find()
	return p.Show("api.html", "requests", p.T("api.title"), d)
}

// find sets the groups with the requests that fit what is asked for.
func (d *apiData) find() {
	words := strings.Fields(strings.ToLower(d.Text))
	for _, g := range d.Groups {
		if d.Group != "" && d.Group != g.Name {
			continue
		}
		found := &apiGroup{Name: g.Name, Description: g.Description}
		for _, r := range g.Requests {
			text := strings.ToLower(r.Method + " " + r.Path + " " + r.Summary)
			if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
				continue
			}
			if d.Total++; d.Shown < mostRequests {
				d.Shown++
				found.Requests = append(found.Requests, r)
			}
		}
		if len(found.Requests) > 0 {
			d.Found = append(d.Found, found)
		}
	}
}

// groups returns the tags of the document with their requests, in the order of paths.
func (doc *apiDocument) groups() []*apiGroup {
	byName := map[string]*apiGroup{}
	for _, g := range doc.Tags {
		byName[g.Name] = g
	}
	for path, item := range doc.Paths {
		for method, r := range map[string]*apiRequest{
			http.MethodGet: item.Get, http.MethodPut: item.Put, http.MethodPost: item.Post, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
		} {
			if r == nil {
				continue
			}
			r.Method, r.Path = method, path
			r.Parameters = doc.resolve(slices.Concat(item.Parameters, r.Parameters))
			for _, tag := range r.Tags {
				if g := byName[tag]; g != nil {
					g.Requests = append(g.Requests, r)
				}
			}
		}
	}
	for _, g := range doc.Tags {
		slices.SortFunc(g.Requests, func(a, b *apiRequest) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
		})
	}
	return doc.Tags
}

// resolve returns parameters with those that the document describes once in place of references.
func (doc *apiDocument) resolve(list []*apiParameter) []*apiParameter {
	for i, p := range list {
		if shared := doc.Components.Parameters[p.apiShared.Name()]; shared != nil {
			list[i] = shared
		}
	}
	return list
}
