package httpadapter

import (
	"github.com/samber/lo"

	"github.com/roget-health/roget/engine/operation"
)

// The elements of an OperationDefinition that this server sets (R4 operationdefinition.html).
type (
	operationDefinition struct {
		ResourceType string                `json:"resourceType"`
		ID           string                `json:"id"`
		URL          string                `json:"url"`
		Version      string                `json:"version"`
		Name         string                `json:"name"`
		Title        string                `json:"title"`
		Status       string                `json:"status"`
		Kind         string                `json:"kind"`
		Description  string                `json:"description"`
		AffectsState bool                  `json:"affectsState"`
		Code         string                `json:"code"`
		Comment      string                `json:"comment,omitempty"`
		Base         string                `json:"base,omitempty"`
		Resource     []string              `json:"resource,omitempty"`
		System       bool                  `json:"system"`
		Type         bool                  `json:"type"`
		Instance     bool                  `json:"instance"`
		Parameter    []definitionParameter `json:"parameter"`
	}
	definitionParameter struct {
		Name          string                `json:"name"`
		Use           string                `json:"use"`
		Min           int                   `json:"min"`
		Max           string                `json:"max"`
		Documentation string                `json:"documentation,omitempty"`
		Type          string                `json:"type,omitempty"`
		Part          []definitionParameter `json:"part,omitempty"`
	}
)

// definition returns the OperationDefinition of an operation.
func (h *Handler) definition(base string, op *operation.Operation) *operationDefinition {
	d := &operationDefinition{
		ResourceType: "OperationDefinition",
		ID:           definitionID(op),
		URL:          base + "/OperationDefinition/" + definitionID(op),
		Version:      h.Version,
		Name:         definitionName(op),
		Title:        op.Summary,
		Status:       "active",
		Kind:         "operation",
		Description:  op.Doc,
		AffectsState: op.AffectsState,
		Code:         op.Name,
		Comment:      "Specification: " + op.Spec,
		System:       op.Type == "" || op.System,
		Type:         op.Type != "" && (h.operationsByType[op.Type].onType[op.Name] == op || h.resourceOperation(op.Type, op.Name, false) != nil),
		Instance:     op.Instance,
	}
	if op.Canonical != "" || standardOperation(op) {
		d.Base = definitionURL(base, op)
	}
	if op.Type != "" {
		d.Resource = []string{op.Type}
	}
	in := definitionParameters("in", op.In)
	if op.Instance { // the instance replaces parameters that are required on the type
		for i := range in {
			in[i].Min = 0
		}
	}
	d.Parameter = append(in, definitionParameters("out", op.Out)...)
	return d
}

// definitionName returns the computable name of an operation, such as CodeSystemLookup.
func definitionName(op *operation.Operation) string {
	name := []byte(op.Type)
	upper := true
	for i := range len(op.Name) {
		switch c := op.Name[i]; {
		case c == '-':
			upper = true
		case upper && 'a' <= c && c <= 'z':
			name, upper = append(name, c-'a'+'A'), false
		default:
			name, upper = append(name, c), false
		}
	}
	return string(name)
}

func definitionParameters(use string, params []operation.Param) []definitionParameter {
	list := make([]definitionParameter, 0, len(params))
	for i := range params {
		p := &params[i]
		if p.Refused {
			continue
		}
		parts := p.Part
		if p.Type == "" && parts == nil { // a tree of nodes with the parts beside this, of which one level is listed
			parts = lo.Filter(params, func(q operation.Param, _ int) bool { return q.Type != "" })
		}
		highest := "1"
		if p.Many {
			highest = "*"
		}
		list = append(list, definitionParameter{
			Name: p.Name, Use: use, Min: p.Min, Max: highest, Documentation: p.Doc, Type: p.Type,
			Part: definitionParameters(use, parts),
		})
	}
	return list
}

// typeDefinition is the type of the resources that this server generates for its operations.
// Clients may store others.
const typeDefinition = "OperationDefinition"
