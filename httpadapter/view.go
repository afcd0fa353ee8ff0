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

// viewOperation is $viewdefinition-run of SQL on FHIR v2, with the definition in the request, as R4 has
// no type ViewDefinition.
var viewOperation = resourceOperation{
	Operation: operation.Operation{
		Name: "viewdefinition-run", Summary: "A table of resources as a ViewDefinition describes it",
		Doc: "Runs a ViewDefinition for R4 over the resources that the request may search, or over those in it, and sends the rows while it reads. " +
			"An error after the first rows closes the connection.",
		Spec: "https://sql-on-fhir.org/ig/",
		In: []operation.Param{
			{Name: "viewResource", Type: typeAny, Doc: "The ViewDefinition.", HTTPOnly: true},
			{Name: "_format", Aliases: []string{"format"}, Type: "code", Doc: "csv, ndjson or json, an array. Without it Accept decides."},
			{Name: "header", Type: "boolean", Doc: "Whether CSV begins with the names of the columns. Default: true."},
			{Name: "_limit", Type: "positiveInt", Doc: "The maximum number of rows."},
			{Name: "patient", Type: "Reference", Doc: "Only the compartment of this patient."},
			{Name: "group", Type: "Reference", Many: true, Doc: "Only the compartments of the patients of this group."},
			{Name: "_since", Type: "instant", Doc: "Only resources stored at or after this time."},
			{Name: "resource", Type: typeAny, Many: true, Doc: "Resources in place of the stored ones.", HTTPOnly: true},
		},
		Out:   []operation.Param{{Name: "return", Type: "Binary", Min: 1, Doc: "The rows, as they are."}},
		Exact: true,
	},
	onType: true, table: true,
	run: (*call).runView,
}

// runView runs $viewdefinition-run.
func (c *call) runView(in *operation.Input) {
	o := view.Options{Codes: c.h.Engine, Bases: c.bases(), Workers: 2}
	v, source, err := c.readView(in, &o)
	s := newStream(c, http.StatusOK)
	s.media = []string{map[string]string{"csv": "text/csv", "ndjson": "application/x-ndjson", "json": mediaJSON}[o.Format]}
	if err == nil {
		err = v.Run(c.context(), o, source, s)
	}
	if failed, is := errors.AsType[*view.Error](err); is {
		err = withStatus(http.StatusUnprocessableEntity, operation.Problem{Exit: operation.ExitUsage, Code: "invalid", Expression: failed.Path, Text: err.Error()})
	}
	if err == nil {
		s.close()
	} else if s.err == nil { // else the client has gone
		s.abort(err)
	}
}

// readView reads the parameters.
func (c *call) readView(in *operation.Input, o *view.Options) (*view.View, view.Source, error) {
	if _, part := c.w.(*entryResponse); part {
		return nil, nil, problem(http.StatusNotFound, "not-supported", "$viewdefinition-run is not supported in a Bundle, because its answer is no resource")
	}
	wanted, text := in.String("_format"), in.Resource("viewResource")
	if wanted == "" {
		wanted = strings.Join(c.r.Header["Accept"], ",") + "*/*"
	}
	for _, name := range [...]string{"*/*", "json", "csv", "ndjson"} { // the last one counts
		if strings.Contains(wanted, name) {
			o.Format = strings.Replace(name, "*/*", "json", 1)
		}
	}
	if o.Format == "" {
		return nil, nil, operation.Invalid("_format", strconv.Quote(cut(wanted))+" is not one of csv, ndjson, json")
	}
	if text == nil {
		return nil, nil, operation.Missing("viewResource", "the ViewDefinition to run")
	}
	header, given := in.Bool("header")
	o.NoHeader = given && !header
	o.Limit, _ = in.Int("_limit")
	d, err := document.Parse(text, r4.Limits{})
	if err != nil {
		return nil, nil, err
	}
	v, err := view.Parse(c.h.tables, d.Root())
	if err != nil {
		return nil, nil, err
	}
	if list := in.Resources("resource"); list != nil {
		return v, func(yield func([]byte) error) (err error) {
			for i := 0; i < len(list) && err == nil; i++ {
				err = yield(list[i])
			}
			return err
		}, nil
	}
	source, err := c.viewSource(in, v.Resource)
	return v, source, err
}

// viewSource returns the stored resources of a type that the request asks for.
func (c *call) viewSource(in *operation.Input, typ string) (view.Source, error) {
	params := []search.Param{{Name: "_total", Value: "none"}}
	if since := in.String("_since"); since != "" {
		params = append(params, search.Param{Name: "_lastUpdated", Value: "ge" + since})
	}
	options := c.searchOptions(nil)
	options.Strict, options.DefaultCount = true, options.MaxCount
	var among []map[string]bool // patients; a resource is in a compartment of each
	for _, what := range [...]string{"Patient", "Group"} {
		name := strings.ToLower(what)
		var members map[string]bool
		for _, reference := range in.Strings(name) {
			key := index.LocalKey(reference, options.Bases)
			if key.Type != what {
				return nil, operation.Invalid(name, strconv.Quote(cut(reference))+" is not a reference such as "+what+"/1")
			}
			found := map[string]bool{key.ID: true}
			_, err := c.h.Resources.Read(c.context(), what, key.ID)
			switch {
			case err != nil:
			case what == "Group":
				found, err = export.Members(c.context(), c.h.Resources, key.ID, options.Bases)
			case typ == what:
				params = append(params, search.Param{Name: "_id", Value: key.ID})
			case c.h.tables.Compartment(what).Params(typ) != nil:
				options.Compartment = &search.Compartment{Type: what, ID: key.ID}
			}
			if err != nil {
				return nil, notFoundIfBadID(err, what, key.ID)
			}
			members = lo.Assign(members, found)
		}
		if members != nil {
			among = append(among, members)
		}
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
				var ids []string
				if among != nil {
					if ids, err = owners.Of(nil, m.Type, m.ID, m.Body, options.Bases); err != nil {
						return err
					}
				}
				if lo.EveryBy(among, func(members map[string]bool) bool {
					return lo.SomeBy(ids, func(id string) bool { return members[id] })
				}) {
					c.note(hasRead, m.Type, m.ID, m.VersionID, m.Body)
					if err := yield(m.Body); err != nil {
						return err
					}
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
