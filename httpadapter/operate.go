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
	"github.com/roget-health/roget/resources/r4"
)

// operateByName runs an operation of the table on a type or the system, at the instance
// level when id is not "".
func (c *call) operateByName(typ, name, id string) {
	op := c.h.table[typ].named(id != "")[name]
	if op == nil {
		c.label = label{"operation", typ}
		c.unknownOperation(typ, name, id, c.h.operationNames(typ, id != ""))
		return
	}
	c.label = label{op.Name, op.Type}
	c.operate(op, id)
}

// operate runs an operation with the parameters of the request.
func (c *call) operate(op *operation.Operation, id string) {
	in, err := c.input(op, id)
	if err != nil {
		c.fail(err)
		return
	}
	result, err := c.h.runner.Run(c.context(), in)
	if err != nil {
		c.fail(missing(err, op.Type, id))
		return
	}
	c.buf = result.AppendJSON(c.buf[:0])
	c.fhir(http.StatusOK, c.buf)
}

// input reads the parameters of an operation from the request, whose client takes JSON.
func (c *call) input(op *operation.Operation, id string) (*operation.Input, error) {
	in := &c.in
	in.Reset(op)
	in.ID = id
	if op.AffectsState { // no other names resources of this server
		in.Base = c.base()
	}
	if language := c.r.Header["Accept-Language"]; language != nil {
		in.AcceptLanguage = language[0]
	}
	if err := c.parameters(in); err != nil {
		return nil, err
	}
	return in, c.negotiate(in.Control.Format, in.Control.Pretty)
}

// parameters decodes the query, and for a POST the body as well. A GET refuses unknown
// parameters unless the client prefers leniency; a POST does so only when it prefers
// strictness.
func (c *call) parameters(in *operation.Input) error {
	get := c.r.Method != http.MethodPost
	strict := get
	if prefer := c.r.Header["Prefer"]; prefer != nil {
		switch preference(prefer, "handling") {
		case "strict":
			strict = true
		case "lenient":
			strict = false
		}
	}
	if err := in.DecodeQuery(c.r.URL.RawQuery, strict); err != nil || get {
		return err
	}
	media, err := c.mediaType()
	if err != nil {
		return err
	}
	body, err := c.body(c.sent)
	if err != nil {
		return err
	}
	c.sent = body
	if media == mediaForm {
		return in.DecodeQuery(string(body), strict)
	}
	if len(body) == 0 {
		return nil // all parameters are in the query
	}
	return decodeBody(in, body, strict)
}

// decodeBody reads a body of JSON: Parameters, or the resource itself where the
// operation has exactly one parameter of its type (R4 operations.html#request).
func decodeBody(in *operation.Input, body []byte, strict bool) error {
	p, err := r4.DecodeParameters(body)
	if err == nil {
		return in.DecodeParameters(p, strict)
	}
	header, headerErr := r4.DecodeHeader(body)
	if headerErr != nil || header.ResourceType == "Parameters" {
		return err
	}
	var only *operation.Param
	for i := range in.Op.In {
		if q := &in.Op.In[i]; (q.Type == header.ResourceType || q.Type == typeAny) && !q.Many {
			if only != nil {
				return err
			}
			only = q
		}
	}
	if only == nil {
		return withStatus(http.StatusBadRequest, operation.Problem{
			Code: "invalid", Expression: "resourceType",
			Text: fmt.Sprintf("the body of $%s is a Parameters resource, not %q", in.Op.Name, header.ResourceType),
		})
	}
	// What is made of the resource may be kept, the memory of the body is not.
	return in.DecodeParameters(&r4.Parameters{Parameter: []r4.Parameter{{Name: only.Name, Resource: slices.Clone(body)}}}, strict)
}

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
		err = c.takeTurn(len(body))
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
