package httpadapter

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/samber/lo"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// history gives the versions of a stored resource, newest first (GET /T/id/_history).
func (c *call) history(id string) {
	typ := c.label.typ
	if _, err := c.agreed(); err != nil {
		c.fail(err)
		return
	}
	if !c.h.stored[typ] {
		c.refuse(http.StatusNotFound, "not-found", "%s/%s has no history: nothing is stored here", typ, cut(id))
		return
	}
	page, err := c.h.Resources.History(c.r.Context(), resources.HistoryRequest{Type: typ, ID: id})
	versions := page.Versions
	if errors.Is(err, resources.ErrBadID) {
		err = resources.NotFound(resources.Key{Type: typ, ID: cut(id)})
	}
	if err == nil {
		versions, err = c.wanted(versions)
	}
	if err != nil {
		c.fail(err)
		return
	}
	total := len(versions)
	count, err := c.historyCount()
	if err != nil {
		c.fail(err)
		return
	}
	b := newBundle(c, "history", c.base()+"/"+typ)
	self := "/" + id + "/_history"
	if c.r.URL.RawQuery != "" {
		self += "?" + c.r.URL.RawQuery
	}
	b.head(total, []pair{{"self", self}})
	for _, v := range versions[:min(count, total)] {
		b.version(v)
	}
	b.close()
}

// wanted keeps the versions that _since asks for.
func (c *call) wanted(versions []resources.Version) ([]resources.Version, error) {
	since := c.queryValue("_since")
	if since == "" {
		return versions, nil
	}
	at, err := time.Parse(time.RFC3339, since)
	if err != nil {
		return nil, badSearch("_since", "%q is not an instant", cut(since))
	}
	return lo.Filter(versions, func(v resources.Version, _ int) bool { return !v.LastUpdated.Before(at) }), nil
}

func (c *call) historyCount() (int, error) {
	text := c.queryValue("_count")
	if text == "" {
		return c.h.Limits.PageSize, nil
	}
	n, err := natural("_count", text)
	return min(n, c.h.Limits.MaxCount), err
}

// queryValue gives a parameter of a query that has been found to be well-formed.
func (c *call) queryValue(name string) string {
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return ""
	}
	return query.Get(name)
}

// version writes an entry of a history.
func (b *bundle) version(v resources.Version) {
	if b.failed {
		return
	}
	method, status := http.MethodPut, "200"
	switch {
	case v.Deleted:
		method, status = http.MethodDelete, "204"
	case v.VersionID == 1:
		status = "201"
	}
	b.begin()
	b.text(`{"fullUrl":`)
	b.buf = r4.AppendString(b.buf, b.root+"/"+v.ID)
	if !v.Deleted {
		b.text(`,"resource":`)
		b.buf = append(b.buf, v.Body...)
	}
	b.text(`,"request":{"method":"` + method + `","url":`)
	b.buf = r4.AppendString(b.buf, v.Type+"/"+v.ID)
	b.text(`},"response":{"status":"` + status + `","etag":"W/\"` + strconv.FormatInt(v.VersionID, 10) + `\"","lastModified":`)
	b.buf = r4.AppendString(b.buf, v.LastUpdated.UTC().Format("2006-01-02T15:04:05.000Z"))
	b.text(`}}`)
	if err := b.flush(); err != nil {
		b.failed = true
	}
}
