package httpadapter

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/engine/operation"
)

// Media types of bodies.
const (
	mediaFHIR = "application/fhir+json"
	mediaXML  = "application/fhir+xml"
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// mediaType returns the media type of the body: mediaFHIR, mediaXML or mediaForm.
func (c *call) mediaType() (string, error) { return c.mediaTypeOf(mediaFHIR, mediaXML, mediaForm) }

// mediaTypeOf returns the media type of the body, which must be among supported. Errors suggest
// the first of them.
func (c *call) mediaTypeOf(supported ...string) (string, error) {
	sent := c.r.Header.Get("Content-Type")
	if sent == "" {
		if c.r.ContentLength == 0 {
			return mediaFHIR, nil
		}
		return "", unsupportedMedia("the request has a body but no Content-Type header; send Content-Type: " + supported[0])
	}
	if sent == mediaFHIR && c.r.Header["Content-Encoding"] == nil {
		return mediaFHIR, nil // the usual case
	}
	media, params, err := mime.ParseMediaType(sent)
	if err != nil {
		return "", unsupportedMedia(fmt.Sprintf("Content-Type %q is malformed", cut(sent)))
	}
	switch formatOf(media) {
	case formatJSON:
		media = mediaFHIR
	case formatXML:
		media = mediaXML
	}
	if !slices.Contains(supported, media) {
		return "", unsupportedMedia(fmt.Sprintf("Content-Type %q is not supported here; send %s", cut(media), strings.Join(supported, " or ")))
	}
	if version := params["fhirversion"]; !c.at.speaks(version) {
		return "", unsupportedMedia(fmt.Sprintf("fhirVersion %q is not supported; %s speaks %s", cut(version), c.at.title(), c.at.major()))
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return "", unsupportedMedia(fmt.Sprintf("charset %q is not supported; send UTF-8", cut(charset)))
	}
	return media, c.checkEncoding()
}

// checkEncoding returns an error for a Content-Encoding that is not supported.
func (c *call) checkEncoding() error {
	encoding := strings.Join(c.r.Header["Content-Encoding"], ", ")
	if encoding == "" || strings.EqualFold(encoding, "identity") || c.isGzip() {
		return nil
	}
	c.w.Header()["Accept-Encoding"] = []string{"gzip"}
	return unsupportedMedia(fmt.Sprintf("Content-Encoding %q is not supported; send the body without encoding, or with gzip", cut(encoding)))
}

// isGzip reports whether the body is compressed with gzip.
func (c *call) isGzip() bool {
	encoding := c.r.Header["Content-Encoding"]
	return len(encoding) == 1 && (strings.EqualFold(encoding[0], "gzip") || strings.EqualFold(encoding[0], "x-gzip"))
}

func unsupportedMedia(text string) error {
	return withStatus(http.StatusUnsupportedMediaType, operation.Problem{Code: "not-supported", Text: text})
}

// readBody reads the whole body, up to the limit, and waits for the admission of a large one. It
// reuses buf if the body fits.
func (c *call) readBody(buf []byte) ([]byte, error) {
	pace := c.beginBody()
	body, err := c.readWholeBody(buf, pace)
	pace.end(err)
	if err == nil {
		err = c.admit(body)
	}
	return body, err
}

// maxBody returns the size of the largest body. Code systems are large in one piece, ICD-10-CM has 32 MB, so
// the resources of the catalogue may have four times the size of other bodies.
func (c *call) maxBody() int64 {
	if isCatalogued(c.label.typ) && (c.label.action == "create" || c.label.action == "update") {
		return 4 * c.h.Limits.MaxBody
	}
	return c.h.Limits.MaxBody
}

func (c *call) readWholeBody(buf []byte, pace bodyPace) ([]byte, error) {
	limit := c.maxBody()
	if c.r.ContentLength > limit {
		c.drain()
		return nil, bodyTooLarge(limit)
	}
	if c.isGzip() {
		return c.readGzip(pace)
	}
	n := c.r.ContentLength
	if _, part := c.w.(*entryResponse); n > 0 && (part || n <= trustedLength) {
		body := slices.Grow(buf[:0], int(n))[:n]
		_, err := io.ReadFull(c.r.Body, body)
		return body, cutOff(err)
	}
	return c.readLarge(http.MaxBytesReader(c.w, c.r.Body, limit), pace)
}

// readGzip reads a compressed body. Its bounds are those of the body before compression, for which memory
// is taken as it is unpacked.
func (c *call) readGzip(pace bodyPace) ([]byte, error) {
	limit := c.maxBody()
	unpacked, err := gzip.NewReader(http.MaxBytesReader(c.w, c.r.Body, limit))
	if err != nil {
		return nil, cutOff(err)
	}
	return c.readLarge(http.MaxBytesReader(c.w, unpacked, limit), pace)
}

// trustedLength is the largest Content-Length that memory is allocated for in advance.
const trustedLength = budget.Small

// readLarge reads a body, and takes memory for it as it arrives. So a client that announces much and
// sends little holds little.
func (c *call) readLarge(in io.Reader, pace bodyPace) ([]byte, error) {
	body := make([]byte, 0, trustedLength)
	for {
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case err == io.EOF: //nolint:errorlint // as a Reader returns it
			return body, nil
		case err != nil:
			err = cutOff(err)
			if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
				c.drain()
			}
			return body, err
		case len(body) < cap(body):
			continue
		}
		asked := time.Now()
		larger := 2 * cap(body)
		if announced := c.r.ContentLength; int64(cap(body)) <= announced {
			larger = int(min(int64(larger), announced+1)) // one more, to see the end
		}
		if err := c.body.Take(c.context(), int64(larger-cap(body))); err != nil {
			c.drain()
			return nil, c.tooMuchWork(err)
		}
		body = append(make([]byte, 0, larger), body...)
		pace.begun = pace.begun.Add(time.Since(asked)) // the client could not send meanwhile
		pace.allow(2 * len(body))
	}
}

// cutOff turns an error of the connection while a body is read into one that blames the client.
func cutOff(err error) error {
	var tooLarge *http.MaxBytesError
	var network net.Error
	var corrupt flate.CorruptInputError
	switch {
	case err == nil, errors.As(err, &tooLarge):
		return err
	case errors.As(err, &network) && network.Timeout():
		return withStatus(http.StatusRequestTimeout, operation.Problem{Code: "timeout", Text: "the timeout for reading the body has passed", Err: err})
	}
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		return withStatus(http.StatusBadRequest, operation.Problem{Code: "structure", Text: "the body is not valid gzip, as its Content-Encoding says", Err: err})
	}
	return withStatus(http.StatusBadRequest, operation.Problem{Code: "structure", Text: "the body is shorter than its Content-Length, or its last chunk is missing", Err: err})
}

// readDocument reads the body of a create or update.
func (c *call) readDocument() ([]byte, error) {
	if _, err := c.negotiateQuery(); err != nil {
		return nil, err
	}
	if c.sendsContent() {
		return c.readContent()
	}
	body, err := c.readResource("send a resource as " + mediaFHIR)
	if err != nil {
		return nil, err
	}
	return c.understood(body)
}

// readResource reads a body that is one resource, and returns it as JSON. The text of otherwise says
// what to send in place of a form.
func (c *call) readResource(otherwise string) ([]byte, error) {
	media, err := c.mediaType()
	if err != nil {
		return nil, err
	}
	if media == mediaForm {
		return nil, unsupportedMedia(otherwise)
	}
	body, err := c.readBody(nil)
	if err == nil && len(body) == 0 {
		err = withStatus(http.StatusBadRequest, operation.Problem{Code: "structure", Text: "the body is empty"})
	}
	if err == nil && media == mediaXML {
		return c.fromXML(body)
	}
	return body, err
}
