package httpadapter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// searchCatalogue responds to a search of code systems, value sets or concept maps, both stored and
// loaded ones.
func (c *call) searchCatalogue(params []search.Param) {
	typ := c.label.typ
	q, err := c.h.newCatalogueQuery(typ, params, preference(c.r.Header["Prefer"], "handling") == "strict", c.bases())
	if err == nil {
		err = c.negotiate(q.control.Format, q.control.Pretty)
	}
	var part *subset
	if err == nil {
		part, err = subsetOf(c.tables(), q.control)
	}
	if err != nil {
		c.fail(err)
		return
	}
	entries, err := c.permittedEntries(typ)
	if err != nil {
		c.fail(err)
		return
	}
	found, err := c.among(typ, q, q.find(entries))
	page := found[min(q.offset, len(found)):]
	page = page[:min(q.count, len(page))]
	included := &search.Page{}
	if err == nil && q.rest != nil && len(q.rest.Include)+len(q.rest.RevInclude) > 0 {
		included, err = c.h.outside().Included(c.context(), q.rest, c.outsideRecords(typ, page))
	}
	if err != nil {
		c.fail(err)
		return
	}

	b := newBundle(c, "searchset")
	var total *int
	if q.total {
		n := len(found)
		total = &n
	}
	b.head(total, q.links(c.searchRoot(), len(found)))
	for _, e := range page {
		b.match(typ, e, part)
	}
	c.foundList(b, included.Included, part, "include")
	issues := searchIssues(included.Issues)
	if len(q.ignored) > 0 {
		issues = append(issues, r4.Issue{
			Severity: "warning", Code: "not-supported",
			Diagnostics: "search parameters not supported for " + typ + " were ignored: " + strings.Join(q.ignored, ", "),
		})
	}
	b.outcome(issues)
	b.close()
}

// outsider decides searches about documents that need not be stored. resources.Service implements it.
type outsider interface {
	Outside(body []byte) (index.Record, error)
	ParseSearch(r resources.SearchRequest) (*search.Query, error)
	Among(ctx context.Context, q *search.Query, records []index.Record) ([]bool, error)
	Holds(ctx context.Context, keys []resources.Key) ([]bool, error)
	Included(ctx context.Context, q *search.Query, records []index.Record) (*search.Page, error)
}

// outside returns what decides the parameters that the catalogue does not know, nil if nothing does.
func (h *Handler) outside() outsider {
	if o, can := h.Resources.(outsider); can && h.Resources.Searches() {
		return o
	}
	return nil
}

// among returns the entries that meet the criteria that the catalogue does not know.
func (c *call) among(typ string, q *catalogueQuery, entries []*engine.Entry) ([]*engine.Entry, error) {
	if q.rest == nil || len(q.rest.Types[0].Criteria)+len(q.rest.Types[0].Texts) == 0 {
		return entries, nil
	}
	matches, err := c.h.outside().Among(c.context(), q.rest, c.outsideRecords(typ, entries))
	if err != nil {
		return nil, err
	}
	return lo.Filter(entries, func(_ *engine.Entry, i int) bool { return matches[i] }), nil
}

// outsideRecords returns the records of entries, with the values of their documents, without the
// concepts of those that have only an index. They are kept until there are too many.
func (c *call) outsideRecords(typ string, entries []*engine.Entry) []index.Record {
	const kept = 20_000
	h := c.h
	records := make([]index.Record, len(entries))
	for i, e := range entries {
		h.outsideMu.Lock()
		rec, known := h.outsideOf[e]
		h.outsideMu.Unlock()
		if !known {
			rec = h.outsideRecord(typ, e)
			h.outsideMu.Lock()
			if h.outsideOf == nil || len(h.outsideOf) >= kept {
				h.outsideOf = map[*engine.Entry]index.Record{}
			}
			h.outsideOf[e] = rec
			h.outsideMu.Unlock()
		}
		records[i] = rec
	}
	return records
}

// outsideRecord returns the record of an entry. One that cannot be read has no values.
func (h *Handler) outsideRecord(typ string, e *engine.Entry) index.Record {
	none := index.Record{Type: typ, ID: e.Header.ID}
	var body []byte
	var err error
	if e.Document == nil && e.CodeSystem != nil {
		x, openErr := e.CodeSystem()
		if openErr != nil {
			return none
		}
		body = x.Header().AppendJSON(nil)
	} else if body, err = documentOf(e); err != nil {
		return none
	}
	rec, err := h.outside().Outside(body)
	if err != nil {
		return none
	}
	return rec
}

// catalogueMatch returns the one resource of the catalogue that matches the condition of a create,
// or nil. Resources checks stored resources itself, without races; only the catalogue has those
// loaded from files.
func (c *call) catalogueMatch(typ, condition string) (*engine.Entry, error) {
	if !isCatalogued(typ) {
		return nil, nil
	}
	params, err := resources.ParseCondition(typ, condition)
	if err != nil {
		return nil, err
	}
	q, err := c.h.newCatalogueQuery(typ, params, true, c.bases())
	if err != nil {
		return nil, nil //nolint:nilerr // the store may support a parameter that the catalogue does not
	}
	if len(q.criteria) == 0 && q.rest == nil {
		return nil, nil
	}
	entries, err := c.permittedEntries(typ)
	if err != nil {
		return nil, err
	}
	found, err := c.among(typ, q, q.find(entries))
	if err != nil {
		return nil, err
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	default:
		return nil, fmt.Errorf("If-None-Exist of %s: %w: %d", typ, resources.ErrMultipleMatches, len(found))
	}
}

// catalogued are the types in the catalogue of the engine. Their resources may be loaded from files
// as well as stored.
var catalogued = [...]string{"CodeSystem", "ConceptMap", "ValueSet"}

func isCatalogued(typ string) bool { return slices.Contains(catalogued[:], typ) }
