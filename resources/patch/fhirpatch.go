package patch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// FHIRPath parses a FHIRPath Patch: a Parameters resource with operations
// (https://hl7.org/fhir/R4/fhirpatch.html). Errors wrap ErrMalformed.
//
// A path must select one element of the resource; for delete it may also select none. As the
// specification requires, add is refused if a single element already exists, and insert without an
// index. The id and the extensions of a primitive element move with it.
func FHIRPath(t *definitions.Tables, body []byte) (Patch, error) {
	root, err := read(body)
	if err != nil {
		return nil, err
	}
	if !root.Get("resourceType").Is("Parameters") {
		return nil, malformed("a FHIRPath Patch must be a Parameters resource")
	}
	parameters := root.Get("parameter")
	if parameters.Kind() != document.Array {
		return nil, malformed("the patch has no operations")
	}
	if parameters.Len() > maxOperations {
		return nil, malformed("the patch has more than %d operations", maxOperations)
	}
	list := make(operations, 0, parameters.Len())
	for parameter := range parameters.Items() {
		op, err := readFHIROperation(t, parameter)
		if err != nil {
			return nil, fmt.Errorf("%w: Parameters.parameter[%d]", err, len(list))
		}
		list = append(list, op)
	}
	return list, nil
}

// A fhirOperation is a row of the table of operations.
type fhirOperation struct {
	tables              *definitions.Tables
	op                  string
	path                *fhirpath.Expression
	element             string         // name of the element to add
	value               document.Value // the part called value
	index               int
	source, destination int
}

func (o *fhirOperation) name() string { return o.op + " " + o.path.String() }

// parts are the parts of an operation by name.
type parts map[string]document.Value

func readFHIROperation(t *definitions.Tables, v document.Value) (*fhirOperation, error) {
	if !v.Get("name").Is("operation") {
		return nil, malformed("the name of a parameter must be operation")
	}
	found := parts{}
	for part := range v.Get("part").Items() {
		name := part.Get("name").Text()
		if !strings.Contains(" type path name value index source destination ", " "+name+" ") || name == "" {
			return nil, malformed("an operation has no part %q", name)
		}
		if found[name].Exists() {
			return nil, malformed("the part %s occurs twice", name)
		}
		found[name] = part
	}
	o := &fhirOperation{tables: t}
	var err error
	if o.op, err = found.text("type", "valueCode", "valueString"); err != nil {
		return nil, err
	}
	path, err := found.text("path", "valueString")
	if err != nil {
		return nil, err
	}
	if o.path, err = fhirpath.Compile(path); err != nil {
		return nil, malformed("%w", err)
	}
	return o, o.readRest(found)
}

// readRest parses the parts that depend on the operation.
func (o *fhirOperation) readRest(found parts) (err error) {
	wants := map[string][]string{
		"add": {"name", "value"}, "insert": {"value", "index"}, "delete": {}, "replace": {"value"},
		"move": {"source", "destination"},
	}
	needs, known := wants[o.op]
	if !known {
		return malformed("the type must be add, insert, delete, replace or move, not %q", o.op)
	}
	for _, name := range needs {
		if !found[name].Exists() {
			return malformed("%s needs the part %s", o.op, name)
		}
		switch name {
		case "name":
			o.element, err = found.text("name", "valueString", "valueCode")
		case "value":
			o.value = found["value"]
		case "index":
			o.index, err = found.integer("index")
		case "source":
			o.source, err = found.integer("source")
		case "destination":
			o.destination, err = found.integer("destination")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p parts) text(part string, members ...string) (string, error) {
	for _, member := range members {
		if v := p[part].Get(member); v.Kind() == document.String && v.Text() != "" {
			return v.Text(), nil
		}
	}
	return "", malformed("the part %s must have a %s", part, members[0])
}

func (p parts) integer(part string) (int, error) {
	for _, member := range [...]string{"valueInteger", "valueUnsignedInt", "valuePositiveInt"} {
		if v := p[part].Get(member); v.Kind() == document.Number {
			if i, err := strconv.Atoi(v.Text()); err == nil && i >= 0 {
				return i, nil
			}
		}
	}
	return 0, malformed("the part %s must have a valueInteger of 0 or more", part)
}

// evaluate returns the items of an expression that are in the document.
func (o *fhirOperation) evaluate(d *document.Document, e *fhirpath.Expression) ([]fhirpath.Item, error) {
	items, err := e.Evaluate(o.tables, d.Root())
	if err != nil {
		return nil, unfit("%w", err)
	}
	for _, item := range items {
		if !item.Value.Exists() && !item.Beside().Exists() {
			return nil, unfit("the path does not select an element of the resource")
		}
	}
	return items, nil
}

// one returns the single item of the path.
func (o *fhirOperation) one(d *document.Document, e *fhirpath.Expression) (fhirpath.Item, error) {
	items, err := o.evaluate(d, e)
	if err != nil {
		return fhirpath.Item{}, err
	}
	if len(items) != 1 {
		return fhirpath.Item{}, unfit("the path must select one element, but selects %d", len(items))
	}
	return items[0], nil
}

func (o *fhirOperation) apply(d *document.Document) ([]byte, error) {
	switch o.op {
	case "add":
		return o.add(d)
	case "insert":
		return o.insert(d)
	case "delete":
		return o.remove(d)
	case "replace":
		return o.replace(d)
	default:
		return o.move(d)
	}
}
