package r4

import "encoding/json"

// Parameters is the resource with the inputs or outputs of an operation.
type Parameters struct {
	ID        string
	Parameter []Parameter
}

// A Parameter is an entry of Parameters: a value, a resource, or parts.
type Parameter struct {
	Name     string
	Value    Value
	Resource json.RawMessage
	Part     []Parameter
}

// An OperationOutcome reports issues (R4 2.28).
type OperationOutcome struct {
	Issue []Issue
}

// An Issue is an entry of an OperationOutcome.
type Issue struct {
	// Severity is fatal, error, warning or information.
	Severity string
	// Code is from http://hl7.org/fhir/issue-type: not-found, invalid, structure, …
	Code string
	// Details is the coded detail, such as a code of tx-issue-type, and a text for people.
	Details *CodeableConcept
	// Diagnostics is further information for people.
	Diagnostics string
	// Expression is the FHIRPath of the element: "Parameters.parameter[2].value",
	// "CodeSystem.concept[3].code".
	Expression []string
	// MessageID identifies the message in the catalogue. It is written as the extension
	// operationoutcome-message-id.
	MessageID string
}

// A Header contains the elements that CodeSystem, ValueSet and ConceptMap have in common (R4
// canonical resources). Absent elements are empty.
type Header struct {
	ResourceType string          `json:"resourceType"`
	ID           string          `json:"id,omitempty"`
	Meta         *Meta           `json:"meta,omitempty"`
	Language     string          `json:"language,omitempty"`
	URL          string          `json:"url,omitempty"`
	Identifier   IdentifierList  `json:"identifier,omitempty"`
	Version      string          `json:"version,omitempty"`
	Name         string          `json:"name,omitempty"`
	Title        string          `json:"title,omitempty"`
	Status       string          `json:"status,omitempty"`
	Experimental *bool           `json:"experimental,omitempty"`
	Date         string          `json:"date,omitempty"`
	Publisher    string          `json:"publisher,omitempty"`
	Description  string          `json:"description,omitempty"`
	Copyright    string          `json:"copyright,omitempty"`
	Extension    json.RawMessage `json:"extension,omitempty"`
}

// A CodeSystem is the header of a CodeSystem: everything except its concepts, which are streamed
// (see codesystem/loader/fhir).
type CodeSystem struct {
	Header
	CaseSensitive    *bool                `json:"caseSensitive,omitempty"`
	ValueSet         string               `json:"valueSet,omitempty"`
	HierarchyMeaning string               `json:"hierarchyMeaning,omitempty"`
	Compositional    bool                 `json:"compositional,omitempty"`
	VersionNeeded    bool                 `json:"versionNeeded,omitempty"`
	Content          string               `json:"content,omitempty"`
	Supplements      string               `json:"supplements,omitempty"`
	Count            *int                 `json:"count,omitempty"`
	Filter           []CodeSystemFilter   `json:"filter,omitempty"`
	Property         []CodeSystemProperty `json:"property,omitempty"`
}

// A CodeSystemFilter declares a filter for value sets (CodeSystem.filter).
type CodeSystemFilter struct {
	Code        string   `json:"code"`
	Description string   `json:"description,omitempty"`
	Operator    []string `json:"operator,omitempty"`
	Value       string   `json:"value,omitempty"`
}

// A CodeSystemProperty declares a concept property (CodeSystem.property). Type is code, Coding,
// string, integer, boolean, dateTime or decimal.
type CodeSystemProperty struct {
	Code        string `json:"code"`
	URI         string `json:"uri,omitempty"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type,omitempty"`
}

// A ValueSet is a value set definition (R4 4.9).
type ValueSet struct {
	Header
	Immutable *bool             `json:"immutable,omitempty"`
	Contained []json.RawMessage `json:"contained,omitempty"`
	Compose   *Compose          `json:"compose,omitempty"`
	Expansion *Expansion        `json:"expansion,omitempty"`
}

// A Compose is the content logical definition of a ValueSet.
type Compose struct {
	LockedDate string    `json:"lockedDate,omitempty"`
	Inactive   *bool     `json:"inactive,omitempty"`
	Include    []Include `json:"include"`
	Exclude    []Include `json:"exclude,omitempty"`
	// Property are the properties that an expansion should contain, in a document of R5. See
	// Properties.
	Property  []string   `json:"property,omitempty"`
	Extension Extensions `json:"extension,omitempty"`
}

// propertyExtension is the extension that holds a value of Compose.Property in R4.
const propertyExtension = "http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.compose.property"

// Properties returns the properties that an expansion should contain: an element in R5, extensions
// in R4.
func (c *Compose) Properties() []string {
	list := c.Property
	for i := range c.Extension {
		if x := &c.Extension[i]; x.URL == propertyExtension && x.Value.Text != "" {
			list = append(list[:len(list):len(list)], x.Value.Text)
		}
	}
	return list
}

// An Include is an include or exclude of a Compose: codes of a system (all, listed or filtered),
// intersected with the value sets that it names.
type Include struct {
	System    string             `json:"system,omitempty"`
	Version   string             `json:"version,omitempty"`
	Concept   []ConceptReference `json:"concept,omitempty"`
	Filter    []Filter           `json:"filter,omitempty"`
	ValueSet  []string           `json:"valueSet,omitempty"`
	Extension Extensions         `json:"extension,omitempty"`
}

// A ConceptReference is a code listed in an Include.
type ConceptReference struct {
	Code        string        `json:"code"`
	Display     string        `json:"display,omitempty"`
	Designation []Designation `json:"designation,omitempty"`
	Extension   Extensions    `json:"extension,omitempty"`
}

// A Filter selects concepts by a property. Op is an R4 filter operator, or child-of or
// descendent-leaf of R5 (which may be in R5's cross-version extension on _op).
type Filter struct {
	Property string `json:"property"`
	Op       string `json:"op"`
	Value    string `json:"value"`
}

// An Expansion is the expansion in a stored ValueSet.
type Expansion struct {
	Identifier string              `json:"identifier,omitempty"`
	Timestamp  string              `json:"timestamp,omitempty"`
	Total      *int                `json:"total,omitempty"`
	Contains   []ExpansionContains `json:"contains,omitempty"`
}

// An ExpansionContains is a code of an Expansion, with the codes nested below it.
type ExpansionContains struct {
	System   string              `json:"system,omitempty"`
	Abstract bool                `json:"abstract,omitempty"`
	Inactive bool                `json:"inactive,omitempty"`
	Version  string              `json:"version,omitempty"`
	Code     string              `json:"code,omitempty"`
	Display  string              `json:"display,omitempty"`
	Contains []ExpansionContains `json:"contains,omitempty"`
}

// A ConceptMap maps codes of source systems to codes of target systems (R4 4.10).
type ConceptMap struct {
	Header
	SourceURI       string            `json:"sourceUri,omitempty"`
	SourceCanonical string            `json:"sourceCanonical,omitempty"`
	TargetURI       string            `json:"targetUri,omitempty"`
	TargetCanonical string            `json:"targetCanonical,omitempty"`
	Group           []ConceptMapGroup `json:"group,omitempty"`
}

// Source returns the source value set, given as uri or canonical.
func (m *ConceptMap) Source() string {
	if m.SourceURI != "" {
		return m.SourceURI
	}
	return m.SourceCanonical
}

// Target returns the target value set, given as uri or canonical.
func (m *ConceptMap) Target() string {
	if m.TargetURI != "" {
		return m.TargetURI
	}
	return m.TargetCanonical
}

// A ConceptMapGroup contains the mappings between a source and a target system.
type ConceptMapGroup struct {
	Source        string              `json:"source,omitempty"`
	SourceVersion string              `json:"sourceVersion,omitempty"`
	Target        string              `json:"target,omitempty"`
	TargetVersion string              `json:"targetVersion,omitempty"`
	Element       []ConceptMapElement `json:"element"`
	Unmapped      *ConceptMapUnmapped `json:"unmapped,omitempty"`
}

// A ConceptMapElement is a source code and its targets.
type ConceptMapElement struct {
	Code    string             `json:"code,omitempty"`
	Display string             `json:"display,omitempty"`
	Target  []ConceptMapTarget `json:"target,omitempty"`
}

// A ConceptMapTarget is a target of an element. Equivalence is a code of
// http://hl7.org/fhir/concept-map-equivalence.
type ConceptMapTarget struct {
	Code        string                `json:"code,omitempty"`
	Display     string                `json:"display,omitempty"`
	Equivalence string                `json:"equivalence,omitempty"`
	Comment     string                `json:"comment,omitempty"`
	DependsOn   []ConceptMapDependsOn `json:"dependsOn,omitempty"`
	Product     []ConceptMapDependsOn `json:"product,omitempty"`
}

// A ConceptMapDependsOn is another element that a mapping depends on or produces.
type ConceptMapDependsOn struct {
	Property string `json:"property"`
	System   string `json:"system,omitempty"`
	Value    string `json:"value"`
	Display  string `json:"display,omitempty"`
}

// A ConceptMapUnmapped defines the target of codes that no element names: provided, fixed or
// other-map.
type ConceptMapUnmapped struct {
	Mode    string `json:"mode"`
	Code    string `json:"code,omitempty"`
	Display string `json:"display,omitempty"`
	URL     string `json:"url,omitempty"`
}

// An IdentifierList unmarshals from a list, or from the single object of a ConceptMap.
type IdentifierList []Identifier

// UnmarshalJSON accepts an array of identifiers or a single identifier.
func (l *IdentifierList) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var one Identifier
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		*l = IdentifierList{one}
		return nil
	}
	return json.Unmarshal(data, (*[]Identifier)(l))
}
