package httpadapter

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/httpadapter/openapi"
)

// server describes the paths about the server itself. They are open, except for the metrics.
func (d *describer) server() {
	statement := &openapi.Schema{AnyOf: []*openapi.Schema{d.b.Type("CapabilityStatement"), d.b.Type("TerminologyCapabilities")}}
	d.fhirPath("/metadata").Get = &openapi.Operation{
		ID: "readCapabilities", Summary: "Read what the server can do", Tags: []string{tagServer}, ExternalDocs: d.page("http.html#capabilities"),
		Parameters: append([]*openapi.Parameter{
			d.query("mode", "full: the CapabilityStatement; normative: the same; terminology: the TerminologyCapabilities.", textSchema("full", "normative", "terminology")),
		}, d.headers(headerIfNoneMatch)...),
		Responses: d.open(openapi.Map[*openapi.Response]{
			{Name: "200", Value: &openapi.Response{Description: "The statement.", Headers: openapi.Map[*openapi.Header]{d.etag()}, Content: d.b.Content(statement)}},
			{Name: "304", Value: d.notModified()},
		}, http.StatusBadRequest, http.StatusServiceUnavailable),
		Security: &[]openapi.Requirement{},
	}
	document := d.json(openapiPath, "readOpenAPI", "Read this document", "An OpenAPI document.", &openapi.Schema{Type: "object"})
	document.Parameters = d.headers(headerIfNoneMatch)
	document.Responses = slices.Insert(document.Responses, 1, openapi.Member[*openapi.Response]{Name: "304", Value: d.notModified()})
	if d.h.SMART != nil {
		d.json(smartPath, "readSMARTConfiguration", "Find where to get tokens", "The configuration of SMART App Launch.", &openapi.Schema{Type: "object"})
	}
	root := []openapi.Server{{URL: anyAddress}}
	status := &openapi.Schema{Type: "object", Required: []string{"status"}, Properties: openapi.Map[*openapi.Schema]{{Name: "status", Value: textSchema()}}}
	d.json("/healthz", "checkHealth", "Ask whether the process is alive", "It is.", status)
	d.path("/healthz").Servers = root
	ready := d.json("/readyz", "checkReadiness", "Ask whether the server is ready", "It is.", readiness("status"))
	ready.Responses = slices.Insert(ready.Responses, 1, openapi.Member[*openapi.Response]{Name: "503", Value: &openapi.Response{
		Description: "It is not.", Content: jsonContent(readiness("status", "failed")),
	}})
	ready.Parameters = []*openapi.Parameter{{Name: "writes", In: "query", Description: "With true, a server whose store is a standby is not ready.", Schema: &openapi.Schema{Type: "boolean"}}}
	d.path("/readyz").Servers = root
	if d.h.metrics != nil && !d.h.MetricsApart {
		metrics := d.path("/metrics")
		metrics.Servers = root
		metrics.Get = &openapi.Operation{
			ID: "readMetrics", Summary: "Read metrics for Prometheus", Tags: []string{tagServer},
			Responses: d.answers(&openapi.Response{Description: "The metrics.", Content: openapi.Map[openapi.Media]{{Name: "text/plain", Value: openapi.Media{Schema: textSchema()}}}}),
		}
	}
}

// open returns the responses of an open path: those given, errors, and the default. Paths of resources
// leave out the error for another host, which comes before all else.
func (d *describer) open(m openapi.Map[*openapi.Response], failures ...int) openapi.Map[*openapi.Response] {
	if d.h.Hosts != nil {
		failures = append(failures, http.StatusMisdirectedRequest)
	}
	if d.h.requests != nil {
		failures = append(failures, http.StatusTooManyRequests)
	}
	slices.Sort(failures)
	for _, status := range failures {
		m.Add(strconv.Itoa(status), d.failure(status))
	}
	m.Add("default", d.otherFailure())
	return m
}

// json describes a GET of an open path that responds with JSON that is no resource.
func (d *describer) json(path, id, summary, text string, schema *openapi.Schema) *openapi.Operation {
	op := &openapi.Operation{
		ID: id, Summary: summary, Tags: []string{tagServer}, Security: &[]openapi.Requirement{},
		Responses: d.open(openapi.Map[*openapi.Response]{{Name: "200", Value: &openapi.Response{Description: text, Content: jsonContent(schema)}}}),
	}
	d.path(path).Get = op
	return op
}

func jsonContent(schema *openapi.Schema) openapi.Map[openapi.Media] {
	return openapi.Map[openapi.Media]{{Name: mediaJSON, Value: openapi.Media{Schema: schema}}}
}

// readiness returns the schema of /readyz: the checks that fail, and work in the background.
func readiness(required ...string) *openapi.Schema {
	list := func(text string) *openapi.Schema {
		return openapi.ArrayOf(&openapi.Schema{Type: "object", Required: []string{"check", text}, Properties: openapi.Map[*openapi.Schema]{
			{Name: "check", Value: textSchema()}, {Name: text, Value: textSchema()},
		}})
	}
	return &openapi.Schema{Type: "object", Required: required, Properties: openapi.Map[*openapi.Schema]{
		{Name: "status", Value: textSchema()}, {Name: "failed", Value: list("problem")}, {Name: "running", Value: list("progress")},
	}}
}

// jobs describes the addresses of jobs and their files.
func (d *describer) jobs(k jobKind) {
	segment := func(name, text string) *openapi.Parameter {
		return &openapi.Parameter{Name: name, In: "path", Required: true, Description: text, Schema: textSchema()}
	}
	type answer = openapi.Member[*openapi.Response]
	op := func(id, summary string, answers ...answer) *openapi.Operation {
		return &openapi.Operation{ID: id, Summary: summary, Tags: []string{tagSystem}, Responses: d.failures(answers, http.StatusNotFound)}
	}
	title := strings.ToUpper(k.name[:1]) + k.name[1:]
	job := d.path(k.path()+"/{job}", segment("job", "The job, as Content-Location of $"+k.name+" names it."))
	job.Get = op("read"+title, "Ask how far an "+k.name+" is",
		answer{Name: "200", Value: &openapi.Response{Description: "It is done; this manifest lists its files.", Content: jsonContent(&openapi.Schema{Type: "object"})}},
		answer{Name: "202", Value: &openapi.Response{Description: "It runs; X-Progress says how far it is."}})
	job.Delete = op("delete"+title, "End an "+k.name+" and delete its files", answer{Name: "202", Value: &openapi.Response{Description: "It is gone."}})
	d.path(k.path()+"/{job}/{file}", append(slices.Clone(job.Parameters), segment("file", "A file that the job lists."))...).Get = op("read"+title+"File", "Read a file of an "+k.name,
		answer{Name: "200", Value: &openapi.Response{Description: "Resources, one on each line.", Content: openapi.Map[openapi.Media]{{Name: mediaNDJSON, Value: openapi.Media{Schema: textSchema()}}}}})
}
