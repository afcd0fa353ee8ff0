package httpadapter

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// maxAsXML is the largest response that is converted to XML at once, in bytes of its JSON. Pages of
// searches and histories are converted entry by entry.
const maxAsXML = 64 << 20

// codec returns the codec of the base that the request was sent to.
func (c *call) codec() *fhirxml.Codec {
	if c.at.isR5() {
		return c.h.xmlR5
	}
	return c.h.xml
}

// style returns the layout that the client requested.
func (c *call) style() fhirxml.Style {
	if c.pretty {
		return fhirxml.Indented
	}
	return fhirxml.Compact
}

// fromXML returns a body as JSON. Places in the JSON mean nothing to the client from then on.
func (c *call) fromXML(body []byte) ([]byte, error) {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return nil, problem(http.StatusBadRequest, "structure", "the body is JSON, not XML; send it with Content-Type: %s", mediaFHIR)
	}
	json, err := c.codec().AppendJSON(c.context(), make([]byte, 0, len(body)), body)
	c.converted = err == nil
	return json, err
}

// unplaced returns an error without the place in the JSON that a body was converted to.
func unplaced(err error) error {
	if invalid, ok := errors.AsType[*validate.Invalid](err); ok {
		return &validate.Invalid{Issues: unplacedIssues(invalid.Issues)}
	}
	if syntax, ok := err.(*r4.SyntaxError); ok { //nolint:errorlint // a wrapped one has other text around it
		without := *syntax
		without.Line, without.Column = 0, 0
		return &without
	}
	return err
}

func unplacedIssues(issues []validate.Issue) []validate.Issue {
	issues = slices.Clone(issues)
	for i := range issues {
		issues[i].Line, issues[i].Column = 0, 0
	}
	return issues
}

// asXML writes a resource as XML. If it has no XML form, a read fails. The response to a change,
// which was made, and an error are sent as JSON then.
func (c *call) asXML(status int, body []byte) {
	var text []byte
	err := c.converting(len(body), func() (err error) {
		text, err = c.codec().AppendXML(c.r.Context(), nil, body, c.style())
		if errors.Is(err, fhirxml.ErrNoXML) && status >= http.StatusBadRequest {
			text, err = c.codec().AppendXML(c.r.Context(), nil, expressible(body), c.style())
		}
		return err
	})
	switch {
	case err == nil:
		c.write(status, valueXML, text)
	case status < http.StatusBadRequest && c.isRead():
		c.failUnsent(noXML(err))
	default:
		c.format = formatJSON
		c.fhir(status, body)
	}
}

// expressible returns JSON with U+FFFD in place of the characters that XML excludes. An error quotes
// what the client sent, with any characters.
func expressible(json []byte) []byte {
	out := bytes.Clone(json)
	for i := 0; i+5 < len(out); i++ {
		if out[i] != '\\' {
			continue
		}
		if i++; out[i] != 'u' {
			continue
		}
		switch r, err := strconv.ParseUint(string(out[i+1:i+5]), 16, 16); {
		case err != nil, r == '\t', r == '\n', r == '\r':
		case r < ' ', r == 0xFFFE, r == 0xFFFF:
			copy(out[i+1:], "fffd")
		}
	}
	for _, excluded := range [...]string{"\uFFFE", "\uFFFF"} {
		out = bytes.ReplaceAll(out, []byte(excluded), []byte("\uFFFD"))
	}
	return out
}

// isRead reports whether the request cannot have changed anything.
func (c *call) isRead() bool { return c.r.Method == http.MethodGet || c.r.Method == http.MethodHead }

// failUnsent fails in place of a response whose headers were set.
func (c *call) failUnsent(err error) {
	for _, name := range []string{"Etag", "Last-Modified", "Location"} {
		delete(c.w.Header(), name)
	}
	c.fail(err)
}

// noXML returns the error of a response that cannot be XML.
func noXML(err error) error {
	if !errors.Is(err, fhirxml.ErrNoXML) {
		return err
	}
	p := operation.Problem{Code: "not-supported", Text: err.Error() + "; request it as " + mediaFHIR, Err: err}
	if syntax, ok := errors.AsType[*r4.SyntaxError](err); ok {
		p.Expression = syntax.Expression
		without := *syntax
		without.Line, without.Expression = 0, ""
		p.Text = without.Error() + "; request it as " + mediaFHIR
	}
	return withStatus(http.StatusNotAcceptable, p)
}

// tooLargeAsXML is the error of a response that is too large to be converted.
func tooLargeAsXML() error {
	return withStatus(http.StatusNotAcceptable, operation.Problem{
		Code: "too-costly",
		Text: fmt.Sprintf("the response exceeds %d bytes, which is the limit for XML; request it as %s", maxAsXML, mediaFHIR),
	})
}
