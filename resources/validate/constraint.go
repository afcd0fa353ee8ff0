package validate

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// A constraint is a rule of R4 that is evaluated as FHIRPath.
type constraint struct {
	definitions.Constraint
	expression *fhirpath.Expression
}

// constraints are those of a version of FHIR, by the type of their values, or by their element.
type constraints struct {
	types    map[*definitions.Type][]*constraint
	elements map[*definitions.Element][]*constraint
	known    map[string]*constraint // by key
}

// written are the constraints that are written in Go: by walk.go, reference.go, narrative.go and
// rules.go.
var written = map[string]bool{"ele-1": true, "ref-1": true, "dom-3": true, "txt-1": true, "txt-2": true, "csd-1": true}

// corrected are the expressions that replace those of R4 which do not say what the text of the
// constraint says, by key (see docs/decisions/0026-validation.md).
var corrected = map[string]string{
	"bdl-8":  "fullUrl.exists() implies fullUrl.contains('/_history/').not()",
	"con-3":  "clinicalStatus.exists() or verificationStatus.coding.where(system = 'http://terminology.hl7.org/CodeSystem/condition-ver-status' and code = 'entered-in-error').exists() or category.coding.where(system = 'http://terminology.hl7.org/CodeSystem/condition-category' and code = 'problem-list-item').empty()",
	"eld-19": `path.matches('^[^\\s\\.,:;\\\'"\\/|?!@#$%&*()\\[\\]{}]{1,64}(\\.[^\\s\\.,:;\\\'"\\/|?!@#$%&*()\\[\\]{}]{1,64}(\\[x\\])?(\\:[^\\s\\.]+)?)*$')`,
	"eld-20": `path.matches('^[A-Za-z][A-Za-z0-9]*(\\.[a-z][A-Za-z0-9]*(\\[x\\])?)*$')`,
	"opd-3":  "targetProfile.exists() implies (type = 'Reference' or type = 'canonical' or type.memberOf(%`vs-resource-types`))",
	"que-12": "enableWhen.count() > 1 implies enableBehavior.exists()",
	"ras-2":  "probability.empty() or (probability is decimal implies (probability as decimal) <= 100)",
	"tim-9":  "offset.empty() or (when.exists() and when.select($this in ('C' | 'CM' | 'CD' | 'CV')).allFalse())",
}

// constraintsOf compiles the constraints of a version of FHIR. A version without constraints has
// those of R4 on extensions.
func constraintsOf(t *definitions.Tables) *constraints {
	all := &constraints{
		types: map[*definitions.Type][]*constraint{}, elements: map[*definitions.Element][]*constraint{}, known: map[string]*constraint{},
	}
	list := t.Constraints()
	if list == nil {
		for _, c := range definitions.R4().Constraints() {
			if c.Path == "Extension" {
				list = append(list, c)
			}
		}
	}
	by := map[string][]*constraint{}
	for _, c := range list {
		if text, found := corrected[c.Key]; found {
			c.Expression = text
		} else if strings.HasPrefix(c.Expression, "name.matches('[A-Z]") {
			c.Expression = "name.exists() implies name.matches('^[A-Z]([A-Za-z0-9_]){0,254}$')"
		}
		one := &constraint{Constraint: c}
		all.known[c.Key] = one
		if written[c.Key] {
			continue
		}
		e, err := fhirpath.Compile(c.Expression)
		if err != nil {
			continue // TestConstraints compiles them all
		}
		one.expression = e
		if t.Type(c.Path) != nil {
			by[c.Path] = append(by[c.Path], one)
			continue
		}
		typ, name, _ := cutLast(c.Path)
		for _, e := range elementsOf(t.Type(typ), name) {
			all.elements[e] = append(all.elements[e], one)
		}
	}
	for typ := range t.AllTypes() {
		for base := typ; base != nil; base = t.Type(base.Base) {
			all.types[typ] = append(all.types[typ], by[base.Name]...)
		}
	}
	return all
}

// elementsOf returns the elements of a type with a name, more than one for a choice.
func elementsOf(t *definitions.Type, name string) []*definitions.Element {
	var list []*definitions.Element
	for _, e := range t.Elements {
		if e.Name == name {
			list = append(list, e)
		}
	}
	return list
}

func cutLast(path string) (parent, name string, found bool) {
	at := strings.LastIndexByte(path, '.')
	return path[:max(at, 0)], path[at+1:], at >= 0
}

// constraint evaluates a constraint on an item at the current place. It is violated unless its result
// is true.
func (w *walker) constraint(c *constraint, item fhirpath.Item) {
	if strings.HasPrefix(c.Key, "dom-") {
		if c.Key == "dom-6" && w.inside || c.Key != "dom-6" && !item.Value.Get("contained").Exists() {
			return // nothing to evaluate
		}
	}
	var err error
	w.items, err = w.scope.Evaluate(w.items[:0], c.expression, item)
	switch {
	case err != nil && !w.failed: // otherwise it is a consequence
		w.report(Warning, CodeInvariant, item.Value, "%s cannot be evaluated: %v", c.Key, err)
	case err == nil && (len(w.items) != 1 || w.items[0].Kind() == document.Bool && w.items[0].Text() != "true"):
		w.violated(c.Key, item.Value)
	}
}

// violated reports a violation of a constraint at the current place.
func (w *walker) violated(key string, v document.Value) {
	severity, text := Error, ""
	if c := w.rules.known[key]; c != nil {
		text = strings.TrimRight(c.Human, ". ")
		if c.Warning {
			severity = Warning
		}
	}
	w.report(severity, CodeInvariant, v, "%s: %s", key, text)
}

// answer is fhirpath.Ask for what constraints ask: whether a code is the name of a resource type.
func (w *walker) answer(function string, item, argument fhirpath.Item) (yes, known bool) {
	if function != "memberOf" || argument.Text() != "http://hl7.org/fhir/ValueSet/resource-types" {
		return false, false
	}
	return w.v.tables.IsResource(item.Text()), true
}
