package httpadapter

import (
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/search"
)

// restResources returns the capabilities of each resource type of a base.
func (h *Handler) restResources(at *base, base string) []restResource {
	var reverse map[string][]string
	if h.Resources.Searches() {
		reverse = h.reverseIncludes()
	}
	types := lo.Filter(h.types, func(typ string, _ int) bool { return at.serves(typ) })
	return lo.Map(types, func(typ string, _ int) restResource {
		r := h.restResource(base, typ)
		if h.searchesStored(typ) || isCatalogued(typ) {
			r.SearchRevInclude = lo.Filter(reverse[typ], func(include string, _ int) bool {
				from, _, _ := strings.Cut(include, ":")
				return at.serves(from)
			})
		}
		return r
	})
}

// restResource returns the capabilities of one resource type, except its reverse includes.
func (h *Handler) restResource(base, typ string) restResource {
	r := restResource{
		Type:            typ,
		Profile:         structureDefinition(typ),
		Interaction:     []interaction{{"read"}, {"search-type"}},
		Versioning:      "no-version",
		ConditionalRead: "full-support",
		Operation:       h.restOperations(base, typ),
	}
	if h.stored[typ] {
		h.addStored(&r)
	}
	switch {
	case isCatalogued(typ):
		r.SearchParam = lo.Map(searchParams(typ), func(p searchParam, _ int) restSearchParam {
			return restSearchParam{
				Name: p.name, Definition: h.tables.SearchParam(typ, p.name).Definition, Type: p.kind.String(), Documentation: p.doc + ".",
			}
		})
		if h.outside() != nil {
			r.SearchParam = append(r.SearchParam, restSearchParams(h.otherParams(typ))...)
			r.SearchInclude = h.includes(typ)
		}
	case h.searchesStored(typ):
		r.SearchParam = restSearchParams(h.tables.SearchParams(typ))
		r.SearchInclude = h.includes(typ)
	case !slices.Contains(generatedTypes[:], typ): // those can be listed
		r.Interaction = slices.DeleteFunc(r.Interaction, func(i interaction) bool { return i.Code == "search-type" })
	}
	return r
}

// otherParams returns the search parameters of a catalogued type that the catalogue does not know
// itself.
func (h *Handler) otherParams(typ string) []*definitions.SearchParam {
	if h.outside() == nil {
		return nil
	}
	return lo.Filter(h.tables.SearchParams(typ), func(p *definitions.SearchParam, _ int) bool {
		_, known := searchParamOf(typ, p.Code)
		return !known
	})
}

// includes returns the references of a type that can be included.
func (h *Handler) includes(typ string) []string {
	return append([]string{"*"}, lo.FilterMap(h.tables.SearchParams(typ), func(p *definitions.SearchParam, _ int) (string, bool) {
		return typ + ":" + p.Code, isReference(p)
	})...)
}

// addStored sets the capabilities of a type that clients may write.
func (h *Handler) addStored(r *restResource) {
	history, conditional := h.Resources.KeepsHistory(), h.Resources.Transacts()
	r.Interaction = []interaction{{"read"}, {"vread"}, {"update"}, {"patch"}, {"delete"}, {"create"}, {"search-type"}}
	changes := !h.Resources.AppendOnly(r.Type)
	if !changes {
		r.Interaction = []interaction{{"read"}, {"vread"}, {"create"}, {"search-type"}}
	}
	if history {
		r.Interaction = append(r.Interaction, interaction{"history-instance"})
	}
	if h.Resources.Searches() {
		r.Interaction = append(r.Interaction, interaction{"history-type"})
	}
	r.Versioning = "versioned-update"
	if h.readsOnly() {
		r.Interaction = slices.DeleteFunc(r.Interaction, func(i interaction) bool {
			return i.Code == "create" || i.Code == "update" || i.Code == "patch" || i.Code == "delete"
		})
		conditional, changes = false, false
	}
	conditionalChanges := conditional && changes
	r.ReadHistory, r.UpdateCreate = &history, &changes
	r.ConditionalCreate, r.ConditionalUpdate = &conditional, &conditionalChanges
	r.ReferencePolicy = []string{"literal", "logical"}
	switch {
	case !conditionalChanges:
		r.ConditionalDelete = "not-supported"
	case h.DeleteMany:
		r.ConditionalDelete = "multiple"
	default:
		r.ConditionalDelete = "single"
	}
}

// searchesStored reports whether a search of a type runs on stored resources.
func (h *Handler) searchesStored(typ string) bool {
	return h.stored[typ] && h.Resources.Searches() && !isCatalogued(typ)
}

// restSearchParams declares the parameters that a search supports.
func restSearchParams(params []*definitions.SearchParam) []restSearchParam {
	return lo.FilterMap(params, func(p *definitions.SearchParam, _ int) (restSearchParam, bool) {
		return restSearchParam{Name: p.Code, Definition: p.Definition, Type: p.Kind.String()}, search.Searchable(p)
	})
}

func isReference(p *definitions.SearchParam) bool {
	return p.Kind == definitions.Reference && search.Searchable(p)
}

// reverseIncludes returns, by type, the reference parameters of other types that may point to it.
// Parameters with many targets are supported but not declared, because nearly every type would
// list them.
func (h *Handler) reverseIncludes() map[string][]string {
	to := map[string][]string{}
	for _, typ := range h.types {
		if !h.searchesStored(typ) && (!isCatalogued(typ) || !h.stored[typ]) {
			continue
		}
		for _, p := range h.tables.SearchParams(typ) {
			if !isReference(p) || len(p.Targets) > maxDeclaredTargets {
				continue
			}
			for _, target := range p.Targets {
				to[target] = append(to[target], typ+":"+p.Code)
			}
		}
	}
	return to
}

// maxDeclaredTargets is the largest number of target types of a declared reverse include.
const maxDeclaredTargets = 20

// compartments returns the canonical URLs of the compartments that can be searched.
func (h *Handler) compartments() []string {
	names := lo.Filter(h.types, func(typ string, _ int) bool { return h.tables.Compartment(typ) != nil })
	return lo.Map(names, func(name string, _ int) string {
		return "http://hl7.org/fhir/CompartmentDefinition/" + compartmentID[name]
	})
}

// compartmentID holds the ids of the CompartmentDefinitions of R4.
var compartmentID = map[string]string{
	"Device": "device", "Encounter": "encounter", "Patient": "patient", "Practitioner": "practitioner", "RelatedPerson": "relatedPerson",
}
