package search

import "github.com/roget-health/roget/resources/index"

// quantity reads number, number|system|code or number||code (https://hl7.org/fhir/R4/search.html#quantity).
func (p *parser) quantity(a *Alternative) string {
	const form = "a quantity is number, number|system|code or number||code, such as 5.4|http://unitsofmeasure.org|mg"
	parts := cut(a.Text, '|')
	if len(parts) == 2 || len(parts) > 3 {
		return form
	}
	var text string
	var err error
	a.Prefix, text = index.CutPrefix(parts[0])
	if a.Number, err = index.NumberAsked(a.Prefix, text); err != nil {
		return form
	}
	if len(parts) == 1 {
		return ""
	}
	a.Unit = Unit{System: unescape(parts[1]), Code: unescape(parts[2])}
	switch {
	case a.Unit.Code == "" && a.Unit.System == "":
		return form
	case a.Unit.System == index.UCUM && a.Unit.Code != "":
		a.Unit.Canonical, a.Unit.CanonicalUnit, err = p.extractor.QuantityAsked(a.Prefix, text, a.Unit.Code)
		if err != nil {
			return form
		}
	}
	return ""
}
