package httpadapter

import (
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/httpadapter/openapi"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/search"
)

// searchOperation describes a search of a type by GET; typ is "" for a search of several types.
func (d *describer) searchOperation(id, summary, typ string) *openapi.Operation {
	op := &openapi.Operation{
		ID: id, Summary: summary, Tags: []string{typ}, ExternalDocs: d.page("search.html"),
		Parameters: append(d.searchControls(typ), d.headers(headerPrefer)...),
		Responses:  d.answers(d.searchset()),
	}
	if typ == "" {
		op.Tags = []string{tagSystem}
	}
	for _, p := range d.searchParams(typ) {
		parameter := &openapi.Parameter{Name: p.name, In: "query", Description: p.doc, Schema: p.schema}
		if p.shared {
			parameter = d.b.Parameter(p.name, func() *openapi.Parameter { return parameter })
		}
		op.Parameters = append(op.Parameters, parameter)
	}
	if d.isSearched(typ) {
		op.Parameters = append(op.Parameters, d.otherSearch())
	}
	return op
}

// searchForm describes a search by POST.
func (d *describer) searchForm(id, summary, typ string) *openapi.Operation {
	op := d.searchOperation(id, summary, typ)
	op.Parameters = d.headers(headerPrefer)
	own := &openapi.Schema{Type: "object"}
	for _, p := range d.searchParams(typ) {
		if !p.shared {
			own.Properties.Add(p.name, p.schema)
		}
	}
	form := d.sharedForm(typ)
	if own.Properties != nil {
		form = &openapi.Schema{AllOf: []*openapi.Schema{form, own}}
	}
	op.RequestBody = &openapi.RequestBody{
		Description: "The parameters of the search, also with modifiers and chains.",
		Content:     openapi.Map[openapi.Media]{{Name: mediaForm, Value: openapi.Media{Schema: form}}},
	}
	return op
}

// sharedForm returns the schema of the parameters that all searches of a kind have, in a form.
func (d *describer) sharedForm(typ string) *openapi.Schema {
	name := "search.form"
	switch {
	case typ == "":
		name = "search.system"
	case isCatalogued(typ):
		name = "catalogue.form"
	case !d.isSearched(typ):
		name = "search.list"
	}
	return d.b.Schema(name, func() *openapi.Schema {
		form := &openapi.Schema{Type: "object"}
		for _, p := range append(d.searchControls(typ), d.format(), d.pretty()) {
			parameter, _ := d.b.Parameters.Find(p.Ref[strings.LastIndexByte(p.Ref, '/')+1:])
			form.Properties.Add(parameter.Name, parameter.Schema)
		}
		for _, p := range d.searchParams(typ) {
			if p.shared {
				form.Properties.Add(p.name, p.schema)
			}
		}
		return form
	})
}

// isSearched reports whether a search of a type has criteria.
func (d *describer) isSearched(typ string) bool {
	return typ == "" || isCatalogued(typ) || d.h.searchesStored(typ)
}

// searchControls returns the parameters that say how the matches of a search are returned.
func (d *describer) searchControls(typ string) []*openapi.Parameter {
	list := []*openapi.Parameter{
		d.summary(), d.elements(), d.count(),
		d.query("_total", "Whether the total is counted.", textSchema("none", "estimate", "accurate")),
		d.query("_sort", "Search parameters to sort by, separated by commas; a hyphen before one reverses its order.", textSchema()),
	}
	switch {
	case !d.isSearched(typ):
		return nil
	case isCatalogued(typ):
		list = append(list, d.query("_offset", "The number of matches before the page.", numberSchema()))
		if d.h.outside() == nil {
			return list
		}
	case typ == "":
		list = append(list, d.query("_type", "The types to search, separated by commas; all when absent.", textSchema()))
	}
	texts := func() *openapi.Schema { return openapi.ArrayOf(textSchema()) }
	list = append(list,
		d.query("_include", "References whose resources are returned too, as Type:parameter or Type:parameter:Target; * for all.", texts()),
		d.query("_include:iterate", "As _include, also from resources that are included.", texts()),
		d.query("_revinclude", "References to the matches whose resources are returned too, as Type:parameter.", texts()),
		d.query("_revinclude:iterate", "As _revinclude, also to resources that are included.", texts()),
	)
	if isCatalogued(typ) {
		return list
	}
	return append(list, d.cursor())
}

// describedParam is a search parameter.
type describedParam struct {
	name, doc string
	schema    *openapi.Schema
	shared    bool // by all types
}

// searchParams returns the criteria of a search of a type.
func (d *describer) searchParams(typ string) []describedParam {
	switch {
	case isCatalogued(typ):
		return append(lo.Map(searchParams(typ), func(p searchParam, _ int) describedParam {
			return describedParam{name: p.name, doc: p.doc + ".", schema: d.cataloguedSchema(p.kind)}
		}), d.described(d.h.otherParams(typ))...)
	case typ == "":
		typ = typeAny
	case !d.h.searchesStored(typ):
		return nil
	}
	return d.described(d.h.tables.SearchParams(typ))
}

func (d *describer) described(params []*definitions.SearchParam) []describedParam {
	return lo.FilterMap(params, func(p *definitions.SearchParam, _ int) (describedParam, bool) {
		return describedParam{p.Code, searchDoc(p), d.searchSchema(p.Kind), strings.HasPrefix(p.Code, "_")}, search.Searchable(p)
	})
}

// searchDoc describes a search parameter.
func searchDoc(p *definitions.SearchParam) string {
	var parts []string
	if p.Expression != "" {
		parts = append(parts, "`"+p.Expression+"`")
	}
	if p.Kind == definitions.Composite {
		parts = append(parts, strings.Join(lo.Map(p.Components, func(c definitions.Component, _ int) string { return c.Param.Code }), "$"))
	}
	if len(p.Targets) > 0 {
		parts = append(parts, "to "+strings.Join(p.Targets, ", "))
	}
	if p.Definition != "" {
		parts = append(parts, p.Definition)
	}
	return strings.Join(parts, "; ")
}

// searchForms describes the values of search parameters by type.
var searchForms = map[definitions.ParamKind]string{
	definitions.Token:     "A code: code, system|code, |code without a system, or system| for all codes of a system.",
	definitions.String:    "The beginning of a text; case and accents are ignored.",
	definitions.Date:      "A date or time of any precision, perhaps with a prefix: eq, ne, gt, lt, ge, le, sa, eb, ap.",
	definitions.Reference: "A reference: id, Type/id, or a URL.",
	definitions.Quantity:  "A number, perhaps with a prefix and a unit: number, number|system|code, or number||code. The prefixes are eq, ne, gt, lt, ge, le, sa, eb, ap.",
	definitions.Number:    "A number, perhaps with a prefix: eq, ne, gt, lt, ge, le, sa, eb, ap.",
	definitions.URI:       "A URI.",
	definitions.Composite: "The values of several parameters, joined by $.",
	definitions.Special:   "See the definition of the parameter.",
}

// searchList is what the values of all search parameters have in common.
const searchList = " Values separated by commas are alternatives. If the parameter repeats, all must match."

// searchSchema returns the schema of the values of a search parameter of a type.
func (d *describer) searchSchema(kind definitions.ParamKind) *openapi.Schema {
	return d.b.Schema("search."+kind.String(), func() *openapi.Schema {
		names := lo.Map(search.Modifiers(kind), func(m search.Modifier, _ int) string { return ":" + m.String() })
		if kind == definitions.Reference {
			names = append(names, "a type (subject:Patient)")
		}
		s := openapi.ArrayOf(textSchema())
		s.Description = searchForms[kind] + searchList + " Modifiers: " + strings.Join(names, ", ") + "."
		if kind == definitions.Reference {
			s.Description += " Chains: subject.name, subject:Patient.name."
		}
		return s
	})
}

// cataloguedSchema returns the schema of the values of a search parameter of the catalogue.
func (d *describer) cataloguedSchema(kind paramKind) *openapi.Schema {
	return d.b.Schema("catalogue."+kind.String(), func() *openapi.Schema {
		s := openapi.ArrayOf(textSchema())
		form := map[paramKind]definitions.ParamKind{
			paramToken: definitions.Token, paramURI: definitions.URI, paramString: definitions.String, paramDate: definitions.Date,
		}[kind]
		s.Description = searchForms[form] + searchList + " Modifiers: " + strings.Join(catalogueModifiers(kind), ", ") + "."
		return s
	})
}

// catalogueModifiers returns the modifiers of a search parameter of the catalogue.
func catalogueModifiers(kind paramKind) []string {
	return append([]string{":missing"}, map[paramKind][]string{
		paramToken: {":not"}, paramURI: {":below", ":above"}, paramString: {":exact", ":contains"},
	}[kind]...)
}

// otherSearch returns the parameter for searches whose names are not fixed.
func (d *describer) otherSearch() *openapi.Parameter {
	return d.b.Parameter("search", func() *openapi.Parameter {
		return freeQuery("search", "Further parameters by name: with a modifier (name:exact), a chain (subject:Patient.name) or _has.")
	})
}

// condition returns the parameter with the search of a conditional change.
func (d *describer) condition() *openapi.Parameter {
	return d.b.Parameter("condition", func() *openapi.Parameter {
		p := freeQuery("condition", "The search that finds the resource, by names of parameters: identifier, for example. At least one is required.")
		p.Required = true
		return p
	})
}

// freeQuery returns a parameter that is written as one for each of its members.
func freeQuery(name, text string) *openapi.Parameter {
	return &openapi.Parameter{
		Name: name, In: "query", Description: text, Style: "form", Explode: true,
		Schema: &openapi.Schema{Type: "object", AdditionalProperties: textSchema()},
	}
}
