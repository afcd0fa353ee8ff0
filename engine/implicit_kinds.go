package engine

import (
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// implicitMark is what urls of the kinds that every code system has go on with.
const implicitMark = "?fhir_vs"

const (
	urlLOINC  = "http://loinc.org"
	urlRxNorm = "http://www.nlm.nih.gov/research/umls/rxnorm"
)

// constraintMark is followed by an expression constraint.
const constraintMark = implicitMark + "=ecl/"

// splitConstraint splits url|version of a value set that an expression constraint stands
// for. One that is not percent-encoded may have terms, each in a pair of |. ok is false for any
// other url.
func splitConstraint(canonical string) (url, version string, ok bool) {
	at := strings.Index(canonical, constraintMark)
	if at < 0 {
		return "", "", false
	}
	if bars := strings.Count(canonical[at:], "|"); bars%2 == 0 {
		return canonical, "", true
	}
	bar := strings.LastIndexByte(canonical, '|')
	return canonical[:bar], canonical[bar+1:], true
}

// implicitKinds is the table of implicit value sets: those of SNOMED CT, which are
// understood for every code system (R4 snomedct.html#implicit), then those of LOINC and
// RxNorm. The first row is also that of CodeSystem.valueSet.
var implicitKinds = [...]implicitKind{
	{suffix: implicitMark, define: everyCode},
	{suffix: implicitMark + "=isa/", argument: "CODE", define: codeAndBelow},
	{suffix: implicitMark + "=refset", define: referenceSets},
	{suffix: implicitMark + "=refset/", argument: "CODE", define: membersOf},
	{suffix: constraintMark, argument: "ECL", define: constrained},
	{base: urlLOINC, suffix: "/vs", define: everyCode},
	{base: urlLOINC, suffix: "/vs/", argument: "CODE", define: ofLOINC},
	{base: urlRxNorm, suffix: "/vs", define: everyCode},
}

// implicitForms lists the forms of the table that every code system has.
func implicitForms() string {
	var forms []string
	for i := range implicitKinds {
		if k := &implicitKinds[i]; k.base == "" {
			forms = append(forms, k.form())
		}
	}
	return strings.Join(forms, ", ")
}

// everyCode selects all codes of the code system.
func everyCode(im *implicitSet, _ *r4.Include) (string, error) {
	return "All codes of " + nameOf(&im.system.Header), nil
}

// codeAndBelow selects a code and everything below it.
func codeAndBelow(im *implicitSet, include *r4.Include) (string, error) {
	include.Filter = []r4.Filter{{Property: "concept", Op: "is-a", Value: im.argument}}
	return im.argument + " and what is below it in " + nameOf(&im.system.Header), nil
}

// constrained selects the codes that an expression constraint does.
func constrained(im *implicitSet, include *r4.Include) (string, error) {
	include.Filter = []r4.Filter{{Property: "constraint", Op: "=", Value: im.argument}}
	return "Codes of " + nameOf(&im.system.Header) + " that fit " + im.argument, nil
}
