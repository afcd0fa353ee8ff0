package r4

import "slices"

// opExtension is an extension of the element _op that carries a filter operator of R5 in an R4
// document.
const opExtension = "http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.compose.include.filter.op"

// operatorExtension is opExtension for the operators of a CodeSystem.
const operatorExtension = "http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.filter.operator"

// isNewOperator reports whether R5 added a filter operator.
func isNewOperator(op string) bool { return op == "child-of" || op == "descendent-leaf" }

// operators appends the operators of a filter of a CodeSystem, and those of R5 as extensions.
func (o *object) operators(list []string) {
	if !slices.ContainsFunc(list, isNewOperator) {
		o.texts("operator", list)
		return
	}
	o.name("operator")
	beside := []byte{'['}
	o.dst = append(o.dst, '[')
	for i, op := range list {
		if i > 0 {
			o.dst, beside = append(o.dst, ','), append(beside, ',')
		}
		if isNewOperator(op) {
			o.dst = append(o.dst, "null"...)
			beside = append(beside, `{"extension":[{"url":"`+operatorExtension+`","valueCode":"`+op+`"}]}`...)
		} else {
			o.dst, beside = AppendString(o.dst, op), append(beside, "null"...)
		}
	}
	o.dst = append(o.dst, ']')
	o.raw("_operator", append(beside, ']'))
}

// messageIDExtension is the extension that carries Issue.MessageID.
const messageIDExtension = "http://hl7.org/fhir/StructureDefinition/operationoutcome-message-id"

// AppendJSON appends the resource as JSON.
func (p *Parameters) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.text("resourceType", "Parameters")
	o.text("id", p.ID)
	appendEach(&o, "parameter", p.Parameter, appendParameter)
	return o.end()
}

func appendParameter(dst []byte, p *Parameter) []byte {
	o := beginObject(dst)
	o.text("name", p.Name)
	if !p.Value.IsZero() {
		o.dst = append(o.dst, ',')
		o.dst = AppendValue(o.dst, "value", p.Value)
	}
	o.raw("resource", p.Resource)
	appendEach(&o, "part", p.Part, appendParameter)
	return o.end()
}

// AppendJSON appends the resource as JSON.
func (r *OperationOutcome) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.text("resourceType", "OperationOutcome")
	appendEach(&o, "issue", r.Issue, appendIssue)
	return o.end()
}

func appendIssue(dst []byte, i *Issue) []byte {
	o := beginObject(dst)
	if i.MessageID != "" {
		o.name("extension")
		o.dst = append(o.dst, `[{"url":"`+messageIDExtension+`","valueString":`...)
		o.dst = AppendString(o.dst, i.MessageID)
		o.dst = append(o.dst, `}]`...)
	}
	o.text("severity", i.Severity)
	o.text("code", i.Code)
	if i.Details != nil {
		o.name("details")
		o.dst = AppendCodeableConcept(o.dst, i.Details)
	}
	o.text("diagnostics", i.Diagnostics)
	o.texts("expression", i.Expression)
	return o.end()
}

// begin begins a resource with the elements of the header up to and including copyright. The
// identifier is an array, or for a ConceptMap a single object.
func (h *Header) begin(dst []byte, resourceType string) object {
	o := beginObject(dst)
	o.text("resourceType", resourceType)
	o.text("id", h.ID)
	if h.Meta != nil {
		o.name("meta")
		o.dst = appendMeta(o.dst, h.Meta)
	}
	o.text("language", h.Language)
	o.raw("extension", h.Extension)
	o.text("url", h.URL)
	if resourceType == "ConceptMap" {
		if len(h.Identifier) > 0 {
			o.name("identifier")
			o.dst = appendIdentifier(o.dst, &h.Identifier[0])
		}
	} else {
		appendEach(&o, "identifier", h.Identifier, appendIdentifier)
	}
	o.text("version", h.Version)
	o.text("name", h.Name)
	o.text("title", h.Title)
	o.text("status", h.Status)
	o.boolean("experimental", h.Experimental)
	o.text("date", h.Date)
	o.text("publisher", h.Publisher)
	o.text("description", h.Description)
	o.text("copyright", h.Copyright)
	return o
}

// AppendJSON appends the code system as JSON, without concepts.
func (c *CodeSystem) AppendJSON(dst []byte) []byte {
	o := c.begin(dst, "CodeSystem")
	o.boolean("caseSensitive", c.CaseSensitive)
	o.text("valueSet", c.ValueSet)
	o.text("hierarchyMeaning", c.HierarchyMeaning)
	o.truth("compositional", c.Compositional)
	o.truth("versionNeeded", c.VersionNeeded)
	o.text("content", c.Content)
	o.text("supplements", c.Supplements)
	o.integer("count", c.Count)
	appendEach(&o, "filter", c.Filter, func(dst []byte, f *CodeSystemFilter) []byte {
		o := beginObject(dst)
		o.text("code", f.Code)
		o.text("description", f.Description)
		o.operators(f.Operator)
		o.text("value", f.Value)
		return o.end()
	})
	appendEach(&o, "property", c.Property, func(dst []byte, p *CodeSystemProperty) []byte {
		o := beginObject(dst)
		o.text("code", p.Code)
		o.text("uri", p.URI)
		o.text("description", p.Description)
		o.text("type", p.Type)
		return o.end()
	})
	return o.end()
}
