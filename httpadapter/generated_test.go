package httpadapter

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// TestMetadataRefersToWhatIsThere searches and reads every canonical of the CapabilityStatement.
func TestMetadataRefersToWhatIsThere(t *testing.T) {
	c := newClient(t)
	found := map[string]bool{}
	check := func(typ string, canonical any) {
		address, _ := canonical.(string)
		if address == "" || found[address] {
			return
		}
		found[address] = true
		doc := c.get("/"+typ+"?url="+url.QueryEscape(address), "Prefer", "handling=strict").want(t, 200)
		id, _ := at(doc, "entry", 0, "resource", "id").(string)
		if doc["total"] != 1.0 || id == "" || at(doc, "entry", 0, "fullUrl") != "http://example.com/"+typ+"/"+id {
			t.Errorf("%s: %v of %v", address, id, doc["total"])
			return
		}
		if read := c.get("/"+typ+"/"+id).want(t, 200); read["resourceType"] != typ || read["id"] != id {
			t.Errorf("%s/%s: %v", typ, id, read["id"])
		}
	}
	rest := at(c.get("/metadata").want(t, 200), "rest", 0)
	each := func(doc any, list string, fn func(any)) {
		for i := 0; at(doc, list, i) != nil; i++ {
			fn(at(doc, list, i))
		}
	}
	operation := func(op any) { check("OperationDefinition", at(op, "definition")) }
	each(rest, "operation", operation)
	each(rest, "searchParam", func(p any) { check("SearchParameter", at(p, "definition")) })
	each(rest, "compartment", func(canonical any) { check("CompartmentDefinition", canonical) })
	each(rest, "resource", func(resource any) {
		check("StructureDefinition", at(resource, "profile"))
		each(resource, "searchParam", func(p any) { check("SearchParameter", at(p, "definition")) })
		each(resource, "operation", operation)
	})
	if len(found) < 1_500 {
		t.Errorf("only %d canonicals", len(found))
	}
}

// TestGeneratedAreValid validates the generated resources, also of types that metadata does not name.
func TestGeneratedAreValid(t *testing.T) {
	c := newClient(t)
	v := validate.New(definitions.R4())
	n := 0
	for _, typ := range generatedTypes {
		for _, g := range c.handler.(*Handler).generated(typ, "http://example.com") {
			n++
			body := c.get("/" + typ + "/" + g.id).body
			d, err := document.Parse([]byte(body), r4.DefaultLimits())
			if err != nil {
				t.Fatalf("%s/%s: %v", typ, g.id, err)
			}
			for _, issue := range v.Validate(d) {
				if issue.Severity == validate.Error {
					t.Errorf("%s/%s: %s: %s", typ, g.id, issue.Expression, issue.Text)
				}
			}
		}
	}
	if n < 1_500 {
		t.Errorf("only %d resources", n)
	}
}

// TestStructureDefinitions checks facts of R4 (patient.html, questionnaire.html, datatypes.html).
func TestStructureDefinitions(t *testing.T) {
	c := newClient(t)
	for typ, want := range map[string]string{
		"Patient":       "resource Patient specialization http://hl7.org/fhir/StructureDefinition/DomainResource",
		"HumanName":     "complex-type HumanName specialization http://hl7.org/fhir/StructureDefinition/Element",
		"code":          "primitive-type code specialization http://hl7.org/fhir/StructureDefinition/string",
		"Element":       "complex-type Element <nil> <nil>",
		"Questionnaire": "resource Questionnaire specialization http://hl7.org/fhir/StructureDefinition/DomainResource",
	} {
		doc := c.get("/StructureDefinition/"+typ).want(t, 200)
		if got := fmt.Sprint(doc["kind"], " ", doc["type"], " ", doc["derivation"], " ", doc["baseDefinition"]); got != want {
			t.Errorf("%s: %s", typ, got)
		}
	}
	elements := map[string]any{}
	for _, typ := range []string{"Patient", "Questionnaire"} {
		doc := c.get("/StructureDefinition/"+typ).want(t, 200)
		for i := 0; at(doc, "snapshot", "element", i) != nil; i++ {
			e := at(doc, "snapshot", "element", i)
			elements[at(e, "path").(string)] = e
		}
	}
	for path, want := range map[string]string{
		"Patient":                      "0 * <nil> <nil>",
		"Patient.name":                 "0 * HumanName <nil>",
		"Patient.gender":               "0 1 code http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1",
		"Patient.deceased[x]":          "0 1 boolean <nil>",
		"Patient.contact.gender":       "0 1 code http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1",
		"Patient.link.other":           "1 1 Reference <nil>",
		"Questionnaire.status":         "1 1 code http://hl7.org/fhir/ValueSet/publication-status|4.0.1",
		"Questionnaire.item.linkId":    "1 1 string <nil>",
		"Questionnaire.item.item":      "0 * <nil> <nil>",
		"Questionnaire.item.initial":   "0 * BackboneElement <nil>",
		"Questionnaire.item.item.item": "<nil> <nil> <nil> <nil>",
	} {
		e := elements[path]
		if got := fmt.Sprint(at(e, "min"), " ", at(e, "max"), " ", at(e, "type", 0, "code"), " ", at(e, "binding", "valueSet")); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if ref := at(elements["Questionnaire.item.item"], "contentReference"); ref != "#Questionnaire.item" {
		t.Errorf("contentReference %v", ref)
	}
}

// TestSearchGenerated searches generated and stored definitions together, page by page.
func TestSearchGenerated(t *testing.T) {
	c := newClient(t)
	for _, id := range []string{"ours", "birthdate-extension"} {
		c.do("PUT", "/SearchParameter/"+id, `{"resourceType":"SearchParameter","id":"`+id+`","url":"http://t.example/`+id+`","name":"x","status":"draft","description":"x","code":"ours","base":["Patient"],"type":"string"}`).want(t, 201)
	}
	all := map[string]bool{}
	next, pages, total := "/SearchParameter?base=Patient&_count=10", 0, 0.0
	for next != "" && pages < 20 {
		pages++
		doc := c.get(next).want(t, 200)
		total, _ = doc["total"].(float64)
		for i := 0; at(doc, "entry", i) != nil; i++ {
			all[at(doc, "entry", i, "resource", "id").(string)] = true
		}
		u := links(doc)["next"]
		next = strings.TrimPrefix(u, "http://example.com")
	}
	if len(all) != int(total) || !all["individual-birthdate"] || !all["Patient-general-practitioner"] || !all["ours"] || !all["birthdate-extension"] || all["Group-member"] {
		t.Errorf("%d on %d pages, total %v: %v", len(all), pages, total, all)
	}
	for query, want := range map[string]string{
		"SearchParameter?code=birthdate":                                            "individual-birthdate",
		"SearchParameter?_id=clinical-code":                                         "clinical-code",
		"SearchParameter?status=draft":                                              "birthdate-extension ours",
		"StructureDefinition?_id=Patient,HumanName":                                 "HumanName Patient",
		"StructureDefinition?kind=resource&type=Patient":                            "Patient",
		"StructureDefinition?base=http://hl7.org/fhir/StructureDefinition/Quantity": "Age Count Distance Duration",
		"CompartmentDefinition?_sort=-code&_count=2":                                "relatedPerson practitioner",
		"CompartmentDefinition?resource=Goal&code=Device":                           "",
		"OperationDefinition?code=lookup":                                           "CodeSystem-lookup",
		"OperationDefinition?_id=ValueSet-expand":                                   "ValueSet-expand",
	} {
		if got := modes(t, c.get("/"+query, "Prefer", "handling=strict").want(t, 200), "http://example.com"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	c.do("PUT", "/StructureDefinition/Patient", `{"resourceType":"StructureDefinition","id":"Patient","url":"http://t.example/Patient","name":"Ours","status":"draft","kind":"resource","abstract":false,"type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/DomainResource","derivation":"specialization","differential":{"element":[{"id":"Patient","path":"Patient"}]}}`).want(t, 201)
	if doc := c.get("/StructureDefinition?type=Patient").want(t, 200); at(doc, "entry", 0, "resource", "name") != "Ours" || doc["total"] != 1.0 {
		t.Errorf("the stored one: %v", doc)
	}
	if doc := c.get("/StructureDefinition?_summary=count").want(t, 200); doc["total"] != float64(len(definitions.R4().Types())) || doc["entry"] != nil {
		t.Errorf("count: %v", doc["total"])
	}
	for _, prefix := range paths() {
		if doc := c.get(prefix+"/OperationDefinition?url=http://example.com"+prefix+"/OperationDefinition/CodeSystem-lookup").want(t, 200); doc["total"] != 1.0 {
			t.Error(prefix, doc)
		}
	}
}
