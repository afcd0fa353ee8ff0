package search

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// modifierNames are the modifiers as written in a request.
var modifierNames = [...]string{
	Missing: "missing", Exact: "exact", Contains: "contains", Text: "text", Not: "not", In: "in",
	NotIn: "not-in", Below: "below", Above: "above", OfType: "of-type", Identifier: "identifier", ECL: "ecl",
}

// String returns the modifier as written: "below", or "" for Plain.
func (m Modifier) String() string {
	if int(m) < len(modifierNames) {
		return modifierNames[m]
	}
	return ""
}

// Modifiers returns the modifiers of parameters of a kind. References also take a type.
func Modifiers(kind definitions.ParamKind) []Modifier {
	switch kind {
	case definitions.Token:
		return []Modifier{Missing, Text, Not, In, NotIn, Below, Above, OfType, ECL}
	case definitions.String:
		return []Modifier{Missing, Exact, Contains}
	case definitions.URI:
		return []Modifier{Missing, Below, Above}
	case definitions.Reference:
		return []Modifier{Missing, Identifier, Below, Above}
	default:
		return []Modifier{Missing}
	}
}

// modifier parses what follows the colon of a parameter: a modifier, or the target type of a
// reference.
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
	return Plain, "", malformed("%s is of type %s, which has the modifiers %s, but not %q", param.Code, param.Kind, list(known), clip(name))
}

// reading returns the parameter that a value is for: param, or its Alternative.
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

// snomed is the default system of an expression constraint.
const snomed = "http://snomed.info/sct"

// values parses the comma-separated values of a criterion.
func (p *parser) values(c *Criterion, target, value string) *Error {
	parts := []string{value}
	if c.Modifier != ECL { // an expression constraint contains commas, and has OR
		parts = cut(value, ',')
	}
	if p.alternatives += len(parts); p.alternatives > maxAlternatives {
		return malformed("the search has more than %d values", maxAlternatives)
	}
	c.Alternatives = make([]Alternative, len(parts))
	for i, raw := range parts {
		if raw == "" {
			return malformed("there is an empty value before, after or between commas")
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

// value parses one value as its Kind and the modifier require. It returns the problem, "" if there
// is none.
func (p *parser) value(a *Alternative, m Modifier, target string) string {
	if m == Missing {
		if a.Text != "true" && a.Text != "false" {
			return "expected true or false after :missing"
		}
		a.Missing = a.Text == "true"
		return ""
	}
	if m != Plain && !slices.Contains(Modifiers(a.Kind), m) {
		return "the modifier cannot be used with a value of this form"
	}
	switch a.Kind {
	case definitions.Token:
		return parseToken(a, m)
	case definitions.String:
		a.Target = unescape(a.Text)
		a.Folded, a.Spaced = index.Fold(a.Target), index.Spaced(a.Target)
	case definitions.URI:
		a.Target = unescape(a.Text)
	case definitions.Date:
		return p.date(a)
	case definitions.Number:
		var text string
		var err error
		a.Prefix, text = index.CutPrefix(a.Text)
		if a.Number, err = index.NumberAsked(a.Prefix, text); err != nil {
			return "expected a number such as 100, 5.40 or gt1e-3"
		}
	case definitions.Quantity:
		return p.quantity(a)
	case definitions.Reference:
		if m == Identifier {
			return parseToken(a, Plain)
		}
		if why := p.reference(a, target); why != "" || m == Plain {
			return why
		}
		return p.hierarchy(a)
	case definitions.Composite:
		return p.composite(a)
	case definitions.Special:
		return parseNear(a)
	}
	return ""
}

// composite parses the parts of a value between dollar signs.
func (p *parser) composite(a *Alternative) string {
	parts := cut(a.Text, '$')
	if len(parts) != len(a.Param.Components) {
		codes := make([]string, len(a.Param.Components))
		for i, c := range a.Param.Components {
			codes[i] = c.Param.Code
		}
		return "expected the parts " + strings.Join(codes, "$")
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
			return "a part cannot be composite"
		}
		if why := p.value(part, Plain, ""); why != "" {
			return why
		}
	}
	return ""
}

// parseToken parses a token (https://hl7.org/fhir/R4/search.html#token), or what its modifier takes
// instead.
func parseToken(a *Alternative, m Modifier) string {
	switch m {
	case Text, In, NotIn:
		a.Target = unescape(a.Text)
		a.Folded = index.Fold(a.Target)
		return ""
	case ECL:
		a.Token.System, a.Target = snomed, a.Text
		// An expression has bars around terms. Only a URI before the first bar is a system.
		if system, expression, found := strings.Cut(a.Text, "|"); found && isURI(system) {
			a.Token.System, a.Target = system, expression
		}
		return ""
	}
	parts := cut(a.Text, '|')
	if m == OfType {
		if len(parts) != 3 || parts[1] == "" || parts[2] == "" {
			return "expected type-system|type-code|value"
		}
		a.Token = Token{System: unescape(parts[0]), Code: unescape(parts[1])}
		a.Target = unescape(parts[2])
		return ""
	}
	switch {
	case len(parts) == 1:
		a.Token = Token{Code: unescape(parts[0]), AnySystem: true}
	case len(parts) > 2:
		return "expected code, system|code, |code or system|"
	default:
		a.Token = Token{System: unescape(parts[0]), Code: unescape(parts[1]), AnyCode: parts[1] == ""}
		if parts[0] == "" && parts[1] == "" {
			return "expected code, system|code, |code or system|"
		}
	}
	if (m == Below || m == Above) && (a.Token.System == "" || a.Token.Code == "") {
		return "expected system|code: the hierarchy depends on the code system"
	}
	return ""
}

// isURI reports whether a text has the form of an absolute URI: a scheme, and no white space.
func isURI(s string) bool {
	scheme, rest, _ := strings.Cut(s, ":")
	if scheme == "" || rest == "" || strings.ContainsAny(s, " \t\r\n<>\"") {
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

// date parses a date with its prefix (https://hl7.org/fhir/R4/search.html#date). Without a time
// zone it is in UTC. A + that was decoded to a blank is accepted.
func (p *parser) date(a *Alternative) string {
	prefix, text := index.CutPrefix(a.Text)
	if i := strings.LastIndexByte(text, ' '); i > len("2006-01-02T") {
		text = text[:i] + "+" + text[i+1:]
	}
	asked, err := index.DateAsked(prefix, text, p.options.Now)
	if err != nil {
		return "expected a date such as 2024, 2024-05, ge2024-05-17 or 2024-05-17T10:30:00Z"
	}
	a.Prefix, a.Time = prefix, asked
	return ""
}

// quantity parses number, number|system|code or number||code
// (https://hl7.org/fhir/R4/search.html#quantity).
func (p *parser) quantity(a *Alternative) string {
	const form = "expected number, number|system|code or number||code, such as 5.4|http://unitsofmeasure.org|mg"
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

// reference parses id, Type/id, Type/id/_history/version, or a URL
// (https://hl7.org/fhir/R4/search.html#reference).
func (p *parser) reference(a *Alternative, target string) string {
	text := unescape(a.Text)
	for _, base := range p.options.Bases {
		if rest, is := strings.CutPrefix(text, base); is && base != "" && strings.HasPrefix(rest, "/") && p.local(rest[1:]) {
			text = rest[1:]
			break
		}
	}
	r := &a.Reference
	r.Bases = p.options.Bases
	switch {
	case isURI(text):
		if target != "" {
			return "after a type, expected an id, as in subject:Patient=1"
		}
		r.URL, r.Version, _ = strings.Cut(text, "|")
		if r.URL == "" || strings.Contains(r.Version, "|") {
			return "expected url or url|version"
		}
		return ""
	case p.local(text):
		parts := strings.Split(text, "/")
		r.Key = index.Key{Type: parts[0], ID: parts[1]}
		if len(parts) == 4 {
			r.Version = parts[3]
		}
		if target != "" && target != r.Key.Type {
			return "the reference is of another type than :" + target
		}
		return ""
	case !r4.ValidID(text):
		return "expected id, Type/id or a url"
	}
	r.Key.ID = text
	switch {
	case target != "":
		r.Key.Type = target
	case len(a.Param.Targets) == 1:
		r.Key.Type = a.Param.Targets[0]
	case a.Param.Targets == nil:
		r.Types = p.tables.Resources()
	default:
		r.Types = slices.Clone(a.Param.Targets)
	}
	return ""
}

// local reports whether a text is Type/id or Type/id/_history/version.
func (p *parser) local(text string) bool {
	parts := strings.Split(text, "/")
	switch {
	case len(parts) == 4:
		if parts[2] != "_history" || !r4.ValidID(parts[3]) {
			return false
		}
	case len(parts) != 2:
		return false
	}
	return p.tables.IsResource(parts[0]) && r4.ValidID(parts[1])
}

// cut splits a value at each sep that is not escaped by a backslash. It keeps the escapes
// (https://hl7.org/fhir/R4/search.html#escaping).
func cut(s string, sep byte) []string {
	var parts []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case sep:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// holds reports whether a value contains a character that is not escaped.
func holds(s string, c byte) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case c:
			return true
		}
	}
	return false
}

var escapes = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `$`, `\$`, `|`, `\|`)

// Escape returns a text as a value of a search parameter that means the text (R4 search.html#escaping).
func Escape(text string) string { return escapes.Replace(text) }

// unescape removes the backslash before a comma, dollar sign, bar or backslash. Any other backslash
// stays.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`,$|\`, s[i+1]) >= 0 {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}
