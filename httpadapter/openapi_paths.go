package httpadapter

import (
	"net/http"
	"slices"

	"github.com/samber/lo"

	"github.com/roget-health/roget/httpadapter/openapi"
	"github.com/roget-health/roget/resources/definitions"
)

// describer makes the openapi.Body of a base.
type describer struct {
	h     *Handler
	at    *base
	smart *SMARTConfiguration // nil if there is none
	b     *openapi.Builder
	paths openapi.Map[*openapi.Path]
}

// openAPIBody returns what the OpenAPI documents of a base and of those that speak the same version of
// FHIR have in common. Where it has the address of the server, that is anyAddress.
func (h *Handler) openAPIBody(at *base, smart *SMARTConfiguration) *openapi.Body {
	tables := h.tables
	if at.isR5() {
		tables = definitions.R5()
	}
	types := lo.Filter(h.types, func(typ string, _ int) bool { return at.serves(typ) })
	var any []string
	if !at.isR5() && len(h.stored)+1 >= len(tables.Resources()) { // all but Parameters; R5 has terminology only
		any = tables.Resources()
	}
	d := &describer{h: h, at: at, smart: smart, b: openapi.NewBuilder(tables, at.spec(), any)}
	d.server()
	d.system()
	body := &openapi.Body{Security: d.security(), Tags: []openapi.Tag{
		{Name: tagServer, Description: "What the server is and whether it is ready."},
		{Name: tagSystem, Description: "Interactions and operations on all types, and bundles of requests."},
	}}
	for _, typ := range types {
		d.resource(typ)
		body.Tags = append(body.Tags, openapi.Tag{
			Name: typ, Description: "Resources of the type " + typ + ".", ExternalDocs: &openapi.ExternalDocs{URL: at.spec() + "/" + lower(typ) + ".html"},
		})
	}
	body.Paths = d.paths
	body.Components = d.b.Finish()
	body.Components.SecuritySchemes = d.schemes()
	return body
}

// Tags of what belongs to no resource type.
const (
	tagServer = "Server"
	tagSystem = "System"
)

// path returns the description of a path, with the parameters that all of its operations have.
func (d *describer) path(path string, shared ...*openapi.Parameter) *openapi.Path {
	if have, found := d.paths.Find(path); found {
		return have
	}
	p := &openapi.Path{Parameters: shared}
	d.paths.Add(path, p)
	return p
}

// fhirPath is path for one whose operations send resources.
func (d *describer) fhirPath(path string, shared ...*openapi.Parameter) *openapi.Path {
	return d.path(path, append(shared, d.format(), d.pretty())...)
}

// system describes the paths that belong to no type.
func (d *describer) system() {
	h, base := d.h, d.fhirPath("/")
	searches := h.Resources.Searches() && !d.at.isR5()
	kind := "Send a batch"
	if h.Resources.Transacts() && !h.readsOnly() {
		kind = "Send a batch or transaction"
	}
	base.Post = &openapi.Operation{
		ID: "sendBundle", Summary: kind, Tags: []string{tagSystem},
		Description:  "The entries of a batch are answered one by one, those of a transaction all or none.",
		ExternalDocs: d.page("http.html#transaction"),
		Parameters:   d.headers(headerPrefer, headerAcceptLanguage, headerCacheID),
		RequestBody:  d.body("Bundle"),
		Responses:    d.answers(d.bundle("response", "The responses to the entries."), http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnprocessableEntity),
	}
	if searches {
		base.Get = d.searchOperation("searchSystem", "Search all types", "")
		d.fhirPath("/_search").Post = d.searchForm("searchSystemByPost", "Search all types, with the parameters in the body", "")
		d.fhirPath("/_history").Get = d.historyOperation("listSystemHistory", "List the versions of all resources", tagSystem)
		for _, typ := range h.types {
			if h.tables.Compartment(typ) != nil {
				d.compartment(typ)
			}
		}
	}
	d.operations("")
	if !d.at.isR5() {
		for _, k := range h.jobKinds() {
			d.jobs(k)
		}
	}
}

// resource describes the paths of a type, as the CapabilityStatement declares them.
func (d *describer) resource(typ string) {
	can := d.h.restResource("", typ)
	has := func(code string) bool { return slices.Contains(can.Interaction, interaction{code}) }
	conditional := !d.h.readsOnly() && d.h.stored[typ] && d.h.Resources.Transacts() && !d.h.Resources.AppendOnly(typ)
	onType, onInstance := d.fhirPath("/"+typ), d.fhirPath("/"+typ+"/{id}", d.id())
	if has("search-type") {
		onType.Get = d.searchOperation("search"+typ, "Search "+typ, typ)
		d.fhirPath("/" + typ + "/_search").Post = d.searchForm("search"+typ+"ByPost", "Search "+typ+", with the parameters in the body", typ)
	}
	if has("create") {
		onType.Post = d.create(typ)
	}
	if conditional {
		onType.Put, onType.Patch, onType.Delete = d.conditional(d.update(typ)), d.conditional(d.patch(typ)), d.conditional(d.remove(typ))
	}
	if has("history-type") {
		d.fhirPath("/" + typ + "/_history").Get = d.historyOperation("list"+typ+"History", "List the versions of all resources of the type", typ)
	}
	onInstance.Get = d.read(typ)
	if has("update") {
		onInstance.Put, onInstance.Patch, onInstance.Delete = d.update(typ), d.patch(typ), d.remove(typ)
	}
	if has("history-instance") {
		history := d.historyOperation("list"+typ+"InstanceHistory", "List the versions of a resource", typ)
		history.Responses = d.answers(d.versions(), http.StatusNotFound)
		d.fhirPath("/"+typ+"/{id}/_history", d.id()).Get = history
	}
	if has("vread") {
		d.fhirPath("/"+typ+"/{id}/_history/{version}", d.id(), d.version()).Get = d.readVersion(typ)
	}
	d.operations(typ)
}

// read describes GET /T/id.
func (d *describer) read(typ string) *openapi.Operation {
	return &openapi.Operation{
		ID: "read" + typ, Summary: "Read a resource", Tags: []string{typ},
		Parameters: append([]*openapi.Parameter{d.summary(), d.elements()}, d.headers(headerIfNoneMatch, headerIfModifiedSince)...),
		Responses:  d.reading(typ),
	}
}

// readVersion describes GET /T/id/_history/version.
func (d *describer) readVersion(typ string) *openapi.Operation {
	op := d.read(typ)
	op.ID, op.Summary = "read"+typ+"Version", "Read a version of a resource"
	return op
}

func (d *describer) reading(typ string) openapi.Map[*openapi.Response] {
	var m openapi.Map[*openapi.Response]
	m.Add("200", d.resourceResponse(typ))
	m.Add("304", d.notModified())
	return d.failures(m, http.StatusNotFound, http.StatusGone)
}

// create describes POST /T.
func (d *describer) create(typ string) *openapi.Operation {
	op := &openapi.Operation{
		ID: "create" + typ, Summary: "Create a resource", Tags: []string{typ},
		Parameters:  d.headers(headerPrefer),
		RequestBody: d.body(typ),
		Responses:   d.written(typ, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnprocessableEntity),
	}
	if d.h.Resources.Transacts() {
		op.Description = "With If-None-Exist, or with a search as the query, the resource is created only if the search finds none."
		op.Parameters = append(op.Parameters, d.headers(headerIfNoneExist)...)
	}
	return op
}

// update describes PUT /T/id.
func (d *describer) update(typ string) *openapi.Operation {
	return &openapi.Operation{
		ID: "update" + typ, Summary: "Update or create a resource", Tags: []string{typ},
		Parameters:  d.headers(headerPrefer, headerIfMatch, headerIfNoneMatch),
		RequestBody: d.body(typ),
		Responses:   d.written(typ, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnprocessableEntity),
	}
}

// patch describes PATCH /T/id.
func (d *describer) patch(typ string) *openapi.Operation {
	return &openapi.Operation{
		ID: "patch" + typ, Summary: "Change a resource", Tags: []string{typ},
		Parameters:  d.headers(headerPrefer, headerIfMatch),
		RequestBody: d.patchBody(),
		Responses:   d.written(typ, http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusPreconditionFailed, http.StatusUnprocessableEntity),
	}
}

// remove describes DELETE /T/id.
func (d *describer) remove(typ string) *openapi.Operation {
	var m openapi.Map[*openapi.Response]
	m.Add("204", d.deleted())
	return &openapi.Operation{
		ID: "delete" + typ, Summary: "Delete a resource", Tags: []string{typ},
		Parameters: d.headers(headerIfMatch),
		Responses:  d.failures(m, http.StatusConflict, http.StatusPreconditionFailed),
	}
}

// conditional turns the description of a change of a resource into that of a change of the resource
// that a search finds.
func (d *describer) conditional(op *openapi.Operation) *openapi.Operation {
	op.ID += "Where"
	op.Summary += " that a search finds"
	op.Parameters = append([]*openapi.Parameter{d.condition()}, op.Parameters...)
	return op
}

// compartment describes the searches in the compartments of a type.
func (d *describer) compartment(typ string) {
	members := slices.Concat([]string{"*"}, lo.Filter(d.h.tables.Compartment(typ).Types(), func(member string, _ int) bool { return d.h.stored[member] }))
	member := d.b.Parameter("member."+typ, func() *openapi.Parameter {
		return &openapi.Parameter{
			Name: "type", In: "path", Required: true, Description: "The type to search in the compartment of the " + typ + "; * stands for all.",
			Schema: &openapi.Schema{Type: "string", Enum: members},
		}
	})
	get, post := d.searchOperation("search"+typ+"Compartment", "Search the compartment of a "+typ, ""), d.searchForm("search"+typ+"CompartmentByPost", "Search the compartment of a "+typ+", with the parameters in the body", "")
	get.Tags, post.Tags = []string{typ}, []string{typ}
	get.Responses = d.answers(d.searchset(), http.StatusNotFound, http.StatusGone)
	post.Responses = get.Responses
	d.fhirPath("/"+typ+"/{id}/{type}", d.id(), member).Get = get
	d.fhirPath("/"+typ+"/{id}/{type}/_search", d.id(), member).Post = post
}

// historyOperation describes a history.
func (d *describer) historyOperation(id, summary, tag string) *openapi.Operation {
	return &openapi.Operation{
		ID: id, Summary: summary, Tags: []string{tag},
		Parameters: []*openapi.Parameter{d.count(), d.since(), d.during(), d.cursor()},
		Responses:  d.answers(d.versions()),
	}
}
