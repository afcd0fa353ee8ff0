package httpadapter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// searchCatalogue responds to a search of code systems, value sets or concept maps, both stored and
// loaded ones.
func (c *call) searchCatalogue(params []search.Param) {
	typ := c.label.typ
	q, err := c.h.newCatalogueQuery(typ, params, preference(c.r.Header["Prefer"], "handling") == "strict")
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
	found := q.find(entries)
	page := found[min(q.offset, len(found)):]
	page = page[:min(q.count, len(page))]

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
	if len(q.ignored) > 0 {
		b.outcome([]r4.Issue{{
			Severity: "warning", Code: "not-supported",
			Diagnostics: "search parameters not supported for " + typ + " were ignored: " + strings.Join(q.ignored, ", "),
		}})
	}
	b.close()
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
	q, err := c.h.newCatalogueQuery(typ, params, true)
	if err != nil {
		return nil, nil //nolint:nilerr // the store may support a parameter that the catalogue does not
	}
	if len(q.criteria) == 0 {
		return nil, nil
	}
	entries, err := c.permittedEntries(typ)
	if err != nil {
		return nil, err
	}
	switch found := q.find(entries); len(found) {
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
