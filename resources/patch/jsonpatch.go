package patch

import (
	"fmt"

	"github.com/roget-health/roget/resources/document"
)

// JSONPatch parses a JSON Patch (RFC 6902), media type application/json-patch+json. Errors wrap
// ErrMalformed.
func JSONPatch(body []byte) (Patch, error) {
	root, err := read(body)
	if err != nil {
		return nil, err
	}
	if root.Kind() != document.Array {
		return nil, malformed("a JSON Patch must be an array of operations, not %v", root.Kind())
	}
	if root.Len() > maxOperations {
		return nil, malformed("the patch has more than %d operations", maxOperations)
	}
	list := make(operations, 0, root.Len())
	for item := range root.Items() {
		op, err := readJSONOperation(item)
		if err != nil {
			return nil, fmt.Errorf("%w: operation %d", err, len(list))
		}
		list = append(list, op)
	}
	return list, nil
}

// A jsonOperation is an operation of RFC 6902 section 4.
type jsonOperation struct {
	op         string
	path, from pointer
	value      document.Value
}

func readJSONOperation(v document.Value) (*jsonOperation, error) {
	o := &jsonOperation{}
	if v.Kind() != document.Object {
		return nil, malformed("an operation must be an object, not %v", v.Kind())
	}
	var err error
	if o.op, err = textMember(v, "op"); err != nil {
		return nil, err
	}
	if o.path, err = pointerMember(v, "path"); err != nil {
		return nil, err
	}
	switch o.op {
	case "add", "replace", "test":
		if o.value = v.Get("value"); !o.value.Exists() {
			return nil, malformed("%s needs a value", o.op)
		}
	case "move", "copy":
		if o.from, err = pointerMember(v, "from"); err != nil {
			return nil, err
		}
		if o.op == "move" && o.path.within(o.from) {
			return nil, malformed("%q cannot be moved into itself", o.from.text)
		}
	case "remove":
	default:
		return nil, malformed("the operation must be add, remove, replace, move, copy or test, not %q", o.op)
	}
	return o, nil
}

func textMember(v document.Value, name string) (string, error) {
	m := v.Get(name)
	if m.Kind() != document.String {
		return "", malformed("%q must be a string, not %v", name, m.Kind())
	}
	return m.Text(), nil
}

func pointerMember(v document.Value, name string) (pointer, error) {
	text, err := textMember(v, name)
	if err != nil {
		return pointer{}, err
	}
	return parsePointer(text)
}

func (o *jsonOperation) name() string { return fmt.Sprintf("%s %q", o.op, o.path.text) }

func (o *jsonOperation) apply(d *document.Document) ([]byte, error) {
	switch o.op {
	case "test":
		v, err := o.path.find(d)
		if err != nil {
			return nil, fmt.Errorf("%w: there is no value at %q", ErrTest, o.path.text)
		}
		if !document.Equal(v, o.value) {
			return nil, fmt.Errorf("%w: the value at %q differs", ErrTest, o.path.text)
		}
		return nil, nil
	case "add":
		return o.add(d, o.value.Raw())
	case "replace":
		v, err := o.path.find(d)
		if err != nil {
			return nil, err
		}
		e := d.Edit()
		e.Replace(v, o.value.Raw())
		return e.Bytes()
	case "remove":
		return remove(d, o.path)
	}
	v, err := o.from.find(d)
	if err != nil {
		return nil, err
	}
	value := v.Raw()
	if o.op == "move" {
		if o.path.text == o.from.text {
			return nil, nil
		}
		text, err := remove(d, o.from)
		if err != nil {
			return nil, err
		}
		if d, err = reread(text, len(d.Source())); err != nil {
			return nil, err
		}
	}
	return o.add(d, value)
}

// add puts a value at the path, new or replacing the existing value. In an array it is inserted
// before the existing item.
func (o *jsonOperation) add(d *document.Document, value []byte) ([]byte, error) {
	e := d.Edit()
	if len(o.path.tokens) == 0 {
		e.Replace(d.Root(), value)
		return e.Bytes()
	}
	parent, last, err := o.path.parent(d)
	if err != nil {
		return nil, err
	}
	if parent.Kind() == document.Object {
		e.Set(parent, last, value)
		return e.Bytes()
	}
	i := parent.Len()
	if last != "-" {
		if i, err = o.path.index(last); err != nil {
			return nil, err
		}
	}
	if i > parent.Len() {
		return nil, unfit("%q is out of range: the list has %d items", o.path.text, parent.Len())
	}
	e.Insert(parent, i, value)
	return e.Bytes()
}

func remove(d *document.Document, at pointer) ([]byte, error) {
	v, err := at.find(d)
	if err != nil {
		return nil, err
	}
	if v == d.Root() {
		return nil, unfit("the resource itself cannot be removed")
	}
	e := d.Edit()
	e.Remove(v)
	return e.Bytes()
}
