package patch

import (
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// A target is where an element is in the resource.
type target struct {
	holder document.Value // the object that contains it
	name   string         // its name there
	value  document.Value // absent for a primitive with only extensions
	list   document.Value // the array that contains it, absent for a single element
	index  int
}

func placeOf(i fhirpath.Item) (target, error) {
	v := i.Value
	if !v.Exists() {
		beside := i.Beside()
		if beside.Parent().Kind() == document.Array {
			return target{}, unfit("a list without values cannot be changed")
		}
		return target{holder: beside.Parent(), name: beside.Name()[len("_"):]}, nil
	}
	parent := v.Parent()
	switch parent.Kind() {
	case document.Array:
		return target{holder: parent.Parent(), name: parent.Name(), value: v, list: parent, index: v.Position()}, nil
	case document.Object:
		return target{holder: parent, name: v.Name(), value: v}, nil
	}
	return target{}, unfit("the resource itself cannot be replaced or deleted")
}

// beside returns the member "_name".
func (p target) beside() document.Value { return p.holder.Get("_" + p.name) }

// replace replaces an element by another value.
func (o *fhirOperation) replace(d *document.Document) ([]byte, error) {
	item, err := o.one(d, o.path)
	if err != nil {
		return nil, err
	}
	at, err := placeOf(item)
	if err != nil {
		return nil, err
	}
	var typ *definitions.Type
	if item.Element != nil {
		typ = item.Element.Type
	}
	c, err := o.contentOf(o.value, typ)
	if err != nil {
		return nil, err
	}
	e := d.Edit()
	if at.list.Exists() {
		json := c.json
		if json == nil {
			json = []byte("null")
		}
		e.Replace(at.value, json)
		if besides := at.beside(); besides.Exists() || c.beside != nil {
			r := rowOf(besides, at.index+1)
			r[at.index] = c.beside
			setRow(e, at.holder, "_"+at.name, r)
		}
		return e.Bytes()
	}
	name := at.name
	if item.Element != nil && item.Element.Choice {
		if name, err = o.variant(item.Element, c.typ); err != nil {
			return nil, err
		}
	}
	o.setSingle(e, at, at.name, name, at.value, c.json)
	o.setSingle(e, at, "_"+at.name, "_"+name, at.beside(), c.beside)
	return e.Bytes()
}

// setSingle replaces, renames, adds or removes a member.
func (o *fhirOperation) setSingle(e *document.Editor, at target, oldName, newName string, old document.Value, json []byte) {
	switch {
	case old.Exists() && json != nil && oldName == newName:
		e.Replace(old, json)
	default:
		if old.Exists() {
			e.Remove(old)
		}
		if json != nil {
			e.Add(at.holder, newName, json)
		}
	}
}

// variant returns the JSON name of a choice with another type.
func (o *fhirOperation) variant(e *definitions.Element, typ string) (string, error) {
	choice := e.Name[:len(e.Name)-len("[x]")]
	parent := o.tables.Type(e.Path[:len(e.Path)-len(e.Name)-1])
	if parent == nil {
		if choice+typ == e.JSON {
			return e.JSON, nil
		}
		return "", unfit("%s cannot be a %s", e.Path, typ)
	}
	found, err := member(parent, choice, typ)
	if err != nil {
		return "", err
	}
	return found.JSON, nil
}

// remove removes an element, if it exists.
func (o *fhirOperation) remove(d *document.Document) ([]byte, error) {
	items, err := o.evaluate(d, o.path)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	if len(items) > 1 {
		return nil, unfit("the path must select one element, but selects %d", len(items))
	}
	at, err := placeOf(items[0])
	if err != nil {
		return nil, err
	}
	e, besides := d.Edit(), at.beside()
	switch {
	case !at.list.Exists():
		if at.value.Exists() {
			e.Remove(at.value)
		}
		if besides.Exists() {
			e.Remove(besides)
		}
		return e.Bytes()
	case at.list.Len() == 1:
		e.Remove(at.list)
	default:
		e.Remove(at.value)
	}
	if besides.Kind() == document.Array && at.index < besides.Len() {
		setRow(e, at.holder, besides.Name(), slices.Delete(rowOf(besides, 0), at.index, at.index+1))
	}
	return e.Bytes()
}

// add adds an element to the one that the path selects, after those with the same name.
func (o *fhirOperation) add(d *document.Document) ([]byte, error) {
	item, err := o.one(d, o.path)
	if err != nil {
		return nil, err
	}
	if item.Value.Kind() != document.Object {
		return o.addBeside(d, item)
	}
	var inner *definitions.Type
	if item.Type != nil {
		if e := item.Type.Element(o.element); e != nil {
			inner = e.Type
		}
	}
	c, err := o.contentOf(o.value, inner)
	if err != nil {
		return nil, err
	}
	element, err := member(item.Type, o.element, c.typ)
	if err != nil {
		return nil, err
	}
	e, holder := d.Edit(), item.Value
	list := holder.Get(element.JSON)
	if element.Repeats() {
		return o.insertInto(e, holder, element.JSON, list.Len(), c)
	}
	variants := []*definitions.Element{element}
	if element.Choice {
		variants = item.Type.Choices(element.Name)
	}
	for _, v := range variants {
		if holder.Get(v.JSON).Exists() || holder.Get("_"+v.JSON).Exists() {
			return nil, unfit("%s already exists; use replace", v.Path)
		}
	}
	at := target{holder: holder}
	o.setSingle(e, at, "", element.JSON, document.Value{}, c.json)
	o.setSingle(e, at, "", "_"+element.JSON, document.Value{}, c.beside)
	return e.Bytes()
}

// addBeside adds an extension to a primitive element.
func (o *fhirOperation) addBeside(d *document.Document, item fhirpath.Item) ([]byte, error) {
	if item.Type == nil || item.Type.Kind != definitions.PrimitiveType || o.element != "extension" {
		return nil, unfit("a value of type %[2]s has no element %[1]q to add", o.element, item.TypeName())
	}
	c, err := o.contentOf(o.value, o.tables.Type("Extension"))
	if err != nil {
		return nil, err
	}
	if c.json == nil {
		return nil, unfit("an extension must be an object")
	}
	at, err := placeOf(item)
	if err != nil {
		return nil, err
	}
	e, beside := d.Edit(), item.Beside()
	if beside.Kind() == document.Object {
		return o.insertInto(e, beside, "extension", beside.Get("extension").Len(), c)
	}
	object := append(append([]byte(`{"extension":[`), c.json...), "]}"...)
	if at.list.Exists() {
		r := rowOf(at.beside(), at.index+1)
		r[at.index] = object
		setRow(e, at.holder, "_"+at.name, r)
	} else {
		e.Set(at.holder, "_"+at.name, object)
	}
	return e.Bytes()
}
