package httpadapter

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// searchQuery is a search as decoded from its parameters.
type searchQuery struct {
	control  operation.Control
	criteria []*criterion
	sort     []sortKey
	count    int // entries of a page
	offset   int
	total    bool     // whether to tell the total
	kept     []pair   // the parameters understood, in order, for the links
	ignored  []string // names of those that were not
}

type pair struct{ name, value string }

// sortKey is one element of _sort.
type sortKey struct {
	values     func(e *engine.Entry) []string
	descending bool
}

// newSearchQuery decodes the parameters of a search. Unknown ones are ignored and
// reported, or refused when the client asked to be strict; values that a known one
// cannot have are errors.
func (h *Handler) newSearchQuery(typ, raw string, strict bool) (*searchQuery, error) {
	q := &searchQuery{count: h.Limits.PageSize, total: true}
	pairs, err := parsePairs(raw)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		if p.value == "" {
			continue // as good as absent (R4 search.html)
		}
		known, err := q.add(h, typ, p)
		if err != nil {
			return nil, err
		}
		switch {
		case known:
			q.kept = append(q.kept, p)
		case strict:
			return nil, &operation.Problem{
				Status: http.StatusBadRequest, Exit: operation.ExitUsage, Code: "not-supported", Expression: "http." + cut(p.name),
				Text: fmt.Sprintf("search parameter %q is not supported for %s", cut(p.name), typ),
			}
		default:
			q.ignored = append(q.ignored, cut(p.name))
		}
	}
	return q, nil
}

// add takes one parameter; known is false when there is no such parameter.
func (q *searchQuery) add(h *Handler, typ string, p pair) (known bool, err error) {
	switch p.name {
	case "_format":
		q.control.Format = p.value
	case "_pretty":
		q.control.Pretty = p.value
	case "_summary":
		q.control.Summary = p.value
		if p.value == "count" {
			q.count = 0
		}
	case "_elements":
		q.control.Elements = p.value
	case "_count":
		n, err := natural("_count", p.value)
		if err != nil {
			return true, err
		}
		q.count = min(n, h.Limits.MaxCount, q.most())
	case "_offset":
		q.offset, err = natural("_offset", p.value)
		return true, err
	case "_total":
		if !slices.Contains([]string{"none", "estimate", "accurate"}, p.value) {
			return true, badSearch("_total", "%q is none of none, estimate, accurate", cut(p.value))
		}
		q.total = p.value != "none"
	case "_sort":
		return true, q.addSort(typ, p.value)
	default:
		name, modifier, _ := strings.Cut(p.name, ":")
		param, found := searchParamOf(typ, name)
		if !found {
			return false, nil
		}
		c, err := newCriterion(param, modifier, p.value)
		if err != nil {
			return true, err
		}
		q.criteria = append(q.criteria, c)
	}
	return true, nil
}

// most is the limit that _summary=count sets.
func (q *searchQuery) most() int {
	if q.control.Summary == "count" {
		return 0
	}
	return int(^uint(0) >> 1)
}

func (q *searchQuery) addSort(typ, list string) error {
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

// natural reads a number that is not negative.
func natural(name, text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, badSearch(name, "%q is not a number of 0 or more", cut(text))
	}
	return int(n), nil
}

// find gives the entries that match, in order.
func (q *searchQuery) find(entries []*engine.Entry) []*engine.Entry {
	var found []*engine.Entry
	for _, e := range entries {
		if !slices.ContainsFunc(q.criteria, func(c *criterion) bool { return !c.matches(e) }) {
			found = append(found, e)
		}
	}
	if len(q.sort) > 0 {
		slices.SortStableFunc(found, func(a, b *engine.Entry) int {
			for _, key := range q.sort {
				order := slices.CompareFunc(key.values(a), key.values(b), func(a, b string) int {
					return cmp.Or(cmp.Compare(fold(a), fold(b)), cmp.Compare(a, b))
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

// link gives the query of a page.
func (q *searchQuery) link(offset int) string {
	var b strings.Builder
	add := func(name, value string) {
		if b.Len() == 0 {
			b.WriteByte('?')
		} else {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(name))
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(value))
	}
	for _, p := range q.kept {
		if p.name != "_offset" {
			add(p.name, p.value)
		}
	}
	if offset > 0 {
		add("_offset", strconv.Itoa(offset))
	}
	return b.String()
}

// parsePairs decodes a query and keeps its order.
func parsePairs(raw string) ([]pair, error) {
	var pairs []pair
	for element := range strings.SplitSeq(raw, "&") {
		if element == "" {
			continue
		}
		name, value, _ := strings.Cut(element, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		if nameErr != nil || valueErr != nil || !utf8.ValidString(name) || !utf8.ValidString(value) {
			return nil, badSearch("query", "%q is not percent-encoded UTF-8", cut(element))
		}
		pairs = append(pairs, pair{name, value})
	}
	return pairs, nil
}
