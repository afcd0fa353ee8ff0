package search

import (
	"slices"

	"github.com/roget-health/roget/resources/definitions"
)

// modifierNames are the modifiers as they are written, by number.
var modifierNames = [...]string{
	Missing: "missing", Exact: "exact", Contains: "contains", Text: "text", Not: "not", In: "in",
	NotIn: "not-in", Below: "below", Above: "above", OfType: "of-type", Identifier: "identifier", ECL: "ecl",
}

// String returns the modifier as it is written: "below"; "" for Plain.
func (m Modifier) String() string {
	if int(m) < len(modifierNames) {
		return modifierNames[m]
	}
	return ""
}

// Modifiers returns the modifiers that parameters of a kind know, besides the type of a
// reference.
func Modifiers(kind definitions.ParamKind) []Modifier {
	switch kind {
	case definitions.Token:
		return []Modifier{Missing, Text, Not, In, NotIn, Below, Above, OfType, ECL}
	case definitions.String:
		return []Modifier{Missing, Exact, Contains}
	case definitions.URI:
		return []Modifier{Missing, Below, Above}
	case definitions.Reference:
		return []Modifier{Missing, Identifier}
	default:
		return []Modifier{Missing}
	}
}

// modifier reads what follows the colon of a parameter: a modifier, or the type that a
// reference leads to.
func (p *parser) modifier(param *definitions.SearchParam, name string) (m Modifier, target string, err *Error) {
	kinds := []definitions.ParamKind{param.Kind}
	if param.Alternative != nil {
		kinds = append(kinds, param.Alternative.Kind)
	}
	var known []string
	for _, kind := range kinds {
		for _, m := range Modifiers(kind) {
			if modifierNames[m] == name {
				return m, "", nil
			}
			known = append(known, modifierNames[m])
		}
	}
	if param.Kind == definitions.Reference && (p.tables.IsResource(name) || !slices.Contains(modifierNames[:], name)) {
		return Plain, name, p.targetType(param, name)
	}
	return Plain, "", malformed("%s is of type %s, which knows the modifiers %s, not %q", param.Code, param.Kind, list(known), clip(name))
}

// reading returns the parameter that is meant by a value: param, or its Alternative.
func reading(param *definitions.SearchParam, m Modifier, raw string) *definitions.SearchParam {
	other := param.Alternative
	if other == nil || m == Missing {
		return param
	}
	means := false
	switch {
	case other.Kind == definitions.Composite:
		means = holds(raw, '$')
	case param.Kind == definitions.Composite:
		means = !holds(raw, '$')
	case other.Kind == definitions.Token && param.Kind == definitions.String:
		means = holds(raw, '|') || m != Plain && !slices.Contains(Modifiers(param.Kind), m)
	}
	if means {
		return other
	}
	return param
}
