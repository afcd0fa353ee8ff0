package ecl

// Expression is a parsed expression constraint, immutable.
type Expression struct {
	root constraint
}

// constraint is a subset of the concepts: *compound, *refined, *dotted or *sub.
type constraint interface {
	offset() int
	write(w *writer)
}

// pos is the offset in bytes where a part begins in the text.
type pos int

func (p pos) offset() int { return int(p) }

// compoundOp joins constraints, or refinements.
type compoundOp uint8

const (
	opAnd compoundOp = iota
	opOr
	opMinus
)

// compound is two or more constraints joined by one operator; MINUS joins exactly two.
type compound struct {
	pos
	op    compoundOp
	parts []constraint
}

// refined is a constraint with a refinement.
type refined struct {
	pos
	focus      constraint
	refinement refinement
}

// dotted is the values of an attribute of the concepts of a constraint, one or more times.
type dotted struct {
	pos
	focus constraint
	names []constraint
}

// sub is a focus with its prefixes and suffixes. They apply from inside out: focus, member-of with
// its filters, hierarchy operator, filters, history supplement.
type sub struct {
	pos
	hierarchy     hierarchyOp
	member        *memberOf
	concept       *conceptRef // the focus is this,
	nested        constraint  // or this, or the wildcard if both are nil
	memberFilters [][]memberFilter
	filters       []filter
	history       *history
}

// bare reports whether a sub consists of its focus only.
func (s *sub) bare() bool {
	return s.hierarchy == self && s.member == nil && len(s.memberFilters) == 0 && len(s.filters) == 0 && s.history == nil
}

// wildcard reports whether the focus is any concept.
func (s *sub) wildcard() bool { return s.concept == nil && s.nested == nil }

// conceptRef names one concept. The term after it is not stored.
type conceptRef struct {
	pos
	scheme string // "" for an identifier of SNOMED CT
	code   string
}

// hierarchyOp is a constraint operator.
type hierarchyOp uint8

const (
	self hierarchyOp = iota
	descendantOf
	descendantOrSelfOf
	childOf
	childOrSelfOf
	ancestorOf
	ancestorOrSelfOf
	parentOf
	parentOrSelfOf
	top
	bottom
)

// hierarchyOps lists the operators in both spellings; longer symbols come first.
var hierarchyOps = [...]struct {
	op            hierarchyOp
	symbol, words string
}{
	{childOrSelfOf, "<<!", "childorselfof"},
	{descendantOrSelfOf, "<<", "descendantorselfof"},
	{childOf, "<!", "childof"},
	{descendantOf, "<", "descendantof"},
	{parentOrSelfOf, ">>!", "parentorselfof"},
	{ancestorOrSelfOf, ">>", "ancestororselfof"},
	{parentOf, ">!", "parentof"},
	{ancestorOf, ">", "ancestorof"},
	{top, "!!>", "top"},
	{bottom, "!!<", "bottom"},
}

// memberOf selects from reference sets.
type memberOf struct {
	pos
	all    bool     // every field
	fields []string // empty: the referenced component
}

// refinement is *junction, *attribute or *group.
type refinement interface {
	offset() int
	write(w *writer)
}

// junction is refinements joined by AND or OR.
type junction struct {
	pos
	op    compoundOp
	parts []refinement
}

// group holds attributes that one group of relationships must satisfy together.
type group struct {
	pos
	count cardinality
	body  refinement // without groups
}

// attribute compares the values of an attribute.
type attribute struct {
	pos
	count   cardinality
	reverse bool
	name    constraint
	op      comparison
	value   value
}

// cardinality is how often something may match; a negative max means no limit.
type cardinality struct{ min, max int }

// atLeastOnce is the default cardinality.
var atLeastOnce = cardinality{1, -1}

// holds reports whether a count is within a cardinality.
func (c cardinality) holds(n int) bool { return n >= c.min && (c.max < 0 || n <= c.max) }

// counts reports whether it matters how often something that matches does.
func (c cardinality) counts() bool { return c.min > 1 || c.max > 0 }

// comparison is a comparison operator.
type comparison uint8

const (
	equal comparison = iota
	notEqual
	less
	lessOrEqual
	greater
	greaterOrEqual
)

// holds applies the operator to the sign of a comparison of two ordered values.
func (c comparison) holds(sign int) bool {
	switch c {
	case equal:
		return sign == 0
	case notEqual:
		return sign != 0
	case less:
		return sign < 0
	case lessOrEqual:
		return sign <= 0
	case greater:
		return sign > 0
	}
	return sign >= 0
}

// value is the value that an attribute or a field is compared with.
type value struct {
	kind    valueKind
	set     constraint   // of valueConcepts
	number  string       // of valueNumber, without a plus sign
	terms   []searchTerm // of valueTerms
	boolean bool         // of valueBoolean
	times   []string     // of valueTimes: "YYYYMMDD", or "" for no date
}

type valueKind uint8

const (
	valueConcepts valueKind = iota
	valueNumber
	valueTerms
	valueBoolean
	valueTimes
)

// searchTerm is a text to find.
type searchTerm struct {
	kind termKind
	text string // without escapes, except for literal * and \ in a pattern
}

// termKind is how a text is compared.
type termKind uint8

const (
	termMatch termKind = iota // words in any order
	termWild                  // a pattern for the whole text
	termExact                 // the text itself
)

// filter is *descriptionFilters or *conceptFilters.
type filter interface{ write(w *writer) }

// descriptionFilters are filters that one description must satisfy together.
type descriptionFilters struct {
	pos
	all []descriptionFilter
}

// conceptFilters are filters that a concept must satisfy.
type conceptFilters struct {
	pos
	all []conceptFilter
}

// subject is the property that a filter tests.
type subject uint8

const (
	subjectTerm subject = iota + 1
	subjectLanguage
	subjectType
	subjectDialect
	subjectModule
	subjectTime
	subjectActive
	subjectID
	subjectStatus
	subjectField
)

// test is the common part of filters of descriptions, concepts and members.
type test struct {
	pos
	subject subject
	op      comparison
	set     constraint // module, type, status: concepts; for a field see memberFilter
	times   []string   // time
	active  activity   // active
}

// activity is a value of an active filter.
type activity uint8

const (
	activeOnly activity = iota
	inactiveOnly
	activeOrNot
)

type descriptionFilter struct {
	test
	terms     []searchTerm // term
	languages []string     // language, lower case
	ids       []string     // id
	dialects  []dialect    // dialect
}

type conceptFilter struct{ test }

type memberFilter struct {
	test
	field string
	value value
}

// dialect is one or more language reference sets, with the wanted acceptability.
type dialect struct {
	pos
	alias  string     // lower case; "" where set is given
	set    constraint // reference sets
	accept acceptance
}

// acceptance is the accepted acceptability; the zero value accepts any.
type acceptance struct {
	preferred, acceptable bool
	others                bool // another acceptability was asked for, which never occurs
}

func (a acceptance) any() bool { return a == acceptance{} }

// history adds inactive concepts to a constraint.
type history struct {
	pos
	profile historyProfile
	sets    constraint // of historySets
}

type historyProfile uint8

const (
	historyMax historyProfile = iota
	historyMin
	historyMod
	historySets
)
