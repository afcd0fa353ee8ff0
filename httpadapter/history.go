package httpadapter

import (
	"net/http"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// history responds with the versions of a resource, a type or all resources, newest first
// (GET /T/id/_history, /T/_history, /_history).
func (c *call) history() {
	params, err := resources.ParseQuery(c.r.URL.RawQuery)
	var asked historyQuery
	if err == nil {
		asked, err = c.historyQuery(params)
	}
	if err != nil {
		c.fail(err)
		return
	}
	typ, id := c.label.typ, c.target.id
	root := c.base()
	if typ != "" {
		root += "/" + typ
	}
	if id != "" {
		root += "/" + id
	}
	if typ != "" && !c.h.stored[typ] {
		c.refuse(http.StatusNotFound, "not-found", "%s has no history: this server stores no %s", cut(root), typ)
		return
	}
	page, err := c.h.Resources.History(c.context(), asked.HistoryRequest)
	if err != nil {
		c.fail(notFoundIfBadID(err, typ, id))
		return
	}
	root += "/_history"
	links := []link{{"self", linkTo(root, asked.used, search.CursorParam, asked.Cursor)}}
	if page.Next != "" && !asked.countOnly {
		links = append(links, link{"next", linkTo(root, asked.used, search.CursorParam, page.Next)})
	}
	b := newBundle(c, "history")
	b.head(page.Total, links)
	if !asked.countOnly {
		for i := range page.Versions {
			b.version(&page.Versions[i], page.Created[i])
			page.Versions[i].Body = nil
		}
	}
	b.close()
}

// historyQuery holds the parameters of a history request.
type historyQuery struct {
	resources.HistoryRequest
	countOnly bool           // _count=0
	used      []search.Param // the supported parameters in order, for the links
}

// historyQuery reads the parameters of a history (R4 http.html#history). Unknown ones are ignored,
// or are an error if the client prefers strict handling.
func (c *call) historyQuery(params []search.Param) (historyQuery, error) {
	q := historyQuery{HistoryRequest: resources.HistoryRequest{
		Type: c.label.typ, ID: c.target.id, Count: c.h.Limits.PageSize,
	}}
	if err := c.negotiateParams(params); err != nil {
		return q, err
	}
	strict := preference(c.r.Header["Prefer"], "handling") == "strict"
	for _, p := range params {
		known, err := q.add(p, c.h.Limits.MaxCount)
		switch {
		case err != nil:
			return q, err
		case known && p.Name != search.CursorParam:
			q.used = append(q.used, p)
		case !known && strict:
			return q, badSearch(p.Name, "a history does not support this parameter")
		}
	}
	return q, nil
}

// add sets one parameter. maxCount bounds _count. known is false if there is no such parameter.
func (q *historyQuery) add(p search.Param, maxCount int) (known bool, err error) {
	if p.Value == "" {
		return true, nil
	}
	switch p.Name {
	case "_format", "_pretty":
	case "_count":
		n, err := nonNegative(p.Name, p.Value)
		q.Count, q.countOnly = min(max(n, 1), maxCount), n == 0
		return true, err
	case "_since":
		at, err := time.Parse(time.RFC3339, p.Value)
		if err != nil {
			return true, badSearch(p.Name, "%q is not an instant such as 2026-01-31T12:00:00Z", cut(p.Value))
		}
		q.Since = at
	case "_at":
		during, ok := parseSpan(p.Value)
		if !ok {
			return true, badSearch(p.Name, "%q is not a date such as 2026-01-31", cut(p.Value))
		}
		q.At = &resources.Period{From: during.low, To: during.high}
	case search.CursorParam:
		q.Cursor = p.Value
	default:
		return false, nil
	}
	return true, nil
}

// instant formats a time as a FHIR instant.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
