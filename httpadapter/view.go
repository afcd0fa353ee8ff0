package httpadapter

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/export"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/view"
)

// viewOperation is $viewdefinition-run of SQL on FHIR v2. There is no type ViewDefinition in R4, so
// it is on the system, and the definition comes with the request.
var viewOperation = resourceOperation{
	Operation: operation.Operation{
		Name: "viewdefinition-run",
		Summary: "A table of resources as a ViewDefinition describes it",
		Doc: "Runs a ViewDefinition for R4 over the stored resources that the request may search, or over those in the request, and sends the rows while it reads. " +
			"The format is that of _format, or else of Accept. An error after the first rows closes the connection.",
		Spec: "https://sql-on-fhir.org/ig/",
		In: []operation.Param{
			{Name: "viewResource", Type: typeAny, Doc: "The ViewDefinition.", HTTPOnly: true},
			{Name: "_format", Aliases: []string{"format"}, Type: "code", Doc: "csv, ndjson or json, which is the default: an array of objects."},
			{Name: "header", Type: "boolean", Doc: "Whether CSV begins with the names of the columns. Default: true."},
			{Name: "_limit", Type: "positiveInt", Doc: "The maximum number of rows."},
			{Name: "patient", Type: "Reference", Doc: "Only the compartment of this patient."},
			{Name: "group", Type: "Reference", Many: true, Doc: "Only the compartments of the patients of these groups."},
			{Name: "_since", Type: "instant", Doc: "Only resources stored at or after this time."},
			{Name: "resource", Type: typeAny, Many: true, Doc: "Resources in place of the stored ones.", HTTPOnly: true},
			{Name: "viewReference", Type: "Reference", Refused: true},
			{Name: "source", Type: "string", Refused: true},
		},
		Out: []operation.Param{{Name: "return", Type: "Binary", Min: 1, Doc: "The rows, as they are."}},
	},
	onType: true, table: true,
	run: (*call).runView,
}

// viewMemory is about what the rows and resources that a view works on at a time need, in bytes.
const viewMemory = 4 << 20

// runView runs $viewdefinition-run.
func (c *call) runView(in *operation.Input) {
	o := view.Options{Codes: c.h.Engine, Bases: c.bases(), Workers: 2}
	v, source, err := c.readView(in, &o)
	if err == nil {
		err = c.hold(viewMemory)
	}
	if err != nil {
		c.fail(viewError(err))
		return
	}
	s := newStream(c, http.StatusOK)
	s.media = []string{map[string]string{"csv": "text/csv", "ndjson": "application/x-ndjson", "json": mediaJSON}[o.Format]}
	if err := v.Run(c.context(), o, source, s); err == nil {
		s.close()
	} else if s.err == nil { // else the client has gone
		s.abort(viewError(err))
	}
}

// viewError returns an error about a view with its status and place.
func viewError(err error) error {
	if failed, is := errors.AsType[*view.Error](err); is {
		err = withStatus(http.StatusUnprocessableEntity, operation.Problem{Exit: operation.ExitUsage, Code: "invalid", Expression: failed.Path, Text: err.Error()})
	}
	return err
}

// readView reads the parameters.
func (c *call) readView(in *operation.Input, o *view.Options) (*view.View, view.Source, error) {
	if _, part := c.w.(*entryResponse); part {
		return nil, nil, problem(http.StatusNotFound, "not-supported", "$viewdefinition-run is not supported in a Bundle, because its answer is no resource")
	}
	if o.Format = c.viewFormat(in.String("_format")); o.Format == "" {
		return nil, nil, operation.Invalid("_format", strconv.Quote(cut(in.String("_format")))+" is not one of csv, ndjson, json")
	}
	header, given := in.Bool("header")
	o.NoHeader = given && !header
	o.Limit, _ = in.Int("_limit")
	for _, name := range [...]string{"viewReference", "source"} {
		if in.Has(name) {
			return nil, nil, operation.Invalid(name, "it is not supported here; send viewResource, and resource for other data than that of the server")
		}
	}
	text := in.Resource("viewResource")
	if text == nil {
		return nil, nil, operation.Missing("viewResource", "the ViewDefinition to run")
	}
	d, err := document.Parse(text, r4.Limits{})
	if err != nil {
		return nil, nil, err
	}
	v, err := view.Parse(c.h.tables, d.Root())
	if err != nil {
		return nil, nil, err
	}
	if list := in.Resources("resource"); list != nil {
		return v, func(yield func([]byte) error) error {
			for _, resource := range list {
				if err := yield(resource); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}
	source, err := c.viewSource(in, v.Resource)
	return v, source, err
}

// viewFormat returns the format that _format or else Accept asks for, "" if _format is another.
func (c *call) viewFormat(named string) string {
	wanted := named
	if named == "" {
		wanted = strings.Join(c.r.Header["Accept"], ",")
	}
	for _, name := range [...]string{"ndjson", "csv", "json"} {
		if strings.Contains(wanted, name) || named == "" && name == "json" {
			return name
		}
	}
	return ""
}

// viewSource returns the stored resources of a type that the request asks for.
func (c *call) viewSource(in *operation.Input, typ string) (view.Source, error) {
	params := []search.Param{{Name: "_total", Value: "none"}}
	if since := in.String("_since"); since != "" {
		params = append(params, search.Param{Name: "_lastUpdated", Value: "ge" + since})
	}
	patients, err := c.viewPatients(in)
	if err != nil {
		return nil, err
	}
	options := c.searchOptions(nil)
	options.Strict, options.DefaultCount = true, options.MaxCount
	if typ == "Patient" && len(patients) == 1 {
		params = append(params, search.Param{Name: "_id", Value: lo.Keys(patients)[0]})
	} else if len(patients) == 1 && c.h.tables.Compartment("Patient").Params(typ) != nil {
		options.Compartment = &search.Compartment{Type: "Patient", ID: lo.Keys(patients)[0]}
	}
	owners := index.NewOwners(c.h.tables, "Patient")
	return func(yield func([]byte) error) error {
		query := params
		for {
			found, err := c.h.Resources.Search(c.context(), resources.SearchRequest{Type: typ, Params: query, Options: options})
			if err != nil {
				return err
			}
			for i := range found.Matches {
				m := &found.Matches[i]
				if patients != nil {
					ids, err := owners.Of(nil, m.Type, m.ID, m.Body, options.Bases)
					if err != nil {
						return err
					}
					if !lo.SomeBy(ids, func(id string) bool { return patients[id] }) {
						continue
					}
				}
				c.note(hasRead, m.Type, m.ID, m.VersionID, m.Body)
				if err := yield(m.Body); err != nil {
					return err
				}
				m.Body = nil
				c.free(m.Size)
			}
			if found.Next == "" {
				return nil
			}
			query = append(params[:len(params):len(params)], search.Param{Name: search.CursorParam, Value: found.Next})
		}
	}, nil
}

// viewPatients returns the ids of the patients whose compartments are asked for, nil for all.
func (c *call) viewPatients(in *operation.Input) (map[string]bool, error) {
	var patients map[string]bool
	for _, reference := range in.Strings("group") {
		key := index.LocalKey(reference, c.bases())
		if key.Type != "Group" {
			return nil, operation.Invalid("group", strconv.Quote(cut(reference))+" is not a reference such as Group/1")
		}
		members, err := export.Members(c.context(), c.h.Resources, key.ID, c.bases())
		if err != nil {
			return nil, err
		}
		patients = lo.Assign(patients, members)
	}
	reference := in.String("patient")
	if reference == "" {
		return patients, nil
	}
	key := index.LocalKey(reference, c.bases())
	if key.Type != "Patient" {
		return nil, operation.Invalid("patient", strconv.Quote(cut(reference))+" is not a reference such as Patient/1")
	}
	_, err := c.h.Resources.Read(c.context(), "Patient", key.ID)
	return map[string]bool{key.ID: patients == nil || patients[key.ID]}, notFoundIfBadID(err, "Patient", key.ID)
}
