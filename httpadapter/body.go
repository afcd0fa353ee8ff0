package httpadapter

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/operation"
)

// Media types of bodies.
const (
	mediaFHIR = "application/fhir+json"
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// mediaType returns the media type of the body, which must be JSON or a form.
func (c *call) mediaType() (string, error) { return c.mediaTypeOf(mediaFHIR, mediaForm) }

// mediaTypeOf returns the media type of the body, which must be one of a list. The first of
// it is what to send.
func (c *call) mediaTypeOf(taken ...string) (string, error) {
	sent := c.r.Header.Get("Content-Type")
	if sent == "" {
		if c.r.ContentLength == 0 {
			return mediaFHIR, nil
		}
		return "", unsupportedMedia("a body needs a Content-Type: " + taken[0])
	}
	if sent == mediaFHIR && c.r.Header["Content-Encoding"] == nil {
		return mediaFHIR, nil // the usual case
	}
	media, params, err := mime.ParseMediaType(sent)
	if err != nil {
		return "", unsupportedMedia(fmt.Sprintf("Content-Type %q is malformed", cut(sent)))
	}
	switch media {
	case mediaJSON, "application/json+fhir", "text/json":
		media = mediaFHIR
	}
	if !slices.Contains(taken, media) {
		return "", unsupportedMedia(fmt.Sprintf("Content-Type %q is not supported here; send %s", cut(media), strings.Join(taken, " or ")))
	}
	if version := params["fhirversion"]; version != "" && !isR4(version) {
		return "", unsupportedMedia(fmt.Sprintf("fhirVersion %q is not supported; this server speaks 4.0", cut(version)))
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return "", unsupportedMedia(fmt.Sprintf("charset %q is not supported; FHIR is UTF-8", cut(charset)))
	}
	if encoding := c.r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return "", unsupportedMedia(fmt.Sprintf("Content-Encoding %q is not supported; send the body as it is", cut(encoding)))
	}
	return media, nil
}

func unsupportedMedia(text string) error {
	return withStatus(http.StatusUnsupportedMediaType, operation.Problem{Code: "not-supported", Text: text})
}

// body reads the whole body, up to the limit, and waits for the turn of a large one. It
// uses the memory of buf where the body fits.
func (c *call) body(buf []byte) ([]byte, error) {
	body, err := c.readBody(buf)
	if err == nil {
		err = c.admit(len(body))
	}
	return body, err
}

func (c *call) readBody(buf []byte) ([]byte, error) {
	limit := c.h.Limits.MaxBody
	if c.r.ContentLength > limit {
		c.w.Header().Set("Connection", "close") // do not read it to the end
		return nil, c.h.bodyTooLarge()
	}
	if n := c.r.ContentLength; n > 0 && n <= trustedLength {
		body := slices.Grow(buf[:0], int(n))[:n]
		_, err := io.ReadFull(c.r.Body, body)
		return body, cutOff(err)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limit))
	return body, cutOff(err)
}

// trustedLength is the largest body that memory is taken for before it is there.
const trustedLength = 1 << 20

// cutOff tells an error of the connection, while a body is read, from one of this server.
func cutOff(err error) error {
	var tooLarge *http.MaxBytesError
	var network net.Error
	switch {
	case err == nil, errors.As(err, &tooLarge):
		return err
	case errors.As(err, &network) && network.Timeout():
		return withStatus(http.StatusRequestTimeout, operation.Problem{Code: "timeout", Text: "the body took too long to arrive", Err: err})
	}
	return withStatus(http.StatusBadRequest, operation.Problem{Code: "structure", Text: "the body ends before its Content-Length or last chunk", Err: err})
}

// document reads the body of a create or update.
func (c *call) document() ([]byte, error) {
	if _, err := c.agreed(); err != nil {
		return nil, err
	}
	return c.resourceBody("a resource is sent as " + mediaFHIR)
}

// resourceBody reads a body that is one resource; otherwise says what to send instead of a
// form.
func (c *call) resourceBody(otherwise string) ([]byte, error) {
	media, err := c.mediaType()
	if err != nil {
		return nil, err
	}
	if media == mediaForm {
		return nil, unsupportedMedia(otherwise)
	}
	body, err := c.body(nil)
	if err == nil && len(body) == 0 {
		err = withStatus(http.StatusBadRequest, operation.Problem{Code: "structure", Text: "the body is empty"})
	}
	return body, err
}
