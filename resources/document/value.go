package document

import (
	"iter"
	"strconv"

	"github.com/roget-health/roget/resources/r4"
)

// Kind is the kind of a JSON value.
type Kind = r4.Kind

// The kinds of values. Absent is that of a value that is not there.
const (
	Absent = r4.KindNone
	Object = r4.KindObject
	Array  = r4.KindArray
	String = r4.KindString
	Number = r4.KindNumber
	Bool   = r4.KindBoolean
	Null   = r4.KindNull
)

// A Value is a place in a Document: small, comparable, to be passed by value. The zero Value
// is absent, and so is everything asked of it.
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

// absent is never written to.
var absent node

// Exists reports that there is a value, null included.
func (v Value) Exists() bool { return v.doc != nil }

// Document returns the document the value is in, nil for an absent one.
func (v Value) Document() *Document { return v.doc }

// Kind tells what the value is.
func (v Value) Kind() Kind { return v.node().kind }

// Name returns the name of a member, "" for the root and for items of an array.
func (v Value) Name() string {
	if v.doc == nil {
		return ""
	}
	return v.doc.nameOf(v.node())
}

// Len returns the number of members of an object or items of an array, 0 for all else.
func (v Value) Len() int { return int(v.node().count) }

// Size returns how many values there are in the value, itself included; 0 for an absent one.
func (v Value) Size() int {
	if v.doc == nil {
		return 0
	}
	return int(v.node().next - v.at)
}

// Ordinal numbers the values of a document in the order of the text, from 0.
func (v Value) Ordinal() int { return int(v.at) }

// Offset returns where in the source the value begins, and 0 for an absent one.
func (v Value) Offset() int { return int(v.node().start) }

// End returns where in the source the value ends: the offset behind its last byte.
func (v Value) End() int { return int(v.node().end) }

// Raw returns the source of the value: a part of it, not to be modified.
func (v Value) Raw() []byte {
	n := v.node()
	if v.doc == nil {
		return nil
	}
	return v.doc.data[n.start:n.end:n.end]
}

// Text returns the characters of a string, escapes resolved, or the literal of a number, of
// true and false. For all else it is "". It allocates for strings with escapes only.
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

// Is reports that the value is a string with these characters.
func (v Value) Is(text string) bool { return v.Kind() == String && v.Text() == text }

// Get returns the member of an object with this name.
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

// Index returns the item of an array with this number, from 0.
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

// Members returns the members of an object in their order; of all else, none.
func (v Value) Members() iter.Seq[Value] { return v.inside(Object) }

// Items returns the items of an array in their order; of all else, none.
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

// Parent returns the object or array the value is in, absent for the root.
func (v Value) Parent() Value {
	if v.doc == nil || v.at == 0 {
		return Value{}
	}
	return Value{v.doc, v.node().parent}
}

// Position returns which child of its parent the value is, from 0.
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

// Path returns the place of the value as a FHIRPath expression that begins with the name of
// the root: "Patient.name[0].given[1]". For an absent value it is "".
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
