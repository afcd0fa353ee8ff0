package codesystem

import "errors"

// Errors of building an index.
var (
	// ErrDuplicateCode is returned by Add for a code that was added before.
	ErrDuplicateCode = errors.New("duplicate code")
	// ErrEmptyCode is returned by Add when a concept has no code.
	ErrEmptyCode = errors.New("concept without a code")
	// ErrUnknownParent is returned by Build when a parent, child or subsumedBy property names a
	// code that does not exist.
	ErrUnknownParent = errors.New("unknown parent")
	// ErrCycle is returned by Build when the hierarchy has a cycle; the message contains the path.
	ErrCycle = errors.New("cycle in hierarchy")
	// ErrBadProperty is returned by Add when a property value does not fit its declared type.
	ErrBadProperty = errors.New("property value does not fit its declared type")
	// ErrBadDetails is returned by Add when a concept has details, but not for each designation.
	ErrBadDetails = errors.New("details do not fit the designations")
	// ErrBadRefset is returned by AddRefset and AddMember for a reference set that is declared with
	// different columns or not at all, and for a member that does not fit its columns.
	ErrBadRefset = errors.New("reference set")
	// ErrTooLarge is returned by Add, AddMember and Build beyond 2^31-2 concepts or members, or 4 GiB of
	// codes, displays, definitions, designations or values of members.
	ErrTooLarge = errors.New("code system too large")
)

// Errors of evaluating a filter.
var (
	// ErrUnknownProperty is returned when no concept has the property of a filter and the header
	// does not declare it.
	ErrUnknownProperty = errors.New("unknown property")
	// ErrUnknownOperator is returned for an operator that R4 does not define, or that does not
	// apply to the property.
	ErrUnknownOperator = errors.New("unsupported filter operator")
	// ErrBadFilterValue is returned for a value the operator cannot use: empty, a bad regular
	// expression, or exists without true or false.
	ErrBadFilterValue = errors.New("bad filter value")
	// ErrUnknownCode is returned when a hierarchical filter names a code that the system does not
	// have.
	ErrUnknownCode = errors.New("unknown code")
	// ErrNotSubsumptive is returned when a filter needs is-a but the hierarchyMeaning is part-of or
	// grouped-by.
	ErrNotSubsumptive = errors.New("hierarchy is not one of subsumption")
)

// Errors of opening a snapshot.
var (
	// ErrForeign is returned when the bytes are not a snapshot of this program.
	ErrForeign = errors.New("not a roget snapshot")
	// ErrSnapshotVersion is returned when the snapshot has another layout version.
	ErrSnapshotVersion = errors.New("snapshot layout version differs")
	// ErrDamaged is returned when the length, checksum or structure of a snapshot is wrong.
	ErrDamaged = errors.New("damaged snapshot")
)
