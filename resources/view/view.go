// Package view makes tables of resources by the ViewDefinitions of SQL on FHIR v2. Parse checks and
// compiles a definition, and Run writes the rows of resources as CSV, NDJSON or JSON while they are
// read. It has all of the definition: nested select, forEach, forEachOrNull, repeat, unionAll, where,
// constants and %rowIndex, and FHIRPath as package fhirpath has it, with memberOf, subsumes and
// subsumedBy.
//
// Rows have the order of the resources. In a resource, those of an earlier select vary slowest. The
// row that forEachOrNull adds has null in all columns, but 0 for %rowIndex.
//
// Source: https://sql-on-fhir.org/ig (v2.1).
package view

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// Limits of a definition.
const (
	maxColumns = 1_000
	maxParts   = 10_000 // selects, constants and conditions
	maxNesting = 32
)

// A View is a compiled ViewDefinition. It is immutable.
type View struct {
	// Resource is the type of the resources that the view shows.
	Resource string
	// Columns are in the order of the table.
	Columns []Column

	tables         *definitions.Tables
	selects, where []*part
	checked        []compiled
}

// A Column is a column of the table.
type Column struct {
	Name string
	// Type is the name of the FHIR type, "" if the definition does not state it.
	Type string
	// Collection is set if a cell is a list.
	Collection bool

	kind document.Kind // of the values of a primitive Type
}

// A compiled is an expression at a place of the definition.
type compiled struct {
	*fhirpath.Expression
	place string
}

// A part is a select, or a condition, which has only the path.
type part struct {
	each, repeat   []compiled // at most one is not empty; each is one
	orNull         bool
	columns        []compiled // from the column numbered from on
	from, to       int        // columns of this and all parts in it
	selects, union []*part
}

// An InvalidError is a place of a definition that is not valid.
type InvalidError struct {
	Path, Text string
	Err        error // may be nil
}

// Error returns the place and the problem.
func (e *InvalidError) Error() string { return e.Path + ": " + e.Text }

// Unwrap returns Err.
func (e *InvalidError) Unwrap() error { return e.Err }

// members are the members of the objects in a definition.
var members = map[string]string{
	"select":   " column select forEach forEachOrNull repeat unionAll ",
	"column":   " path name description collection type tag ",
	"tag":      " name value ",
	"constant": " name ",
	"where":    " path description ",
	"view": " resource select where constant fhirVersion profile name resourceType meta implicitRules language text contained url identifier version " +
		"versionAlgorithmString versionAlgorithmCoding title status experimental date publisher contact description useContext jurisdiction " +
		"purpose copyright copyrightLabel approvalDate lastReviewDate effectivePeriod topic author editor reviewer endorser relatedArtifact ",
}

// A parser compiles a definition. The first error is permanent.
type parser struct {
	view      *View
	constants map[string]fhirpath.Item
	parts     int
	err       error
}

// Parse compiles a ViewDefinition. Errors are *InvalidError.
func Parse(tables *definitions.Tables, definition document.Value) (*View, error) {
	p := &parser{view: &View{tables: tables}, constants: map[string]fhirpath.Item{}}
	p.definition(definition)
	if p.err != nil {
		return nil, p.err
	}
	return p.view, nil
}

func (p *parser) fail(place, format string, args ...any) {
	if p.err == nil {
		p.err = &InvalidError{Path: place, Text: fmt.Sprintf(format, args...)}
	}
}

func (p *parser) definition(v document.Value) {
	const root = "ViewDefinition"
	p.object(root, "view", v)
	if typ := v.Get("resourceType"); typ.Exists() && !typ.Is(root) {
		p.fail(root+".resourceType", "%.40s is not a ViewDefinition", typ.Raw())
	}
	p.view.Resource = p.text(root, v, "resource", true)
	if !p.view.tables.IsResource(p.view.Resource) {
		p.fail(root+".resource", "%.40q is not a resource type", p.view.Resource)
	}
	versions := v.Get("fhirVersion")
	known := !versions.Exists()
	for version := range versions.Items() {
		known = known || strings.HasPrefix(version.Text(), "4.0")
	}
	if !known {
		p.fail(root+".fhirVersion", "the view is not for FHIR 4.0, but for %.60s", versions.Raw())
	}
	for place, c := range p.each(root, v, "constant") {
		p.constant(place, c)
	}
	for place, w := range p.each(root, v, "where") {
		p.object(place, "where", w)
		p.view.where = append(p.view.where, &part{each: p.compile(place, w, "path", true)})
	}
	p.view.selects = p.list(root, v, "select", 1)
	seen := map[string]bool{}
	for _, c := range p.view.Columns {
		if seen[c.Name] {
			p.fail(root+".select", "there are two columns %q", c.Name)
		}
		seen[c.Name] = true
	}
	if len(seen) == 0 {
		p.fail(root+".select", "there is no column")
	}
}

// object checks the members of an object.
func (p *parser) object(place, kind string, v document.Value) {
	if v.Kind() != document.Object {
		p.fail(place, "an object is needed")
	}
	for m := range v.Members() {
		name := m.Name()
		if name == "id" || name == "extension" || name == "modifierExtension" || strings.HasPrefix(name, "_") || kind == "constant" && strings.HasPrefix(name, "value") {
			continue
		}
		if !strings.Contains(members[kind], " "+name+" ") {
			p.fail(place, "%.40q is not an element here", name)
		}
	}
	if p.parts++; p.parts > maxParts {
		p.fail(place, "the view has more than %d parts", maxParts)
	}
}

// each yields the items of an array with their places.
func (p *parser) each(place string, v document.Value, name string) func(func(string, document.Value) bool) {
	return func(yield func(string, document.Value) bool) {
		list := v.Get(name)
		if list.Exists() && (list.Kind() != document.Array || list.Len() == 0) {
			p.fail(place+"."+name, "a list with items is needed")
		}
		i := 0
		for item := range list.Items() {
			if p.err != nil || !yield(fmt.Sprintf("%s.%s[%d]", place, name, i), item) {
				return
			}
			i++
		}
	}
}

func (p *parser) text(place string, v document.Value, name string, needed bool) string {
	t := v.Get(name)
	switch {
	case !t.Exists() && needed:
		p.fail(place+"."+name, "it is missing")
	case t.Exists() && (t.Kind() != document.String || t.Text() == ""):
		p.fail(place+"."+name, "a text is needed, not %.40s", t.Raw())
	}
	return t.Text()
}

// name reads a name that databases accept.
func (p *parser) name(place string, v document.Value) string {
	name := p.text(place, v, "name", true)
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			p.fail(place+".name", "%.60q must be letters, digits and _, and begin with a letter", name)
		}
	}
	return name
}

func (p *parser) constant(place string, v document.Value) {
	p.object(place, "constant", v)
	name := p.name(place, v)
	if _, twice := p.constants[name]; twice || name == "rowIndex" || name == "context" || name == "resource" || name == "rootResource" {
		p.fail(place+".name", "%%%s is defined already", name)
	}
	found := false
	for m := range v.Members() {
		suffix, is := strings.CutPrefix(m.Name(), "value")
		if !is || suffix == "" {
			continue
		}
		value, err := fhirpath.NewConstant(strings.ToLower(suffix[:1])+suffix[1:], m)
		if found || err != nil {
			p.fail(place+"."+m.Name(), "one value of a primitive type is needed: %v", err)
		}
		p.constants[name], found = value, true
	}
	if !found {
		p.fail(place, "value[x] is missing")
	}
}

// compile compiles an expression, none if it is absent.
func (p *parser) compile(place string, v document.Value, name string, needed bool) []compiled {
	if text := p.text(place, v, name, needed); text != "" {
		return []compiled{p.expression(place+"."+name, text)}
	}
	return nil
}

func (p *parser) expression(place, text string) compiled {
	e, err := fhirpath.CompileWith(text, p.constants)
	if err != nil && p.err == nil {
		p.err = &InvalidError{Path: place, Text: err.Error(), Err: err}
	}
	c := compiled{e, place}
	if err == nil {
		p.view.checked = append(p.view.checked, c)
	}
	return c
}

// list compiles selects.
func (p *parser) list(place string, v document.Value, name string, depth int) (list []*part) {
	for at, item := range p.each(place, v, name) {
		list = append(list, p.part(at, item, depth))
	}
	return list
}

func (p *parser) part(place string, v document.Value, depth int) *part {
	s := &part{from: len(p.view.Columns)}
	if depth > maxNesting {
		p.fail(place, "the view is nested deeper than %d levels", maxNesting)
		return s
	}
	p.object(place, "select", v)
	s.each = p.compile(place, v, "forEach", false)
	orNull := p.compile(place, v, "forEachOrNull", false)
	for at, path := range p.each(place, v, "repeat") {
		if path.Kind() != document.String {
			p.fail(at, "a text is needed")
		}
		s.repeat = append(s.repeat, p.expression(at, path.Text()))
	}
	if len(s.each)+len(orNull)+min(len(s.repeat), 1) > 1 {
		p.fail(place, "only one of forEach, forEachOrNull and repeat is possible")
	}
	if orNull != nil {
		s.each, s.orNull = orNull, true
	}
	for at, c := range p.each(place, v, "column") {
		s.columns = append(s.columns, p.column(at, c))
	}
	s.selects = p.list(place, v, "select", depth+1)
	from := len(p.view.Columns)
	for at, item := range p.each(place, v, "unionAll") {
		first := p.view.Columns[from:len(p.view.Columns):len(p.view.Columns)]
		if len(s.union) == 0 {
			s.union = append(s.union, p.part(at, item, depth+1))
			continue
		}
		p.view.Columns = p.view.Columns[:from:from]
		s.union = append(s.union, p.part(at, item, depth+1))
		if !sameColumns(first, p.view.Columns[from:]) {
			p.fail(at, "the columns differ from those of unionAll[0] in names, order or types")
		}
		p.view.Columns = append(p.view.Columns[:from], first...)
	}
	if s.to = len(p.view.Columns); s.to > maxColumns {
		p.fail(place, "the view has more than %d columns", maxColumns)
	}
	return s
}

func sameColumns(a, b []Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Collection != b[i].Collection || a[i].Type != "" && b[i].Type != "" && a[i].Type != b[i].Type {
			return false
		}
	}
	return true
}

func (p *parser) column(place string, v document.Value) compiled {
	p.object(place, "column", v)
	c := Column{Name: p.name(place, v)}
	if list := v.Get("collection"); list.Exists() && list.Kind() != document.Bool {
		p.fail(place+".collection", "true or false is needed")
	} else {
		c.Collection = list.Text() == "true"
	}
	p.text(place, v, "description", false)
	for at, tag := range p.each(place, v, "tag") {
		p.object(at, "tag", tag)
		p.text(at, tag, "name", true)
		p.text(at, tag, "value", true)
	}
	if c.Type = strings.TrimPrefix(p.text(place, v, "type", false), "http://hl7.org/fhir/StructureDefinition/"); c.Type != "" {
		typ := p.view.tables.Type(c.Type)
		switch {
		case typ != nil:
			c.kind = typ.Value
		case c.Type == "integer64": // of R5
			c.kind = document.Number
		default:
			p.fail(place+".type", "%.60q is not a type of R4", c.Type)
		}
	}
	p.view.Columns = append(p.view.Columns, c)
	return p.expression(place+".path", p.text(place, v, "path", true))
}
