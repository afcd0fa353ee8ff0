// Package view makes tables of resources by the ViewDefinitions of SQL on FHIR v2. Parse checks and
// compiles a definition; Run writes the rows of resources while they are read.
//
// Rows have the order of the resources, and those of an earlier select vary slowest. The row that
// forEachOrNull adds has null in all columns, but 0 for %rowIndex.
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

// Limits of a definition. Parts are objects in it.
const (
	maxColumns = 1_000
	maxParts   = 10_000
	maxNesting = 32
)

// A View is a compiled ViewDefinition. It is immutable.
type View struct {
	// Resource is the type of the resources that the view shows.
	Resource string

	tables  *definitions.Tables
	columns []column
	where   []compiled
	selects []*part
	paths   []compiled // all
}

// A column is a column of the table. Its kind is that of a primitive type.
type column struct {
	name, typ  string
	collection bool
	kind       document.Kind
}

// A compiled is an expression at a place of the definition.
type compiled struct {
	*fhirpath.Expression
	place string
}

// A part is a select, with the columns from:to in it.
type part struct {
	each, repeat   []compiled
	orNull         bool
	columns        []compiled
	from, to       int
	selects, union []*part
}

// An Error is a place of a definition that is not valid, or that a resource does not fit.
type Error struct {
	Path, Text string
	// Resource is the resource, such as Patient/1; "" for a definition that is not valid.
	Resource string
	Err      error // may be nil
}

// Error returns the place and the problem, without the resource.
func (e *Error) Error() string { return e.Path + ": " + e.Text }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// members are the members of the objects in a definition, by the last name of their place. It is never
// modified.
var members = map[string]string{
	"select": " column select forEach forEachOrNull repeat unionAll ", "column": " path name description collection type tag ",
	"tag": " name value ", "where": " path description ", "constant": " name ", "ViewDefinition": " resource resourceType select where constant fhirVersion profile ",
}

// A parser compiles a definition. The first error is permanent.
type parser struct {
	*View
	constants map[string]fhirpath.Item
	parts     int
	err       error
}

// Parse compiles a ViewDefinition. Errors are *Error.
func Parse(tables *definitions.Tables, definition document.Value) (*View, error) {
	p := &parser{View: &View{tables: tables}, constants: map[string]fhirpath.Item{}}
	p.definition("ViewDefinition", definition)
	return p.View, p.err
}

func (p *parser) fail(place, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Path: place, Text: fmt.Sprintf(format, args...)}
	}
}

func (p *parser) definition(root string, v document.Value) {
	p.object(root, root, v)
	if typ := v.Get("resourceType"); typ.Exists() && !typ.Is(root) {
		p.fail(root+".resourceType", "%.40s is not a ViewDefinition", typ.Raw())
	}
	p.Resource = p.text(root, "resource", v, true)
	if !p.tables.IsResource(p.Resource) {
		p.fail(root+".resource", "%.40q is not a resource type", p.Resource)
	}
	if versions := string(v.Get("fhirVersion").Raw()); versions != "" && !strings.Contains(versions, `"4.0`) {
		p.fail(root+".fhirVersion", "the view is not for FHIR 4.0")
	}
	for place, c := range p.each(root, "constant", v) {
		p.constant(place, c)
	}
	for place, w := range p.each(root, "where", v) {
		p.where = append(p.where, p.compile(place, "path", w, true)...)
	}
	p.selects = p.list(root, "select", v, 1)
	seen := map[string]bool{}
	for _, c := range p.columns {
		if seen[c.name] {
			p.fail(root+".select", "there are two columns %q", c.name)
		}
		seen[c.name] = true
	}
	if len(seen) == 0 {
		p.fail(root+".select", "there is no column")
	}
}

// object checks the members of an object. That of the view may have what a Library has, too.
func (p *parser) object(place, kind string, v document.Value) {
	if v.Kind() != document.Object {
		p.fail(place, "an object is needed")
	}
	typ := p.tables.Type("BackboneElement")
	if kind == place {
		typ = p.tables.Type("Library")
	}
	for m := range v.Members() {
		name := strings.TrimPrefix(m.Name(), "_")
		if typ.Element(name) == nil && !strings.Contains(members[kind], " "+name+" ") && (kind != "constant" || !strings.HasPrefix(name, "value")) {
			p.fail(place, "%.40q is not an element here", name)
		}
	}
	if p.parts++; p.parts > maxParts {
		p.fail(place, "the view has more than %d parts", maxParts)
	}
}

// each yields the objects of a list, which it checks, or the texts of repeat, with their places.
func (p *parser) each(place, name string, v document.Value) func(func(string, document.Value) bool) {
	return func(yield func(string, document.Value) bool) {
		list := v.Get(name)
		if list.Exists() && list.Len() == 0 || list.Kind() == document.Object {
			p.fail(place+"."+name, "a list with items is needed")
		}
		i := 0
		for item := range list.Items() {
			at := fmt.Sprintf("%s.%s[%d]", place, name, i)
			switch i++; name {
			case "repeat":
			case "unionAll":
				p.object(at, "select", item)
			default:
				p.object(at, name, item)
			}
			if p.err != nil || !yield(at, item) {
				return
			}
		}
	}
}

// text reads a text.
func (p *parser) text(place, name string, v document.Value, needed bool) string {
	t := v.Get(name)
	if t.Text() == "" && needed || t.Exists() && (t.Kind() != document.String || t.Text() == "") {
		p.fail(place+"."+name, "a text is needed")
	}
	return t.Text()
}

func (p *parser) name(place string, v document.Value) string {
	name := p.text(place, "name", v, true)
	for i := range len(name) {
		c := name[i]
		if letter := c|0x20 >= 'a' && c|0x20 <= 'z'; !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			p.fail(place+".name", "%.60q must be letters, digits and _, and begin with a letter", name)
		}
	}
	return name
}

func (p *parser) constant(place string, v document.Value) {
	name := p.name(place, v)
	if _, twice := p.constants[name]; twice || strings.Contains(" rowIndex context resource rootResource ", " "+name+" ") {
		p.fail(place+".name", "%%%s is defined already", name)
	}
	values := 0
	for m := range v.Members() {
		if suffix, is := strings.CutPrefix(m.Name(), "value"); is && suffix != "" {
			value, err := fhirpath.NewConstant(strings.ToLower(suffix[:1])+suffix[1:], m)
			if err != nil {
				p.fail(place+"."+m.Name(), "%v", err)
			}
			p.constants[name] = value
			values++
		}
	}
	if values != 1 {
		p.fail(place, "one value[x] is needed")
	}
}

// compile compiles an expression, none if it is absent.
func (p *parser) compile(place, name string, v document.Value, needed bool) []compiled {
	if text := p.text(place, name, v, needed); text != "" {
		return p.expression(place+"."+name, text)
	}
	return nil
}

func (p *parser) expression(place, text string) []compiled {
	e, err := fhirpath.CompileWith(text, p.constants)
	if err != nil {
		p.fail(place, "%v", err)
		return nil
	}
	c := []compiled{{e, place}}
	p.paths = append(p.paths, c...)
	return c
}

// list compiles selects.
func (p *parser) list(place, name string, v document.Value, depth int) (list []*part) {
	from := len(p.columns)
	var first []column // of a union
	for at, item := range p.each(place, name, v) {
		if depth > maxNesting {
			p.fail(at, "the view is nested deeper than %d levels", maxNesting)
			return nil
		}
		if name != "unionAll" {
			list = append(list, p.part(at, item, depth))
			continue
		}
		p.columns = p.columns[:from:from]
		list = append(list, p.part(at, item, depth))
		if first == nil {
			first = p.columns[from:]
		}
		same := len(first) == len(p.columns)-from
		for i := 0; same && i < len(first); i++ {
			a, b := first[i], p.columns[from+i]
			same = a.name == b.name && a.collection == b.collection && (a.typ == b.typ || a.typ == "" || b.typ == "")
		}
		if !same {
			p.fail(at, "the columns differ from those of unionAll[0] in names, order or types")
		}
	}
	return list
}

func (p *parser) part(place string, v document.Value, depth int) *part {
	s := &part{from: len(p.columns)}
	s.each = p.compile(place, "forEach", v, false)
	if orNull := p.compile(place, "forEachOrNull", v, false); orNull != nil {
		s.each, s.orNull = append(s.each, orNull...), true
	}
	for at, path := range p.each(place, "repeat", v) {
		s.repeat = append(s.repeat, p.expression(at, path.Text())...)
	}
	if len(s.each)+min(len(s.repeat), 1) > 1 {
		p.fail(place, "only one of forEach, forEachOrNull and repeat is possible")
	}
	for at, c := range p.each(place, "column", v) {
		p.column(at, c)
		s.columns = append(s.columns, p.compile(at, "path", c, true)...)
	}
	s.selects = p.list(place, "select", v, depth+1)
	s.union = p.list(place, "unionAll", v, depth+1)
	if s.to = len(p.columns); s.to > maxColumns {
		p.fail(place, "the view has more than %d columns", maxColumns)
	}
	return s
}

func (p *parser) column(place string, v document.Value) {
	c := column{name: p.name(place, v), collection: v.Get("collection").Text() == "true"}
	if list := v.Get("collection"); list.Exists() && list.Kind() != document.Bool {
		p.fail(place+".collection", "true or false is needed")
	}
	for at, tag := range p.each(place, "tag", v) {
		p.text(at, "name", tag, true)
		p.text(at, "value", tag, true)
	}
	c.typ = strings.TrimPrefix(p.text(place, "type", v, false), "http://hl7.org/fhir/StructureDefinition/")
	if typ := p.tables.Type(c.typ); typ != nil {
		c.kind = typ.Value
	} else if c.typ == "integer64" { // of R5
		c.kind = document.Number
	} else if c.typ != "" {
		p.fail(place+".type", "%.60q is not a type of R4", c.typ)
	}
	p.columns = append(p.columns, c)
}
