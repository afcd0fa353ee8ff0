package httpadapter

import (
	"net/http"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
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
	found, err := c.h.Resources.Search(c.context(), resources.SearchRequest{
		Type: c.label.typ, Params: params,
		Options: search.Options{
			Compartment:  compartment,
			Strict:       preference(c.r.Header["Prefer"], "handling") == "strict",
			DefaultCount: c.h.Limits.PageSize,
			MaxCount:     c.h.Limits.MaxCount,
			Bases:        c.bases(),
		},
	})
	if err != nil {
		c.fail(err)
		return
	}
	b := newBundle(c, "searchset")
	b.head(found.Total, c.pageLinks(found.Page, params))
	part := newSubset(c.h.tables, found.Query.Summary, found.Query.Elements)
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

// shaped negotiates the answer of a request by those of its parameters that say how to
// answer.
func (c *call) shaped(params []search.Param) error {
	var format, pretty string
	for _, p := range params {
		switch p.Name {
		case "_format":
			format = p.Value
		case "_pretty":
			pretty = p.Value
		}
	}
	return c.negotiate(format, pretty)
}

// criteria returns the parameters without those that say how to answer.
func criteria(params []search.Param) []search.Param {
	return lo.Filter(params, func(p search.Param, _ int) bool { return p.Name != "_format" && p.Name != "_pretty" })
}

// pageLinks returns the links of a page: self tells what was used, the others lead to pages
// of the same search.
func (c *call) pageLinks(page *search.Page, params []search.Param) []link {
	root := c.searchRoot()
	here := ""
	for _, p := range params {
		if p.Name == search.CursorParam {
			here = p.Value
		}
	}
	links := []link{{"self", linkTo(root, page.Self, search.CursorParam, here)}}
	for _, l := range []link{{"first", page.First}, {"previous", page.Previous}, {"next", page.Next}, {"last", page.Last}} {
		if l.url != "" {
			links = append(links, link{l.relation, linkTo(root, page.Self, search.CursorParam, l.url)})
		}
	}
	return links
}

// searchRoot returns the url of the search of the request without its parameters, as a GET
// has it.
func (c *call) searchRoot() string {
	switch c.target.place {
	case atCompartment, atCompartmentSearch:
		_, path, _ := strings.Cut(strings.TrimSuffix(c.r.URL.Path, "/_search"), c.prefix)
		return c.base() + path
	case atBase, atSystemSearch:
		return c.base() + "/"
	}
	return c.base() + "/" + c.label.typ
}

// searchIssues returns what there is to say of a search as issues of an OperationOutcome.
func searchIssues(issues []search.Issue) []r4.Issue {
	return lo.Map(issues, func(is search.Issue, _ int) r4.Issue {
		out := r4.Issue{Severity: string(is.Severity), Code: is.Code, Diagnostics: is.Text}
		if is.Param != "" {
			out.Expression = []string{"http." + cut(is.Param)}
		}
		return out
	})
}
