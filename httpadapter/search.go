package httpadapter

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// search answers GET /T?… with a Bundle (R4 http.html#search).
func (c *call) search() { c.searchFor(c.r.URL.RawQuery) }

// searchForm answers POST /T/_search, whose parameters may be in the query as well.
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

func (c *call) searchFor(raw string) {
	typ := c.label.typ
	q, err := c.h.newSearchQuery(typ, raw, preference(c.r.Header["Prefer"], "handling") == "strict")
	if err == nil {
		err = c.negotiate(q.control.Format, q.control.Pretty)
	}
	var part *subset
	if err == nil {
		part, err = newSubset(typ, q.control.Summary, q.control.Elements)
	}
	if err != nil {
		c.fail(err)
		return
	}
	found := q.find(c.h.Engine.Entries(typ))
	page := found[min(q.offset, len(found)):]
	page = page[:min(q.count, len(page))]

	b := newBundle(c, "searchset", c.base()+"/"+typ)
	total := -1
	if q.total {
		total = len(found)
	}
	b.head(total, q.links(len(found)))
	for _, e := range page {
		b.match(e, part)
	}
	if len(q.ignored) > 0 {
		b.outcome(r4.Issue{
			Severity: "warning", Code: "not-supported",
			Diagnostics: "ignored, since not supported for " + typ + ": " + strings.Join(q.ignored, ", "),
		})
	}
	b.close()
}

// matching gives the entries that match a search, for conditional requests.
func (c *call) matching(typ, raw string) ([]*engine.Entry, error) {
	q, err := c.h.newSearchQuery(typ, strings.TrimPrefix(raw, "?"), true)
	if err != nil {
		return nil, err
	}
	return q.find(c.h.Engine.Entries(typ)), nil
}

// links gives the links of a page by relation.
func (q *searchQuery) links(total int) []pair {
	links := []pair{{"self", q.link(q.offset)}}
	if q.count == 0 {
		return links
	}
	links = append(links, pair{"first", q.link(0)})
	if q.offset > 0 {
		links = append(links, pair{"previous", q.link(max(0, q.offset-q.count))})
	}
	if q.offset+q.count < total {
		links = append(links, pair{"next", q.link(q.offset + q.count)})
	}
	last := 0
	if total > 0 {
		last = (total - 1) / q.count * q.count
	}
	return append(links, pair{"last", q.link(last)})
}

// bundle writes a Bundle as a stream.
type bundle struct {
	*stream
	root    string // absolute url of the type
	entries int
	failed  bool
}

func newBundle(c *call, typ, root string) *bundle {
	b := &bundle{stream: newStream(c, http.StatusOK), root: root}
	b.text(`{"resourceType":"Bundle","type":"`)
	b.text(typ)
	b.text(`"`)
	return b
}

// head writes total, unless it is negative, and the links.
func (b *bundle) head(total int, links []pair) {
	if total >= 0 {
		b.text(`,"total":`)
		b.buf = strconv.AppendInt(b.buf, int64(total), 10)
	}
	for i, link := range links {
		if i == 0 {
			b.text(`,"link":[`)
		} else {
			b.text(`,`)
		}
		b.text(`{"relation":"` + link.name + `","url":`)
		b.buf = r4.AppendString(b.buf, b.root+link.value)
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

// match writes an entry of a search. One that cannot be read fails the whole answer.
func (b *bundle) match(e *engine.Entry, part *subset) {
	if b.failed {
		return
	}
	b.begin()
	b.text(`{"fullUrl":`)
	b.buf = r4.AppendString(b.buf, b.root+"/"+e.Header.ID)
	b.text(`,"resource":`)
	if err := b.resource(e, part); err != nil {
		b.failed = true
		b.abort(err)
		return
	}
	b.text(`,"search":{"mode":"match"}}`)
}

// outcome writes an entry that tells the client something about the search.
func (b *bundle) outcome(issue r4.Issue) {
	if b.failed {
		return
	}
	b.begin()
	b.text(`{"resource":`)
	outcome := r4.OperationOutcome{Issue: []r4.Issue{issue}}
	b.buf = outcome.AppendJSON(b.buf)
	b.text(`,"search":{"mode":"outcome"}}`)
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
