package httpadapter

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// bundle writes a Bundle as a stream.
type bundle struct {
	*stream
	base    string // absolute url of the server
	entries int
	failed  bool
}

func newBundle(c *call, typ string) *bundle {
	b := &bundle{stream: newStream(c, http.StatusOK), base: c.base()}
	b.text(`{"resourceType":"Bundle","type":"`)
	b.text(typ)
	b.text(`"`)
	return b
}

// link is a link of a Bundle by its relation.
type link struct{ relation, url string }

// head writes total, unless it is nil, and the links.
func (b *bundle) head(total *int, links []link) {
	if total != nil {
		b.text(`,"total":`)
		b.buf = strconv.AppendInt(b.buf, int64(*total), 10)
	}
	for i, link := range links {
		if i == 0 {
			b.text(`,"link":[`)
		} else {
			b.text(`,`)
		}
		b.text(`{"relation":"` + link.relation + `","url":`)
		b.buf = r4.AppendString(b.buf, link.url)
		b.text(`}`)
	}
	if len(links) > 0 {
		b.text(`]`)
	}
}

// begin writes what comes before an entry.
func (b *bundle) begin() {
	if b.entries == 0 {
		b.text(`,"entry":[`)
	} else {
		b.text(`,`)
	}
	b.entries++
}

// fullURL begins an entry that is about a resource.
func (b *bundle) fullURL(typ, id string) {
	b.begin()
	b.text(`{"fullUrl":`)
	b.buf = r4.AppendString(b.buf, b.base+"/"+typ+"/"+id)
}

// found writes an entry of a search: mode is match or include.
func (b *bundle) found(typ, id string, body []byte, part *subset, mode string) {
	if b.failed {
		return
	}
	b.fullURL(typ, id)
	b.text(`,"resource":`)
	b.foundEnd(b.document(body, part), mode)
}

// match writes an entry of a search in the catalogue of the engine.
func (b *bundle) match(typ string, e *engine.Entry, part *subset) {
	if b.failed {
		return
	}
	b.fullURL(typ, e.Header.ID)
	b.text(`,"resource":`)
	b.foundEnd(b.resource(e, part), "match")
}

// foundEnd ends an entry of a search. A resource that cannot be read fails the whole answer.
func (b *bundle) foundEnd(err error, mode string) {
	if err != nil {
		b.failed = true
		b.abort(err)
		return
	}
	b.text(`,"search":{"mode":"` + mode + `"}}`)
}

// outcome writes an entry that tells the client something about the search.
func (b *bundle) outcome(issues []r4.Issue) {
	if b.failed || len(issues) == 0 {
		return
	}
	b.begin()
	b.text(`{"resource":`)
	outcome := r4.OperationOutcome{Issue: issues}
	b.buf = outcome.AppendJSON(b.buf)
	b.text(`,"search":{"mode":"outcome"}}`)
}

// version writes an entry of a history.
func (b *bundle) version(v *resources.Version) {
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
	b.fullURL(v.Type, v.ID)
	if !v.Deleted {
		b.text(`,"resource":`)
		b.buf = append(b.buf, bytes.TrimSpace(v.Body)...)
	}
	b.text(`,"request":{"method":"` + method + `","url":`)
	b.buf = r4.AppendString(b.buf, v.Type+"/"+v.ID)
	b.text(`},"response":{"status":"` + status + `","etag":`)
	b.buf = r4.AppendString(b.buf, versionTag(v.VersionID))
	b.text(`,"lastModified":`)
	b.buf = r4.AppendString(b.buf, instant(v.LastUpdated))
	b.text(`}}`)
	if err := b.flush(); err != nil {
		b.failed = true
	}
}

func (b *bundle) close() {
	if b.failed {
		return
	}
	if b.entries > 0 {
		b.text(`]`)
	}
	b.text(`}`)
	b.stream.close()
}

// linkQuery makes the query of a link.
type linkQuery struct{ strings.Builder }

func (q *linkQuery) add(name, value string) {
	if q.Len() > 0 {
		q.WriteByte('&')
	}
	q.WriteString(url.QueryEscape(name))
	q.WriteByte('=')
	q.WriteString(url.QueryEscape(value))
}

// linkTo returns a url with parameters, and with one more where value is not "".
func linkTo(root string, params []search.Param, name, value string) string {
	var q linkQuery
	for _, p := range params {
		q.add(p.Name, p.Value)
	}
	if value != "" {
		q.add(name, value)
	}
	if q.Len() == 0 {
		return root
	}
	return root + "?" + q.String()
}
