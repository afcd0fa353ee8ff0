package operation

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/engine"
)

// A kind is a group of FHIR types that are read in the same way.
type kind uint8

const (
	kindText     kind = iota // string, and types that are strings of a certain form
	kindBoolean              // true or false
	kindInteger              // 32-bit integers
	kindDecimal              // decimals, kept as text
	kindDate                 // date, dateTime, instant
	kindCoding               // Coding
	kindConcept              // CodeableConcept
	kindResource             // a resource, kept as JSON
	kindParts                // a parameter made of parts
)

// kindOf returns the kind of a FHIR type as a Param names it.
func kindOf(typ string) kind {
	switch typ {
	case "boolean":
		return kindBoolean
	case "integer", "positiveInt", "unsignedInt":
		return kindInteger
	case "decimal":
		return kindDecimal
	case "date", "dateTime", "instant":
		return kindDate
	case "Coding":
		return kindCoding
	case "CodeableConcept":
		return kindConcept
	case "", "part":
		return kindParts
	case "Reference": // its literal reference
		return kindText
	}
	if typ[0] >= 'A' && typ[0] <= 'Z' {
		return kindResource
	}
	return kindText
}

// valueKind returns the kind of the suffix of a value[x]: "Uri", "Boolean", "Coding".
// ok is false for types no parameter of an operation has.
func valueKind(suffix string) (k kind, ok bool) {
	switch suffix {
	case "String", "Code", "Uri", "Url", "Canonical", "Id", "Markdown", "Oid", "Uuid", "Reference":
		return kindText, true
	case "Boolean":
		return kindBoolean, true
	case "Integer", "PositiveInt", "UnsignedInt":
		return kindInteger, true
	case "Decimal":
		return kindDecimal, true
	case "Date", "DateTime", "Instant":
		return kindDate, true
	case "Coding":
		return kindCoding, true
	case "CodeableConcept":
		return kindConcept, true
	}
	return 0, false
}

// checkPrimitive returns an error if text is not a value of the type of p.
func checkPrimitive(p *Param, k kind, text string) error {
	if !utf8.ValidString(text) {
		return invalid(p.Name, "the value is not UTF-8")
	}
	switch k {
	case kindBoolean:
		if text != "true" && text != "false" {
			return invalid(p.Name, fmt.Sprintf("%s is neither true nor false", quote(text)))
		}
	case kindInteger:
		n, err := parseInteger(text)
		if errors.Is(err, strconv.ErrRange) {
			return invalid(p.Name, fmt.Sprintf("%s is not within the 32 bits of an integer", quote(text)))
		}
		if err != nil {
			return invalid(p.Name, fmt.Sprintf("%s is not an integer", quote(text)))
		}
		if low := lowest(p.Type); n < low {
			return invalid(p.Name, fmt.Sprintf("%s is below %d", quote(text), low))
		}
	case kindDecimal:
		if _, err := strconv.ParseFloat(text, 64); err != nil || strings.ContainsAny(text, "xX_nN") {
			return invalid(p.Name, fmt.Sprintf("%s is not a decimal", quote(text)))
		}
	case kindDate:
		if !isDate(text) {
			return invalid(p.Name, fmt.Sprintf("%s is not a date or dateTime", quote(text)))
		}
	}
	return nil
}

func lowest(typ string) int {
	switch typ {
	case "positiveInt":
		return 1
	case "unsignedInt":
		return 0
	}
	return math.MinInt32
}

// parseInteger reads an integer as FHIR writes it (R4 datatypes.html#integer): no
// leading zeros, 32 bits.
func parseInteger(s string) (int, error) {
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || (len(digits) > 1 && digits[0] == '0') {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err
}

// isDate reports whether s has the form of a FHIR date, dateTime or instant: YYYY, YYYY-MM,
// YYYY-MM-DD, or YYYY-MM-DDThh:mm:ss with an optional fraction and a zone.
func isDate(s string) bool {
	const shape = "dddd-dd-ddTdd:dd:dd"
	for i := 0; i < len(shape) && i < len(s); i++ {
		if shape[i] == 'd' {
			if s[i] < '0' || s[i] > '9' {
				return false
			}
		} else if s[i] != shape[i] {
			return false
		}
	}
	switch len(s) {
	case 4, 7, 10:
		return dateInRange(s)
	}
	if len(s) < len(shape)+1 {
		return false
	}
	return dateInRange(s) && isZone(strings.TrimLeft(fraction(s[len(shape):]), "0123456789"))
}

// fraction drops the point of a fraction of seconds that has digits.
func fraction(s string) string {
	if len(s) > 1 && s[0] == '.' && s[1] >= '0' && s[1] <= '9' {
		return s[1:]
	}
	if len(s) > 0 && s[0] >= '0' && s[0] <= '9' {
		return "." // digits without a point: no zone
	}
	return s
}

func isZone(s string) bool {
	if s == "Z" {
		return true
	}
	if len(s) != 6 || (s[0] != '+' && s[0] != '-') || s[3] != ':' {
		return false
	}
	for _, i := range []int{1, 2, 4, 5} {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// dateInRange checks month and day of a text whose shape is right.
func dateInRange(s string) bool {
	within := func(at int, low, high string) bool {
		return len(s) < at+2 || (s[at:at+2] >= low && s[at:at+2] <= high)
	}
	return within(5, "01", "12") && within(8, "01", "31") && within(11, "00", "23") && within(14, "00", "59") && within(17, "00", "60")
}

func invalid(name, detail string) error {
	return &engine.ParameterError{Name: name, Problem: engine.ErrInvalidParameter, Detail: detail}
}

// quote returns a value for a message, shortened if it is long.
func quote(s string) string {
	const limit = 80
	if len(s) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		return strconv.Quote(s[:cut]) + "…"
	}
	return strconv.Quote(s)
}
