package httpadapter

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// The elements of a CapabilityStatement that this server sets (R4 capabilitystatement.html).
type (
	capabilityStatement struct {
		statementHeader
		Extension    []feature `json:"extension"`
		Instantiates []string  `json:"instantiates"`
		Software     software  `json:"software"`
		Server       server    `json:"implementation"`
		FHIRVersion  string    `json:"fhirVersion"`
		Format       []string  `json:"format"`
		PatchFormat  []string  `json:"patchFormat,omitempty"`
		Rest         []rest    `json:"rest"`
	}
	software struct {
		Name        string `json:"name"`
		Version     string `json:"version"`
		ReleaseDate string `json:"releaseDate,omitempty"`
	}
	feature struct {
		URL       string         `json:"url"`
		Extension []featureValue `json:"extension"`
	}
	featureValue struct {
		URL            string `json:"url"`
		ValueCanonical string `json:"valueCanonical,omitempty"`
		ValueCode      string `json:"valueCode,omitempty"`
		ValueBoolean   *bool  `json:"valueBoolean,omitempty"`
	}
	server struct {
		Description string `json:"description"`
		URL         string `json:"url"`
	}
	rest struct {
		Mode          string            `json:"mode"`
		Documentation string            `json:"documentation"`
		Security      *security         `json:"security,omitempty"`
		Resource      []restResource    `json:"resource"`
		Interaction   []interaction     `json:"interaction"`
		SearchParam   []restSearchParam `json:"searchParam,omitempty"`
		Operation     []restOperation   `json:"operation,omitempty"`
		Compartment   []string          `json:"compartment,omitempty"`
	}
	restResource struct {
		Type              string            `json:"type"`
		Profile           string            `json:"profile"`
		Interaction       []interaction     `json:"interaction"`
		Versioning        string            `json:"versioning"`
		ReadHistory       *bool             `json:"readHistory,omitempty"`
		UpdateCreate      *bool             `json:"updateCreate,omitempty"`
		ConditionalCreate *bool             `json:"conditionalCreate,omitempty"`
		ConditionalRead   string            `json:"conditionalRead"`
		ConditionalUpdate *bool             `json:"conditionalUpdate,omitempty"`
		ConditionalDelete string            `json:"conditionalDelete,omitempty"`
		ReferencePolicy   []string          `json:"referencePolicy,omitempty"`
		SearchInclude     []string          `json:"searchInclude,omitempty"`
		SearchRevInclude  []string          `json:"searchRevInclude,omitempty"`
		SearchParam       []restSearchParam `json:"searchParam,omitempty"`
		Operation         []restOperation   `json:"operation,omitempty"`
	}
	interaction struct {
		Code string `json:"code"`
	}
	restSearchParam struct {
		Name          string `json:"name"`
		Definition    string `json:"definition,omitempty"`
		Type          string `json:"type"`
		Documentation string `json:"documentation,omitempty"`
	}
	restOperation struct {
		Name          string `json:"name"`
		Definition    string `json:"definition"`
		Documentation string `json:"documentation"`
	}
)

// capabilityStatement returns the CapabilityStatement, built from the operation table and the
// types of the store. smart is nil if the server does not support SMART App Launch.
func (h *Handler) capabilityStatement(at *base, base string, smart *SMARTConfiguration) *capabilityStatement {
	s := &capabilityStatement{
		statementHeader: h.statementHeader("CapabilityStatement", "roget", "RogetCapabilityStatement", base+"/metadata", at.rulesText()+" "+h.limitsText()),
		Instantiates:    []string{"http://hl7.org/fhir/CapabilityStatement/terminology-server"},
		Extension:       features(),
		Software:        h.software(),
		Server:          server{h.Name + " FHIR server", base},
		FHIRVersion:     at.fhir,
		Format:          []string{mediaFHIR, mediaXML, "json", "xml"},
	}
	main := rest{
		Mode:          "server",
		Documentation: "Every path is served under each of these bases, with these rules: " + basesText() + ".",
		Interaction:   []interaction{{"batch"}},
		Operation:     h.restOperations(base, ""),
		Resource:      h.restResources(at, base),
	}
	if len(h.stored) > 0 && !h.readsOnly() {
		s.PatchFormat = []string{mediaJSONPatch, mediaMergePatch, mediaFHIR, mediaXML}
	}
	if h.Resources.Transacts() && !h.readsOnly() {
		main.Interaction = append(main.Interaction, interaction{"transaction"})
	}
	if h.Resources.Searches() && !at.isR5() {
		main.Interaction = append(main.Interaction, interaction{"search-system"}, interaction{"history-system"})
		main.SearchParam = append(restSearchParams(h.tables.SearchParams(typeAny)),
			restSearchParam{Name: "_filter", Type: "special", Documentation: "An expression of comparisons with and, or and not."},
			restSearchParam{Name: "_list", Type: "special", Documentation: "The id of a List that contains the resource."})
		main.Compartment = h.compartments()
	}
	main.Security = h.security(smart)
	s.Rest = []rest{main}
	return s
}

// testVersion is the version of the terminology ecosystem's tests that this server is checked with.
// It introduced $compare; nothing from later versions is covered.
const testVersion = "1.9.2"

// features returns the features that the terminology ecosystem requires a server to declare, as
// application-feature extensions.
func features() []feature {
	const (
		definition = "http://hl7.org/fhir/uv/application-feature/StructureDefinition/feature"
		tests      = "http://hl7.org/fhir/uv/tx-tests/FeatureDefinition/test-version"
		ecosystem  = "http://hl7.org/fhir/uv/tx-ecosystem/FeatureDefinition/CodeSystemAsParameter"
	)
	yes := true
	return []feature{
		{definition, []featureValue{{URL: "definition", ValueCanonical: tests}, {URL: "value", ValueCode: testVersion}}},
		{definition, []featureValue{{URL: "definition", ValueCanonical: ecosystem}, {URL: "value", ValueBoolean: &yes}}},
	}
}

// readsOnly reports whether what writes is refused: the store is a standby, and nothing is forwarded.
func (h *Handler) readsOnly() bool { return h.Resources.ReadsOnly() && !h.Forwards }

// offers reports whether an operation, which may need the store, is not refused as one that writes.
func (h *Handler) offers(op *operation.Operation, stored bool) bool {
	return !stored || !op.AffectsState || !h.readsOnly()
}

// software returns the name, version and release date of this program.
func (h *Handler) software() software {
	s := software{Name: h.Name, Version: h.Version, ReleaseDate: h.Released}
	if s.ReleaseDate == "" {
		s.ReleaseDate = h.created.UTC().Format(time.DateOnly)
	}
	return s
}

func structureDefinition(typ string) string { return "http://hl7.org/fhir/StructureDefinition/" + typ }

func (h *Handler) restOperations(base, typ string) []restOperation {
	list := lo.FilterMap(h.Operations, func(op *operation.Operation, _ int) (restOperation, bool) {
		doc := op.Summary + "."
		if op.Path != "" {
			doc += " Also at " + op.Path + "."
		}
		return restOperation{op.Name, definitionURL(base, op), doc}, (op.Type == typ || op.System && typ == "") && h.offers(op, op.Stored)
	})
	for _, op := range h.resourceOperations {
		if h.offers(&op.Operation, true) && (op.isOf(h, typ, true) || op.isOf(h, typ, false)) {
			list = append(list, restOperation{op.Name, definitionURL(base, &op.Operation), op.Summary + "."})
		}
	}
	return list
}

// limitsText describes the limits of this server.
func (h *Handler) limitsText() string {
	overlays := h.runner.Limits()
	text := fmt.Sprintf("A request may have a body of %d bytes, four times that to create or update a CodeSystem, ValueSet or ConceptMap, and a URL of %d bytes, and takes at most %s. "+
		"A search page has %d entries by default and %d at most. "+
		"A request may carry %d resources of %d bytes in all (tx-resource).",
		h.Limits.MaxBody, h.Limits.MaxURL, h.Limits.Timeout, h.Limits.PageSize, h.Limits.MaxCount, overlays.MaxResources, overlays.MaxBytes)
	if h.Resources.Searches() {
		text += fmt.Sprintf(" A batch or transaction has at most %d entries. A resource has at most %d entries in the search index, and the resources of a transaction %d together; "+
			"a CodeSystem, ValueSet or ConceptMap has at most %d, and those of a transaction %d together.",
			h.Limits.MaxEntries, index.MaxEntries, resources.MaxTransactionEntries, index.MaxTerminologyEntries, resources.MaxTransactionTerminologyEntries)
	}
	return text
}

// standardOperation reports whether R4 defines an operation. Its Spec is then the page of the
// operation in R4.
func standardOperation(op *operation.Operation) bool {
	return strings.Contains(op.Spec, "hl7.org/fhir/R4/") && strings.Contains(op.Spec, "-operation-")
}

// definitionID returns the id of the OperationDefinition of an operation.
func definitionID(op *operation.Operation) string {
	if op.Type == "" {
		return op.Name
	}
	return op.Type + "-" + op.Name
}

// definitionURL returns the canonical URL of the OperationDefinition: the one of a specification if
// it exists, else the one on this server.
func definitionURL(base string, op *operation.Operation) string {
	if op.Canonical != "" {
		return op.Canonical
	}
	if standardOperation(op) {
		return "http://hl7.org/fhir/OperationDefinition/" + definitionID(op)
	}
	return base + "/OperationDefinition/" + definitionID(op)
}

// expansionParameters returns the parameters of $expand in ascending order of name.
func (h *Handler) expansionParameters() []namedParameter {
	at := h.operationsByType["ValueSet"].onType["expand"]
	if at == nil {
		return nil
	}
	list := lo.FilterMap(at.In, func(p operation.Param, _ int) (namedParameter, bool) {
		return namedParameter{p.Name, p.Doc}, !p.Refused && !p.Unlisted
	})
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return strings.Compare(a.Name, b.Name) < 0
	})
	return list
}
