package httpadapter

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// bundle writes a Bundle as a stream.
type bundle struct {
	*stream
	base    string // absolute URL of the server
	entries int
	failed  bool
	parts   bool   // may be converted to XML entry by entry
	markup  []byte // the parts that are converted
}

func newBundle(c *call, typ string) *bundle {
	b := &bundle{stream: newStream(c, http.StatusOK), base: c.base(), parts: typ == "searchset" || typ == "history"}
	b.text(`{"resourceType":"Bundle","type":"`)
	b.text(typ)
	b.text(`"`)
	return b
}

// stream writes a response that may be large. It buffers what is written and sends it in parts.
// A response smaller than one part has a Content-Length and can still be replaced by an error.
type stream struct {
	c       *call
	status  int
	buf     []byte
	started bool
	err     error    // from writing to the client
	held    int      // bytes of buf that memory was taken for
	refused bool     // an error about the audit log is the whole response
	media   []string // nil for that of a resource
}

// streamPart is the size in bytes from which a stream sends its buffer.
const streamPart = 64 << 10

// maxPretty is the largest response that is indented, in bytes. Larger ones are sent without
// indentation, so that memory does not grow with them.
const maxPretty = 8 << 20

func newStream(c *call, status int) *stream {
	return &stream{c: c, status: status, buf: c.responseBody[:0]}
}

func (s *stream) text(text string) { s.buf = append(s.buf, text...) }

// head writes the total, unless it is nil, and the links.
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

// found writes an entry of a searchset. The mode is match or include.
func (b *bundle) found(v *resources.Version, part *subset, mode string) {
	if b.failed || !b.c.at.serves(v.Type) { // an included resource that a base of R5 does not have
		return
	}
	b.c.note(hasRead, v.Type, v.ID, v.VersionID, v.Body)
	b.fullURL(v.Type, v.ID)
	b.text(`,"resource":`)
	b.foundEnd(b.writeDocument(v.Body, part), mode)
}

// fullURL begins an entry with the fullUrl of its resource.
func (b *bundle) fullURL(typ, id string) {
	b.begin()
	b.text(`{"fullUrl":`)
	b.buf = r4.AppendString(b.buf, b.base+"/"+typ+"/"+id)
}

// begin writes the separator before an entry.
func (b *bundle) begin() {
	if b.inParts() {
		b.part()
		b.entries++
		return
	}
	if b.entries == 0 {
		b.text(`,"entry":[`)
	} else {
		b.text(`,`)
	}
	b.entries++
}

// writeDocument writes the JSON of a resource, or the subset of it if part is not nil.
func (s *stream) writeDocument(doc []byte, part *subset) error {
	doc, err := s.c.spoken(doc)
	if err != nil {
		return err
	}
	if part != nil {
		if doc, err = part.apply(doc); err != nil {
			return err
		}
	}
	_, err = s.Write(bytes.TrimSpace(doc))
	return err
}

// Write buffers p, and sends the buffer when it is large enough.
func (s *stream) Write(p []byte) (int, error) {
	s.add(p)
	return len(p), s.flush()
}

// add buffers p. What is large and goes to the client as it is, is sent without a copy.
func (s *stream) add(p []byte) {
	if len(p) < streamPart || s.c.format == formatXML || s.c.pretty && !s.started {
		s.buf = append(s.buf, p...)
		return
	}
	if s.send() == nil && s.c.r.Method != http.MethodHead {
		s.c.sent += int64(len(p))
		s.err = s.c.deliver(p)
	}
}

// flush sends the buffer if it is large enough.
func (s *stream) flush() error {
	if s.c.format == formatXML {
		return s.hold()
	}
	enough := streamPart
	if s.c.pretty && !s.started {
		enough = maxPretty
	}
	if len(s.buf) < enough {
		return s.reserve()
	}
	return s.send()
}

// hold keeps the buffer, which is converted to XML at the end. A response that is too large for that
// is an error, or if the request may have changed something, it is sent as JSON.
func (s *stream) hold() error {
	switch {
	case len(s.buf) <= maxAsXML:
		return s.reserve()
	case s.c.isRead():
		return tooLargeAsXML()
	}
	s.c.format = formatJSON
	return s.flush()
}

// reserve takes memory for what is buffered beyond a part.
func (s *stream) reserve() error {
	if s.err == nil && len(s.buf)-s.held > 4*streamPart {
		if err := s.c.hold(2 * (len(s.buf) - s.held)); err != nil {
			return err
		}
		s.held = len(s.buf)
	}
	return s.err
}

func (s *stream) send() error {
	if err := s.c.record(s.status, false); err != nil && s.err == nil {
		return s.unrecorded(err)
	}
	if !s.started {
		s.started = true
		s.c.leave()
		s.c.status = s.status
		media := s.media
		if media == nil {
			media = s.c.contentType()
		}
		s.c.w.Header()["Content-Type"] = media
		s.c.w.WriteHeader(s.status)
	}
	if s.err == nil && s.c.r.Method != http.MethodHead {
		s.c.sent += int64(len(s.buf))
		s.err = s.c.deliver(s.buf)
	}
	s.buf = s.buf[:0]
	return s.err
}

// foundEnd ends an entry of a searchset. If its resource could not be written, the whole response
// fails.
func (b *bundle) foundEnd(err error, mode string) {
	if err != nil {
		b.failed = true
		b.abort(err)
		return
	}
	b.text(`,"search":{"mode":"` + mode + `"}}`)
}

// match writes an entry of a searchset from the catalogue of the engine.
func (b *bundle) match(typ string, e *engine.Entry, part *subset) {
	if b.failed {
		return
	}
	b.c.note(hasRead, typ, e.Header.ID, 0, nil)
	b.fullURL(typ, e.Header.ID)
	b.text(`,"resource":`)
	b.foundEnd(b.writeEntry(e, part), "match")
}

// version writes an entry of a history.
func (b *bundle) version(v *resources.Version, created bool) {
	if b.failed {
		return
	}
	method, url, status := http.MethodPut, v.Type+"/"+v.ID, "200"
	switch {
	case v.Deleted:
		method, status = http.MethodDelete, "204"
	case created && v.VersionID == 1 && resources.MadeAt(v.ID, v.LastUpdated):
		method, url, status = http.MethodPost, v.Type, "201"
	case created:
		status = "201"
	}
	b.c.note(hasRead, v.Type, v.ID, v.VersionID, v.Body)
	b.fullURL(v.Type, v.ID)
	if !v.Deleted {
		body, err := b.c.spoken(v.Body)
		if err != nil {
			b.failed = true
			b.abort(err)
			return
		}
		b.text(`,"resource":`)
		b.add(bytes.TrimSpace(body))
	}
	b.text(`,"request":{"method":"` + method + `","url":`)
	b.buf = r4.AppendString(b.buf, url)
	b.text(`},"response":{"status":"` + status + `","etag":`)
	b.buf = r4.AppendString(b.buf, versionTag(v.VersionID))
	b.text(`,"lastModified":`)
	b.buf = r4.AppendString(b.buf, instant(v.LastUpdated))
	b.text(`}}`)
	if err := b.flush(); err != nil {
		b.failed = true
	}
}

// searchIssues converts the issues of a search to those of an OperationOutcome.
func searchIssues(issues []search.Issue) []r4.Issue {
	return lo.Map(issues, func(is search.Issue, _ int) r4.Issue {
		out := r4.Issue{Severity: string(is.Severity), Code: is.Code, Diagnostics: is.Text}
		if is.Param != "" {
			out.Expression = []string{"http." + cut(is.Param)}
		}
		return out
	})
}

// outcome writes an OperationOutcome entry about the search, if there are issues.
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

func (b *bundle) close() {
	if b.failed {
		return
	}
	if b.inParts() {
		b.closeParts()
		return
	}
	if b.entries > 0 {
		b.text(`]`)
	}
	b.text(`}`)
	b.stream.close()
}

// close sends the rest of the buffer.
func (s *stream) close() {
	switch {
	case s.started:
		_ = s.send() // an error means that the client has gone
	case s.media != nil:
		s.c.write(s.status, s.media, s.buf)
	default:
		s.c.fhir(s.status, s.buf)
	}
	s.c.responseBody = s.buf[:0]
}

// abort ends a response that failed. If nothing has been sent, the response is an
// OperationOutcome. Otherwise the connection is closed, because a truncated response must not look
// complete.
func (s *stream) abort(err error) {
	if s.refused {
		return
	}
	if !s.started {
		s.c.failUnsent(err)
		return
	}
	if s.err == nil {
		s.c.h.Logger.LogAttrs(s.c.r.Context(), slog.LevelError, "response aborted",
			slog.String("id", requestID(s.c.w)), slog.Any("err", err))
	}
	panic(http.ErrAbortHandler)
}

// fhir writes a FHIR resource in the format of the response, indented if the client requested it.
func (c *call) fhir(status int, body []byte) {
	if c.format == formatOpen {
		c.settle()
	}
	if c.format == formatXML {
		c.asXML(status, body)
		return
	}
	if c.pretty {
		if err := c.hold(indentedFactor * len(body)); err == nil {
			body = indented(body)
		} // else it is sent as it is
	}
	c.write(status, valueFHIR, body)
}

// contentType returns the content type of a resource in the response.
func (c *call) contentType() []string {
	if c.format == formatXML {
		return valueXML
	}
	return valueFHIR
}

// indented returns indented JSON.
func indented(body []byte) []byte {
	var b bytes.Buffer
	b.Grow(2 * len(body))
	if err := json.Indent(&b, body, "", "  "); err != nil {
		return body
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// smallBody is the size in bytes below which net/http sets Content-Length itself, because the
// whole response is in its buffer when the handler returns.
const smallBody = 2048

// write writes a body.
func (c *call) write(status int, contentType []string, body []byte) {
	if err := c.record(status, true); err != nil {
		c.unrecorded(err, "what the request asked for may have been done")
		return
	}
	c.leave()
	c.setSeq(status)
	c.status = status
	header := c.w.Header()
	header["Content-Type"] = contentType
	if len(body) >= smallBody || c.r.Method == http.MethodHead {
		header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	if status != http.StatusOK {
		c.w.WriteHeader(status)
	}
	if c.r.Method != http.MethodHead {
		c.sent += int64(len(body))
		_ = c.deliver(body) // an error means that the client has gone
	}
}

// empty writes a response without a body.
func (c *call) empty(status int) {
	if err := c.record(status, true); err != nil {
		c.unrecorded(err, "what the request asked for may have been done")
		return
	}
	c.setSeq(status)
	c.status = status
	c.w.WriteHeader(status)
}

// HeaderSeq is the number of a write in its answer. A read that has it waits until the store has that
// write.
const HeaderSeq = "X-Roget-Seq"

// setSeq names the last write in the answer to a request that may have written.
func (c *call) setSeq(status int) {
	if c.h.Written != nil && status < http.StatusMultipleChoices && c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		if seq := c.h.Written(); seq > 0 {
			c.w.Header()[HeaderSeq] = []string{strconv.FormatInt(int64(seq), 10)}
		}
	}
}
