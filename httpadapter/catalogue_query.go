package httpadapter

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// catalogueQuery is a decoded search of the catalogue.
type catalogueQuery struct {
	control  operation.Control
	criteria []*criterion
	rest     *search.Query // the parameters that the catalogue does not know itself; nil if there are none
	sort     []sortKey
	count    int // entries of a page
	offset   int
	total    bool           // whether to report the total
	used     []search.Param // the supported parameters in order, for the links
	ignored  []string       // the names of unknown parameters
}

// sortKey is one element of _sort.
type sortKey struct {
	values     func(e *engine.Entry) []string
	descending bool
}

// newCatalogueQuery decodes the parameters of a search. Unknown ones are ignored and reported, or
// are an error with strict. An unusable value of a known one is always an error.
func (h *Handler) newCatalogueQuery(typ string, params []search.Param, strict bool, bases []string) (*catalogueQuery, error) {
	q := &catalogueQuery{count: h.Limits.PageSize, total: true}
	var rest []search.Param
	for _, p := range params {
		if p.Value == "" {
			continue // an empty value counts as absent (R4 search.html)
		}
		known, err := q.add(h, typ, p)
		if err != nil {
			return nil, err
		}
		switch {
		case known:
			q.used = append(q.used, p)
		case h.outside() != nil && p.Name != search.CursorParam:
			rest = append(rest, p)
		case strict:
			return nil, withStatus(http.StatusBadRequest, operation.Problem{
				Exit: operation.ExitUsage, Code: "not-supported", Expression: "http." + cut(p.Name),
				Text: fmt.Sprintf("search parameter %q is not supported for %s", cut(p.Name), typ),
			})
		default:
			q.ignored = append(q.ignored, cut(p.Name))
		}
	}
	if len(rest) == 0 {
		return q, nil
	}
	var err error
	q.rest, err = h.outside().ParseSearch(resources.SearchRequest{Type: typ, Params: rest, Options: search.Options{Strict: strict, Bases: bases}})
	if err != nil {
		return nil, err
	}
	q.used = append(q.used, q.rest.Used...)
	for _, p := range q.rest.Ignored {
		q.ignored = append(q.ignored, cut(p.Name))
	}
	return q, nil
}

// add sets one parameter. known is false if there is no such parameter.
func (q *catalogueQuery) add(h *Handler, typ string, p search.Param) (known bool, err error) {
	switch p.Name {
	case "_format":
		q.control.Format = p.Value
	case "_pretty":
		q.control.Pretty = p.Value
	case "_summary":
		q.control.Summary = p.Value
		if p.Value == "count" {
			q.count = 0
		}
	case "_elements":
		q.control.Elements = p.Value
	case "_count":
		n, err := nonNegative("_count", p.Value)
		if err != nil {
			return true, err
		}
		q.count = min(n, h.Limits.MaxCount, q.maxCount())
	case "_offset":
		q.offset, err = nonNegative("_offset", p.Value)
		return true, err
	case "_total":
		if !slices.Contains([]string{"none", "estimate", "accurate"}, p.Value) {
			return true, badSearch("_total", "%q is not one of none, estimate, accurate", cut(p.Value))
		}
		q.total = p.Value != "none"
	case "_sort":
		return true, q.addSort(typ, p.Value)
	default:
		name, modifier, _ := strings.Cut(p.Name, ":")
		param, found := searchParamOf(typ, name)
		if !found || h.outside() != nil && !param.takes(modifier) {
			return false, nil
		}
		c, err := newCriterion(param, modifier, p.Value)
		if err != nil {
			return true, err
		}
		q.criteria = append(q.criteria, c)
	}
	return true, nil
}

// maxCount returns the limit of a page: 0 with _summary=count.
func (q *catalogueQuery) maxCount() int {
	if q.control.Summary == "count" {
		return 0
	}
	return int(^uint(0) >> 1)
}

func (q *catalogueQuery) addSort(typ, list string) error {
	for name := range strings.SplitSeq(list, ",") {
		bare := strings.TrimPrefix(name, "-")
		param, found := searchParamOf(typ, bare)
		if !found {
			return badSearch("_sort", "%q is not a search parameter of %s", cut(bare), typ)
		}
		q.sort = append(q.sort, sortKey{param.values, bare != name})
	}
	return nil
}

// nonNegative parses a number of 0 or more.
func nonNegative(name, text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, badSearch(name, "%q is not a whole number of 0 or more", cut(text))
	}
	return int(n), nil
}

// find returns the matching entries, sorted. A built-in code system without codes, as R4 publishes
// for SNOMED CT, is not found: clients such as HAPI take whatever is found for a code system whose
// codes they may ask for.
func (q *catalogueQuery) find(entries []*engine.Entry) []*engine.Entry {
	var found []*engine.Entry
	for _, e := range entries {
		if e.BuiltIn && e.Content == "not-present" {
			continue
		}
		if !slices.ContainsFunc(q.criteria, func(c *criterion) bool { return !c.matches(e) }) {
			found = append(found, e)
		}
	}
	if len(q.sort) > 0 {
		slices.SortStableFunc(found, func(a, b *engine.Entry) int {
			for _, key := range q.sort {
				order := slices.CompareFunc(key.values(a), key.values(b), func(a, b string) int {
					return cmp.Or(cmp.Compare(index.Fold(a), index.Fold(b)), cmp.Compare(a, b))
				})
				if key.descending {
					order = -order
				}
				if order != 0 {
					return order
				}
			}
			return 0
		})
	}
	return found
}

// links returns the links of a page by relation.
func (q *catalogueQuery) links(root string, total int) []link {
	links := []link{{"self", q.link(root, q.offset)}}
	if q.count == 0 {
		return links
	}
	links = append(links, link{"first", q.link(root, 0)})
	if q.offset > 0 {
		links = append(links, link{"previous", q.link(root, max(0, q.offset-q.count))})
	}
	if q.offset+q.count < total {
		links = append(links, link{"next", q.link(root, q.offset+q.count)})
	}
	last := 0
	if total > 0 {
		last = (total - 1) / q.count * q.count
	}
	return append(links, link{"last", q.link(root, last)})
}

// link returns the URL of a page.
func (q *catalogueQuery) link(root string, offset int) string {
	params := lo.Filter(q.used, func(p search.Param, _ int) bool { return p.Name != "_offset" })
	value := ""
	if offset > 0 {
		value = strconv.Itoa(offset)
	}
	return linkTo(root, params, "_offset", value)
}
