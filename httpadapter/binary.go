package httpadapter

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strings"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// typeBinary is the type whose content can be sent and received as it is, without the resource
// around it (R4 binary.html#rest).
const typeBinary = "Binary"

// headerSecurityContext is the header for Binary.securityContext of content that is sent as it is.
const headerSecurityContext = "X-Security-Context"

// sendsContent reports whether the body is the content of a Binary: its Content-Type is not one of FHIR.
func (c *call) sendsContent() bool {
	_, part := c.w.(*entryResponse)
	media, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	return c.label.typ == typeBinary && !part && err == nil && formatOf(media) == formatOpen
}

// wantsContent reports whether the client wants the content of a Binary: the first type that it accepts
// is not one of FHIR.
func (c *call) wantsContent() bool {
	if _, part := c.w.(*entryResponse); part || c.label.typ != typeBinary {
		return false
	}
	control, err := c.control()
	first, _, _ := strings.Cut(c.r.Header.Get("Accept"), ",")
	media, _, _ := strings.Cut(first, ";")
	return err == nil && control.Format == "" && media != "" && formatOf(strings.ToLower(strings.TrimSpace(media))) == formatOpen
}

// readContent reads a body that is the content of a Binary, and returns the resource.
func (c *call) readContent() ([]byte, error) {
	media, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil {
		return nil, unsupportedMedia(err.Error())
	}
	if err := c.checkEncoding(); err != nil {
		return nil, err
	}
	content, err := c.readBody(nil)
	if err != nil {
		return nil, err
	}
	size := base64.StdEncoding.EncodedLen(len(content))
	if err := c.body.Take(c.context(), int64(2*size)); err != nil {
		return nil, c.tooMuchWork(err)
	}
	doc := make([]byte, 0, size+500)
	doc = append(doc, `{"resourceType":"Binary"`...)
	for _, member := range [...]struct{ before, value, after string }{
		{`,"id":`, c.target.id, ""},
		{`,"contentType":`, mime.FormatMediaType(media, params), ""},
		{`,"securityContext":{"reference":`, c.r.Header.Get(headerSecurityContext), "}"},
	} {
		if member.value != "" {
			doc = append(r4.AppendString(append(doc, member.before...), member.value), member.after...)
		}
	}
	if len(content) > 0 {
		doc = append(base64.StdEncoding.AppendEncode(append(doc, `,"data":"`...), content), '"')
	}
	return append(doc, '}'), nil
}

// respondContent responds with the content of a Binary. A browser neither shows nor runs it as a page of
// this server.
func (c *call) respondContent(v resources.Version) {
	c.note(hasRead, v.Type, v.ID, v.VersionID, v.Body)
	tags := validators{versionTag(v.VersionID), v.LastUpdated}
	c.setValidators(tags)
	header := c.w.Header()
	header["Content-Security-Policy"] = []string{"default-src 'none'; sandbox"}
	header["Content-Disposition"] = []string{`attachment; filename="` + v.ID + `"`}
	if tags.fresh(c.r.Header) {
		c.empty(http.StatusNotModified)
		return
	}
	err := c.hold(3 * len(v.Body))
	var doc *document.Document
	if err == nil {
		doc, err = document.Parse(v.Body, r4.Limits{})
	}
	var content []byte
	if err == nil {
		data := strings.Map(func(r rune) rune { // base64 may have white space
			if r <= ' ' {
				return -1
			}
			return r
		}, doc.Root().Get("data").Text())
		if content, err = base64.StdEncoding.DecodeString(data); err != nil {
			err = withStatus(http.StatusNotAcceptable, operation.Problem{Code: "not-supported", Text: "Binary.data is not base64; accept " + mediaFHIR, Err: err})
		}
	}
	if err != nil {
		c.fail(err)
		return
	}
	media := doc.Root().Get("contentType").Text()
	if parsed, params, err := mime.ParseMediaType(media); err != nil || mime.FormatMediaType(parsed, params) == "" {
		media = "application/octet-stream"
	}
	if by := doc.Root().Get("securityContext").Get("reference").Text(); by != "" && !strings.ContainsFunc(by, func(r rune) bool { return r < ' ' || r > '~' }) {
		header.Set(headerSecurityContext, by)
	}
	c.write(http.StatusOK, []string{media}, content)
}
