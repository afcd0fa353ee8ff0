package document

import (
	"iter"
	"strconv"

	"github.com/roget-health/roget/resources/r4"
)

// Kind is the kind of a JSON value.
type Kind = r4.Kind

// The kinds of values. Absent is the kind of a value that does not exist.
const (
	Absent = r4.KindNone
	Object = r4.KindObject
	Array  = r4.KindArray
	String = r4.KindString
	Number = r4.KindNumber
	Bool   = r4.KindBoolean
	Null   = r4.KindNull
)

// A Value is a place in a Document. It is small, comparable, and passed by value. The zero Value is
// absent; all its methods return absent or zero values.
type Value struct {
	doc *Document
	at  uint32
}

func (v Value) node() *node {
	if v.doc == nil {
		return &absent
	}
	return &v.doc.nodes[v.at]
}

// absent must never be written to.
var absent node

// Exists reports whether there is a value, including null.
func (v Value) Exists() bool { return v.doc != nil }

// Document returns the document of the value, nil if it is absent.
func (v Value) Document() *Document { return v.doc }

// Kind returns the kind of the value.
func (v Value) Kind() Kind { return v.node().kind }

// Name returns the name of a member, "" for the root and for items of an array.
func (v Value) Name() string {
	if v.doc == nil {
		return ""
	}
	return v.doc.nameOf(v.node())
}

// Len returns the number of members of an object or items of an array, 0 for other values.
func (v Value) Len() int { return int(v.node().count) }

// Size returns the number of values in the value, including itself; 0 if it is absent.
func (v Value) Size() int {
	if v.doc == nil {
		return 0
	}
	return int(v.node().next - v.at)
}

// Ordinal returns the index of the value among all values of the document, in the order of the
// text.
func (v Value) Ordinal() int { return int(v.at) }

// Offset returns the offset of the value in the source, 0 if it is absent.
func (v Value) Offset() int { return int(v.node().start) }

// End returns the offset after the last byte of the value in the source.
func (v Value) End() int { return int(v.node().end) }

// Raw returns the source of the value, which must not be modified.
func (v Value) Raw() []byte {
	n := v.node()
	if v.doc == nil {
		return nil
	}
	return v.doc.data[n.start:n.end:n.end]
}

// Text returns the characters of a string, with escapes resolved, or the literal of a number, true
// or false; "" for other values. It allocates only for strings with escapes.
func (v Value) Text() string {
	n := v.node()
	switch n.kind {
	case String:
		inside := v.doc.text[n.start+1 : n.end-1]
		if n.flags&escapedText != 0 {
			return string(unescape(make([]byte, 0, len(inside)), inside))
		}
		return inside
	case Number, Bool:
		return v.doc.text[n.start:n.end]
	}
	return ""
}

// Is reports whether the value is a string with the given characters.
func (v Value) Is(text string) bool { return v.Kind() == String && v.Text() == text }

// Get returns the member of an object with a name.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	nodes := v.doc.nodes
	end := nodes[v.at].next
	for i := v.at + 1; i < end; {
		n := &nodes[i]
		if v.doc.nameOf(n) == name {
			return Value{v.doc, i}
		}
		i = n.next
	}
	return Value{}
}

// Index returns the item of an array at an index, from 0.
func (v Value) Index(i int) Value {
	if v.Kind() != Array || i < 0 || i >= v.Len() {
		return Value{}
	}
	at := v.at + 1
	for range i {
		at = v.doc.nodes[at].next
	}
	return Value{v.doc, at}
}

// Members returns the members of an object in their order, and nothing for other values.
func (v Value) Members() iter.Seq[Value] { return v.inside(Object) }

// Items returns the items of an array in their order, and nothing for other values.
func (v Value) Items() iter.Seq[Value] { return v.inside(Array) }

// Children returns members or items.
func (v Value) Children() iter.Seq[Value] { return v.inside(v.Kind()) }

func (v Value) inside(kind Kind) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.doc == nil || v.Kind() != kind {
			return
		}
		end := v.node().next
		for i := v.at + 1; i < end; i = v.doc.nodes[i].next {
			if !yield(Value{v.doc, i}) {
				return
			}
		}
	}
}

// Parent returns the object or array that contains the value, absent for the root.
func (v Value) Parent() Value {
	if v.doc == nil || v.at == 0 {
		return Value{}
	}
	return Value{v.doc, v.node().parent}
}

// Position returns the index of the value among the children of its parent.
func (v Value) Position() int {
	if v.doc == nil || v.at == 0 {
		return 0
	}
	position := 0
	for i := v.node().parent + 1; i < v.at; i = v.doc.nodes[i].next {
		position++
	}
	return position
}

// Path returns the place of the value as a FHIRPath expression that begins with the given root:
// "Patient.name[0].given[1]". It is "" for an absent value.
func (v Value) Path(root string) string {
	if v.doc == nil {
		return ""
	}
	return string(v.appendPath(make([]byte, 0, 64), root))
}

func (v Value) appendPath(dst []byte, root string) []byte {
	parent := v.Parent()
	if !parent.Exists() {
		return append(dst, root...)
	}
	dst = parent.appendPath(dst, root)
	if parent.Kind() == Array {
		dst = append(dst, '[')
		dst = strconv.AppendInt(dst, int64(v.Position()), 10)
		return append(dst, ']')
	}
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	return append(dst, v.Name()...)
}
