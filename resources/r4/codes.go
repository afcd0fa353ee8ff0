package r4

// Codes is an immutable set of codes of one or several code systems. It is safe for concurrent use.
type Codes interface {
	// Len returns the number of codes that Each yields, and that Contains accepts, but for expressions
	// (see Composing). It is math.MaxInt if Contains accepts codes
	// that Each does not yield: other spellings in systems without case sensitivity, and codes that
	// a grammar generates.
	Len() int
	// Contains reports whether a code is in the set. A code without a system is not.
	Contains(system, code string) bool
	// Each calls fn for the codes, unordered, until it returns false. A code may be repeated.
	Each(fn func(system, code string) bool)
	// Numbering is for callers that look up the same codes in many sets: number returns the number
	// of a code of a system, and contains reports membership by number. Numbers stay valid between
	// sets with the same key. key is nil if the set takes the system from several versions, or
	// lists codes that no code system has; then Contains must be used.
	Numbering(system string) (key any, number func(code string) (uint32, bool), contains func(number uint32) bool)
}

// Composing is an optional interface of Codes. Composes reports whether Contains accepts codes with
// operators, such as expressions of SNOMED CT, that Each and Numbering know nothing of.
type Composing interface{ Composes() bool }

// Composed reports whether a code has operators, so that a set that composes may have it.
func Composed(code string) bool {
	for i := range len(code) {
		switch code[i] {
		case ':', '+', '=', '|', '<':
			return true
		}
	}
	return false
}
