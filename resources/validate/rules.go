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
		"Extension":                         extensionRule,
		"Reference":                         (*walker).reference,
		"Narrative":                         narrativeRule,
		"QuestionnaireResponse.item":        itemRule,
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
	warned            // reported as a warning
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

// extensionRule is ext-1: an extension has either a value or extensions.
func extensionRule(w *walker, v document.Value) {
	nested := v.Get("extension").Exists()
	value := false
	for m := range v.Members() {
		if name := m.Name(); len(name) > 5 && (name[:5] == "value" || name[:6] == "_value") {
			value = true
		}
	}
	switch {
	case nested && value:
		w.report(Error, CodeInvariant, v, "an extension must not have both a value and extensions")
	case !nested && !value:
		w.report(Error, CodeInvariant, v, "an extension must have a value or extensions")
	}
}

// itemRule is qrs-1: if an item has an answer, nested items belong into the answer.
func itemRule(w *walker, v document.Value) {
	if v.Get("answer").Exists() && v.Get("item").Exists() {
		w.report(Error, CodeInvariant, v, "an item must not have both answers and items; nested items belong into the answer")
	}
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
