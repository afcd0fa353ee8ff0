package main

// resource is the part of a CodeSystem or ValueSet that is read.
type resource struct {
	ResourceType string       `json:"resourceType"`
	ID           string       `json:"id"`
	Language     string       `json:"language,omitempty"`
	Extension    []extension  `json:"extension,omitempty"`
	URL          string       `json:"url"`
	Identifier   []identifier `json:"identifier,omitempty"`
	Version      string       `json:"version,omitempty"`
	Name         string       `json:"name,omitempty"`
	Title        string       `json:"title,omitempty"`
	Status       string       `json:"status"`
	Experimental *bool        `json:"experimental,omitempty"`
	Date         string       `json:"date,omitempty"`
	Publisher    string       `json:"publisher,omitempty"`
	Copyright    string       `json:"copyright,omitempty"`
	ValueSet     string       `json:"valueSet,omitempty"`
	Content      string       `json:"content,omitempty"`
	body
}

// body is what the table of headers does not have.
type body struct {
	Immutable        *bool      `json:"immutable,omitempty"`
	CaseSensitive    *bool      `json:"caseSensitive,omitempty"`
	HierarchyMeaning string     `json:"hierarchyMeaning,omitempty"`
	Compositional    bool       `json:"compositional,omitempty"`
	VersionNeeded    bool       `json:"versionNeeded,omitempty"`
	Property         []property `json:"property,omitempty"`
	Concept          []*concept `json:"concept,omitempty"`
	Compose          *compose   `json:"compose,omitempty"`
}

type (
	extension struct {
		URL       string `json:"url"`
		ValueCode string `json:"valueCode,omitempty"`
	}
	identifier struct {
		System string `json:"system,omitempty"`
		Value  string `json:"value,omitempty"`
	}
	property struct {
		Code string `json:"code"`
		URI  string `json:"uri,omitempty"`
		Type string `json:"type"`
	}
	concept struct {
		Code        string        `json:"code"`
		Display     string        `json:"display,omitempty"`
		Designation []designation `json:"designation,omitempty"`
		Property    []value       `json:"property,omitempty"`
		Concept     []*concept    `json:"concept,omitempty"`
	}
	value struct {
		Code     string `json:"code"`
		OfCode   string `json:"valueCode,omitempty"`
		Boolean  *bool  `json:"valueBoolean,omitempty"`
		DateTime string `json:"valueDateTime,omitempty"`
	}
	designation struct {
		Language string `json:"language,omitempty"`
		Use      *use   `json:"use,omitempty"`
		Value    string `json:"value"`
	}
	use struct {
		System  string `json:"system,omitempty"`
		Code    string `json:"code,omitempty"`
		Display string `json:"display,omitempty"`
	}
	compose struct {
		LockedDate string    `json:"lockedDate,omitempty"`
		Inactive   *bool     `json:"inactive,omitempty"`
		Include    []include `json:"include"`
		Exclude    []include `json:"exclude,omitempty"`
	}
	include struct {
		System   string   `json:"system,omitempty"`
		Version  string   `json:"version,omitempty"`
		Concept  []listed `json:"concept,omitempty"`
		Filter   []filter `json:"filter,omitempty"`
		ValueSet []string `json:"valueSet,omitempty"`
	}
	listed struct {
		Code        string        `json:"code"`
		Display     string        `json:"display,omitempty"`
		Designation []designation `json:"designation,omitempty"`
	}
	filter struct {
		Property string `json:"property"`
		Op       string `json:"op"`
		Value    string `json:"value"`
	}
)

// size counts concepts at all levels.
func size(list []*concept) int {
	n := len(list)
	for _, c := range list {
		n += size(c.Concept)
	}
	return n
}
