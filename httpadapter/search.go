package httpadapter

import (
	"net/http"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// search answers GET /T?… with a Bundle (R4 http.html#search).
func (c *call) search() { c.searchFor(c.r.URL.RawQuery) }

// searchSystem answers GET /?…, a search of many types. Without parameters it is only the
// address of the server.
func (c *call) searchSystem() {
	if c.r.URL.RawQuery == "" {
		c.label.action = "unknown"
		c.unknownPath()
		return
	}
	c.searchFor(c.r.URL.RawQuery)
}

// searchForm answers POST …/_search, whose parameters may be in the query as well.
func (c *call) searchForm() {
	raw := c.r.URL.RawQuery
	if c.r.ContentLength != 0 {
		media, err := c.mediaType()
		if err == nil && media != mediaForm {
			err = unsupportedMedia("the body of a search is " + mediaForm)
		}
		var body []byte
		if err == nil {
			body, err = c.body(nil)
		}
		if err != nil {
			c.fail(err)
			return
		}
		raw = strings.Trim(raw+"&"+string(body), "&")
	}
	c.searchFor(raw)
}

// searchFor answers a search. What the engine has a catalogue of is searched there, and
// what this server says about itself is listed: neither is stored.
func (c *call) searchFor(raw string) {
	params, err := resources.ParseQuery(raw)
	if err != nil {
		c.fail(err)
		return
	}
	switch typ := c.label.typ; {
	case c.target.id != "":
		c.searchCompartment(params)
	case isCatalogued(typ):
		c.searchCatalogue(params)
	case typ == typeDefinition && len(criteria(params)) == 0:
		c.searchDefinitions(params)
	case typ != "" && !c.h.stored[typ]:
		c.fail(resources.ErrNotSearchable)
	default:
		c.searchStored(params, nil)
	}
}

// searchCompartment answers GET /C/id/T?…, a search of what belongs to a resource; T may be
// * for all types.
func (c *call) searchCompartment(params []search.Param) {
	compartment := &search.Compartment{Type: c.label.typ, ID: c.target.id}
	members := c.h.tables.Compartment(compartment.Type)
	typ := c.target.last
	if typ == "*" {
		typ = ""
	}
	switch {
	case members == nil:
		c.label.action = "unknown"
		c.unknownPath()
		return
	case typ != "" && !c.h.stored[typ]:
		c.refuse(http.StatusNotFound, "not-supported", "resource type %q is not supported; see %s/metadata", cut(typ), c.prefix)
		return
	case typ != "" && members.Params(typ) == nil:
		c.refuse(http.StatusNotFound, "not-supported", "%s is in no compartment of a %s", typ, compartment.Type)
		return
	}
	if _, err := c.h.Resources.Read(c.r.Context(), compartment.Type, compartment.ID); err != nil {
		c.fail(missing(err, compartment.Type, compartment.ID))
		return
	}
	c.label.typ = typ
	c.searchStored(params, compartment)
}

// searchStored answers a search of what is stored.
func (c *call) searchStored(params []search.Param, compartment *search.Compartment) {
	if err := c.shaped(params); err != nil {
		c.fail(err)
		return
	}
	request := resources.SearchRequest{
		Type: c.label.typ, Params: params,
		Options: search.Options{
			Compartment:  compartment,
			Strict:       preference(c.r.Header["Prefer"], "handling") == "strict",
			DefaultCount: c.h.Limits.PageSize,
			MaxCount:     c.h.Limits.MaxCount,
			Bases:        c.bases(),
		},
	}
	found, err := c.h.Resources.Search(c.context(), request)
	if err != nil {
		c.fail(err)
		return
	}
	part := newSubset(c.h.tables, found.Query.Summary, found.Query.Elements)
	links := c.pageLinks(found.Page, params)
	b := newBundle(c, "searchset")
	b.head(found.Total, links)
	for i := range found.Matches {
		m := &found.Matches[i]
		b.found(m.Type, m.ID, m.Body, part, "match")
	}
	for i := range found.Included {
		m := &found.Included[i]
		b.found(m.Type, m.ID, m.Body, part, "include")
	}
	b.outcome(searchIssues(found.Issues))
	b.close()
}

// criteria returns the parameters without those that say how to answer.
func criteria(params []search.Param) []search.Param {
	return lo.Filter(params, func(p search.Param, _ int) bool { return p.Name != "_format" && p.Name != "_pretty" })
}
