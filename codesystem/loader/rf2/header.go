package rf2

import (
	"fmt"
	"sort"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// conceptProperties is the code system of properties that HL7 defines.
const conceptProperties = "http://hl7.org/fhir/concept-properties#"

// header returns the header of the code system. attributes are the slots of the concepts that are
// attributes, with the type of their values.
func (e *edition) header(n *names, attributes map[uint32]string) (*r4.CodeSystem, error) {
	module, date, err := e.identify()
	if err != nil {
		return nil, err
	}
	h := loader.Header()
	base := systemURL
	if e.unpublished {
		base = unpublishedURL
		experimental := true
		h.Experimental = &experimental
	}
	h.URL = systemURL
	h.ID = fmt.Sprintf("sct-%d-%d", module, date)
	h.Version = fmt.Sprintf("%s/%d/version/%d", base, module, date)
	h.Name, h.Title = "SNOMED_CT", "SNOMED CT"
	if slot, ok := e.concepts.slots[module]; ok {
		if display := n.display(slot); display != "" {
			h.Title += ": " + display
		}
	}
	h.Date = fmt.Sprintf("%04d-%02d-%02d", date/10000, date/100%100, date%100)
	h.Language = n.language()
	h.Compositional = true
	h.ValueSet = systemURL + "?fhir_vs"
	count := len(e.concepts.rows)
	h.Count = &count
	h.Property = e.declarations(n, attributes)
	e.identity.Apply(h)
	return h, nil
}

// declarations declares the properties: those of every edition, then the attributes by identifier.
func (e *edition) declarations(n *names, attributes map[uint32]string) []r4.CodeSystemProperty {
	list := []r4.CodeSystemProperty{
		{Code: "parent", URI: conceptProperties + "parent", Description: "Concept of which this one is a kind", Type: "code"},
		{Code: "child", URI: conceptProperties + "child", Description: "Concept that is a kind of this one", Type: "code"},
		{Code: "inactive", URI: conceptProperties + "inactive", Description: "The concept is no longer to be used", Type: "boolean"},
		{Code: "sufficientlyDefined", URI: systemURL + "#sufficientlyDefined", Description: "The attributes of the concept are sufficient to define it", Type: "boolean"},
		{Code: "moduleId", URI: systemURL + "#moduleId", Description: "Module that the concept belongs to", Type: "code"},
		{Code: "effectiveTime", URI: systemURL + "#effectiveTime", Description: "Date of the latest change of the concept itself", Type: "string"},
	}
	fixed := len(list)
	for slot, typ := range attributes {
		code := e.concepts.code(slot)
		display := n.display(slot)
		if display == "" {
			display = code
		}
		list = append(list, r4.CodeSystemProperty{Code: code, URI: "http://snomed.info/id/" + code, Description: display, Type: typ})
	}
	own := list[fixed:]
	sort.Slice(own, func(i, j int) bool {
		a, b := own[i].Code, own[j].Code
		return len(a) < len(b) || len(a) == len(b) && a < b
	})
	return list
}
