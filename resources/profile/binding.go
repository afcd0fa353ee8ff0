package profile

import (
	"errors"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// maxPlain is the number of codes of a value set up to which a code without a system is looked for
// among all of them.
const maxPlain = 200_000

var errNoTerminology = errors.New("there is no terminology")

// bound checks a binding: required ones must have a code of the value set, and extensible ones
// should.
func (w *walk) bound(p *place, n *node) {
	severity := validate.Error
	switch n.binding.strength {
	case "required":
	case "extensible":
		severity = validate.Warning
	default:
		return
	}
	url, _, _ := strings.Cut(n.binding.valueSet, "|")
	if e := p.element; e != nil && (e.Binding != nil && e.Binding.URL == url || e.ValueSet == url && (!e.Extensible || severity == validate.Warning)) {
		return // package validate checks it
	}
	if in, known := w.member(p, n); known && !in {
		w.report(severity, validate.CodeInvalidCode, p, "", n, "there is no code of the value set %.300s (%s)", n.binding.valueSet, n.binding.strength)
	}
}

// codes are the codes of a value set, or why they are not known.
type codes struct {
	set r4.Codes
	err error
	any map[string]bool // codes of any system, made when first asked
}

// member reports whether a place has a code of the value set of a node. It is unknown for types
// without codes, and if the value set is not available, which it reports once.
func (w *walk) member(p *place, n *node) (in, known bool) {
	in, known = w.memberOf(p.value, p.typ, n.binding.valueSet)
	if s := w.sets[n.binding.valueSet]; s.err != nil {
		w.warnOnce("codes "+n.binding.valueSet, codeUnable, p, n, "codes of the value set %.300s are not checked: %v", n.binding.valueSet, s.err)
	}
	return in, known
}

// memberOf reports whether a value has a code of a value set.
func (w *walk) memberOf(v document.Value, t *definitions.Type, valueSet string) (in, known bool) {
	switch t.Name {
	case "code", "string", "uri", "Coding", "CodeableConcept", "Quantity", "Age", "Count", "Distance", "Duration", "MoneyQuantity", "SimpleQuantity":
	default:
		return false, false
	}
	s, found := w.sets[valueSet]
	if !found {
		if s.err = errNoTerminology; w.c.terminology != nil {
			s.set, s.err = w.c.terminology.CodesIn(w.ctx, valueSet)
		}
		w.sets[valueSet] = s
		if ended := w.ctx.Err(); ended != nil {
			w.failed = ended
		}
	}
	if s.err != nil {
		return false, false
	}
	switch t.Name {
	case "code", "string", "uri":
		return w.plain(s, valueSet, v.Text()), true
	case "CodeableConcept":
		for coding := range v.Get("coding").Items() {
			if w.coded(s, valueSet, coding) {
				return true, true
			}
		}
		return false, true
	}
	return w.coded(s, valueSet, v), true
}

func (w *walk) coded(s codes, valueSet string, coding document.Value) bool {
	system, code := coding.Get("system"), coding.Get("code").Text()
	if !system.Exists() {
		return code != "" && w.plain(s, valueSet, code)
	}
	return s.set.Contains(system.Text(), code)
}

// grammars are systems whose codes are not listed, of which elements have codes without system.
var grammars = [...]string{"urn:ietf:bcp:47", "urn:ietf:bcp:13", "http://unitsofmeasure.org"}

// plain reports whether a code of any system is in a value set.
func (w *walk) plain(s codes, valueSet, code string) bool {
	for _, system := range grammars {
		if s.set.Contains(system, code) {
			return true
		}
	}
	if s.any == nil {
		s.any = map[string]bool{}
		s.set.Each(func(_, code string) bool {
			s.any[code] = true
			return len(s.any) < maxPlain
		})
		w.sets[valueSet] = s
	}
	return s.any[code] || len(s.any) >= maxPlain
}
