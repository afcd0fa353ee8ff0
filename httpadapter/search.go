package httpadapter

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/samber/lo"
)

// search responds to GET /T?… with a searchset (R4 http.html#search).
func (c *call) search() { c.searchFor(c.r.URL.RawQuery) }

// searchSystem responds to GET /?…, a search of several types. Without parameters, the path is an
// unknown one.
func (c *call) searchSystem() {
	if c.r.URL.RawQuery == "" {
		c.label.action = "unknown"
		c.unknownPath()
		return
	}
	if c.at.isR5() {
		c.notOnR5("a search of all types")
		return
	}
	c.searchFor(c.r.URL.RawQuery)
}

// searchForm responds to POST …/_search. Parameters may be in the body and in the query.
func (c *call) searchForm() {
	raw := c.r.URL.RawQuery
	if c.r.ContentLength != 0 {
		media, err := c.mediaType()
		if err == nil && media != mediaForm {
			err = unsupportedMedia("send the parameters of a search as " + mediaForm)
		}
		var body []byte
		if err == nil {
			body, err = c.readBody(nil)
		}
		if err != nil {
			c.fail(err)
			return
		}
		raw = strings.Trim(raw+"&"+string(body), "&")
		if c.trail != nil {
			c.trail.query = raw
		}
	}
	c.searchFor(raw)
}

// searchFor responds to a search. CodeSystems, ValueSets and ConceptMaps are searched in the
// catalogue of the engine, definitions also among those that are generated. All other types are
// searched in the store.
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
	case slices.Contains(generatedTypes[:], typ):
		c.searchGenerated(params)
	default:
		c.searchStored(params, nil, 0)
	}
}

// searchCompartment responds to GET /C/id/T?…, a search in the compartment of a resource. T may be
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
		c.refuse(http.StatusNotFound, "not-supported", "resource type %q is not supported; see %s/metadata", cut(typ), c.at.path)
		return
	case typ != "" && members.Params(typ) == nil:
		c.refuse(http.StatusNotFound, "not-supported", "%s is not part of the compartment of a %s", typ, compartment.Type)
		return
	}
	if _, err := c.h.Resources.Read(c.context(), compartment.Type, compartment.ID); err != nil {
		c.fail(notFoundIfBadID(err, compartment.Type, compartment.ID))
		return
	}
	c.notePatient(compartment.Type, compartment.ID)
	c.label.typ = typ
	c.searchStored(params, compartment, 0)
}

// searchOptions returns the options of a search of stored resources.
func (c *call) searchOptions(compartment *search.Compartment) search.Options {
	return search.Options{
		Compartment:  compartment,
		Strict:       preference(c.r.Header["Prefer"], "handling") == "strict",
		DefaultCount: c.h.Limits.PageSize,
		MaxCount:     c.h.Limits.MaxCount,
		Bases:        c.bases(),
		Shown:        c.tables(),
		Explain:      c.h.Logger.Enabled(c.r.Context(), slog.LevelDebug),
	}
}

// searchStored responds to a search of stored resources. others is the number of matches that are not
// stored, on pages before.
func (c *call) searchStored(params []search.Param, compartment *search.Compartment, others int) {
	if err := c.negotiateParams(params); err != nil {
		c.fail(err)
		return
	}
	request := resources.SearchRequest{Type: c.label.typ, Params: params, Options: c.searchOptions(compartment)}
	found, err := c.h.Resources.Search(c.context(), request)
	if err != nil {
		c.fail(err)
		return
	}
	for i, s := range found.Steps {
		c.w.Header().Add("Server-Timing", fmt.Sprintf("s%d;dur=%.3f;desc=%q", i, s.Ms, fmt.Sprintf("%s: rows %d, read %d", s.What, s.Rows, s.Read)))
	}
	part := newSubset(c.tables(), found.Query.Summary, found.Query.Elements)
	links := c.pageLinks(found.Page, params)
	b := newBundle(c, "searchset")
	if found.Total != nil {
		*found.Total += others
	}
	b.head(found.Total, links)
	c.foundRecords(b, found.Page, part)
	b.outcome(searchIssues(found.Issues))
	b.close()
}

// foundRecords writes the matches of a page and what it includes.
func (c *call) foundRecords(b *bundle, page *search.Page, part *subset) {
	c.foundList(b, page.Matches, part, "match")
	c.foundList(b, page.Included, part, "include")
}

func (c *call) foundList(b *bundle, list []index.Record, part *subset, mode string) {
	for i := range list {
		m := &list[i]
		v := resources.VersionOf(m)
		b.found(&v, part, mode)
		m.Body = nil
		c.free(m.Size)
	}
}

// withoutControls returns the parameters other than _format and _pretty.
func withoutControls(params []search.Param) []search.Param {
	return lo.Filter(params, func(p search.Param, _ int) bool { return p.Name != "_format" && p.Name != "_pretty" })
}
