package httpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/export"
)

// Exports runs bulk exports. *export.Jobs implements it, and documents the methods and their errors.
type Exports interface {
	Start(ctx context.Context, r export.Request) (id string, err error)
	Job(id, owner string) (export.Job, error)
	Expires(j *export.Job) time.Time
	Remove(id, owner string) error
	Open(id, owner, name string) (*os.File, export.File, error)
}

const (
	// exportPath is where the jobs are.
	exportPath  = "/_export"
	mediaNDJSON = "application/fhir+ndjson"
	// exportAgain is after how many seconds a client should ask again for a job.
	exportAgain = "5"
)

// exportOperations are $export of the system, of all patients, and of a group.
var exportOperations = [...]resourceOperation{
	newExportOperation("", false, "http://hl7.org/fhir/uv/bulkdata/OperationDefinition/export", "Export all resources to files"),
	newExportOperation("Patient", false, "http://hl7.org/fhir/uv/bulkdata/OperationDefinition/patient-export", "Export the compartments of patients to files"),
	newExportOperation("Group", true, "http://hl7.org/fhir/uv/bulkdata/OperationDefinition/group-export", "Export the compartments of the patients of a group to files"),
}

func newExportOperation(typ string, instance bool, canonical, summary string) resourceOperation {
	op := resourceOperation{
		Operation: operation.Operation{
			Name: "export", Type: typ, Instance: instance, Canonical: canonical, Summary: summary,
			Doc: "Starts a job that writes the resources, as the store has them now, to files of one resource a line. The request needs the header " +
				"Prefer: respond-async. Content-Location of the response is the address of the job, which tells how far it is and then where the files are. " +
				"DELETE on it removes the job and its files.",
			Spec: "https://hl7.org/fhir/uv/bulkdata/STU2/export.html",
			In: []operation.Param{
				{Name: "_outputFormat", Type: "string", Doc: "The format of the files: " + mediaNDJSON + ", application/ndjson or ndjson."},
				{Name: "_since", Type: "instant", Doc: "Only resources stored at or after this time."},
				{Name: "_type", Type: "string", Many: true, Doc: "Only resources of these types, separated by commas."},
				{Name: "_typeFilter", Type: "string", Many: true, Doc: "Searches such as Condition?code=…, separated by commas. Of a type with searches, only resources that one of them finds."},
			},
			Out: []operation.Param{{Name: "return", Type: "OperationOutcome", Min: 1, Doc: "That the job has started."}},
		},
		onType: !instance,
		run:    (*call).export,
	}
	if typ != "" {
		op.In = append(op.In, operation.Param{Name: "patient", Type: "Reference", Many: true, Doc: "Only the compartments of these patients."})
	}
	return op
}

// export starts a job.
func (c *call) export(in *operation.Input) {
	r := export.Request{
		Level: c.label.typ, Group: in.ID, URL: c.base() + "/" + c.unprefixed(), Owner: c.owner(),
		TokenNeeded: c.h.guarded(), Bases: c.bases(),
	}
	if query := c.r.URL.RawQuery; query != "" {
		r.URL += "?" + query
	}
	err := c.readExport(&r, in)
	if err == nil && in.ID != "" {
		_, err = c.h.Resources.Read(c.context(), "Group", in.ID)
		err = notFoundIfBadID(err, "Group", in.ID)
	}
	if err == nil {
		err = c.permitExport(&r)
	}
	id := ""
	if err == nil {
		id, err = c.h.Exports.Start(c.context(), r)
	}
	if errors.Is(err, export.ErrBusy) {
		c.w.Header().Set("Retry-After", exportAgain)
		err = problem(http.StatusTooManyRequests, "throttled", "%v", err)
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.w.Header().Set("Content-Location", c.base()+exportPath+"/"+id)
	c.respond(http.StatusAccepted, []byte(`{"resourceType":"OperationOutcome","issue":[{"severity":"information","code":"informational","diagnostics":"the export has started; its address is in Content-Location"}]}`))
}

// readExport reads the parameters of an export.
func (c *call) readExport(r *export.Request, in *operation.Input) error {
	if c.at.isR5() {
		return problem(http.StatusNotFound, "not-supported", "$export is not supported on this base; use that of R4")
	}
	if _, part := c.w.(*entryResponse); part {
		return problem(http.StatusUnprocessableEntity, "not-supported", "an entry of a Bundle cannot start $export: the job would not be a part of it; send the request on its own")
	}
	if !slices.ContainsFunc(c.r.Header["Prefer"], func(s string) bool { return strings.Contains(s, "respond-async") }) {
		return problem(http.StatusBadRequest, "required", "an export runs in the background: send the header Prefer: respond-async")
	}
	switch format := in.String("_outputFormat"); format {
	case "", mediaNDJSON, "application/ndjson", "ndjson":
	default:
		return operation.Invalid("_outputFormat", strconv.Quote(cut(format))+" is not supported; the files are "+mediaNDJSON)
	}
	if since := in.String("_since"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			return operation.Invalid("_since", strconv.Quote(cut(since))+" is not an instant such as 2026-01-31T12:00:00Z")
		}
		r.Since = at
	}
	for _, list := range in.Strings("_type") {
		r.Types = append(r.Types, strings.Split(list, ",")...)
	}
	for _, list := range in.Strings("_typeFilter") {
		r.Filters = append(r.Filters, export.SplitFilters(list)...)
	}
	for _, list := range in.Strings("patient") {
		for reference := range strings.SplitSeq(list, ",") {
			for _, base := range c.bases() {
				reference = strings.TrimPrefix(reference, base+"/")
			}
			id, ok := strings.CutPrefix(reference, "Patient/")
			if !ok || strings.Contains(id, "/") {
				return operation.Invalid("patient", strconv.Quote(cut(reference))+" is not a reference such as Patient/1")
			}
			r.Patients = append(r.Patients, id)
		}
	}
	var invalid *export.InvalidError
	named := len(r.Types) > 0
	err := r.Complete(c.h.Resources.Types())
	if errors.As(err, &invalid) {
		return operation.Invalid(invalid.Param, invalid.Text)
	}
	if err == nil && !named {
		r.Types = slices.DeleteFunc(r.Types, func(typ string) bool { return c.mayExport(typ) != nil })
		if len(r.Types) == 0 {
			return c.mayExport("Patient")
		}
	}
	return err
}

// permitExport returns an error unless the request may read every resource of the types. A job runs
// without the request, so it cannot decide about each.
func (c *call) permitExport(r *export.Request) error {
	for _, typ := range r.Types {
		if err := c.mayExport(typ); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) mayExport(typ string) error {
	for _, action := range [...]access.Actions{access.Read, access.Search} {
		_, all, err := c.h.Resources.Covers(c.context(), typ, action)
		if err != nil {
			return err
		}
		if !all {
			return problem(http.StatusForbidden, "forbidden", "an export of %s needs the permission to read and search every %s", typ, typ)
		}
	}
	return nil
}

// owner returns who makes the request, "" if nobody was authenticated.
func (c *call) owner() string {
	if p := access.PrincipalOf(c.r.Context()); p != nil {
		return p.Issuer + "\n" + p.Subject
	}
	return ""
}

// exportRoutes registers the addresses of jobs and their files.
func (h *Handler) exportRoutes(router *httprouter.Router, at *base) {
	job := at.path + exportPath + "/:job"
	get(router, job, h.handle(at, label{action: "export-status"}, (*call).exportStatus))
	router.DELETE(job, h.handle(at, label{action: "export-delete"}, (*call).exportDelete))
	get(router, job+"/:file", h.handle(at, label{action: "export-file"}, (*call).exportFile))
}

// manifest lists the files of an export.
type manifest struct {
	TransactionTime     string         `json:"transactionTime"`
	Request             string         `json:"request"`
	RequiresAccessToken bool           `json:"requiresAccessToken"`
	Output              []manifestFile `json:"output"`
	Deleted             []manifestFile `json:"deleted"`
	Error               []manifestFile `json:"error"`
}

type manifestFile struct {
	Type  string `json:"type"`
	URL   string `json:"url"`
	Count int    `json:"count"`
}

// exportStatus reports how far a job is.
func (c *call) exportStatus() {
	j, err := c.h.Exports.Job(c.params.ByName("job"), c.owner())
	if err != nil {
		c.failExport(err)
		return
	}
	header := c.w.Header()
	header.Set("Cache-Control", "no-store")
	switch j.State {
	case export.Running:
		header.Set("X-Progress", cut(j.Progress()))
		header.Set("Retry-After", exportAgain)
		c.empty(http.StatusAccepted)
		return
	case export.Failed:
		c.refuse(http.StatusInternalServerError, "exception", "the export failed; the log of the server says why")
		return
	}
	m := manifest{
		TransactionTime: j.TransactionTime().Format("2006-01-02T15:04:05.000Z07:00"), Request: j.Request.URL, RequiresAccessToken: j.Request.TokenNeeded,
		Output: []manifestFile{}, Deleted: []manifestFile{}, Error: []manifestFile{},
	}
	for _, f := range j.Files {
		m.Output = append(m.Output, manifestFile{f.Type, c.base() + exportPath + "/" + j.ID + "/" + f.Name, f.Count})
	}
	body, err := json.Marshal(m)
	if err != nil {
		c.fail(err)
		return
	}
	header.Set("Expires", c.h.Exports.Expires(&j).UTC().Format(http.TimeFormat))
	c.write(http.StatusOK, valueJSON, body)
}

// exportDelete removes a job and its files.
func (c *call) exportDelete() {
	if err := c.h.Exports.Remove(c.params.ByName("job"), c.owner()); err != nil {
		c.failExport(err)
		return
	}
	c.empty(http.StatusAccepted)
}

// exportPart is the size in bytes in which a file is sent.
const exportPart = 256 << 10

// exportFile sends a file.
func (c *call) exportFile() {
	file, f, err := c.h.Exports.Open(c.params.ByName("job"), c.owner(), c.params.ByName("file"))
	if err == nil {
		defer file.Close()
		err = c.mayExport(f.Type) // the permissions may have changed since the job was started
	}
	if err != nil {
		c.failExport(err)
		return
	}
	if err := c.record(http.StatusOK, true); err != nil {
		c.unrecorded(err, "the file was not sent")
		return
	}
	header := c.w.Header()
	header.Set("Content-Type", mediaNDJSON)
	header.Set("Content-Length", strconv.FormatInt(f.Bytes, 10))
	c.status = http.StatusOK
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return
	}
	part := make([]byte, exportPart)
	for {
		n, err := file.Read(part)
		if n > 0 {
			if err := c.deliver(part[:n]); err != nil {
				return // the client has gone
			}
			c.sent += int64(n)
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler) // so that the client notices
		}
	}
}

func (c *call) failExport(err error) {
	if errors.Is(err, export.ErrUnknown) {
		err = problem(http.StatusNotFound, "not-found", "there is no such export, or no longer")
	}
	c.fail(err)
}
