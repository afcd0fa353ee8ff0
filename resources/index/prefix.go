package index

// Prefix is how a value asked for compares with values found, for numbers, dates and
// quantities (https://hl7.org/fhir/R4/search.html#prefix).
type Prefix uint8

// The prefixes. Both sides are ranges: of what is asked for, by its precision, and of the
// value found.
const (
	Equal         Prefix = iota // eq: the range asked for contains the value's range
	NotEqual                    // ne: it does not
	Greater                     // gt: the value has a part above the range asked for
	Less                        // lt: the value has a part below
	GreaterEqual                // ge: gt or eq
	LessEqual                   // le: lt or eq
	StartsAfter                 // sa: all of the value is above
	EndsBefore                  // eb: all of the value is below
	Approximately               // ap: the ranges overlap, the one asked for being widened
)

// prefixNames are the prefixes as they are written, by number.
var prefixNames = [...]string{"eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"}

// String returns the prefix as it is written: "eq".
func (p Prefix) String() string {
	if int(p) < len(prefixNames) {
		return prefixNames[p]
	}
	return "??"
}

// CutPrefix takes the prefix off a value of a search: "ge2020" is GreaterEqual and "2020".
// A value without one is Equal.
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
