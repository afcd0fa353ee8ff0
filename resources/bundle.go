package resources

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/validate"
)

// A Bundle is a collection of resources, or of requests, in one document.
//
// Source: https://hl7.org/fhir/R4/bundle.html.
type Bundle struct {
	// Type is Bundle.type: transaction, batch, collection, searchset, history, document or message.
	Type    string
	Entries []BundleEntry
}

// A BundleEntry is one entry of a Bundle. Absent elements are "" and nil.
type BundleEntry struct {
	FullURL string
	// Resource is the document of the entry. It shares its bytes with the bundle.
	Resource []byte
	// Method, URL and the conditions come from Bundle.entry.request.
	Method, URL     string
	IfNoneExist     string // a search string
	IfMatch         string // an entity tag, W/"1"
	IfNoneMatch     string // an entity tag, or *
	IfModifiedSince string // an instant
}

// IsOperation reports whether the entry is a POST to an operation, such as ValueSet/$expand.
func (e *BundleEntry) IsOperation() bool {
	path, _, _ := strings.Cut(e.URL, "?")
	return e.Method == verbPost && strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], "$")
}

// CheckRequest returns ErrBundle if entry i of a batch or transaction has no request.method.
func (e *BundleEntry) CheckRequest(i int) error {
	switch {
	case e.Method != "":
		return nil
	case e.URL != "":
		return fmt.Errorf("%w: Bundle.entry[%d].request.method is missing", ErrBundle, i)
	}
	return fmt.Errorf("%w: Bundle.entry[%d].request is missing; each entry of a batch or transaction has a request with method and url", ErrBundle, i)
}

// ParseBundle parses a Bundle of any type. It returns *r4.SyntaxError for malformed JSON and
// ErrBundle for anything that is not a Bundle.
func ParseBundle(body []byte) (*Bundle, error) {
	doc, err := parse(body)
	if err != nil {
		return nil, err
	}
	root := doc.Root()
	if !root.Get("resourceType").Is("Bundle") {
		return nil, fmt.Errorf("%w: the document is not a Bundle", ErrBundle)
	}
	b := &Bundle{Type: root.Get("type").Text()}
	entries := root.Get("entry")
	if k := entries.Kind(); k != document.Array && k != document.Absent {
		return nil, fmt.Errorf("%w: Bundle.entry must be a list", ErrBundle)
	}
	b.Entries = make([]BundleEntry, 0, entries.Len())
	for v := range entries.Items() {
		request, resource := v.Get("request"), v.Get("resource")
		if v.Kind() != document.Object || resource.Exists() && resource.Kind() != document.Object {
			return nil, fmt.Errorf("%w: Bundle.entry[%d] and its resource must be objects", ErrBundle, len(b.Entries))
		}
		b.Entries = append(b.Entries, BundleEntry{
			FullURL:         v.Get("fullUrl").Text(),
			Resource:        resource.Raw(),
			Method:          request.Get("method").Text(),
			URL:             request.Get("url").Text(),
			IfNoneExist:     request.Get("ifNoneExist").Text(),
			IfMatch:         request.Get("ifMatch").Text(),
			IfNoneMatch:     request.Get("ifNoneMatch").Text(),
			IfModifiedSince: request.Get("ifModifiedSince").Text(),
		})
	}
	return b, nil
}

// PatchBody returns the patch of a PATCH entry as the body of a request, and its media type.
// Parameters are a FHIRPath patch themselves; other patches are the data of a Binary (R4
// http.html#patch). Errors: *r4.SyntaxError, patch.ErrMalformed.
func (e *BundleEntry) PatchBody() (body []byte, media string, err error) {
	doc, err := parse(e.Resource)
	if err != nil {
		return nil, "", err
	}
	root := doc.Root()
	switch typ := root.Get("resourceType").Text(); typ {
	case "Parameters":
		return e.Resource, "application/fhir+json", nil
	case "Binary":
		data, err := base64.StdEncoding.DecodeString(root.Get("data").Text())
		if err != nil {
			return nil, "", fmt.Errorf("%w: Binary.data: %w", patch.ErrMalformed, err)
		}
		media, _, _ := strings.Cut(root.Get("contentType").Text(), ";")
		return data, strings.TrimSpace(media), nil
	default:
		return nil, "", fmt.Errorf("%w: the resource of a PATCH must be a Binary or Parameters, not %.60q", patch.ErrMalformed, typ)
	}
}

// IsAbsolute reports whether a URL begins with a scheme. A request.url with a scheme addresses
// another server, or repeats the base URL of this server.
func IsAbsolute(url string) bool {
	scheme, _, is := strings.Cut(url, ":")
	return is && !strings.ContainsAny(scheme, "/?#")
}

// An EntryError identifies the entry of a bundle that failed.
type EntryError struct {
	Index int // from 0
	Err   error
}

// Error returns the FHIRPath expression of the entry followed by the cause.
func (e *EntryError) Error() string { return e.Expression() + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *EntryError) Unwrap() error { return e.Err }

// Expression returns the entry as FHIRPath: "Bundle.entry[3]".
func (e *EntryError) Expression() string { return "Bundle.entry[" + strconv.Itoa(e.Index) + "]" }

// entryFailed wraps an error of entry i. FHIRPath expressions in it are rewritten to begin at the
// bundle.
func entryFailed(i int, typ string, err error) error {
	e := &EntryError{Index: i, Err: err}
	invalid, ok := err.(*validate.Invalid) //nolint:errorlint // only the error exactly as validation returned it
	if !ok {
		return e
	}
	issues := make([]validate.Issue, len(invalid.Issues))
	for n, issue := range invalid.Issues {
		if rest, inside := strings.CutPrefix(issue.Expression, typ); inside {
			issue.Expression = e.Expression() + ".resource" + rest
		}
		issue.Line, issue.Column = 0, 0 // they count from the start of the resource, not of the bundle
		issues[n] = issue
	}
	e.Err = &validate.Invalid{Issues: issues}
	return e
}

// The codes of Bundle.entry.request.method (R4 valueset-http-verb.html).
const (
	verbGet    = "GET"
	verbHead   = "HEAD"
	verbPost   = "POST"
	verbPut    = "PUT"
	verbDelete = "DELETE"
	verbPatch  = "PATCH"
)
