package codesystem

// A section is one named part of a snapshot. Its data starts at an 8-byte boundary
// of the snapshot, so 4- and 8-byte numbers in it may be read in place.
type section struct {
	id   uint32
	data []byte
}

// Section ids. The numbers are part of the layout: never reuse one for another meaning
// without raising the layout version. 1 to 31 codes, hierarchy and designations,
// 32 to 47 properties, 48 to 63 text.
const (
	maxSection = 63
)
