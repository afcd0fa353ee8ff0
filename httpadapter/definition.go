package httpadapter

import (
	"net/http"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/operation"
)

// The elements of an OperationDefinition that this server fills (R4 operationdefinition.html).
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

// definition describes an operation as its row does.
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
		Code:         op.Name,
		Comment:      "Specification: " + op.Spec,
		System:       op.Type == "",
		Type:         op.Type != "",
		Instance:     op.Instance,
	}
	if standardOperation(op) {
		d.Base = definitionURL(base, op)
	}
	if op.Type != "" {
		d.Resource = []string{op.Type}
	}
	in := definitionParameters("in", op.In)
	if op.Instance { // there the instance stands for what the type level requires
		for i := range in {
			in[i].Min = 0
		}
	}
	d.Parameter = append(in, definitionParameters("out", op.Out)...)
	return d
}

// definitionName gives a name for programs: CodeSystemLookup.
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
		most := "1"
		if p.Many {
			most = "*"
		}
		list = append(list, definitionParameter{
			Name: p.Name, Use: use, Min: p.Min, Max: most, Documentation: p.Doc, Type: p.Type,
			Part: definitionParameters(use, p.Part),
		})
	}
	return list
}

// readDefinition answers GET /OperationDefinition/id.
func (c *call) readDefinition() {
	if _, err := c.agreed(); err != nil {
		c.fail(err)
		return
	}
	id := c.params[0].Value
	op := c.h.byID[id]
	if op == nil {
		c.refuse(http.StatusNotFound, "not-found", "OperationDefinition/%s is not known", cut(id))
		return
	}
	c.statement("OperationDefinition "+id, func() (any, error) { return c.h.definition(c.base(), op), nil })
}

// searchDefinitions answers GET /OperationDefinition with all of them.
func (c *call) searchDefinitions() {
	if _, err := c.agreed(); err != nil {
		c.fail(err)
		return
	}
	type entry struct {
		FullURL  string            `json:"fullUrl"`
		Resource any               `json:"resource"`
		Search   map[string]string `json:"search"`
	}
	base := c.base()
	s, err := c.h.metadata.get("OperationDefinition "+base, c.h.Engine.Generation(), func() (any, error) {
		entries := []entry{}
		for _, op := range c.h.byID {
			d := c.h.definition(base, op)
			entries = append(entries, entry{d.URL, d, map[string]string{"mode": "match"}})
		}
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.FullURL, b.FullURL) })
		return map[string]any{
			"resourceType": "Bundle", "type": "searchset", "total": len(entries),
			"link":  []map[string]string{{"relation": "self", "url": base + "/OperationDefinition"}},
			"entry": entries,
		}, nil
	})
	if err != nil {
		c.fail(err)
		return
	}
	c.fhir(http.StatusOK, s.body)
}
