package httpadapter

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
	"github.com/roget-health/roget/codesystem/loader/rf2"
	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
	"github.com/roget-health/roget/engine"
)

// The concepts of a small release of SNOMED CT. Their names are our own.
var (
	sctOrgan, sctLiver, sctLobe         = rf2test.Concept(110), rf2test.Concept(111), rf2test.Concept(112)
	sctSite, sctMorphology              = rf2test.Concept(101), rf2test.Concept(102)
	sctInflammation                     = rf2test.Concept(130)
	sctDisease, sctOnce, sctTwice       = rf2test.Concept(120), rf2test.Concept(121), rf2test.Concept(122)
	sctTwoSites, sctUngrouped, sctMixed = rf2test.Concept(123), rf2test.Concept(124), rf2test.Concept(125)
	sctRetired, sctRefset               = rf2test.Concept(140), rf2test.Concept(150)
	sctUnknown                          = rf2test.Concept(999)
)

const (
	sctSystem   = "http://snomed.info/sct"
	rf2testCore = rf2test.Core
	sctDate     = "20250101"
	sctEdition  = sctSystem + "/" + rf2test.Core + "/version/" + sctDate
)

// snomedRelease returns a release with role groups, an inactive concept and an inactive description,
// a reference set, and a module without a parent.
func snomedRelease(t testing.TB) *codesystem.Index {
	t.Helper()
	r := &rf2test.Release{}
	item := 0
	concept := func(code, name string, parents ...string) {
		item++
		r.Concept(item, code, sctDate, rf2test.Core, name, parents...)
	}
	concept(rf2test.Root, "SNOMED CT Concept")
	concept(rf2test.Core, "Core module") // without a parent, as in HL7's subset
	for _, code := range []string{rf2test.IsA, rf2test.FullName, rf2test.Synonym, rf2test.AmericanEnglish, rf2test.Preferred} {
		concept(code, "Metadata "+code, rf2test.Root)
	}
	concept(sctSite, "Finding site", rf2test.Root)
	concept(sctMorphology, "Associated morphology", rf2test.Root)
	concept(sctOrgan, "Organ", rf2test.Root)
	concept(sctLiver, "Liver", sctOrgan)
	concept(sctLobe, "Lobe of liver", sctLiver)
	concept(sctInflammation, "Inflammation", rf2test.Root)
	concept(sctDisease, "Disease", rf2test.Root)
	for code, name := range map[string]string{
		sctOnce: "Hepatitis", sctTwice: "Hepatitis twice", sctTwoSites: "Hepatitis of two sites",
		sctUngrouped: "Hepatitis without a group", sctMixed: "Hepatitis in a group and outside",
	} {
		concept(code, name, sctDisease)
	}
	concept(sctRefset, "Liver reference set", rf2test.Root)
	attributes := 0
	attribute := func(source, kind, target string, group int) {
		attributes++
		r.Add("relationship", rf2test.Relationship(90_000+attributes), sctDate, true, rf2test.Core, source, target, fmt.Sprint(group), kind, rf2test.Inferred, rf2test.Some)
	}
	attribute(sctOnce, sctSite, sctLiver, 1)
	attribute(sctOnce, sctMorphology, sctInflammation, 1)
	attribute(sctTwice, sctSite, sctLiver, 1)
	attribute(sctTwice, sctMorphology, sctInflammation, 1)
	attribute(sctTwice, sctSite, sctLiver, 2)
	attribute(sctTwoSites, sctSite, sctLiver, 1)
	attribute(sctTwoSites, sctSite, sctLobe, 1)
	attribute(sctUngrouped, sctSite, sctLobe, 0)
	attribute(sctMixed, sctSite, sctLiver, 0)
	attribute(sctMixed, sctSite, sctLiver, 1)
	r.Add("concept", sctRetired, sctDate, false, rf2test.Core, rf2test.Primitive)
	r.Name(800, sctRetired, sctDate, rf2test.Core, rf2test.Synonym, "Liver trouble")
	r.Add("description", rf2test.Description(7001), sctDate, false, rf2test.Core, sctOnce, "en", rf2test.Synonym, "Inflamed liver, NOS", rf2test.NoCase)
	r.Add("description", rf2test.Description(7002), sctDate, true, rf2test.Core, sctOnce, "en", rf2test.Synonym, "Inflamed liver", rf2test.NoCase)
	r.Add("language", rf2test.Member(7002), sctDate, true, rf2test.Core, rf2test.AmericanEnglish, rf2test.Description(7002), rf2test.Acceptable)
	r.Add("simple", rf2test.Member(7100), sctDate, true, rf2test.Core, sctRefset, sctOnce)
	r.Add("simple", rf2test.Member(7101), sctDate, true, rf2test.Core, sctRefset, sctRetired)

	var sink loadertest.Sink
	if err := rf2.Load(t.Context(), []string{r.Folder(t, rf2test.Snapshot, sctDate, "")}, rf2.Options{Options: loader.Options{}}, &sink); err != nil {
		t.Fatal(err)
	}
	return sink.One(t)
}

// newSnomedClient returns a client of a server with the release.
func newSnomedClient(t testing.TB) *client {
	t.Helper()
	c := newClient(t)
	if err := c.engine.Publish(engine.CodeSystemEntry(snomedRelease(t), "release")); err != nil {
		t.Fatal(err)
	}
	return c
}

// composed returns a value set of SNOMED CT as a parameter.
func composed(parts string) string {
	return `{"name":"valueSet","resource":{"resourceType":"ValueSet","url":"http://t.example/vs/sct","version":"5.0.0","status":"active","compose":` + parts + `}}`
}

// included returns a compose with one include by a filter.
func included(property, op, value string) string {
	return fmt.Sprintf(`{"include":[{"system":%q,"filter":[{"property":%q,"op":%q,"value":%q}]}]}`, sctSystem, property, op, value)
}

// expandSnomed expands a compose and returns the answer.
func (c *client) expandSnomed(compose string, more ...string) response {
	c.t.Helper()
	parameters := append([]string{`{"name":"count","valueInteger":1000}`, composed(compose)}, more...)
	return c.do("POST", "/ValueSet/$expand", withResources(strings.Join(parameters, ",")))
}

// codesOf returns the codes of an expansion, sorted.
func codesOf(t testing.TB, r response) []string {
	t.Helper()
	list, _ := at(r.want(t, 200), "expansion", "contains").([]any)
	codes := []string{}
	for _, entry := range list {
		codes = append(codes, at(entry, "code").(string))
	}
	slices.Sort(codes)
	return codes
}

// sorted returns a sorted copy of codes.
func sorted(codes ...string) []string {
	list := append([]string{}, codes...)
	slices.Sort(list)
	return list
}

// toldIssues returns the issues of an answer of $validate-code or of an OperationOutcome: severity,
// code, detail, message id, and the text.
func toldIssues(t testing.TB, r response) []string {
	t.Helper()
	doc := r.json(t)
	if doc["resourceType"] == "Parameters" {
		for _, p := range doc["parameter"].([]any) {
			if at(p, "name") == "issues" {
				doc = at(p, "resource").(map[string]any)
			}
		}
	}
	list, _ := doc["issue"].([]any)
	texts := []string{}
	for _, i := range list {
		id := ""
		extensions, _ := at(i, "extension").([]any)
		for _, e := range extensions {
			if at(e, "url") == "http://hl7.org/fhir/StructureDefinition/operationoutcome-message-id" {
				id, _ = at(e, "valueString").(string)
			}
		}
		texts = append(texts, fmt.Sprint(at(i, "severity"), " ", at(i, "code"), " ", at(i, "details", "coding", 0, "code"), " ", id, ": ", at(i, "details", "text")))
	}
	return texts
}

// validateSnomed validates a code against a compose.
func (c *client) validateSnomed(code, display, compose string, more ...string) response {
	c.t.Helper()
	parameters := []string{
		fmt.Sprintf(`{"name":"system","valueUri":%q}`, sctSystem), fmt.Sprintf(`{"name":"code","valueCode":%q}`, code), composed(compose),
	}
	if display != "" {
		parameters = append(parameters, fmt.Sprintf(`{"name":"display","valueString":%q}`, display))
	}
	return c.do("POST", "/ValueSet/$validate-code", withResources(strings.Join(append(parameters, more...), ",")))
}

// implicitURL returns the url of an implicit value set of SNOMED CT, escaped for a query.
func implicitURL(rest string) string { return url.QueryEscape(sctSystem + "?fhir_vs" + rest) }
