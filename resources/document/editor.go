package document

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/roget-health/roget/resources/r4"
)

// ErrEdit is wrapped by the errors of an Editor.
var ErrEdit = errors.New("cannot edit")

// An Editor collects changes of a document and writes the changed text. All changes refer to the
// original values, whatever other changes there are. Unchanged parts keep every byte. Added members
// and items are separated like the others of their object or array. The first error is permanent
// and returned by Bytes.
//
// New JSON is written as given: it must be one well-formed value.
type Editor struct {
	doc   *Document
	edits map[uint32]*edit
	err   error
}

// An edit is the change of a value, or of values inside it.
type edit struct {
	replaced []byte // new JSON
	removed  bool
	inserts  []insert // into an object or array, by position
}

type insert struct {
	at   int // before the child with this index
	name string
	json []byte
}

// Edit returns an Editor of the document, which itself does not change.
func (d *Document) Edit() *Editor { return &Editor{doc: d, edits: map[uint32]*edit{}} }

// Replace replaces a value.
func (e *Editor) Replace(v Value, json []byte) {
	if at := e.edit(v); at != nil {
		if at.removed || at.replaced != nil || len(at.inserts) > 0 {
			e.fail("%s is edited twice", v.Path(""))
			return
		}
		at.replaced = json
	}
}

// Remove removes a member from its object, or an item from its array.
func (e *Editor) Remove(v Value) {
	if at := e.edit(v); at != nil {
		if v.at == 0 {
			e.fail("the document itself cannot be removed")
			return
		}
		if at.removed || at.replaced != nil || len(at.inserts) > 0 {
			e.fail("%s is edited twice", v.Path(""))
			return
		}
		at.removed = true
	}
}

// Insert inserts an item into an array, before the item at index i of the original; Len of the
// array appends it. Several inserts at the same index keep their order.
func (e *Editor) Insert(array Value, i int, json []byte) {
	if array.Kind() != Array || i < 0 || i > array.Len() {
		e.fail("there is no index %d in %v at %q", i, array.Kind(), array.Path(""))
		return
	}
	e.insert(array, insert{at: i, json: json})
}

// Add appends a new member to an object. The caller must ensure that the object has no member with
// that name.
func (e *Editor) Add(object Value, name string, json []byte) {
	if object.Kind() != Object {
		e.fail("cannot add a member to %v at %q", object.Kind(), object.Path(""))
		return
	}
	e.insert(object, insert{at: object.Len(), name: name, json: json})
}

// Set replaces the member of an object, or adds it.
func (e *Editor) Set(object Value, name string, json []byte) {
	if v := object.Get(name); v.Exists() {
		e.Replace(v, json)
		return
	}
	e.Add(object, name, json)
}

func (e *Editor) insert(into Value, what insert) {
	at := e.edit(into)
	if at == nil {
		return
	}
	if at.removed || at.replaced != nil {
		e.fail("%s is edited twice", into.Path(""))
		return
	}
	at.inserts = append(at.inserts, what)
}

// edit returns the edit of a value, and marks all containers of it as edited inside.
func (e *Editor) edit(v Value) *edit {
	if v.doc != e.doc {
		e.fail("the value belongs to another document")
		return nil
	}
	for at := v.at; ; at = e.doc.nodes[at].parent {
		if e.edits[at] != nil {
			break
		}
		e.edits[at] = &edit{}
		if at == 0 {
			break
		}
	}
	return e.edits[v.at]
}

func (e *Editor) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("%w: "+format, append([]any{ErrEdit}, args...)...)
	}
}

// Bytes returns the text with all changes: a new slice, or the source if there are none. A change
// inside a replaced or removed value is lost.
func (e *Editor) Bytes() ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	if len(e.edits) == 0 {
		return e.doc.data, nil
	}
	root := e.doc.Root()
	dst := make([]byte, 0, len(e.doc.data)+256)
	dst = append(dst, e.doc.data[:root.Offset()]...)
	dst = e.write(dst, root)
	return append(dst, e.doc.data[root.End():]...), nil
}

func (e *Editor) write(dst []byte, v Value) []byte {
	at := e.edits[v.at]
	switch {
	case at == nil || at.replaced == nil && v.Kind() != Object && v.Kind() != Array:
		return append(dst, v.Raw()...)
	case at.replaced != nil:
		return append(dst, at.replaced...)
	}
	return e.writeInside(dst, v, at)
}

// writeInside writes an object or array in which children change.
func (e *Editor) writeInside(dst []byte, v Value, at *edit) []byte {
	data := e.doc.data
	sort.SliceStable(at.inserts, func(i, j int) bool { return at.inserts[i].at < at.inserts[j].at })
	children := slices.Collect(v.Children())
	dst = append(dst, data[v.Offset()])
	lead, trail := data[v.Offset()+1:v.End()-1], []byte(nil)
	usual := []byte{','}
	if n := len(children); n > 0 {
		lead = data[v.Offset()+1 : children[0].begin()]
		trail = data[children[n-1].End() : v.End()-1]
		if n > 1 {
			usual = data[children[0].End():children[1].begin()]
		} else {
			usual = append(usual, lead...)
		}
	}
	written, inserts := 0, at.inserts
	separate := func(between []byte) {
		if written == 0 {
			dst = append(dst, lead...)
		} else {
			dst = append(dst, between...)
		}
		written++
	}
	insertAt := func(i int) {
		for len(inserts) > 0 && inserts[0].at == i {
			separate(usual)
			if v.Kind() == Object {
				dst = append(r4.AppendString(dst, inserts[0].name), ':')
			}
			dst = append(dst, inserts[0].json...)
			inserts = inserts[1:]
		}
	}
	for i, child := range children {
		insertAt(i)
		if edited := e.edits[child.at]; edited != nil && edited.removed {
			continue
		}
		between := usual
		if i > 0 {
			between = data[children[i-1].End():child.begin()]
		}
		separate(between)
		dst = append(dst, data[child.begin():child.Offset()]...)
		dst = e.write(dst, child)
	}
	insertAt(len(children))
	if written > 0 {
		dst = append(dst, trail...)
	}
	return append(dst, data[v.End()-1])
}

// begin returns where a child begins: for a member, its name.
func (v Value) begin() int { return int(v.node().begin) }
