package index

import "cmp"

// A Span is a range of times or numbers: Low <= x < High. Times are milliseconds since 1970, UTC,
// with Earliest and Latest for open ends. Numbers are of type Number, with Least and Greatest.
type Span[T cmp.Ordered] struct{ Low, High T }

// Holds reports whether a value v compares with the requested span s as a prefix requires.
func (s Span[T]) Holds(p Prefix, v Span[T]) bool {
	switch p {
	case Equal:
		return s.contains(v)
	case NotEqual:
		return !s.contains(v)
	case Greater:
		return v.High > s.High
	case Less:
		return v.Low < s.Low
	case GreaterEqual:
		return v.High > s.High || s.contains(v)
	case LessEqual:
		return v.Low < s.Low || s.contains(v)
	case StartsAfter:
		return v.Low >= s.High
	case EndsBefore:
		return v.High <= s.Low
	case Approximately:
		return v.Low < s.High && s.Low < v.High
	}
	return false
}

func (s Span[T]) contains(v Span[T]) bool { return s.Low <= v.Low && v.High <= s.High }

// Prefix is how a requested value compares with values of documents, for numbers, dates and
// quantities (https://hl7.org/fhir/R4/search.html#prefix).
type Prefix uint8

// The prefixes. Both sides are ranges: the requested value by its precision, and the value of the
// document.
const (
	Equal         Prefix = iota // eq: the requested range contains the value's range
	NotEqual                    // ne: it does not
	Greater                     // gt: the value has a part above the requested range
	Less                        // lt: the value has a part below
	GreaterEqual                // ge: gt or eq
	LessEqual                   // le: lt or eq
	StartsAfter                 // sa: the whole value is above
	EndsBefore                  // eb: the whole value is below
	Approximately               // ap: the ranges overlap after widening the requested one
)

// prefixNames are the prefixes as written in a request.
var prefixNames = [...]string{"eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"}

// String returns the prefix as written: "eq".
func (p Prefix) String() string {
	if int(p) < len(prefixNames) {
		return prefixNames[p]
	}
	return "??"
}

// CutPrefix splits a search value into prefix and rest: "ge2020" is GreaterEqual and "2020".
// Without a prefix it is Equal.
func CutPrefix(value string) (Prefix, string) {
	if len(value) > 2 {
		for i, name := range prefixNames {
			if value[:2] == name {
				return Prefix(i), value[2:]
			}
		}
	}
	return Equal, value
}
