package validate

import (
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// rule checks a rule about several elements of an object.
type rule func(w *walker, v document.Value)

// rulesOf returns the rules by type.
func rulesOf(t *definitions.Tables) map[*definitions.Type]rule {
	rules := map[*definitions.Type]rule{}
	for name, r := range map[string]rule{
		"Reference":                         (*walker).reference,
		"Narrative":                         narrativeRule,
		"CodeSystem":                        codesRule,
		"Quantity":                          quantityRule,
		"Coding":                            codingRule,
		"Identifier":                        identifierRule,
		"Bundle.entry":                      entryRule,
		"QuestionnaireResponse.item.answer": answerRule,
	} {
		if typ := t.Type(name); typ != nil {
			rules[typ] = r
		}
	}
	return rules
}

// elementRulesOf returns the rules by element.
func elementRulesOf(t *definitions.Tables) map[*definitions.Element]rule {
	rules := map[*definitions.Element]rule{}
	if typ := t.Type("Encounter"); typ != nil {
		rules[typ.Element("class")] = encounterClass
	}
	return rules
}

// tolerance is what happens if a required element is missing.
type tolerance uint8

const (
	refused tolerance = iota
	warned            // reported as a warning, or an error by Strict
	waived            // not reported
)

// tolerancesOf returns the elements that may be missing although R4 requires them: a CodeSystem
// without content counts as complete, and an example of R4 has items without linkId.
func tolerancesOf(t *definitions.Tables) map[*definitions.Element]tolerance {
	elements := map[*definitions.Element]tolerance{}
	for _, of := range []struct {
		typ, name string
		as        tolerance
	}{
		{"CodeSystem", "content", waived},
		{"Questionnaire.item", "linkId", warned},
	} {
		if typ := t.Type(of.typ); typ != nil {
			elements[typ.Element(of.name)] = of.as
		}
	}
	return elements
}

// answerRule requires a value in each answer. The rule about choices reports two values.
func answerRule(w *walker, v document.Value) {
	t := w.v.tables.Type("QuestionnaireResponse.item.answer")
	for _, e := range t.Choices("value[x]") {
		if v.Get(e.JSON).Exists() || e.Type.Kind == definitions.PrimitiveType && v.Get("_"+e.JSON).Exists() {
			return
		}
	}
	w.missing(v, t.Choices("value[x]")[0])
}

const actCode = "http://terminology.hl7.org/CodeSystem/v3-ActCode"

// encounterClasses are the classes of encounters of HL7 V3. R4 allows other systems with other
// classes.
var encounterClasses = [...]string{"AMB", "EMER", "FLD", "HH", "IMP", "ACUTE", "NONAC", "OBSENC", "PRENC", "SS", "VR"}

// encounterClass checks codes without a system, and those of V3.
func encounterClass(w *walker, v document.Value) {
	code, system := v.Get("code"), v.Get("system")
	if code.Kind() != document.String || system.Exists() && !system.Is(actCode) {
		return
	}
	for _, class := range encounterClasses {
		if code.Is(class) {
			return
		}
	}
	w.reportAt(Error, CodeInvalidCode, code, "code", "%.40q is not one of AMB, EMER, FLD, HH, IMP, ACUTE, NONAC, OBSENC, PRENC, SS, VR", code.Text())
}

// codesRule is csd-1: each code is defined once. It is written in Go because code systems are large.
func codesRule(w *walker, v document.Value) {
	seen := map[string]bool{}
	var once func(list document.Value) bool
	once = func(list document.Value) bool {
		for concept := range list.Items() {
			code := concept.Get("code").Text()
			if code != "" && seen[code] {
				w.report(Error, CodeDuplicate, concept, "csd-1: the code %.60q is defined twice", code)
				return false
			}
			seen[code] = true
			if !once(concept.Get("concept")) {
				return false
			}
		}
		return true
	}
	once(v.Get("concept"))
}
