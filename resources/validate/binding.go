package validate

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// concept checks a Coding or CodeableConcept against its binding: one of the codings must be in the
// list.
func (w *walker) concept(e *definitions.Element, v document.Value) {
	if e.TypeCode == "Coding" {
		if !w.has(e.Binding, v) {
			w.report(Error, CodeInvalidCode, v, "the code must be one of %s", listed(e.Binding))
		}
		return
	}
	for coding := range v.Get("coding").Items() {
		if w.has(e.Binding, coding) {
			return
		}
	}
	w.report(Error, CodeInvalidCode, v, "one of the codings must be one of %s", listed(e.Binding))
}

// has reports whether a coding is in a list. Strict requires its system.
func (w *walker) has(list *definitions.CodeList, coding document.Value) bool {
	system := coding.Get("system").Text()
	return (system != "" || !w.strict) && list.ContainsCoding(system, coding.Get("code").Text())
}

// listed lists the codes of a list, or names the list if it is long.
func listed(list *definitions.CodeList) string {
	const limit = 24
	if codes := list.Codes(); len(codes) <= limit {
		return strings.Join(codes, ", ")
	}
	return "the codes of " + list.URL
}

// Codes returns the codes of a value set, or an error if they are not known.
type Codes func(valueSet string) (r4.Codes, error)

// WithCodes checks the bindings whose codes the definitions do not list: required ones, such as those
// to currencies and media types, refuse other codes, and extensible ones warn of them. Units of UCUM
// that do not exist are a warning, or an error by Strict. What f does not know is not checked.
func WithCodes(f Codes) Option { return func(v *Validator) { v.codes = f } }

const (
	ucum      = "http://unitsofmeasure.org"
	ucumUnits = "http://hl7.org/fhir/ValueSet/ucum-units"
)

// systemOf returns the system of the codes in an element without one, by its value set.
func systemOf(valueSet string) string {
	switch valueSet {
	case "http://hl7.org/fhir/ValueSet/currencies":
		return "urn:iso:std:iso:4217"
	case "http://hl7.org/fhir/ValueSet/mimetypes":
		return "urn:ietf:bcp:13"
	case ucumUnits:
		return ucum
	}
	return ""
}

// known returns the codes of a value set, nil if they are not known.
func (w *walker) known(valueSet string) r4.Codes {
	if w.v.codes == nil || valueSet == "" {
		return nil
	}
	codes, err := w.v.codes(valueSet)
	if err != nil || codes.Len() == 0 {
		return nil
	}
	return codes
}

// bound checks a code, Coding or CodeableConcept against the value set of its element.
func (w *walker) bound(e *definitions.Element, v document.Value) {
	codes := w.known(e.ValueSet)
	if codes == nil {
		return
	}
	var list []document.Value
	switch {
	case v.Kind() == document.String:
		if system := systemOf(e.ValueSet); system != "" && !codes.Contains(system, v.Text()) {
			w.report(Error, CodeInvalidCode, v, "%.60q is not in %s", v.Text(), e.ValueSet)
		}
		return
	case e.TypeCode == "Coding":
		list = []document.Value{v}
	case e.TypeCode == "CodeableConcept":
		list = slices.Collect(v.Get("coding").Items())
	}
	named := false
	for _, coding := range list {
		system, code := coding.Get("system").Text(), coding.Get("code").Text()
		if system == "" || code == "" {
			return // it cannot be told
		}
		if codes.Contains(system, code) {
			return
		}
		named = true
	}
	switch {
	case named && e.Extensible:
		w.report(Warning, CodeInvalidCode, v, "the code is not in %s; use another only if none of its codes fits", e.ValueSet)
	case named:
		w.report(Error, CodeInvalidCode, v, "the code is not in %s", e.ValueSet)
	}
}

// quantityRule refuses or warns of units that UCUM does not have, and of other unknown codes.
func quantityRule(w *walker, v document.Value) {
	code := v.Get("code")
	if w.system(v); code.Kind() != document.String {
		return
	}
	if !v.Get("system").Is(ucum) {
		w.code(v)
		return
	}
	if codes := w.known(ucumUnits); codes != nil && !codes.Contains(ucum, code.Text()) {
		w.reportAt(w.tolerated(), CodeInvalidCode, code, "code", "%.60q is not a unit of UCUM", code.Text())
	}
}
