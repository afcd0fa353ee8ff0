package httpadapter

import (
	"net/http"
	"slices"

	"github.com/roget-health/roget/httpadapter/openapi"
)

// exports describes the addresses of jobs and their files.
func (d *describer) exports() {
	segment := func(name, text string) *openapi.Parameter {
		return &openapi.Parameter{Name: name, In: "path", Required: true, Description: text, Schema: textSchema()}
	}
	type answer = openapi.Member[*openapi.Response]
	op := func(id, summary string, answers ...answer) *openapi.Operation {
		return &openapi.Operation{ID: id, Summary: summary, Tags: []string{tagSystem}, Responses: d.failures(answers, http.StatusNotFound)}
	}
	files := openapi.Map[*openapi.Schema]{{Name: "transactionTime", Value: textSchema()}, {Name: "request", Value: textSchema()}, {Name: "output", Value: openapi.ArrayOf(
		&openapi.Schema{Type: "object", Properties: openapi.Map[*openapi.Schema]{{Name: "type", Value: textSchema()}, {Name: "url", Value: textSchema()}, {Name: "count", Value: numberSchema()}}},
	)}}
	job := d.path(exportPath+"/{job}", segment("job", "The job, as Content-Location of $export names it."))
	job.Get = op("readExport", "Ask how far an export is",
		answer{Name: "200", Value: &openapi.Response{Description: "It is done, and these are its files.", Content: jsonContent(&openapi.Schema{Type: "object", Properties: files})}},
		answer{Name: "202", Value: &openapi.Response{Description: "It runs; X-Progress says how far it is."}})
	job.Delete = op("deleteExport", "End an export and delete its files", answer{Name: "202", Value: &openapi.Response{Description: "It is gone."}})
	d.path(exportPath+"/{job}/{file}", append(slices.Clone(job.Parameters), segment("file", "A file that the job lists."))...).Get = op("readExportFile", "Read a file of an export",
		answer{Name: "200", Value: &openapi.Response{Description: "Resources, one on each line.", Content: openapi.Map[openapi.Media]{{Name: mediaNDJSON, Value: openapi.Media{Schema: textSchema()}}}}})
}
