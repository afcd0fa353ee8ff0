package httpadapter

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// generated is a resource that this server makes from its tables and does not store.
type generated struct {
	id   string
	make func() any
}

const (
	typeStructure   = "StructureDefinition"
	typeParameter   = "SearchParameter"
	typeCompartment = "CompartmentDefinition"
)

// generatedTypes are the types of generated resources. Clients may store others.
var generatedTypes = [...]string{typeCompartment, typeDefinition, typeParameter, typeStructure}

// generated returns the generated resources of a type by id: what the metadata refer to.
func (h *Handler) generated(typ, base string) (list []generated) {
	add := func(id string, doc func() any) { list = append(list, generated{id, doc}) }
	switch typ {
	case typeDefinition:
		for id, op := range h.operationsByID {
			add(id, func() any { return h.definition(base, op) })
		}
	case typeStructure:
		for _, name := range h.tables.Types() {
			add(name, func() any { return structureOf(h.tables.Type(name)) })
		}
	case typeCompartment:
		for name, id := range compartmentID {
			add(id, func() any { return compartmentOf(h.tables.Compartment(name), id) })
		}
	case typeParameter:
		for id, params := range h.parameters() {
			add(id, func() any { return parameterOf(id, params) })
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].id < list[j].id })
	return list
}

// sharedParameters returns the search parameters of R4 by the id of their definition, which several
// types may share.
func sharedParameters(t *definitions.Tables) map[string][]*definitions.SearchParam {
	shared := map[string][]*definitions.SearchParam{}
	for _, name := range append([]string{"Resource"}, t.Resources()...) {
		for _, p := range t.SearchParams(name) {
			id := p.Definition[strings.LastIndexByte(p.Definition, '/')+1:]
			if len(id) > maxID {
				id = p.Type + "-" + p.Code
			}
			shared[id] = append(shared[id], p)
		}
	}
	delete(shared, "") // parameters of this server have no definition
	return shared
}

// maxID is the length of the longest id of R4.
const maxID = 64

// The elements of definitions that this server sets (R4 structuredefinition.html, searchparameter.html,
// compartmentdefinition.html).
type (
	generatedHead struct {
		ResourceType string `json:"resourceType"`
		ID           string `json:"id"`
		URL          string `json:"url"`
		Version      string `json:"version"`
		Name         string `json:"name"`
		Status       string `json:"status"`
	}
	structure struct {
		generatedHead
		FHIRVersion    string `json:"fhirVersion"`
		Kind           string `json:"kind"`
		Abstract       bool   `json:"abstract"`
		Type           string `json:"type"`
		BaseDefinition string `json:"baseDefinition,omitempty"`
		Derivation     string `json:"derivation,omitempty"`
		Snapshot       struct {
			Element []structureElement `json:"element"`
		} `json:"snapshot"`
	}
	structureElement struct {
		ID               string            `json:"id"`
		Path             string            `json:"path"`
		Definition       string            `json:"definition"`
		Min              int               `json:"min"`
		Max              string            `json:"max"`
		Base             structureBase     `json:"base"`
		ContentReference string            `json:"contentReference,omitempty"`
		Type             []structureType   `json:"type,omitempty"`
		IsModifier       bool              `json:"isModifier,omitempty"`
		ModifierReason   string            `json:"isModifierReason,omitempty"`
		IsSummary        bool              `json:"isSummary,omitempty"`
		Binding          *structureBinding `json:"binding,omitempty"`
	}
	structureBase struct {
		Path string `json:"path"`
		Min  int    `json:"min"`
		Max  string `json:"max"`
	}
	structureType struct {
		Code          string   `json:"code"`
		TargetProfile []string `json:"targetProfile,omitempty"`
	}
	structureBinding struct {
		Strength string `json:"strength"`
		ValueSet string `json:"valueSet"`
	}
	parameterDefinition struct {
		generatedHead
		Description string               `json:"description"`
		Code        string               `json:"code"`
		Base        []string             `json:"base"`
		Type        string               `json:"type"`
		Expression  string               `json:"expression,omitempty"`
		Target      []string             `json:"target,omitempty"`
		Component   []parameterComponent `json:"component,omitempty"`
	}
	parameterComponent struct {
		Definition string `json:"definition"`
		Expression string `json:"expression"`
	}
	compartmentDefinition struct {
		generatedHead
		Code     string                `json:"code"`
		Search   bool                  `json:"search"`
		Resource []compartmentResource `json:"resource"`
	}
	compartmentResource struct {
		Code  string   `json:"code"`
		Param []string `json:"param,omitempty"`
	}
)

func newHead(typ, id, name string) generatedHead {
	return generatedHead{typ, id, "http://hl7.org/fhir/" + typ + "/" + id, fhirVersion, name, "active"}
}

// structureOf returns the StructureDefinition of a type.
func structureOf(t *definitions.Type) *structure {
	s := &structure{generatedHead: newHead(typeStructure, t.Name, t.Name), FHIRVersion: fhirVersion, Abstract: t.Abstract, Type: t.Name}
	s.Kind = map[definitions.TypeKind]string{
		definitions.PrimitiveType: "primitive-type", definitions.ComplexType: "complex-type", definitions.ResourceType: "resource",
	}[t.Kind]
	if t.Base != "" {
		s.BaseDefinition, s.Derivation = structureDefinition(t.Base), "specialization"
	}
	root := structureElement{ID: t.Name, Path: t.Name, Definition: t.Name, Max: "*", Base: structureBase{t.Name, 0, "*"}}
	s.Snapshot.Element = appendElements([]structureElement{root}, t)
	if t.Kind == definitions.PrimitiveType {
		value := structureElement{ID: t.Name + ".value", Max: "1", Type: []structureType{{Code: "http://hl7.org/fhirpath/System.String"}}}
		value.Path, value.Definition, value.Base = value.ID, value.ID, structureBase{value.ID, 0, "1"}
		s.Snapshot.Element = append(s.Snapshot.Element, value)
	}
	return s
}

// appendElements appends the elements of a type, and those within its backbone elements.
func appendElements(list []structureElement, t *definitions.Type) []structureElement {
	for i, e := range t.Elements {
		types := structureType{Code: e.TypeCode, TargetProfile: lo.Map(e.Targets, func(typ string, _ int) string { return structureDefinition(typ) })}
		if i > 0 && e.Choice && t.Elements[i-1].Name == e.Name {
			last := &list[len(list)-1]
			last.Type = append(last.Type, types)
			continue
		}
		highest := map[int]string{definitions.Unbounded: "*", 0: "0"}[e.Max]
		if highest == "" {
			highest = "1"
		}
		d := structureElement{
			ID: e.Path, Path: e.Path, Definition: e.Path, Min: e.Min, Max: highest, Base: structureBase{e.Path, e.Min, highest},
			Type: []structureType{types}, IsModifier: e.Modifier, IsSummary: e.Summary,
		}
		if e.Modifier {
			d.ModifierReason = "It changes the meaning of the elements that contain it."
		}
		if e.Binding != nil {
			d.Binding = &structureBinding{"required", e.Binding.URL + "|" + fhirVersion}
		}
		backbone := e.Type.Kind == definitions.BackboneType
		if backbone && e.Type.Name != e.Path {
			d.ContentReference, d.Type, backbone = "#"+e.Type.Name, nil, false
		}
		if list = append(list, d); backbone {
			list = appendElements(list, e.Type)
		}
	}
	return list
}

// parameterOf returns the SearchParameter with an id, which types share.
func parameterOf(id string, params []*definitions.SearchParam) *parameterDefinition {
	p := params[0]
	d := &parameterDefinition{
		generatedHead: newHead(typeParameter, id, p.Code),
		Description:   "Search parameter of R4", Code: p.Code, Type: p.Kind.String(), Target: p.Targets,
	}
	d.URL = p.Definition
	var expressions []string
	for _, of := range params {
		if p.Type != "Resource" || of == p { // what all resources have
			d.Base, expressions = append(d.Base, of.Type), append(expressions, of.Expression)
		}
	}
	d.Expression = strings.Join(lo.Uniq(lo.Compact(expressions)), " | ")
	for _, c := range p.Components {
		d.Component = append(d.Component, parameterComponent{c.Param.Definition, c.Expression})
	}
	return d
}

// compartmentOf returns the CompartmentDefinition of a compartment.
func compartmentOf(of *definitions.Compartment, id string) *compartmentDefinition {
	d := &compartmentDefinition{generatedHead: newHead(typeCompartment, id, of.Name), Code: of.Name, Search: true}
	for _, typ := range of.Types() {
		d.Resource = append(d.Resource, compartmentResource{typ, of.Params(typ)})
	}
	return d
}

// respondGenerated responds with a generated resource.
func (c *call) respondGenerated(g generated, part *subset) {
	body, err := json.Marshal(g.make())
	if err == nil {
		body, err = c.spoken(body)
	}
	if err == nil && part != nil {
		body, err = part.apply(body)
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.serveStatement(newStatement(body))
}

// generatedRecords returns the records of generated resources, for criteria. Of an OperationDefinition
// there is another one with the url of the operation that it is based on.
func (h *Handler) generatedRecords(typ string, list []generated) ([]index.Record, error) {
	h.outsideMu.Lock()
	records := h.generatedOf[typ]
	h.outsideMu.Unlock()
	if records != nil {
		return records, nil
	}
	for _, g := range list {
		doc := g.make()
		variants := []any{doc}
		if op, is := doc.(*operationDefinition); is && op.Base != "" {
			based := *op
			based.URL = op.Base
			variants = append(variants, &based)
		}
		for _, v := range variants {
			body, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			rec, err := h.outside().Outside(body)
			if err != nil {
				return nil, err
			}
			records = append(records, rec)
		}
	}
	if typ != typeDefinition { // they have the base URL of the request
		h.outsideMu.Lock()
		if h.generatedOf == nil {
			h.generatedOf = map[string][]index.Record{}
		}
		h.generatedOf[typ] = records
		h.outsideMu.Unlock()
	}
	return records, nil
}

// generatedMatches returns the generated resources that match a query, except those that a stored one
// replaces.
func (c *call) generatedMatches(typ string, q *search.Query) ([]generated, error) {
	list := c.h.generated(typ, c.base())
	of := &q.Types[0]
	o := c.h.outside()
	if o == nil {
		if len(of.Criteria)+len(of.Texts) > 0 {
			return nil, resources.ErrNotSearchable
		}
		return list, nil
	}
	records, err := c.h.generatedRecords(typ, list)
	if err != nil {
		return nil, err
	}
	matches, err := o.Among(c.context(), q, records)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	var keys []resources.Key
	for i := range records {
		if matches[i] && !found[records[i].ID] {
			found[records[i].ID] = true
			keys = append(keys, resources.Key{Type: typ, ID: records[i].ID})
		}
	}
	there, err := o.Holds(c.context(), keys)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		found[key.ID] = !there[i]
	}
	list = slices.DeleteFunc(list, func(g generated) bool { return !found[g.id] })
	if len(q.Sort) > 0 {
		by := map[string]*index.Record{}
		for i := range records {
			by[records[i].ID] = &records[i]
		}
		sort.SliceStable(list, func(i, j int) bool { return q.Compare(by[list[i].id], by[list[j].id]) < 0 })
	}
	return list, nil
}

// searchGenerated responds to a search of a type that has generated resources: these first, then
// stored ones.
func (c *call) searchGenerated(params []search.Param) {
	typ := c.label.typ
	offset, err := 0, c.negotiateParams(params)
	asked := lo.Filter(params, func(p search.Param, _ int) bool {
		if p.Name == "_offset" && err == nil {
			offset, err = nonNegative("_offset", p.Value)
		}
		return p.Name != "_offset"
	})
	request := resources.SearchRequest{Type: typ, Params: asked, Options: c.searchOptions(nil)}
	var q *search.Query
	if err == nil {
		q, err = search.Parse(c.h.tables, typ, asked, request.Options)
	}
	var list []generated
	if err == nil {
		list, err = c.generatedMatches(typ, q)
	}
	if err == nil && q.Cursor != "" {
		c.searchStored(asked, nil, len(list))
		return
	}
	if err != nil {
		c.fail(err)
		return
	}
	page := list[min(offset, len(list)):]
	page = page[:min(q.Count, len(page))]
	stored := resources.SearchResult{Page: new(search.Page), Query: q}
	if c.h.stored[typ] && c.h.Resources.Searches() {
		request.Params = append(request.Params, search.Param{Name: "_count", Value: strconv.Itoa(q.Count - len(page))})
		if stored, err = c.h.Resources.Search(c.context(), request); err != nil {
			c.fail(err)
			return
		}
	}
	total := len(list)
	if stored.Total != nil {
		total += *stored.Total
	}
	root := c.searchRoot()
	at := func(relation string, offset int) link {
		value := ""
		if offset > 0 {
			value = strconv.Itoa(offset)
		}
		return link{relation, linkTo(root, q.Used, "_offset", value)}
	}
	links := []link{at("self", offset)}
	if q.Count > 0 {
		links = append(links, at("first", 0))
		if offset > 0 {
			links = append(links, at("previous", max(0, offset-q.Count)))
		}
		switch {
		case offset+q.Count < len(list) || len(page) == q.Count && total > offset+q.Count:
			links = append(links, at("next", offset+q.Count))
		case stored.Next != "":
			links = append(links, link{"next", linkTo(root, q.Used, search.CursorParam, stored.Next)})
		}
		switch {
		case stored.Total != nil && *stored.Total > 0 && stored.Last != "":
			links = append(links, link{"last", linkTo(root, q.Used, search.CursorParam, stored.Last)})
		case total == len(list):
			links = append(links, at("last", max(0, total-1)/q.Count*q.Count))
		}
	}
	part := newSubset(c.tables(), q.Summary, q.Elements)
	b := newBundle(c, "searchset")
	if q.Total == search.TotalNone {
		b.head(nil, links)
	} else {
		b.head(&total, links)
	}
	for _, g := range page {
		body, err := json.Marshal(g.make())
		if err != nil {
			b.abort(err)
			return
		}
		b.found(&resources.Version{Key: resources.Key{Type: typ, ID: g.id}, Body: body}, part, "match")
	}
	c.foundRecords(b, stored.Page, part)
	issues := stored.Issues
	if issues == nil {
		issues = q.Issues
	}
	b.outcome(searchIssues(issues))
	b.close()
}
