package fhirpath

import (
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// An Item is one result: a value of the document with its type, or one that was computed.
type Item struct {
	// Value is the place in the document. It is absent for what was computed, for what
	// resolve() knows the type of only, and for a primitive element without a value that
	// has extensions; such a one in an array is null.
	Value document.Value
	// Type is the type of the value; nil when it is not known, or was computed.
	Type *definitions.Type
	// Element is the element it is a value of, the variant for a choice. It is nil for
	// resources, what was computed, and where the type around is not known.
	Element *definitions.Element

	aside document.Value // the object with id and extensions of a primitive without a value
	text  string         // of what was computed
	kind  document.Kind
}

func computed(kind document.Kind, text string) Item { return Item{kind: kind, text: text} }

// Kind returns the kind of the JSON value, also of what was computed: a boolean of exists(),
// a number of count().
func (i Item) Kind() document.Kind {
	if i.kind != document.Absent {
		return i.kind
	}
	return i.Value.Kind()
}

// Text returns the text of a primitive value: the characters of a string, the literal of a
// number or boolean; "" for all else.
func (i Item) Text() string {
	if i.kind != document.Absent {
		return i.text
	}
	return i.Value.Text()
}

// Computed reports that the item is no value of the document: the result of a condition,
// a count or a literal.
func (i Item) Computed() bool { return i.kind != document.Absent }

// TypeName returns the name of the type, "" when it is not known.
func (i Item) TypeName() string {
	if i.Type == nil {
		return ""
	}
	return i.Type.Name
}

// Path returns the place in the document as an expression with the names of JSON and all
// indexes: "Patient.name[0].given[1]"; "" for what was computed.
func (i Item) Path() string {
	if i.Value.Exists() {
		return i.Value.Path(i.Value.Document().ResourceType())
	}
	if i.aside.Exists() {
		return i.aside.Path(i.aside.Document().ResourceType())
	}
	return ""
}

// Beside returns the object with the id and the extensions of a primitive, the member "_name"
// beside its own; absent when there is none.
func (i Item) Beside() document.Value {
	if i.aside.Exists() {
		return i.aside
	}
	v := i.Value
	switch v.Kind() {
	case document.Object, document.Array, document.Absent:
		return document.Value{}
	}
	parent := v.Parent()
	if parent.Kind() == document.Array {
		return parent.Parent().Get("_" + parent.Name()).Index(v.Position())
	}
	return parent.Get("_" + v.Name())
}

// equal compares two items: JSON values as JSON, what was computed with the text of its kind.
func equal(a, b Item) bool {
	if a.kind == document.Absent && b.kind == document.Absent {
		return document.Equal(a.Value, b.Value)
	}
	if a.Kind() != b.Kind() {
		return false
	}
	if a.Kind() == document.Number {
		return document.EqualNumbers(a.Text(), b.Text())
	}
	return a.Text() == b.Text()
}
