package httpadapter

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/httpadapter/openapi"
)

// Headers of requests that OpenAPI documents describe.
const (
	headerPrefer          = "Prefer"
	headerIfMatch         = "If-Match"
	headerIfNoneMatch     = "If-None-Match"
	headerIfModifiedSince = "If-Modified-Since"
	headerIfNoneExist     = "If-None-Exist"
	headerAcceptLanguage  = "Accept-Language"
)

// headerTexts describes these headers.
var headerTexts = map[string]string{
	headerPrefer: "return=minimal, return=representation or return=OperationOutcome for the body of a response to a change; " +
		"handling=strict or handling=lenient for parameters that are not known (RFC 7240).",
	headerIfMatch:         `The version that the resource must have, such as W/"3"; * for any. Another one is a 412.`,
	headerIfNoneMatch:     `Of a read: the version that the client has, such as W/"3", which is then not sent again (304). Of an update: * if the resource must not exist.`,
	headerIfModifiedSince: "The time of the version that the client has, which is then not sent again (304).",
	headerIfNoneExist:     "A search, such as identifier=http://example.org|1. If it finds a resource, that is the answer, and none is created.",
	headerAcceptLanguage:  "The languages of displays, with quality values, where the parameter displayLanguage is absent.",
	headerCacheID:         "The id of a cache of resources that $cache-control started.",
}

// lower returns the name of a type as in the address of its page.
func lower(typ string) string { return strings.ToLower(typ) }

// page returns a link to a page of the specification.
func (d *describer) page(path string) *openapi.ExternalDocs {
	return &openapi.ExternalDocs{URL: d.at.spec() + "/" + path}
}

// headers returns the parameters of headers of the request.
func (d *describer) headers(names ...string) []*openapi.Parameter {
	list := make([]*openapi.Parameter, len(names))
	for i, name := range names {
		list[i] = d.b.Parameter(name, func() *openapi.Parameter {
			return &openapi.Parameter{Name: name, In: "header", Description: headerTexts[name], Schema: &openapi.Schema{Type: "string"}}
		})
	}
	return list
}

// query returns a parameter in the query that many operations have.
func (d *describer) query(name, text string, schema *openapi.Schema) *openapi.Parameter {
	return d.b.Parameter(strings.ReplaceAll(name, ":", "."), func() *openapi.Parameter {
		return &openapi.Parameter{Name: name, In: "query", Description: text, Schema: schema}
	})
}

func textSchema(values ...string) *openapi.Schema {
	return &openapi.Schema{Type: "string", Enum: values}
}

func numberSchema() *openapi.Schema {
	low := 0
	return &openapi.Schema{Type: "integer", Minimum: &low}
}

func (d *describer) format() *openapi.Parameter {
	return d.query("_format", "The format of the response, before Accept: json, xml, or a media type.", textSchema())
}

func (d *describer) pretty() *openapi.Parameter {
	return d.query("_pretty", "Whether JSON is indented.", &openapi.Schema{Type: "boolean"})
}

func (d *describer) summary() *openapi.Parameter {
	return d.query("_summary", "The part of each resource to return.", textSchema("true", "text", "data", "count", "false"))
}

func (d *describer) elements() *openapi.Parameter {
	return d.query("_elements", "The elements of each resource to return, separated by commas.", textSchema())
}

func (d *describer) count() *openapi.Parameter {
	return d.query("_count", "The number of entries of a page, "+strconv.Itoa(d.h.Limits.PageSize)+" by default and "+strconv.Itoa(d.h.Limits.MaxCount)+" at most; 0 for the total only.", numberSchema())
}

func (d *describer) cursor() *openapi.Parameter {
	return d.query("_cursor", "The place of a page, from a link to it.", textSchema())
}

func (d *describer) since() *openapi.Parameter {
	return d.query("_since", "Only versions that were made at or after this time.", d.b.Type("instant"))
}

func (d *describer) during() *openapi.Parameter {
	return d.query("_at", "Only versions that were current during this time.", d.b.Type("dateTime"))
}

// id returns the parameter of the path for the id of a resource.
func (d *describer) id() *openapi.Parameter {
	return d.b.Parameter("id", func() *openapi.Parameter {
		return &openapi.Parameter{Name: "id", In: "path", Required: true, Description: "The id of the resource.", Schema: d.b.Type("id")}
	})
}

func (d *describer) version() *openapi.Parameter {
	return d.b.Parameter("version", func() *openapi.Parameter {
		return &openapi.Parameter{Name: "version", In: "path", Required: true, Description: "The version: meta.versionId.", Schema: d.b.Type("id")}
	})
}

// body returns the body of a request with a resource.
func (d *describer) body(typ string) *openapi.RequestBody {
	return d.b.Body(typ, func() *openapi.RequestBody {
		return &openapi.RequestBody{Content: d.content(typ), Required: true}
	})
}

// patchBody returns the body of a patch.
func (d *describer) patchBody() *openapi.RequestBody {
	return d.b.Body("Patch", func() *openapi.RequestBody {
		change := &openapi.Schema{Type: "object", Required: []string{"op", "path"}, Properties: openapi.Map[*openapi.Schema]{
			{Name: "op", Value: textSchema("add", "remove", "replace", "move", "copy", "test")},
			{Name: "path", Value: textSchema()},
			{Name: "from", Value: textSchema()},
			{Name: "value", Value: &openapi.Schema{Description: "Any JSON."}},
		}}
		return &openapi.RequestBody{
			Description: "A JSON Patch (RFC 6902), a JSON Merge Patch (RFC 7396), or the Parameters of a FHIRPath Patch; as application/json, the content tells which.",
			Required:    true,
			Content: append(openapi.Map[openapi.Media]{
				{Name: mediaJSONPatch, Value: openapi.Media{Schema: openapi.ArrayOf(change)}},
				{Name: mediaMergePatch, Value: openapi.Media{Schema: &openapi.Schema{Type: "object"}}},
			}, d.b.Content(d.b.Type("Parameters"))...),
		}
	})
}

// header returns a header of a response.
func (d *describer) header(name, text string) openapi.Member[*openapi.Header] {
	return openapi.Member[*openapi.Header]{Name: name, Value: d.b.Header(name, func() *openapi.Header {
		return &openapi.Header{Description: text, Schema: &openapi.Schema{Type: "string"}}
	})}
}

func (d *describer) etag() openapi.Member[*openapi.Header] {
	return d.header("ETag", `The version of the resource, such as W/"3".`)
}

func (d *describer) modified() openapi.Member[*openapi.Header] {
	return d.header("Last-Modified", "When the version was made.")
}

// resourceResponse returns the response with a resource of a type.
func (d *describer) resourceResponse(typ string) *openapi.Response {
	return d.b.Response(typ, func() *openapi.Response {
		return &openapi.Response{
			Description: "The resource.",
			Headers:     openapi.Map[*openapi.Header]{d.etag(), d.modified()},
			Content:     d.content(typ),
		}
	})
}

// content returns the forms of a resource: those of FHIR, and the content of a Binary as it is.
func (d *describer) content(typ string) openapi.Map[openapi.Media] {
	content := d.b.Content(d.b.Type(typ))
	if typ == typeBinary {
		content = append(content, openapi.Member[openapi.Media]{Name: "*/*", Value: openapi.Media{Schema: &openapi.Schema{Type: "string", Format: "binary"}}})
	}
	return content
}

// written returns the responses to a create, update or patch.
func (d *describer) written(typ string, failures ...int) openapi.Map[*openapi.Response] {
	stored := d.b.Response(typ+".stored", func() *openapi.Response {
		schema := d.b.Type(typ)
		if typ != "OperationOutcome" {
			schema = &openapi.Schema{AnyOf: []*openapi.Schema{schema, d.b.Type("OperationOutcome")}}
		}
		return &openapi.Response{
			Description: "The resource as it is stored, or what Prefer asks for in its place.",
			Headers: openapi.Map[*openapi.Header]{
				d.etag(), d.modified(), d.header("Location", "The address of the version, if the client may not know the id."),
			},
			Content: d.b.Content(schema),
		}
	})
	return d.failures(openapi.Map[*openapi.Response]{{Name: "200", Value: stored}, {Name: "201", Value: stored}}, failures...)
}

// bundle returns the response with a Bundle of a type.
func (d *describer) bundle(typ, text string) *openapi.Response {
	return d.b.Response("Bundle."+typ, func() *openapi.Response {
		return &openapi.Response{Description: text, Content: d.b.Content(d.b.Type("Bundle"))}
	})
}

func (d *describer) searchset() *openapi.Response { return d.bundle("searchset", "A page of matches.") }

func (d *describer) versions() *openapi.Response {
	return d.bundle("history", "A page of versions, newest first.")
}

func (d *describer) notModified() *openapi.Response {
	return d.b.Response("NotModified", func() *openapi.Response {
		return &openapi.Response{Description: "The client has this version.", Headers: openapi.Map[*openapi.Header]{d.etag()}}
	})
}

func (d *describer) deleted() *openapi.Response {
	return d.b.Response("Deleted", func() *openapi.Response {
		return &openapi.Response{Description: "There is no such resource now."}
	})
}

// answers returns the responses of an interaction or operation that answers with 200.
func (d *describer) answers(ok *openapi.Response, failures ...int) openapi.Map[*openapi.Response] {
	return d.failures(openapi.Map[*openapi.Response]{{Name: "200", Value: ok}}, failures...)
}

// failureTexts describes the responses with an error.
var failureTexts = map[int]string{
	http.StatusBadRequest:          "The request or a parameter is malformed.",
	http.StatusUnauthorized:        "The request has no valid credentials.",
	http.StatusForbidden:           "The client may not do this.",
	http.StatusNotFound:            "There is no such resource, code system, value set or concept map.",
	http.StatusConflict:            "The change conflicts with what is stored.",
	http.StatusGone:                "The resource is deleted.",
	http.StatusPreconditionFailed:  "A condition of the request is not met, or its search finds several resources.",
	http.StatusMisdirectedRequest:  "The server does not answer for this host.",
	http.StatusUnprocessableEntity: "The resource is not valid, or the request cannot be processed.",
	http.StatusTooManyRequests:     "The client sends more requests than the server accepts.",
	http.StatusServiceUnavailable:  "The server cannot answer now.",
}

// failures adds the responses with errors: own, those that every request may have, and the default.
func (d *describer) failures(m openapi.Map[*openapi.Response], own ...int) openapi.Map[*openapi.Response] {
	statuses := append(slices.Clone(own), http.StatusBadRequest, http.StatusServiceUnavailable)
	if d.h.guarded() {
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden)
	}
	if d.h.requests != nil || d.h.logins != nil {
		statuses = append(statuses, http.StatusTooManyRequests)
	}
	slices.Sort(statuses)
	for _, status := range statuses {
		m.Add(strconv.Itoa(status), d.failure(status))
	}
	m.Add("default", d.otherFailure())
	return m
}

func (d *describer) otherFailure() *openapi.Response {
	return d.b.Response("Error", func() *openapi.Response {
		return &openapi.Response{Description: "Another error.", Content: d.b.Content(d.b.Type("OperationOutcome"))}
	})
}

// failure returns the response with an error.
func (d *describer) failure(status int) *openapi.Response {
	return d.b.Response(strings.ReplaceAll(http.StatusText(status), " ", ""), func() *openapi.Response {
		r := &openapi.Response{Description: failureTexts[status], Content: d.b.Content(d.b.Type("OperationOutcome"))}
		switch status {
		case http.StatusUnauthorized:
			r.Headers.Add("WWW-Authenticate", d.header("WWW-Authenticate", "The schemes of authentication that the server accepts.").Value)
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			r.Headers.Add("Retry-After", d.header("Retry-After", "After how many seconds to try again.").Value)
		}
		return r
	})
}
