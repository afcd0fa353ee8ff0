package profile

import (
	"fmt"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/validate"
)

// rule checks a constraint.
func (w *walk) rule(p *place, n *node, r *rule) {
	if r.expression == nil {
		w.unchecked(p, n, r, r.problem)
		return
	}
	w.enter(p)
	w.asked = ""
	var err error
	w.items, err = w.scope.Evaluate(w.items[:0], r.expression, fhirpath.Item{Value: p.value, Type: p.typ, Element: p.element})
	switch {
	case err != nil:
		w.unchecked(p, n, r, err.Error())
		return
	case len(w.items) == 1 && (w.items[0].Kind() != document.Bool || w.items[0].Text() == "true"):
		return
	case w.asked != "":
		w.unchecked(p, n, r, w.asked+" is not known")
		return
	}
	severity := validate.Error
	if r.severity == "warning" {
		severity = validate.Warning
	}
	w.report(severity, validate.CodeInvariant, p, "", n, "%s: %.300s", r.key, r.human)
}

// unchecked reports, once, that a constraint is not checked.
func (w *walk) unchecked(p *place, n *node, r *rule, problem string) {
	w.warnOnce("rule "+n.id+" "+r.key, codeUnable, p, n, "the constraint %s is not checked: %s", r.key, problem)
}

// enter sets the resources that constraints of a place see: %resource and %rootResource.
func (w *walk) enter(p *place) {
	w.scope.Reset(p.container().value)
	w.scope.Enter(p.resource().value)
}

// answer is fhirpath.Ask: whether a code is in a value set, and whether a value conforms to a
// profile.
func (w *walk) answer(function string, item, argument fhirpath.Item) (yes, known bool) {
	switch name := argument.Text(); {
	case function == "memberOf" && item.Type != nil:
		yes, known = w.memberOf(item.Value, item.Type, name)
	case function == "conformsTo" && item.Type != nil && item.Value.Exists():
		d, err := w.lookup(name)
		if known = err == nil; known {
			scope, items, asked := w.scope, w.items, w.asked // those of the constraint that asks
			w.scope, w.items = fhirpath.NewScope(w.c.tables), nil
			w.scope.Answer(w.answer)
			yes = w.conforms(&place{value: item.Value, typ: item.Type, index: -1}, d) == ""
			w.scope, w.items, w.asked = scope, items, asked
		}
	}
	if !known {
		w.asked = fmt.Sprintf("%s('%.300s')", function, argument.Text())
	}
	return yes, known
}
