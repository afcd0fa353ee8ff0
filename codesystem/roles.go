package codesystem

import (
	"maps"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// role is the meaning of a property beyond its value.
type role uint8

const (
	roleNone role = iota
	roleParent
	roleChild
	roleInactive
	roleAbstract
	roleStatus
	roleDeprecated
	roleDeprecationDate
	roleRetired
)

func (r role) hierarchical() bool { return r == roleParent || r == roleChild }

// conceptProperties is the code system of properties that HL7 defines. A declared property names
// one of them by its uri (R4 CodeSystem.property.uri).
const conceptProperties = "http://hl7.org/fhir/concept-properties#"

// roleOfName returns the role of a property with its usual code.
func roleOfName(code string) role {
	switch code {
	case "parent", "subsumedBy":
		return roleParent
	case "child":
		return roleChild
	case "inactive":
		return roleInactive
	case "notSelectable", "not-selectable", "abstract":
		return roleAbstract
	case "status":
		return roleStatus
	case "deprecated":
		return roleDeprecated
	case "deprecationDate":
		return roleDeprecationDate
	case "retired":
		return roleRetired
	}
	return roleNone
}

// roles holds the role of each property of a code system.
type roles struct {
	url string
	// special holds the declared properties whose role differs from that of their name.
	special map[string]role
	known   map[string]bool
}

// rolesOf reads the declarations. A property counts as hierarchical by its code or by its uri, and
// only if its declared type is code or Coding.
func rolesOf(header *r4.CodeSystem) roles {
	rs := roles{url: header.URL, special: map[string]role{}, known: map[string]bool{}}
	for _, p := range header.Property {
		rs.known[p.Code] = true
		named, r := roleOfName(p.Code), roleOfDeclared(&p)
		if r != named {
			rs.special[p.Code] = r
		}
	}
	return rs
}

// roleOfDeclared returns the role of one declared property.
func roleOfDeclared(p *r4.CodeSystemProperty) role {
	r := roleOfName(p.Code)
	if len(p.URI) > len(conceptProperties) && p.URI[:len(conceptProperties)] == conceptProperties {
		if byURI := roleOfName(p.URI[len(conceptProperties):]); byURI != roleNone {
			r = byURI
		}
	}
	if r.hierarchical() && p.Type != "code" && p.Type != "Coding" && p.Type != "" {
		r = roleNone
	}
	return r
}

func (rs roles) of(code string) role {
	if len(rs.special) > 0 {
		if r, ok := rs.special[code]; ok {
			return r
		}
	}
	return roleOfName(code)
}

func (rs roles) declared(code string) bool { return rs.known[code] }

func (rs roles) equal(other roles) bool { return maps.Equal(rs.special, other.special) }

// codeNamed returns the code that a hierarchical property names. A Coding of another system states
// nothing about this one, so such a property is an ordinary one.
func (rs roles) codeNamed(v r4.Value) (code string, ok bool) {
	switch {
	case v.Type == "Code":
		return v.Text, true
	case v.Type == "Coding" && v.Coding != nil:
		if v.Coding.System != "" && rs.url != "" && v.Coding.System != rs.url {
			return "", false
		}
		return v.Coding.Code, true
	}
	return "", false
}

// flagsOf returns the flags that a property sets.
func flagsOf(r role, v r4.Value) byte {
	text := v.Text
	if v.Coding != nil {
		text = v.Coding.Code
	}
	switch r {
	case roleInactive:
		if text == "true" {
			return flagInactive | flagStatus
		}
	case roleAbstract:
		if text == "true" {
			return flagAbstract
		}
	case roleStatus:
		switch text {
		case "retired", "inactive":
			return flagInactive | flagStatus
		case "deprecated":
			return flagDeprecated | flagStatus
		}
		return flagStatus
	case roleDeprecated:
		if text != "" && text != "false" {
			return flagDeprecated | flagStatus
		}
	case roleDeprecationDate:
		if text != "" {
			return flagDeprecated | flagStatus
		}
	case roleRetired:
		if text == "true" {
			return flagStatus
		}
	}
	return 0
}

// flagsOfExtensions returns the flags that the extensions of a concept set.
func flagsOfExtensions(list r4.Extensions) byte {
	switch status := list.Text(standardsStatus); {
	case status == "":
		return 0
	case strings.EqualFold(status, "withdrawn"):
		return flagInactive | flagStatus
	}
	return flagStatus
}

// caseSensitive returns the case rule of a code system; the default is sensitive.
func caseSensitive(header *r4.CodeSystem) bool {
	return header.CaseSensitive == nil || *header.CaseSensitive
}
