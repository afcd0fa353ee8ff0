package httpadapter

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/export"
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
	c.startJob(jobKind{c.h.Exports, "export"}, r, err)
}

// readExport reads the parameters of an export.
func (c *call) readExport(r *export.Request, in *operation.Input) error {
	if err := c.inBackground("export"); err != nil {
		return err
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
	named := len(r.Types) > 0
	err := r.Complete(c.h.Resources.Types())
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
