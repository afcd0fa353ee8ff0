package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// walker walks through one document.
type walker struct {
	v      *Validator
	doc    *document.Document
	root   string // name of the type, with which every expression begins
	steps  []pathElement
	issues []Issue
	count  int  // number of issues, including those that are not reported
	failed bool // whether one is an error
	strict bool

	rules *constraints
	scope *fhirpath.Scope
	items []fhirpath.Item // results of a constraint

	container document.Value // the resource whose contained resources local references name
	inside    bool           // within a contained resource
	bundled   int            // depth of resources in Bundle entries
	local     []document.Value
}

func newWalker(v *Validator) *walker {
	w := &walker{v: v, scope: fhirpath.NewScope(v.tables)}
	w.scope.Answer(w.answer)
	return w
}

// begin prepares the walker for a document, and end lets go of it.
func (w *walker) begin(d *document.Document) { w.doc = d }

func (w *walker) end() {
	w.scope.Reset(document.Value{})
	clear(w.items[:cap(w.items)])
	*w = walker{v: w.v, scope: w.scope, steps: w.steps[:0], items: w.items[:0]}
}

// pathElement is an element on the path to the current element. index is -1 if it does not repeat.
type pathElement struct {
	element *definitions.Element
	index   int
}

func (w *walker) push(e *definitions.Element, index int) {
	w.steps = append(w.steps, pathElement{e, index})
}

func (w *walker) pop() { w.steps = w.steps[:len(w.steps)-1] }

// maxExpression is the approximate maximum length of an expression, in bytes: a document may be
// nested thousands of levels deep.
const maxExpression = 1000

// expression returns the current place, or that of a member of it.
func (w *walker) expression(member string) string {
	b := append(make([]byte, 0, 96), w.root...)
	for i, s := range w.steps {
		if len(b) > maxExpression {
			return string(append(b, "…"...))
		}
		if b = append(b, '.'); !s.element.Choice {
			b = append(b, s.element.Name...)
		} else {
			b = append(b, strings.TrimSuffix(s.element.Name, "[x]")...)
			if i < len(w.steps)-1 || member != "" { // only elements below it need the type
				b = append(append(append(b, ".ofType("...), s.element.TypeCode...), ')')
			}
		}
		if s.index >= 0 {
			b = append(strconv.AppendInt(append(b, '['), int64(s.index), 10), ']')
		}
	}
	if member != "" {
		b = append(append(b, '.'), member...)
	}
	return string(b)
}

// report records a problem of the current element; at is its value in the text.
func (w *walker) report(s Severity, code string, at document.Value, format string, args ...any) {
	w.reportAt(s, code, at, "", format, args...)
}

// reportAt records a problem of a member of the current element.
func (w *walker) reportAt(s Severity, code string, at document.Value, member, format string, args ...any) {
	w.count++
	first := s == Error && !w.failed
	w.failed = w.failed || s == Error
	if len(w.issues) >= w.v.maxIssues && !first {
		return
	}
	i := Issue{Severity: s, Code: code, Expression: w.expression(member), Text: fmt.Sprintf(format, args...)}
	i.Line, i.Column = w.doc.Position(at.Offset())
	w.issues = append(w.issues, i)
}

// missing reports a missing element.
func (w *walker) missing(object document.Value, e *definitions.Element) {
	severity := Error
	switch w.v.missing[e] {
	case waived:
		return
	case warned:
		severity = w.tolerated()
	}
	name, choice := strings.CutSuffix(e.Name, "[x]")
	if choice {
		w.reportAt(severity, CodeRequired, object, name, "one of %s is required", w.variants(e))
		return
	}
	w.reportAt(severity, CodeRequired, object, name, "the required element is missing")
}

// variants lists the JSON names of a choice.
func (w *walker) variants(e *definitions.Element) string {
	const limit = 12
	parent, _ := strings.CutSuffix(e.Path, "."+e.Name)
	t := w.v.tables.Type(parent)
	if t == nil {
		return e.Name
	}
	var names []string
	for _, variant := range t.Choices(e.Name) {
		names = append(names, variant.JSON)
	}
	if len(names) > limit {
		return e.Name
	}
	return strings.Join(names, ", ")
}

// resourceType returns the type of a resource, or reports that it has none and returns nil.
func (w *walker) resourceType(v document.Value) *definitions.Type {
	name := v.Get("resourceType")
	switch {
	case !name.Exists():
		w.report(Error, CodeRequired, v, "resourceType is missing")
	case name.Kind() != document.String:
		w.report(Error, CodeStructure, name, "resourceType must be a string, not %s", name.Kind())
	case !w.v.tables.IsResource(name.Text()):
		w.report(Error, CodeStructure, name, "%.40q is not a resource type of R4", name.Text())
	default:
		return w.v.tables.Type(name.Text())
	}
	return nil
}

// resource checks a resource at the current place.
func (w *walker) resource(v document.Value, t *definitions.Type, contained bool) {
	if contained {
		was := w.inside
		w.inside = true
		w.scope.Enter(v)
		w.object(v, t, true)
		w.scope.Enter(w.container)
		w.inside = was
		if !v.Get("id").Exists() {
			w.reportAt(Error, CodeRequired, v, "id", "a contained resource needs an id")
		}
		return
	}
	container, local := w.container, w.local
	w.container, w.local = v, nil
	w.scope.Reset(v)
	w.object(v, t, true)
	w.localReferences()
	w.container, w.local = container, local
	if container.Exists() {
		w.scope.Reset(container)
	}
}

// object checks the members of an object against the elements of a type.
func (w *walker) object(v document.Value, t *definitions.Type, resource bool) {
	var room [4]*definitions.Element
	choices := room[:0] // first variant of each choice that is present
	elements := 0
	for m := range v.Members() {
		name := m.Name()
		if resource && name == "resourceType" {
			continue
		}
		elements++
		sibling := len(name) > 1 && name[0] == '_'
		if sibling {
			name = name[1:]
		}
		e := t.Element(name)
		if e == nil || e.Max == 0 || sibling && e.Type.Kind != definitions.PrimitiveType {
			w.unknown(m, t)
			continue
		}
		if e.Choice {
			choices = w.choice(choices, e, m)
		}
		if sibling {
			w.sibling(e, m, v)
		} else {
			w.element(e, m, v)
		}
	}
	if !resource && (elements == 0 || elements == 1 && t.Kind != definitions.PrimitiveType && v.Get("id").Exists()) {
		w.report(Error, CodeStructure, v, "ele-1: an object must not be empty")
		return
	}
	for _, e := range t.Required() {
		if !present(v, e, choices) {
			w.missing(v, e)
		}
	}
	if r := w.v.rules[t]; r != nil {
		r(w, v)
	}
	if w.rules != nil {
		for _, c := range w.rules.types[t] {
			w.constraint(c, fhirpath.Item{Value: v, Type: t})
		}
	}
}

// present reports whether a required element is present, be it only as the extension of a primitive
// without value.
func present(v document.Value, e *definitions.Element, choices []*definitions.Element) bool {
	if !e.Choice {
		return v.Get(e.JSON).Exists() || e.Type.Kind == definitions.PrimitiveType && v.Get("_"+e.JSON).Exists()
	}
	for _, c := range choices {
		if c.Name == e.Name {
			return true
		}
	}
	return false
}

// choice records a variant of a choice, and reports a second variant.
func (w *walker) choice(choices []*definitions.Element, e *definitions.Element, m document.Value) []*definitions.Element {
	for _, c := range choices {
		if c.Name != e.Name {
			continue
		}
		if c != e {
			w.reportAt(Error, CodeStructure, m, strings.TrimSuffix(e.Name, "[x]"), "only one of %[3]s is allowed, but there are %[2]s and %[1]s", e.JSON, c.JSON, e.Name)
		}
		return choices
	}
	return append(choices, e)
}

// unknown reports a member that is not an element of the type.
func (w *walker) unknown(m document.Value, t *definitions.Type) {
	name := m.Name()
	if choices := t.Choices(name + "[x]"); choices != nil {
		w.reportAt(Error, CodeStructure, m, name, "%s is a choice; use %s", name, w.variants(choices[0]))
		return
	}
	w.reportAt(Error, CodeStructure, m, printable(name), "unknown element: %s has no element with this name", t.Name)
}

// printable shortens a name with arbitrary content.
func printable(name string) string {
	const limit = 64
	if len(name) > limit {
		name = strings.ToValidUTF8(name[:limit], "") + "…"
	}
	quoted := strconv.Quote(name)
	if quoted[1:len(quoted)-1] == name {
		return name
	}
	return quoted
}

// element checks the value of a member of object.
func (w *walker) element(e *definitions.Element, m, object document.Value) {
	if m.Kind() == document.Null {
		w.reportAt(Error, CodeStructure, m, e.JSON, "null is not a value; omit the element")
		return
	}
	if !e.Repeats() {
		if m.Kind() == document.Array {
			w.reportAt(Error, CodeStructure, m, e.JSON, "the element does not repeat and must not be an array")
			return
		}
		w.push(e, -1)
		w.value(e, m)
		w.pop()
		return
	}
	if m.Kind() != document.Array {
		w.reportAt(Error, CodeStructure, m, e.JSON, "the element repeats and must be an array, not %s", m.Kind())
		return
	}
	if m.Len() == 0 {
		w.reportAt(Error, CodeStructure, m, e.JSON, "an array must not be empty")
		return
	}
	var siblings []document.Value // looked up at the first null
	i := 0
	for item := range m.Items() {
		w.push(e, i)
		if item.Kind() == document.Null {
			if siblings == nil {
				siblings = slices.Collect(object.Get("_" + e.JSON).Items())
			}
			if e.Type.Kind != definitions.PrimitiveType || i >= len(siblings) || siblings[i].Kind() != document.Object {
				w.report(Error, CodeStructure, item, "null is allowed only for a primitive value that has an extension in _%s", e.JSON)
			}
		} else {
			w.value(e, item)
		}
		w.pop()
		i++
	}
}

// value checks a single value of an element at the current place.
func (w *walker) value(e *definitions.Element, v document.Value) {
	switch {
	case e.Type.Kind == definitions.PrimitiveType:
		w.primitive(e, v)
	case v.Kind() != document.Object:
		w.report(Error, CodeStructure, v, "%s must be an object, not %s", e.TypeCode, v.Kind())
		return
	case e.Type.Kind == definitions.ResourceType:
		w.nested(e, v)
	default:
		w.object(v, e.Type, false)
		switch {
		case e.Binding != nil:
			w.concept(e, v)
		case e.ValueSet != "":
			w.bound(e, v)
		}
	}
	if r := w.v.elements[e]; r != nil {
		r(w, v)
	}
	if w.rules != nil {
		for _, c := range w.rules.elements[e] {
			w.constraint(c, fhirpath.Item{Value: v, Type: e.Type, Element: e})
		}
	}
}

// nested checks a resource within a resource: a contained one, or one in a Bundle or Parameters.
func (w *walker) nested(e *definitions.Element, v document.Value) {
	t := w.resourceType(v)
	if t == nil {
		return
	}
	if e.Name == "contained" {
		w.resource(v, t, true)
		return
	}
	w.bundled++
	w.resource(v, t, false)
	w.bundled--
}

// sibling checks the member with an underscore that contains id and extensions of a primitive
// element.
func (w *walker) sibling(e *definitions.Element, m, object document.Value) {
	if !e.Repeats() {
		w.push(e, -1)
		w.extended(e, m)
		w.pop()
		return
	}
	if m.Kind() != document.Array || m.Len() == 0 {
		w.reportAt(Error, CodeStructure, m, e.JSON, "_%s must be a non-empty array, as the element repeats", e.JSON)
		return
	}
	values := object.Get(e.JSON)
	if values.Kind() == document.Array && values.Len() != m.Len() {
		w.reportAt(Error, CodeStructure, m, e.JSON, "%s has %d items, but _%s has %d; they must correspond one to one", e.JSON, values.Len(), e.JSON, m.Len())
	}
	i, filled := 0, false
	for item := range m.Items() {
		if item.Kind() != document.Null {
			filled = true
			w.push(e, i)
			w.extended(e, item)
			w.pop()
		} else if !values.Exists() {
			w.reportAt(Error, CodeStructure, item, e.JSON, "there is neither a value nor an extension at index %d", i)
		}
		i++
	}
	if !filled && values.Exists() {
		w.reportAt(Error, CodeStructure, m, e.JSON, "_%s is empty", e.JSON)
	}
}

// extended checks the object that accompanies a primitive value.
func (w *walker) extended(e *definitions.Element, v document.Value) {
	if v.Kind() != document.Object {
		w.report(Error, CodeStructure, v, "_%s must contain an object, not %s", e.JSON, v.Kind())
		return
	}
	w.object(v, e.Type, false)
}
