package patch

import (
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// listAt returns the object and the element of a list, which the path of insert and move selects:
// "Patient.name" is the list name of Patient, whether or not it has names.
func (o *fhirOperation) listAt(d *document.Document) (holder document.Value, element *definitions.Element, err error) {
	before, name := o.path.Last()
	if before == nil {
		return holder, nil, unfit("the path must end with the name of a list")
	}
	item, err := o.one(d, before)
	if err != nil {
		return holder, nil, err
	}
	if item.Type == nil || item.Value.Kind() != document.Object {
		return holder, nil, unfit("the path must end with the name of a list")
	}
	element = item.Type.Element(name)
	if element == nil || !element.Repeats() {
		return holder, nil, unfit("%s.%s is not a list", item.Type.Name, name)
	}
	return item.Value, element, nil
}

// insert inserts an item into a list.
func (o *fhirOperation) insert(d *document.Document) ([]byte, error) {
	holder, element, err := o.listAt(d)
	if err != nil {
		return nil, err
	}
	c, err := o.contentOf(o.value, element.Type)
	if err != nil {
		return nil, err
	}
	return o.insertInto(d.Edit(), holder, element.JSON, o.index, c)
}

// insertInto inserts an item, and its id and extensions, into the list name of an object. The list
// may not exist yet.
func (o *fhirOperation) insertInto(e *document.Editor, holder document.Value, name string, i int, c content) ([]byte, error) {
	list, besides := holder.Get(name), holder.Get("_"+name)
	if list.Exists() && list.Kind() != document.Array {
		return nil, unfit("%s must be an array, not %v", name, list.Kind())
	}
	if i > list.Len() {
		return nil, unfit("index %d is out of range: the list has %d items", i, list.Len())
	}
	json := c.json
	if json == nil {
		json = []byte("null")
	}
	switch {
	case list.Exists():
		e.Insert(list, i, json)
	case c.json != nil || c.beside != nil:
		e.Add(holder, name, append(append([]byte{'['}, json...), ']'))
	}
	if c.beside != nil || besides.Kind() == document.Array && i < besides.Len() {
		setRow(e, holder, "_"+name, slices.Insert(rowOf(besides, i), i, c.beside))
	}
	return e.Bytes()
}

// move moves an item of a list to another index.
func (o *fhirOperation) move(d *document.Document) ([]byte, error) {
	holder, element, err := o.listAt(d)
	if err != nil {
		return nil, err
	}
	list := holder.Get(element.JSON)
	if o.source >= list.Len() || o.destination >= list.Len() {
		return nil, unfit("source %d or destination %d is out of range: the list has %d items", o.source, o.destination, list.Len())
	}
	if o.source == o.destination {
		return nil, nil
	}
	e, moved, before := d.Edit(), list.Index(o.source), o.destination
	if o.destination > o.source {
		before++
	}
	e.Remove(moved)
	e.Insert(list, before, moved.Raw())
	if besides := holder.Get("_" + element.JSON); besides.Kind() == document.Array {
		r := rowOf(besides, list.Len())
		item := r[o.source]
		r = slices.Insert(slices.Delete(r, o.source, o.source+1), o.destination, item)
		setRow(e, holder, besides.Name(), r)
	}
	return e.Bytes()
}
