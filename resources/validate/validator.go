package validate

import (
	"fmt"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// defaultMaxIssues is how many issues of a document are told in full.
const defaultMaxIssues = 100

// Validator checks documents. It is safe for concurrent use.
type Validator struct {
	tables    *definitions.Tables
	relaxed   bool
	maxIssues int

	rules    map[*definitions.Type]rule    // of types that have any
	elements map[*definitions.Element]rule // of elements that have any
	missing  map[*definitions.Element]tolerance
}

// Option changes a Validator.
type Option func(*Validator)

// Relaxed lets everything pass that is a JSON object with a known resourceType and a
// possible id, but for a SupplyRequest without quantity.
func Relaxed() Option { return func(v *Validator) { v.relaxed = true } }

// MaxIssues sets how many issues of a document are told, 100 otherwise; one more says how
// many there are besides.
func MaxIssues(n int) Option {
	return func(v *Validator) {
		if n > 0 {
			v.maxIssues = n
		}
	}
}

// New makes a validator of the types of R4.
func New(t *definitions.Tables, opts ...Option) *Validator {
	v := &Validator{tables: t, maxIssues: defaultMaxIssues}
	v.rules, v.elements, v.missing = rulesOf(t), elementRulesOf(t), tolerancesOf(t)
	for _, o := range opts {
		o(v)
	}
	return v
}

// Validate returns all problems of a document, in the order of the text for most, nil when
// there are none. What needs the resource's place, as its id being the one of the URL, is the
// caller's to check.
func (v *Validator) Validate(d *document.Document) []Issue {
	w := walker{v: v, doc: d}
	root := d.Root()
	if root.Kind() != document.Object {
		w.report(Error, CodeStructure, root, "a resource is a JSON object, not %s", root.Kind())
		return w.issues
	}
	t := w.resourceType(root)
	switch {
	case t == nil:
	case v.relaxed:
		w.root = t.Name
		w.relaxed(root, t)
	default:
		w.root = t.Name
		w.resource(root, t, false)
	}
	if w.count > len(w.issues) {
		w.issues = append(w.issues, Issue{
			Severity: Information, Code: CodeInformation, Expression: w.root,
			Text: fmt.Sprintf("%d more problems are not told", w.count-len(w.issues)),
		})
	}
	return w.issues
}

// relaxed checks what is checked of every document.
func (w *walker) relaxed(root document.Value, t *definitions.Type) {
	if id := root.Get("id"); id.Exists() {
		w.push(t.Element("id"), -1)
		w.primitive(t.Element("id"), id)
		w.pop()
	}
	if t.Name == "SupplyRequest" && !root.Get("quantity").Exists() {
		w.missing(root, t.Element("quantity"))
	}
}
