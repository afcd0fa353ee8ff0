package httpadapter

import (
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// everythingOperation returns a patient and all that belongs to it.
var everythingOperation = resourceOperation{
	Operation: operation.Operation{
		Name: "everything", Type: "Patient", Instance: true,
		Summary: "All of a patient's compartment",
		Doc: "Gives the patient and all resources of the patient's compartment, newest first. All pages show the state " +
			"that the first was made from.",
		Spec: "https://hl7.org/fhir/R4/patient-operation-everything.html",
		In: []operation.Param{
			{Name: "start", Type: "date", Doc: "Only care from that date on; what has no such date is given too."},
			{Name: "end", Type: "date", Doc: "Only care up to that date; what has no such date is given too."},
			{Name: "_since", Type: "instant", Doc: "Only what was stored at that time or later."},
			{Name: "_type", Type: "code", Many: true, Doc: "Only resources of these types; several are separated by commas."},
			{Name: "_count", Type: "integer", Doc: "The resources of a page."},
			{Name: search.CursorParam, Type: "string", Doc: "Where a page begins, as the link to it says."},
		},
		Out: []operation.Param{{Name: "return", Type: "Bundle", Min: 1, Doc: "A searchset."}},
	},
	run: (*call).everything,
}

// everything answers $everything.
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
				c.fail(operation.Invalid("_type", strconv.Quote(cut(typ))+" is not a resource type of this server"))
				return
			}
			r.Types = append(r.Types, typ)
		}
	}
	if since := in.String("_since"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			c.fail(operation.Invalid("_since", strconv.Quote(cut(since))+" is not an instant"))
			return
		}
		r.Since = at
	}
	n, given := in.Int("_count")
	if given {
		if n < 0 {
			c.fail(operation.Invalid("_count", strconv.Itoa(n)+" is below 0"))
			return
		}
		r.Count = min(max(n, 1), c.h.Limits.MaxCount)
	}
	page, err := c.h.Resources.Everything(c.context(), r)
	if err != nil {
		c.fail(notFoundIfBadID(err, r.Type, r.ID))
		return
	}
	if given && n == 0 {
		page.Versions, page.Next = nil, ""
	}
	root := c.base() + "/" + r.Type + "/" + r.ID + "/$everything"
	links := []link{{"self", linkTo(root, used, search.CursorParam, r.Cursor)}}
	if page.Next != "" {
		links = append(links, link{"next", linkTo(root, used, search.CursorParam, page.Next)})
	}
	b := newBundle(c, "searchset")
	b.head(&page.Total, links)
	for i := range page.Versions {
		v := &page.Versions[i]
		b.found(v.Type, v.ID, v.Body, nil, "match")
	}
	b.close()
}
