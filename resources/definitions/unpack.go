package definitions

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem/packed"
)

var (
	//go:embed tables.tsv.lzma
	packedTables string
	//go:embed r5.tsv.lzma
	packedR5 string
)

// unpackTables decodes the embedded tables. gen makes them and tests compare them with the
// definitions of R4, so the tables are empty if they cannot be read.
func unpackTables() *Tables {
	text, err := packed.Text(packedTables)
	if err != nil {
		text = nil
	}
	u := newUnpacker(string(text))
	u.read()
	u.own()
	return u.t
}

// unpackR5 decodes the embedded tables of R5.
func unpackR5() *Tables {
	text, err := packed.Text(packedR5)
	if err != nil {
		text = nil
	}
	u := newUnpacker(string(text))
	u.read()
	return u.t
}

// Read returns the tables of another version of FHIR from text in the form that gen writes:
//
//	TP string Element             a primitive type and its base, without its value
//	TC Coding Element             a type, followed by the elements that it does not inherit, in order:
//	code     code    ?s           name, types separated by commas, cardinality ? 1 * + or 0, with s if it
//	value[x] string,Coding ?      belongs to summaries and m if it is a modifier, and optionally the url
//	item     @BackboneElement *   of a list of codes, or ! (required) or ~ (extensible) and a value
//	                              set that is not listed; @: its elements follow in the type named by its path
//	item     #Questionnaire.item * content that another type defines
//	TB Questionnaire.item BackboneElement   such a type
//	TR Patient DomainResource     a resource; Tc and Tr are abstract types
//	L http://…/ValueSet/x         a list of codes: lines of a system and its codes. FHIR's own value sets
//	                              may be named by id here, and by / and id above; a system that is
//	                              left out has that id
//	I                             constraints: lines of key, severity e or w, path, expression, text
//
// The columns are separated by tabs. Read returns an error if an element has a type that the text
// does not define; lines of another form are not reported.
func Read(text string) (*Tables, error) {
	u := newUnpacker(text)
	u.read()
	if u.undefined != "" {
		return nil, fmt.Errorf("definitions: the text does not define the type of %s", u.undefined)
	}
	return u.t, nil
}

func newUnpacker(text string) *unpacker {
	return &unpacker{
		t: &Tables{
			types: make(map[string]*Type, 1000), params: make(map[string][]*SearchParam, 160),
			compartments: map[string]*Compartment{},
		},
		lists: map[string]*CodeList{},
		rest:  text,
	}
}

// read reads all sections and links the types.
func (u *unpacker) read() {
	for u.next() {
		switch {
		case strings.HasPrefix(string(u.line), "T"):
			u.readType()
		case strings.HasPrefix(string(u.line), "L"):
			u.readList()
		case string(u.line) == "I":
			u.readConstraints()
		case strings.HasPrefix(string(u.line), "S"):
			u.readParams()
		case strings.HasPrefix(string(u.line), "C"):
			u.readCompartment()
		}
	}
	u.link()
}

// unpacker reads the lines of the tables. A section begins with a line of a capital letter and a
// tab, or two letters and a tab for a type. The other lines are the columns that gen writes.
type unpacker struct {
	t     *Tables
	lists map[string]*CodeList // by url; made when first named

	rest string
	line row
	// open is set while line is the head of an unread section.
	open bool

	elements []Element     // preallocated elements, in blocks
	params   []SearchParam // preallocated parameters
	raw      map[string][]rawElement
	order    []string

	undefined string // the path of an element whose type is not defined
}

// next reads a line. It returns false at the end.
func (u *unpacker) next() bool {
	if u.open {
		u.open = false
		return true
	}
	line, rest, found := strings.Cut(u.rest, "\n")
	u.line, u.rest = row(line), rest
	return found
}

// inside reads the next line of a section. It returns false at the head of the next one.
func (u *unpacker) inside() bool {
	if !u.next() {
		return false
	}
	tab := strings.IndexByte(string(u.line), '\t')
	if u.line == "I" || tab == 1 && strings.IndexByte("LSC", u.line[0]) >= 0 || tab == 2 && u.line[0] == 'T' && strings.IndexByte("PCRBcr", u.line[1]) >= 0 {
		u.open = true
		return false
	}
	return true
}

// list returns the list of a url, which may be read later; nil for "".
func (u *unpacker) list(url string) *CodeList {
	if url == "" {
		return nil
	}
	c := u.lists[url]
	if c == nil {
		c = &CodeList{URL: url, index: map[string][]string{}}
		u.lists[url] = c
	}
	return c
}

func (u *unpacker) readList() {
	u.line.next()
	id := u.line.next()
	c := u.list(valueSet(id))
	for u.inside() {
		system := u.line.next()
		if system == "" && !strings.Contains(id, ":") {
			system = "http://hl7.org/fhir/" + id
		}
		for u.line != "" {
			code := u.line.next()
			c.codes = append(c.codes, code)
			c.index[code] = append(c.index[code], system)
		}
	}
}

// valueSet returns the url of a value set that may be named by the id of one of FHIR.
func valueSet(name string) string {
	if name == "" || strings.Contains(name, ":") {
		return name
	}
	return "http://hl7.org/fhir/ValueSet/" + strings.TrimPrefix(name, "/")
}

func (u *unpacker) readConstraints() {
	for u.inside() {
		key, severity := u.line.next(), u.line.next()
		u.t.constraints = append(u.t.constraints, Constraint{
			Key: key, Warning: severity == "w", Path: u.line.next(), Expression: u.line.next(), Human: u.line.next(),
		})
	}
}

func (u *unpacker) readCompartment() {
	u.line.next()
	c := &Compartment{Name: u.line.next(), params: map[string][]string{}}
	for u.inside() {
		typ := u.line.next()
		c.params[typ] = strings.Split(u.line.next(), "|")
		c.types = append(c.types, typ)
	}
	slices.Sort(c.types)
	u.t.compartments[c.Name] = c
}

// names splits a text at bars; nil for "".
func names(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "|")
}

// row is the rest of a line of the table. gen makes the table and tests compare it with the
// definitions, so rows are not checked again.
type row string

// next cuts off the text of a column.
func (r *row) next() string {
	field, rest, _ := strings.Cut(string(*r), "\t")
	*r = row(rest)
	return field
}

// number cuts off a numeric column. An empty column is 0.
func (r *row) number() int {
	field := r.next()
	if field == "" {
		return 0
	}
	n, _ := strconv.Atoi(field)
	return n
}
