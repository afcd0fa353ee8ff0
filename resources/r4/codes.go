package r4

// Codes is a set of codes, of one or several code systems: immutable, safe for concurrent
// use.
type Codes interface {
	// Len is how many codes Each gives. It is math.MaxInt when there are codes that Contains
	// knows and Each does not give: other spellings where case does not matter, and codes
	// that a grammar makes.
	Len() int
	// Contains reports that a code is in the set. Without a system, none is.
	Contains(system, code string) bool
	// Each calls fn for the codes until it returns false, in no particular order. A code
	// may come more than once.
	Each(fn func(system, code string) bool)
	// Numbering serves callers that ask the same codes of many sets: number gives the number
	// of a code of a system, contains tells membership by number, and numbers stay valid
	// wherever key is the same. key is nil when the set draws the system from several
	// versions, or lists codes that no code system has: ask Contains then.
	Numbering(system string) (key any, number func(code string) (uint32, bool), contains func(number uint32) bool)
}
