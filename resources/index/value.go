package index

import (
	"iter"
	"strings"
)

// Kind tells what a Value is, and which of its fields count.
type Kind uint8

// The kinds of values.
const (
	// Token: System, Code, Text, Form. Of an Identifier, Components(0) are the codings of its
	// type. A CodeableConcept gives a Token for each coding, and one with Text alone when it
	// has a text.
	Token Kind = iota + 1
	// String: Text, as it is in the document. It is compared with Fold.
	String
	// Date: Time.
	Date
	// Reference: Type and ID of a resource here, with the Version of a versioned reference;
	// or URL, with the Version of a canonical. System and Code are those of the identifier of a
	// logical reference, Text is the display. Type is also set, when it is known, beside an
	// identifier, and both Type and ID beside a URL that ends with them. Of a reference to a
	// contained resource, or one with a display alone, there is no more than that.
	Reference
	// Quantity: Number, System, Code, Unit; Canonical in CanonicalUnit when the unit is one
	// of UCUM that can be converted. Money has its currency as Code.
	Quantity
	// Number: Number.
	NumberKind
	// URI: URL; of a canonical also Version.
	URI
	// Composite: Components(i) are the values that one element has for component i.
	Composite
	// Position: Latitude, Longitude.
	Position
)

// Form tells what element a Token was.
type Form uint8

// The forms of tokens.
const (
	FormOther      Form = iota // string, id, uri: has no system
	FormCode                   // code: System is that of its binding, when it is known
	FormCoding                 // Coding, and codings of CodeableConcepts
	FormIdentifier             // Identifier
	FormContact                // ContactPoint: System is its system ("phone"), or its use
	FormBoolean                // boolean: "true", "false"
)

// Value is one value of a search parameter of a document. Its strings share memory with the
// Values it was read from, which nobody changes.
type Value struct {
	Kind Kind
	Form Form

	System, Code, Text string

	Time Span[int64] // milliseconds since 1970, UTC

	// Number is the value of a number or quantity. A single number n is Exactly(n), whatever
	// its precision; a Range, or a quantity with a comparator, is the span it stands for.
	Number        Span[Number]
	Unit          string
	Canonical     Span[Number]
	CanonicalUnit string

	Type, ID, Version string
	URL               string

	Latitude, Longitude float64 // degrees

	components []byte // lists of values, each with its length in front
}

// Implied reports that the System of a code is not in the document, but that of the
// binding of its element.
func (v *Value) Implied() bool { return v.Form == FormCode }

// Key returns the resource that a Reference is to; the zero Key when it is to none here.
func (v *Value) Key() Key {
	if v.URL != "" || v.ID == "" {
		return Key{}
	}
	return Key{v.Type, v.ID}
}

// KeyAt is Key of a server whose base urls are given, without a slash at the end: an absolute
// URL that begins with one of them is to a resource here.
func (v *Value) KeyAt(bases []string) Key {
	if v.URL == "" || v.ID == "" {
		return v.Key()
	}
	key := Key{v.Type, v.ID}
	for _, base := range bases {
		if rest, is := strings.CutPrefix(v.URL, base); is && rest != "" && rest[0] == '/' && rest[1:] == key.String() {
			return key
		}
	}
	return Key{}
}

// Components returns the values of one component of a Composite, counted from 0, or the
// codings of the type of an Identifier (0).
func (v *Value) Components(i int) iter.Seq[Value] { return values(v.list(i)) }

func (v *Value) list(i int) []byte {
	lists := v.components
	for ; i > 0 && len(lists) > 0; i-- {
		_, lists = cutList(lists)
	}
	list, _ := cutList(lists)
	return list
}
