package fhirpath

import (
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// An Item is a result: a typed value of the document, or a computed value.
type Item struct {
	// Value is the place in the document. It is absent for computed values, for targets of
	// resolve() of which only the type is known, and for a primitive element without value but with
	// extensions; in an array the latter is null.
	Value document.Value
	// Type is the type of the value, nil if it is unknown or computed.
	Type *definitions.Type
	// Element is the element of the value, or its variant for a choice. It is nil for resources,
	// computed values, and if the type around the value is unknown.
	Element *definitions.Element

	aside document.Value // the object with id and extensions of a primitive without a value
	text  string         // of a computed value
	kind  document.Kind
	// moment is set for a computed date, time or dateTime, whose kind is String, dateTime for one without a
	// time of day that is a dateTime all the same, and none for the item of an empty collection. A computed
	// quantity has the kind Object.
	moment, dateTime, none bool
}

func computed(kind document.Kind, text string) Item { return Item{kind: kind, text: text} }

// Kind returns the kind of the JSON value, also for computed values: a boolean for exists(), a
// number for count().
func (i Item) Kind() document.Kind {
	if i.kind != document.Absent {
		return i.kind
	}
	return i.Value.Kind()
}

// Text returns the text of a primitive value: the characters of a string, the literal of a number
// or boolean, "" for other values.
func (i Item) Text() string {
	if i.kind != document.Absent {
		return i.text
	}
	return i.Value.Text()
}

// Computed reports whether the item is not a value of the document, but the result of a condition,
// a count or a literal.
func (i Item) Computed() bool { return i.kind != document.Absent }

// TypeName returns the name of the type, "" if it is unknown.
func (i Item) TypeName() string {
	if i.Type == nil {
		return ""
	}
	return i.Type.Name
}

// Path returns the place in the document as an expression with JSON names and all indexes:
// "Patient.name[0].given[1]"; "" for computed values.
func (i Item) Path() string {
	if i.Value.Exists() {
		return i.Value.Path(i.Value.Document().ResourceType())
	}
	if i.aside.Exists() {
		return i.aside.Path(i.aside.Document().ResourceType())
	}
	return ""
}

// Beside returns the object with the id and the extensions of a primitive, which is the member
// "_name" next to its own; absent if there is none.
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
		if beside := parent.Parent().Get("_" + parent.Name()); beside.Exists() {
			return beside.Index(v.Position())
		}
		return document.Value{}
	}
	return parent.Get("_" + v.Name())
}

// equal compares two items: JSON values as JSON, computed values with the text of the same kind,
// dates by the parts that both have. It is not known if one of two dates has parts that the other
// has not.
func equal(a, b Item) (same, known bool) {
	if a.isMoment() && b.isMoment() {
		if order, known := compareMoments(a.Text(), b.Text()); known {
			return order == 0, true
		}
		_, is := parseMoment(a.Text())
		_, both := parseMoment(b.Text())
		if is && both {
			return false, false
		}
	}
	switch {
	case a.kind == document.Absent && b.kind == document.Absent:
		return document.Equal(a.Value, b.Value) && (a.Value.Exists() || a == b), true
	case a.isQuantity() && b.isQuantity():
		order, known := compareQuantities(a, b)
		return order == 0, known
	case a.Kind() != b.Kind():
		return false, true
	case a.Kind() == document.Number:
		return document.EqualNumbers(a.Text(), b.Text()), true
	}
	return a.Text() == b.Text(), true
}

// isMoment reports whether an item is a date, dateTime, instant or time.
func (i Item) isMoment() bool {
	if i.moment || i.Type == nil || i.Value.Kind() != document.String {
		return i.moment
	}
	switch i.Type.Name {
	case "date", "dateTime", "instant", "time":
		return true
	}
	return false
}

// isQuantity reports whether an item is a quantity.
func (i Item) isQuantity() bool {
	if i.kind != document.Absent {
		return i.kind == document.Object
	}
	return i.Type != nil && i.Value.Kind() == document.Object && (i.Type.Name == "Quantity" || i.Type.Base == "Quantity")
}

// hasValue reports whether an item is a primitive with a value.
func (i Item) hasValue() bool {
	switch i.Kind() {
	case document.String, document.Number, document.Bool:
		return true
	}
	return false
}
