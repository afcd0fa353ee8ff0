package search

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// snomed is the system of an expression constraint that names none.
const snomed = "http://snomed.info/sct"

// values reads the values of a criterion, between commas.
func (p *parser) values(c *Criterion, target, value string) *Error {
	parts := []string{value}
	if c.Modifier != ECL { // an expression constraint has commas of its own, and OR
		parts = cut(value, ',')
	}
	if p.alternatives += len(parts); p.alternatives > maxAlternatives {
		return malformed("the search has more than %d values", maxAlternatives)
	}
	c.Alternatives = make([]Alternative, len(parts))
	for i, raw := range parts {
		if raw == "" {
			return malformed("there is nothing before, behind or between commas")
		}
		a := &c.Alternatives[i]
		a.Text, a.Param = raw, reading(c.Param, c.Modifier, raw)
		a.Kind = a.Param.Kind
		if why := p.value(a, c.Modifier, target); why != "" {
			return malformed("%q is malformed: %s", clip(raw), why)
		}
	}
	return nil
}

// value reads one value as its Kind and the modifier want it, and says why it can't be.
func (p *parser) value(a *Alternative, m Modifier, target string) string {
	if m == Missing {
		if a.Text != "true" && a.Text != "false" {
			return ":missing is true or false"
		}
		a.Missing = a.Text == "true"
		return ""
	}
	if m != Plain && !slices.Contains(Modifiers(a.Kind), m) {
		return "the modifier does not go with this form of value"
	}
	switch a.Kind {
	case definitions.Token:
		return parseToken(a, m)
	case definitions.String:
		a.Target = unescape(a.Text)
		a.Folded = index.Fold(a.Target)
	case definitions.URI:
		a.Target = unescape(a.Text)
	case definitions.Date:
		return p.date(a)
	case definitions.Number:
		var text string
		var err error
		a.Prefix, text = index.CutPrefix(a.Text)
		if a.Number, err = index.NumberAsked(a.Prefix, text); err != nil {
			return "a number is wanted, such as 100, 5.40 or gt1e-3"
		}
	case definitions.Quantity:
		return p.quantity(a)
	case definitions.Reference:
		if m == Identifier {
			return parseToken(a, Plain)
		}
		return p.reference(a, target)
	case definitions.Composite:
		return p.composite(a)
	case definitions.Special:
		return parseNear(a)
	}
	return ""
}

// composite reads the parts of a value between dollars.
func (p *parser) composite(a *Alternative) string {
	parts := cut(a.Text, '$')
	if len(parts) != len(a.Param.Components) {
		codes := make([]string, len(a.Param.Components))
		for i, c := range a.Param.Components {
			codes[i] = c.Param.Code
		}
		return "its parts are " + strings.Join(codes, "$")
	}
	a.Parts = make([]Alternative, len(parts))
	for i, raw := range parts {
		part := &a.Parts[i]
		part.Text, part.Param = raw, a.Param.Components[i].Param
		part.Kind = part.Param.Kind
		if raw == "" {
			return "a part is empty"
		}
		if part.Kind == definitions.Composite {
			return "a part is composite"
		}
		if why := p.value(part, Plain, ""); why != "" {
			return why
		}
	}
	return ""
}

// parseToken reads a token (https://hl7.org/fhir/R4/search.html#token) or what its modifier
// wants instead.
func parseToken(a *Alternative, m Modifier) string {
	switch m {
	case Text, In, NotIn:
		a.Target = unescape(a.Text)
		a.Folded = index.Fold(a.Target)
		return ""
	case ECL:
		a.Token.System, a.Target = snomed, a.Text
		// An expression has bars around terms; a system stands before the first, and is a uri.
		if system, expression, found := strings.Cut(a.Text, "|"); found && isURI(system) {
			a.Token.System, a.Target = system, expression
		}
		return ""
	}
	parts := cut(a.Text, '|')
	if m == OfType {
		if len(parts) != 3 || parts[1] == "" || parts[2] == "" {
			return ":of-type is written type-system|type-code|value"
		}
		a.Token = Token{System: unescape(parts[0]), Code: unescape(parts[1])}
		a.Target = unescape(parts[2])
		return ""
	}
	switch {
	case len(parts) == 1:
		a.Token = Token{Code: unescape(parts[0]), AnySystem: true}
	case len(parts) > 2:
		return "a token is code, system|code, |code or system|"
	default:
		a.Token = Token{System: unescape(parts[0]), Code: unescape(parts[1]), AnyCode: parts[1] == ""}
		if parts[0] == "" && parts[1] == "" {
			return "a token is code, system|code, |code or system|"
		}
	}
	if (m == Below || m == Above) && (a.Token.System == "" || a.Token.Code == "") {
		return "the hierarchy is that of a code system: system|code"
	}
	return ""
}

// isURI reports that a text has the form of an absolute uri: a scheme, and no blanks.
func isURI(s string) bool {
	scheme, rest, found := strings.Cut(s, ":")
	if !found || scheme == "" || rest == "" || strings.ContainsAny(s, " \t\r\n<>\"") {
		return false
	}
	for i, c := range []byte(scheme) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		other := i > 0 && ('0' <= c && c <= '9' || strings.IndexByte("+-.", c) >= 0)
		if !letter && !other {
			return false
		}
	}
	return true
}
