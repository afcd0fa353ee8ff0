package definitions_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/sharedtest"
)

// original returns the documents of a file of the R4 core package.
func original[T any](t *testing.T, name string) (list []T) {
	t.Helper()
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/"+name)) {
		var one T
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list
}

type snapshotElement struct {
	Path, Max, ContentReference string
	Min                         int
	IsSummary, IsModifier       bool
	Type                        []struct {
		Code          string
		TargetProfile []string
	}
	Binding struct{ Strength, ValueSet string }
}

// TestElementParity checks that the tables contain each element of each type of R4 as in its
// snapshot, and no others.
func TestElementParity(t *testing.T) {
	tables := definitions.R4()
	types := 0
	for _, s := range original[struct {
		Type, Kind, Derivation string
		Abstract               bool
		Snapshot               struct{ Element []snapshotElement }
	}](t, "structuredefinitions.ndjson.gz") {
		if s.Derivation == "constraint" || s.Kind == "logical" {
			continue
		}
		types++
		typ := tables.Type(s.Type)
		if typ == nil || typ.Abstract != s.Abstract {
			t.Errorf("%s: %+v", s.Type, typ)
			continue
		}
		if got := slices.Contains(tables.Resources(), s.Type); got != (s.Kind == "resource" && !s.Abstract) {
			t.Errorf("%s: among the resources: %v", s.Type, got)
		}
		counts := map[string]int{}
		for _, e := range s.Snapshot.Element {
			cut := strings.LastIndexByte(e.Path, '.')
			if cut < 0 || typ.Kind == definitions.PrimitiveType && strings.HasSuffix(e.Path, ".value") {
				continue
			}
			counts[e.Path[:cut]] += max(1, len(e.Type))
			compareElement(t, tables, e.Path[:cut], e.Path[cut+1:], &e)
		}
		for name, n := range counts {
			if got := len(tables.Type(name).Elements); got != n {
				t.Errorf("%s has %d elements, want %d", name, got, n)
			}
		}
	}
	if types != 209 {
		t.Errorf("%d types", types)
	}
}

func compareElement(t *testing.T, tables *definitions.Tables, parent, name string, e *snapshotElement) {
	t.Helper()
	typ := tables.Type(parent)
	if typ == nil {
		t.Errorf("no type %s", parent)
		return
	}
	list := typ.Choices(name)
	if one := typ.Element(name); one != nil && list == nil {
		list = []*definitions.Element{one}
	}
	if len(list) != max(1, len(e.Type)) {
		t.Errorf("%s: %d variants, want %d", e.Path, len(list), len(e.Type))
		return
	}
	for i, got := range list {
		highest := definitions.Unbounded
		if e.Max != "*" {
			highest, _ = strconv.Atoi(e.Max)
		}
		if got.Path != e.Path || got.Min != e.Min || got.Max != highest || got.Summary != e.IsSummary || got.Modifier != e.IsModifier || got.Type == nil {
			t.Errorf("%s: %+v", e.Path, got)
			continue
		}
		if typ.Element(got.JSON) != got {
			t.Errorf("%s: %s is not found", e.Path, got.JSON)
		}
		if e.ContentReference != "" {
			if got.Type.Name != strings.TrimPrefix(e.ContentReference, "#") {
				t.Errorf("%s is %s", e.Path, got.Type.Name)
			}
			continue
		}
		code := e.Type[i].Code
		if !strings.HasPrefix(code, "http:") && got.TypeCode != code {
			t.Errorf("%s: type %s, want %s", e.Path, got.TypeCode, code)
		}
		if want := (got.Type.Kind == definitions.BackboneType); want != (got.Type.Name == e.Path) || !want && got.Type.Name != got.TypeCode {
			t.Errorf("%s is of type %s", e.Path, got.Type.Name)
		}
		if got.Choice && got.JSON != strings.TrimSuffix(name, "[x]")+strings.ToUpper(code[:1])+code[1:] {
			t.Errorf("%s is %s in JSON", e.Path, got.JSON)
		}
		var targets []string
		for _, target := range e.Type[i].TargetProfile {
			targets = append(targets, target[strings.LastIndexByte(target, '/')+1:])
		}
		if slices.Contains(targets, "Resource") {
			targets = nil
		}
		if !slices.Equal(got.Targets, targets) {
			t.Errorf("%s: targets %v, want %v", e.Path, got.Targets, targets)
		}
		url, _, _ := strings.Cut(e.Binding.ValueSet, "|")
		if got.Binding != nil && (e.Binding.Strength != "required" || got.Binding.URL != url || len(got.Binding.Codes()) == 0) {
			t.Errorf("%s: list %+v", e.Path, got.Binding)
		}
		if got.Binding == nil && e.Binding.Strength == "required" && !slices.Contains(openLists, url) {
			t.Errorf("%s: no list of %s", e.Path, url)
		}
	}
}

// openLists are the value sets of required bindings whose codes R4 does not list.
var openLists = []string{
	"http://hl7.org/fhir/ValueSet/currencies", "http://hl7.org/fhir/ValueSet/mimetypes",
	"http://hl7.org/fhir/ValueSet/ucum-units", "http://loinc.org/vs/LL379-9",
}

// TestSearchParamParity checks that each search parameter of R4 exists for each of its types.
func TestSearchParamParity(t *testing.T) {
	tables := definitions.R4()
	for _, s := range original[struct {
		URL, Version, Code, Type, Expression string
		Base, Target                         []string
	}](t, "searchparameters.ndjson.gz") {
		if s.Version != "4.0.1" || s.Expression == "" && s.Code[0] != '_' {
			continue
		}
		for _, base := range s.Base {
			if base == "DomainResource" {
				base = "Resource"
			}
			got := tables.SearchParam(base, s.Code)
			switch {
			case got == nil:
				t.Errorf("%s has no %s", base, s.Code)
			case got.Own:
			case got.Kind.String() != s.Type, got.Definition != s.URL, (got.Expression == "") != (s.Expression == ""):
				t.Errorf("%+v, want %+v", got, s)
			case got.Kind == definitions.Reference && got.Targets == nil && s.Target != nil && len(s.Target) < len(tables.Resources())-1:
				t.Errorf("%s.%s: targets of any type, want %v", base, s.Code, s.Target)
			}
		}
	}
}

// TestExpressions checks the parts of expressions that several types share, with examples of R4.
func TestExpressions(t *testing.T) {
	tables := definitions.R4()
	for _, test := range []struct{ typ, code, expression, targets string }{
		{"Condition", "code", "Condition.code", ""},
		{"AllergyIntolerance", "code", "AllergyIntolerance.code | AllergyIntolerance.reaction.substance", ""},
		{"Condition", "patient", "Condition.subject.where(resolve() is Patient)", "Patient"},
		{"AllergyIntolerance", "patient", "AllergyIntolerance.patient", "Patient"},
		{"Encounter", "participant", "Encounter.participant.individual", "Practitioner PractitionerRole RelatedPerson"},
		{"Patient", "phone", "Patient.telecom.where(system='phone')", ""},
		{"Patient", "_id", "Patient.id", ""},
		{"Resource", "_tag", "Resource.meta.tag", ""},
		{"MedicationRequest", "medication", "(MedicationRequest.medication as Reference)", "Medication"},
		{"InsurancePlan", "name", "InsurancePlan.name | InsurancePlan.alias", ""},
		{"Patient", "mothersMaidenName", "Patient.extension('http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName').value", ""},
		{"Observation", "code-value-date", "Observation", ""},
		{"Provenance", "target", "Provenance.target", ""},
	} {
		p := tables.SearchParam(test.typ, test.code)
		if p == nil || p.Expression != test.expression || strings.Join(p.Targets, " ") != test.targets {
			t.Errorf("%s.%s: %+v", test.typ, test.code, p)
		}
	}
	if tables.SearchParam("Patient", "nonsense") != nil || tables.SearchParam("Nonsense", "_id") != nil || tables.SearchParams("DomainResource") != nil {
		t.Error("parameters out of nothing")
	}
}
