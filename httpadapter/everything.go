package httpadapter

import (
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// everythingOperation returns $everything of a type that owns a compartment.
func everythingOperation(typ string) *resourceOperation {
	spec := "https://hl7.org/fhir/R4/patient-operation-everything.html"
	if typ == "Encounter" {
		spec = "https://hl7.org/fhir/R4/encounter-operation-everything.html"
	} else if typ != "Patient" {
		spec = "https://hl7.org/fhir/R4/compartmentdefinition-" + lower(typ) + ".html"
	}
	return &resourceOperation{
		Operation: operation.Operation{
			Name: "everything", Type: typ, Instance: true,
			Summary: "Everything about a " + typ,
			Doc: "Returns the " + typ + ", all resources in its compartment, and what these refer to, newest first; on the type, that of " +
				"every " + typ + ". All pages show the same snapshot as the first.",
			Spec: spec,
			In: []operation.Param{
				{Name: "start", Type: "date", Doc: "Only care on or after this date; resources without a date of care are included."},
				{Name: "end", Type: "date", Doc: "Only care on or before this date; resources without a date of care are included."},
				{Name: "_since", Type: "instant", Doc: "Only resources stored at or after this time."},
				{Name: "_type", Type: "code", Many: true, Doc: "Only resources of these types, separated by commas."},
				{Name: "_count", Type: "integer", Doc: "The number of resources on a page."},
				{Name: search.CursorParam, Type: "string", Doc: "The cursor of a page, taken from the link to it."},
			},
			Out: []operation.Param{{Name: "return", Type: "Bundle", Min: 1, Doc: "A searchset."}},
		},
		onType: true,
		run:    (*call).everything,
	}
}

// everything runs $everything.
func (c *call) everything(in *operation.Input) {
	r := resources.EverythingRequest{
		Type: c.label.typ, ID: in.ID,
		Start: in.String("start"), End: in.String("end"),
		Count: c.h.Limits.MaxCount, Cursor: in.String(search.CursorParam),
		Bases: c.bases(),
	}
	var used []search.Param
	for _, name := range [...]string{"start", "end", "_since", "_count"} {
		if in.Has(name) {
			used = append(used, search.Param{Name: name, Value: in.String(name)})
		}
	}
	for _, list := range in.Strings("_type") {
		used = append(used, search.Param{Name: "_type", Value: list})
		for typ := range strings.SplitSeq(list, ",") {
			if !c.h.served(typ) {
				c.fail(operation.Invalid("_type", strconv.Quote(cut(typ))+" is not a resource type that this server supports"))
				return
			}
			r.Types = append(r.Types, typ)
		}
	}
	if since := in.String("_since"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			c.fail(operation.Invalid("_since", strconv.Quote(cut(since))+" is not an instant such as 2026-01-31T12:00:00Z"))
			return
		}
		r.Since = at
	}
	n, given := in.Int("_count")
	if given {
		if n < 0 {
			c.fail(operation.Invalid("_count", strconv.Itoa(n)+" is negative"))
			return
		}
		r.Count = min(max(n, 1), c.h.Limits.MaxCount)
	}
	if r.ID != "" {
		c.notePatient(r.Type, r.ID)
	}
	page, err := c.h.Resources.Everything(c.context(), r)
	if err != nil {
		c.fail(notFoundIfBadID(err, r.Type, r.ID))
		return
	}
	if given && n == 0 {
		page.Versions, page.Next = nil, ""
	}
	root := c.base() + "/" + r.Type
	if r.ID != "" {
		root += "/" + r.ID
	}
	root += "/$everything"
	links := []link{{"self", linkTo(root, used, search.CursorParam, r.Cursor)}}
	if page.Next != "" {
		links = append(links, link{"next", linkTo(root, used, search.CursorParam, page.Next)})
	}
	b := newBundle(c, "searchset")
	b.head(page.Total, links)
	for i := range page.Versions {
		v := &page.Versions[i]
		b.found(v, nil, "match")
		v.Body = nil
	}
	b.close()
}
