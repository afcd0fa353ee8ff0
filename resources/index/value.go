package index

import (
	"iter"
	"strings"
	"unicode"
)

// Kind is the kind of a Value. It determines which fields are set.
type Kind uint8

// The kinds of values.
const (
	// Token: System, Code, Text, Form. Components(0) of an Identifier are the codings of its type.
	// A CodeableConcept becomes a Token for each coding, and another with only Text if it has a
	// text.
	Token Kind = iota + 1
	// String: Text, as in the document. It is compared after Fold; see Begins. Form is FormWords for
	// parts of names, and for those of addresses if any of them may match.
	String
	// Date: Time.
	Date
	// Reference: Type and ID of a resource of this server, with the Version of a versioned
	// reference; or URL, with the Version of a canonical. System and Code are those of the
	// identifier of a logical reference, Text is the display. Type is also set beside an identifier
	// if it is known, and Type and ID beside a URL that ends with them. A reference to a contained
	// resource, or with only a display, has nothing else.
	Reference
	// Quantity: Number, System, Code, Unit, and Canonical in CanonicalUnit if the unit is a
	// convertible UCUM unit. Money has its currency as Code.
	Quantity
	// Number: Number.
	NumberKind
	// URI: URL, and for a canonical also Version.
	URI
	// Composite: Components(i) are the values of one element for component i.
	Composite
	// Position: Latitude, Longitude.
	Position
)

// Form is the type of the element of a Token or String.
type Form uint8

// The forms of tokens.
const (
	FormOther      Form = iota // id, uri: without a system
	FormCode                   // code: System is that of the binding, if known
	FormCoding                 // Coding, including codings of CodeableConcepts
	FormIdentifier             // Identifier
	FormContact                // ContactPoint: System is its system ("phone") or its use
	FormBoolean                // boolean: "true", "false"
	FormWords                  // HumanName, Address: each word may be searched
	FormString                 // string: without a system
	FormPhone                  // ContactPoint of a telephone, as FormContact
)

// A Value is one value of a search parameter of a document. Its strings share memory with the
// Values it was read from, which must not change.
type Value struct {
	Kind Kind
	Form Form

	System, Code, Text string

	Time Span[int64] // milliseconds since 1970, UTC

	// Number is the value of a number or quantity. A single number n is Exactly(n), regardless of
	// its precision. A Range, or a quantity with a comparator, is the span it stands for.
	Number        Span[Number]
	Unit          string
	Canonical     Span[Number]
	CanonicalUnit string

	Type, ID, Version string
	URL               string

	Latitude, Longitude float64 // degrees

	components []byte // lists of values, each preceded by its length
}

// Implied reports whether System is not in the document but comes from the binding of the element.
func (v *Value) Implied() bool { return v.Form == FormCode }

// HasCode reports whether the code of a Token, or of the identifier of a Reference, is a requested
// one. Codes are compared exactly, what is a string in the document without case, and telephone
// numbers by their digits and letters and a + before them
// (https://hl7.org/fhir/R4/search.html#token).
func (v *Value) HasCode(code string) bool {
	return v.Code != "" && (v.Code == code || v.codeKey(code) == v.codeKey(v.Code))
}

// codeKey returns the form in which a code is compared with that of a value.
func (v *Value) codeKey(code string) string {
	switch {
	case v.Form == FormPhone:
		return phoneOf(code)
	case v.Kind == Reference || v.Form == FormIdentifier || v.Form == FormContact || v.Form == FormString:
		return strings.ToLower(code)
	}
	return code
}

// phoneOf returns the digits and letters of a telephone number, with a + before them. A blank before
// them is a + that was decoded. A text without any stays as it is.
func phoneOf(text string) string {
	number := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimPrefix(text, "tel:"))
	switch first := strings.TrimPrefix(text, "tel:"); {
	case number == "":
		return text
	case first[0] == '+' || first[0] == ' ':
		return "+" + number
	}
	return number
}

// Key returns the resource of this server that a Reference is to, or the zero Key.
func (v *Value) Key() Key {
	if v.URL != "" || v.ID == "" {
		return Key{}
	}
	return Key{v.Type, v.ID}
}

// KeyAt is Key for a server with base URLs, given without a trailing slash: an absolute URL that
// begins with one of them refers to a resource of this server.
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

// LocalKey returns the resource of this server that a reference names, in any of its forms, or the
// zero Key; see KeyAt.
func LocalKey(reference string, bases []string) Key {
	var v Value
	v.refer(reference)
	return v.KeyAt(bases)
}

// Components returns the values of component i of a Composite, counted from 0, or with 0 the
// codings of the type of an Identifier.
func (v *Value) Components(i int) iter.Seq[Value] { return values(v.list(i)) }

func (v *Value) list(i int) []byte {
	lists := v.components
	for ; i > 0 && len(lists) > 0; i-- {
		_, lists = cutList(lists)
	}
	list, _ := cutList(lists)
	return list
}
