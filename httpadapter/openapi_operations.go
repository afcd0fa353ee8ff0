package httpadapter

import (
	"net/http"
	"slices"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/httpadapter/openapi"
)

// operations describes the operations of a type or of the system.
func (d *describer) operations(typ string) {
	for _, op := range d.h.Operations {
		if !d.h.offers(op, op.Stored) {
			continue
		}
		if op.Path != "" && typ == "" {
			d.operation("", op.Path, op, "At")
		}
		switch {
		case op.Type == typ:
			d.levels(typ, op, true, op.Instance)
		case op.System && typ == "":
			d.levels(typ, op, true, false)
		}
	}
	for _, op := range d.h.resourceOperations {
		if !d.h.offers(&op.Operation, true) {
			continue
		}
		d.levels(typ, &op.Operation, op.isOf(d.h, typ, false), op.isOf(d.h, typ, true))
	}
}

// levels describes an operation on a type or the system, and on instances.
func (d *describer) levels(typ string, op *operation.Operation, onType, onInstance bool) {
	below := ""
	if typ != "" {
		below = "/" + typ
	}
	if onType {
		d.operation(typ, below+"/$"+op.Name, op, "")
	}
	if onInstance {
		d.operation(typ, below+"/{id}/$"+op.Name, op, "Instance", d.id())
	}
}

// operation describes an operation at a path. The kind is a part of its ids.
func (d *describer) operation(typ, path string, op *operation.Operation, kind string, shared ...*openapi.Parameter) {
	named := *op
	if d.at.isR5() && isTranslate(op) {
		named = translateR5(op)
	}
	name := definitionName(op)
	onType := named // of the type that is asked
	onType.Type = typ
	id := kind + definitionName(&onType)
	tag := typ
	if typ == "" {
		tag = tagSystem
	}
	headers := d.headers(headerAcceptLanguage, headerPrefer, headerCacheID)
	base := openapi.Operation{
		Summary: op.Summary, Description: op.Doc, Tags: []string{tag}, ExternalDocs: specOf(op),
		Responses: d.answers(d.b.Answer(name, &named), http.StatusNotFound, http.StatusUnprocessableEntity),
	}
	if op.Type == typeAny {
		base.Description = "" // that of the body is for all types
	}
	p := d.fhirPath(path, shared...)
	if (!op.AffectsState || op.AllowsGet) && !needsResource(op, kind == "Instance") {
		get := base
		get.ID, get.Parameters = "get"+id, slices.Concat(d.b.Query(name, &named), headers)
		p.Get = &get
	}
	post := base
	post.ID, post.Parameters, post.RequestBody = "post"+id, headers, d.b.Request(name, &named)
	p.Post = &post
}

// specOf returns the link to the specification of an operation, nil if it has none.
func specOf(op *operation.Operation) *openapi.ExternalDocs {
	if !standardOperation(op) {
		return nil
	}
	return &openapi.ExternalDocs{URL: urlOf(op.Spec)}
}

// urlOf returns the URL at the beginning of a text.
func urlOf(text string) string {
	end := slices.IndexFunc([]byte(text), func(c byte) bool { return c == ';' || c == ' ' || c == ',' })
	if end < 0 {
		return text
	}
	return text[:end]
}

// needsResource reports whether every request for an operation brings a resource along, for which
// addresses are too short: one that is required, or on a type the one in place of the instance.
func needsResource(op *operation.Operation, instance bool) bool {
	return slices.ContainsFunc(op.In, func(p operation.Param) bool {
		return p.Type == "Parameters" && p.Min > 0 || p.Name == "resource" && !instance
	})
}

// translateR5 returns $translate as a base of R5 has it (r5.TranslateRequest, r5.TranslateAnswer).
func translateR5(op *operation.Operation) operation.Operation {
	renamed := *op
	renamed.In, renamed.Out = slices.Clone(op.In), slices.Clone(op.Out)
	for i := range renamed.In {
		if p := &renamed.In[i]; p.Name == "dependency" {
			p.Part = renamedParts(p.Part, map[string]string{"element": "attribute", "concept": "value"})
		}
	}
	for i := range renamed.Out {
		if p := &renamed.Out[i]; p.Name == "match" {
			p.Part = renamedParts(p.Part, map[string]string{"equivalence": "relationship"})
			for j := range p.Part {
				part := &p.Part[j]
				switch part.Name {
				case "relationship":
					part.Doc = "How the translation relates to the code, a code of http://hl7.org/fhir/concept-map-relationship."
				case "product":
					part.Part = renamedParts(part.Part, map[string]string{"element": "attribute", "concept": "value"})
				}
			}
		}
	}
	return renamed
}

// renamedParts returns parts of a parameter with other names.
func renamedParts(parts []operation.Param, names map[string]string) []operation.Param {
	parts = slices.Clone(parts)
	for i := range parts {
		if name, found := names[parts[i].Name]; found {
			parts[i].Name = name
		}
	}
	return parts
}
