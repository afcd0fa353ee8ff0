package e2e_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/sharedtest"
)

// The oracle of permissions decides on plain JSON what a grant shows. It reads the compartment of
// patients from HL7's CompartmentDefinition and SearchParameters, and shares no code with the server.

// permitScope is a scope with what its query means.
type permitScope struct {
	text string
	// matches decides what the query of the scope decides; nil if it has none.
	matches func(doc map[string]any) bool
}

// permitGrant is a grant of the matrix.
type permitGrant struct {
	name        string
	patient     string
	allow, deny []permitScope
}

// permitOracle knows which references make a resource part of the compartment of a patient.
type permitOracle struct {
	paths map[string][]string // by type: paths of references, such as subject or participant.actor
}

func newPermitOracle(t testing.TB) *permitOracle {
	t.Helper()
	o := &permitOracle{paths: map[string][]string{}}
	members := map[string][]string{}
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/other-definitions.ndjson.gz")) {
		var head struct{ ResourceType, Code any }
		if err := json.Unmarshal(line, &head); err != nil {
			t.Fatal(err)
		}
		if head.ResourceType != "CompartmentDefinition" || head.Code != "Patient" {
			continue
		}
		var d struct {
			Resource []struct {
				Code  string
				Param []string
			}
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		for _, r := range d.Resource {
			members[r.Code] = r.Param
		}
	}
	members["Device"] = append(members["Device"], "patient") // see docs/decisions/0044-permissions.md
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/searchparameters.ndjson.gz")) {
		var p struct {
			Code, Expression string
			Base             []string
		}
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		for _, base := range p.Base {
			if !slices.Contains(members[base], p.Code) {
				continue
			}
			for part := range strings.SplitSeq(p.Expression, "|") {
				path, is := strings.CutPrefix(strings.TrimSpace(part), base+".")
				if !is {
					continue
				}
				path = strings.TrimSuffix(path, ".where(resolve() is Patient)")
				if strings.ContainsAny(path, "() ") {
					t.Fatalf("%s: the oracle cannot read %q", base, part)
				}
				o.paths[base] = append(o.paths[base], path)
			}
		}
	}
	if len(o.paths) < 60 {
		t.Fatalf("%d types have members of compartments", len(o.paths))
	}
	return o
}

// values returns what a path leads to, through all lists.
func values(v any, path ...string) []any {
	if list, is := v.([]any); is {
		var out []any
		for _, item := range list {
			out = append(out, values(item, path...)...)
		}
		return out
	}
	if len(path) == 0 {
		return []any{v}
	}
	object, _ := v.(map[string]any)
	if object[path[0]] == nil {
		return nil
	}
	return values(object[path[0]], path[1:]...)
}

// member reports whether a document is in the compartment of a patient.
func (o *permitOracle) member(doc map[string]any, patient string) bool {
	typ := doc["resourceType"].(string)
	if typ == "Patient" && doc["id"] == patient {
		return true
	}
	for _, path := range o.paths[typ] {
		for _, ref := range values(doc, append(strings.Split(path, "."), "reference")...) {
			if ref == "Patient/"+patient {
				return true
			}
		}
	}
	return false
}

// permitShared are the types that docs/decisions/0044-permissions.md lists as shared.
var permitShared = strings.Fields(`ActivityDefinition CapabilityStatement ChargeItemDefinition CodeSystem
	CompartmentDefinition ConceptMap DeviceDefinition Endpoint EventDefinition GraphDefinition HealthcareService
	ImplementationGuide InsurancePlan Library Location Measure Medication MedicationKnowledge MessageDefinition
	NamingSystem ObservationDefinition OperationDefinition Organization OrganizationAffiliation PlanDefinition
	Practitioner PractitionerRole Questionnaire SearchParameter SpecimenDefinition StructureDefinition StructureMap
	Substance TerminologyCapabilities ValueSet`)

var permitSyntax = regexp.MustCompile(`^(patient|user|system)/(\*|[A-Za-z]+)\.(read|write|\*|[cruds]+)(\?.*)?$`)

// about reports whether a scope is about a type and an action at all, and whether it concerns the
// compartment of the patient.
func (s *permitScope) about(typ string, action byte) (is, patient bool) {
	parts := permitSyntax.FindStringSubmatch(s.text)
	letters := parts[3]
	switch letters {
	case "read":
		letters = "rs"
	case "write":
		letters = "cud"
	case "*":
		letters = "cruds"
	}
	is = (parts[2] == "*" || parts[2] == typ) && strings.IndexByte(letters, action) >= 0
	return is, parts[1] == "patient"
}

// covers reports whether a scope covers some resources of a type, and whether it covers one that is
// given.
func (o *permitOracle) covers(g *permitGrant, s *permitScope, typ string, action byte, doc map[string]any) (some, this bool) {
	is, patient := s.about(typ, action)
	if !is {
		return false, false
	}
	some, this = true, s.matches == nil || doc != nil && s.matches(doc)
	if patient {
		switch {
		case g.patient == "":
			return false, false
		case len(o.paths[typ]) > 0 || typ == "Patient":
			this = this && doc != nil && o.member(doc, g.patient)
		case !slices.Contains(permitShared, typ) || action != 'r' && action != 's':
			return false, false
		}
	}
	return some, this
}

// covered reports whether a grant covers an action on a type, whatever resources exist.
func (o *permitOracle) covered(g *permitGrant, typ string, action byte) bool {
	for i := range g.deny {
		is, patient := g.deny[i].about(typ, action)
		if is && g.deny[i].matches == nil && (!patient || slices.Contains(permitShared, typ)) {
			return false
		}
	}
	return slices.ContainsFunc(g.allow, func(s permitScope) bool {
		some, _ := o.covers(g, &s, typ, action, nil)
		return some
	})
}

// permits reports whether a grant permits an action on a document.
func (o *permitOracle) permits(g *permitGrant, action byte, doc map[string]any) bool {
	typ := doc["resourceType"].(string)
	holds := func(s permitScope) bool {
		_, this := o.covers(g, &s, typ, action, doc)
		return this
	}
	return !slices.ContainsFunc(g.deny, holds) && slices.ContainsFunc(g.allow, holds)
}

// hasToken reports whether a document has a code, with any of the systems that are given.
func hasToken(path, code string) func(map[string]any) bool {
	return func(doc map[string]any) bool {
		return slices.Contains(values(doc, strings.Split(path, ".")...), any(code))
	}
}

// codingIn reports whether a document has a coding in code that is in a set.
func codingIn(set map[string]bool) func(map[string]any) bool {
	return func(doc map[string]any) bool {
		for _, c := range values(doc, "code", "coding") {
			coding, _ := c.(map[string]any)
			system, _ := coding["system"].(string)
			code, _ := coding["code"].(string)
			if set[system+"|"+code] {
				return true
			}
		}
		return false
	}
}

func both(a, b func(map[string]any) bool) func(map[string]any) bool {
	return func(doc map[string]any) bool { return a(doc) && b(doc) }
}

func not(a func(map[string]any) bool) func(map[string]any) bool {
	return func(doc map[string]any) bool { return !a(doc) }
}
