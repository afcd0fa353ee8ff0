package httpadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/roget-health/roget/httpadapter/openapi"
)

// openapiPath is where the OpenAPI document is, below a base.
const openapiPath = "/openapi.json"

// anyAddress stands for the address of the server in the part of a document that requests share.
const anyAddress = "https://address.invalid"

// openAPI responds to GET /openapi.json with the OpenAPI document of the base. It is JSON, whatever
// the request accepts.
func (c *call) openAPI() {
	if _, part := c.w.(*entryResponse); part { // the entries of a bundle are resources
		c.unknownPath()
		return
	}
	config, _ := c.h.smart(c.r.Context())
	shared, err := c.h.documents.get(c.at.fhir, fmt.Sprint(config, c.h.readsOnly()), func() *openapi.Body { return c.h.openAPIBody(c.at, config) })
	address := c.address()
	var head []byte
	if err == nil {
		head, err = openapi.Marshal(c.h.openAPIHead(c.at, address))
	}
	if err != nil {
		c.fail(err)
		return
	}
	tags := shared.validators(head)
	tags.set(c.w.Header())
	if tags.fresh(c.r.Header) {
		c.empty(http.StatusNotModified)
		return
	}
	if acceptsGzip(c.r.Header["Accept-Encoding"]) {
		if packed := shared.known(head); packed != nil {
			c.writePacked(packed)
			return
		}
	}
	if err := c.hold(shared.size(address) + len(head)); err != nil {
		c.fail(err)
		return
	}
	doc := shared.after(head, address)
	if !acceptsGzip(c.r.Header["Accept-Encoding"]) {
		c.write(http.StatusOK, valueJSON, doc)
		return
	}
	packed, err := shared.pack(head, doc)
	if err != nil {
		c.fail(err)
		return
	}
	c.writePacked(packed)
}

// writePacked writes a document that is compressed already.
func (c *call) writePacked(packed []byte) {
	c.w.Header()["Content-Encoding"] = []string{"gzip"}
	c.write(http.StatusOK, valueJSON, packed)
}

// acceptsGzip reports whether the values of Accept-Encoding name gzip.
func acceptsGzip(lines []string) bool {
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(element, ";")
			if _, q, found := strings.Cut(params, "q="); strings.EqualFold(strings.TrimSpace(name), "gzip") && (!found || quality(strings.TrimSpace(q)) > 0) {
				return true
			}
		}
	}
	return false
}

// openAPIDocuments caches the parts of OpenAPI documents that do not depend on the request: one for
// each version of FHIR.
type openAPIDocuments struct {
	mu     sync.Mutex
	bodies map[string]*openAPIBody
}

// An openAPIBody is the JSON of the openapi.Body of a document.
type openAPIBody struct {
	key   string
	sum   uint64
	parts [][]byte // the address of the server is between them

	mu     sync.Mutex
	packed map[string][]byte // whole documents by head, compressed
}

// maxPacked is the number of compressed documents that are kept. A server has few addresses, but
// clients may send any Host header.
const maxPacked = 4

// known returns the compressed document with a head, nil if it is not kept.
func (b *openAPIBody) known(head []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.packed[string(head)]
}

// pack compresses the document with a head and keeps it.
func (b *openAPIBody) pack(head, doc []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(doc); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.packed == nil || len(b.packed) >= maxPacked {
		b.packed = map[string][]byte{}
	}
	b.packed[string(head)] = out.Bytes()
	return out.Bytes(), nil
}

// get returns the part of the documents of a version of FHIR. It calls build if there is none, or one
// for another key.
func (d *openAPIDocuments) get(version, key string, build func() *openapi.Body) (*openAPIBody, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if have := d.bodies[version]; have != nil && have.key == key {
		return have, nil
	}
	text, err := openapi.Marshal(build())
	if err != nil {
		return nil, err
	}
	sum := fnv.New64a()
	_, _ = sum.Write(text) // a hash never fails
	made := &openAPIBody{key: key, sum: sum.Sum64(), parts: bytes.Split(text, []byte(anyAddress))}
	if d.bodies == nil {
		d.bodies = map[string]*openAPIBody{}
	}
	d.bodies[version] = made
	return made, nil
}

// escaped returns an address as it is written within a string of JSON.
func escaped(address string) []byte {
	text, err := json.Marshal(address)
	if err != nil { // never: it is a string
		return nil
	}
	return text[1 : len(text)-1]
}

// size returns the size of the JSON with an address.
func (b *openAPIBody) size(address string) int {
	n := len(escaped(address)) * (len(b.parts) - 1)
	for _, part := range b.parts {
		n += len(part)
	}
	return n
}

// validators returns the entity tag of the document with a head.
func (b *openAPIBody) validators(head []byte) validators {
	sum := fnv.New64a()
	_, _ = fmt.Fprintf(sum, "%x %s", b.sum, head) // a hash never fails
	return validators{etag: `W/"` + strconv.FormatUint(sum.Sum64(), 36) + `"`}
}

// after returns the document with a head and an address. The objects of both become one.
func (b *openAPIBody) after(head []byte, address string) []byte {
	doc := make([]byte, 0, len(head)+b.size(address))
	doc = append(append(doc, head[:len(head)-1]...), ',')
	doc = append(doc, b.parts[0][1:]...)
	for _, part := range b.parts[1:] {
		doc = append(append(doc, escaped(address)...), part...)
	}
	return doc
}

// openAPIHead returns the head of the document of a base. Its servers are the base, and then the others
// that speak the same version of FHIR.
func (h *Handler) openAPIHead(at *base, address string) *openapi.Head {
	head := &openapi.Head{
		OpenAPI: openapi.Version,
		Info: openapi.Info{
			Title:       h.Name + " FHIR server",
			Summary:     "FHIR " + at.fhir + ": terminology, and resources where they are stored.",
			Description: h.openAPIText(at, address),
			Version:     h.Version,
		},
		ExternalDocs: &openapi.ExternalDocs{URL: at.spec() + "/http.html", Description: "The RESTful API of FHIR"},
		Servers:      []openapi.Server{at.server(address)},
	}
	for i := range bases {
		if other := &bases[i]; other != at && other.fhir == at.fhir {
			head.Servers = append(head.Servers, other.server(address))
		}
	}
	return head
}

// server returns the base as a server of an OpenAPI document.
func (b *base) server(address string) openapi.Server {
	return openapi.Server{URL: address + b.path, Description: "FHIR " + b.fhir + ", " + b.rules.String()}
}

// spec returns where the specification of the base's version of FHIR is.
func (b *base) spec() string {
	if b.isR5() {
		return "https://hl7.org/fhir/R5"
	}
	return "https://hl7.org/fhir/R4"
}

// openAPIText describes what all requests have in common.
func (h *Handler) openAPIText(at *base, address string) string {
	others := "The document at " + address + "/r5" + openapiPath + " describes terminology in R5."
	if at.isR5() {
		others = "The document at " + address + openapiPath + " describes the whole server in R4."
	}
	return at.rulesText() + " " + others + "\n\n" +
		"Resources are JSON or XML (" + mediaFHIR + ", " + mediaXML + "), as Accept, Content-Type or _format say; " + mediaJSON + " is " + mediaFHIR + ". " +
		"The schemas describe the JSON. A member that is required may have extensions in place of its value, which then are in the member with an underscore.\n\n" +
		"Every error is an OperationOutcome. A GET may also be a HEAD. A request may have an X-Request-Id, which the response then has too. " +
		"The responses of a kind are described once; default stands for the other errors: what is not acceptable (406), too large (413, 414), " +
		"in a format that is not supported (415), too slow (408), for another host (421), or an error of the server (500, 501).\n\n" +
		h.limitsText()
}
