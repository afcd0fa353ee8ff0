package validate

import (
	"fmt"
	"sync"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// defaultMaxIssues is the number of issues of a document that are reported in full.
const defaultMaxIssues = 100

// A Validator checks documents. It is safe for concurrent use.
type Validator struct {
	tables    *definitions.Tables
	relaxed   bool
	maxIssues int
	codes     Codes // nil if value sets are not known
	lacks     Lacks // nil if code systems are not known

	rules    map[*definitions.Type]rule    // by type
	elements map[*definitions.Element]rule // by element
	missing  map[*definitions.Element]tolerance

	constraints func() *constraints
	walkers     sync.Pool // *walker
}

// An Option configures New.
type Option func(*Validator)

// Relaxed accepts every JSON object with a known resourceType and a valid id, except a
// SupplyRequest without quantity.
func Relaxed() Option { return func(v *Validator) { v.relaxed = true } }

// MaxIssues sets the maximum number of reported issues of a document, 100 by default. If there are
// more, another issue reports their number.
func MaxIssues(n int) Option {
	return func(v *Validator) {
		if n > 0 {
			v.maxIssues = n
		}
	}
}

// New returns a Validator for the types of R4.
func New(t *definitions.Tables, opts ...Option) *Validator {
	v := &Validator{tables: t, maxIssues: defaultMaxIssues}
	v.rules, v.elements, v.missing = rulesOf(t), elementRulesOf(t), tolerancesOf(t)
	v.constraints = sync.OnceValue(func() *constraints { return constraintsOf(t) })
	v.walkers.New = func() any { return newWalker(v) }
	for _, o := range opts {
		o(v)
	}
	return v
}

// Validate returns all problems of a document, mostly in the order of the text, or nil. Checks that
// depend on the address of the resource, such as the id in the URL, are up to the caller.
func (v *Validator) Validate(d *document.Document) []Issue { return v.validate(d, false) }

// Strict is Validate to the letter: it also refuses what is tolerated in resources that are stored,
// because R4's own examples have it, such as relative canonicals.
func (v *Validator) Strict(d *document.Document) []Issue { return v.validate(d, true) }

func (v *Validator) validate(d *document.Document, strict bool) []Issue {
	w := v.walkers.Get().(*walker)
	defer v.walkers.Put(w)
	w.strict = strict
	w.begin(d)
	defer w.end()
	root := d.Root()
	if root.Kind() != document.Object {
		w.report(Error, CodeStructure, root, "a resource must be a JSON object, not %s", root.Kind())
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
		w.rules = v.constraints()
		w.resource(root, t, false)
	}
	if w.count > len(w.issues) {
		w.issues = append(w.issues, Issue{
			Severity: Information, Code: CodeInformation, Expression: w.root,
			Text: fmt.Sprintf("%d more problems are not shown", w.count-len(w.issues)),
		})
	}
	return w.issues
}

// relaxed makes the checks that apply to every document.
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
