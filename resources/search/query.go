package search

import (
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// A Param is one parameter of a search, decoded from the URL or form: the name with its modifier or
// chain, and the value with its escapes.
type Param struct{ Name, Value string }

// A Query is a parsed search. It is immutable and may be run any number of times.
type Query struct {
	// Types are the searched resource types with their criteria, ordered by name; never empty. The
	// criteria of all types come from the same parameters, read as each type defines them.
	Types []TypeQuery

	Sort       []SortKey // most significant first; nil: newest first
	Include    []Include
	RevInclude []Include

	Bases   []string  // Options.Bases
	At      index.Seq // Options.At
	Explain bool      // Options.Explain

	Summary  Summary
	Elements []string // names of top-level elements; nil for all
	Total    Total
	Count    int    // matches per page; 0: only count
	Cursor   string // where the page begins, from a link of another page; "" for the first page

	// Used are the parameters that were understood, in the order of the request, for the self link.
	// They do not include Cursor.
	Used []Param
	// Ignored are the parameters that were not understood; Issues has the reasons.
	Ignored []Param
	Issues  []Issue
}

// A TypeQuery is what a search requires of resources of one type.
type TypeQuery struct {
	Type     string
	Criteria []Criterion // all must be met; none: every resource of the type
	limit    Limit
	// Texts must be met, too. They are checked on the document after Criteria are met.
	Texts []Words
}

// A Limit is what the reader of a search has of a type: nothing at all, or only resources that meet
// the criteria. The search is planned with it. It does not examine the criteria: the reader does.
type Limit struct {
	None     bool
	Criteria []Criterion
	// Exact says that the reader has all of the type, or in its present state all that meet Permitted
	// if it is not nil. Permitted follows no references.
	Exact     bool
	Permitted *Criterion
}

// Within returns the query with a limit for each of its types. Cursors of the query stay valid.
func (q *Query) Within(limits []Limit) *Query {
	limited := *q
	limited.Types = slices.Clone(q.Types)
	for i := range limited.Types {
		limited.Types[i].limit = limits[i]
	}
	return &limited
}

// Words are the values of _text or _content: lists of folded words. A document matches if it
// contains all words of one list, in full or as prefixes of its words.
type Words struct {
	Param        Param
	Narrative    bool // _text: search only the narrative, otherwise all text
	Alternatives [][]string
}

// A Criterion is one parameter of a search. A resource meets it if it matches one of its
// Alternatives, or with a negative Modifier (Not, NotIn) none of them.
//
// Exactly one of Alternatives, Chain, Has and Group is set. Compartments are criteria, too: a reference in
// one of several parameters.
type Criterion struct {
	Name     string                   // as in the request: "code:below", "subject:Patient.name"
	Param    *definitions.SearchParam // the named parameter, the first of a Chain; nil for Has, Group and compartments
	Modifier Modifier

	Alternatives []Alternative
	Chain        *Chain
	Has          *Has
	Group        *Group
}

// A Group combines criteria, as _filter does. It is met if all of them are met, with Any if one of
// them is, and with Not if that is not so.
type Group struct {
	Any, Not bool
	Of       []Criterion
}

// Follows reports whether other resources decide about a criterion, too: it follows references.
func (c *Criterion) Follows() bool {
	switch {
	case c.Group != nil:
		return slices.ContainsFunc(c.Group.Of, func(c Criterion) bool { return c.Follows() })
	case c.Modifier == Below || c.Modifier == Above:
		return slices.ContainsFunc(c.Alternatives, func(a Alternative) bool { return a.Kind == definitions.Reference })
	}
	return c.Chain != nil || c.Has != nil
}

// A Modifier is what follows the name of a parameter: ":below".
type Modifier uint8

// The modifiers (https://hl7.org/fhir/R4/search.html#modifiers). A type after a reference,
// ":Patient", is not a Modifier: Reference.Key has the type, or Chain its targets.
const (
	Plain      Modifier = iota
	Missing             // :missing: there is one Alternative, whose Missing has the value
	Exact               // :exact, strings
	Contains            // :contains, strings
	Text                // :text, tokens: words of the display, the text or the type's text
	Not                 // :not, tokens: no value matches an alternative
	In                  // :in, tokens: a value set contains the code
	NotIn               // :not-in, tokens: no code is in any of the value sets
	Below               // :below, tokens (the code or a descendant), URIs and canonicals (prefix), references (a resource or its parts)
	Above               // :above, tokens (the code or an ancestor), URIs and canonicals, references (a resource or what it is part of)
	OfType              // :of-type, identifiers: type system | type code | value
	Identifier          // :identifier, references: by Reference.identifier
	ECL                 // :ecl, tokens: an Expression Constraint selects the code

	// Of _filter only, without a name.

	Equals   // strings: the whole text, folded
	EndsWith // strings, folded
)

// An Alternative is one of the comma-separated values of a criterion. Its Kind and the modifier of
// the criterion determine which fields are set.
type Alternative struct {
	Text string // as in the request, with its escapes

	// Param is the parameter whose values are compared, and Kind how they are read. They are those
	// of Criterion.Param, except for compartments and the few parameters with two meanings.
	Param *definitions.SearchParam
	Kind  definitions.ParamKind

	Prefix index.Prefix // Number, Date, Quantity

	// Token is the requested token. With In and NotIn, Target is the value set; with ECL,
	// Token.System is the system and Target the expression; with OfType, Token is the type and
	// Target the value; with Text, Target is the text and Folded its folded form.
	Token Token
	// Target is the unescaped text for String, or the URL for URI. Folded is Target after
	// index.Fold, and Spaced after index.Spaced.
	Target, Folded, Spaced string

	Time      index.Span[int64]        // Date: the requested time; widened for Approximately
	Number    index.Span[index.Number] // Number, Quantity: widened by the precision of the digits for Equal, NotEqual and Approximately
	Unit      Unit                     // Quantity: the requested unit
	Near      Near                     // Special: the circle to search
	Reference Reference                // Reference; for Identifier see Token
	Parts     []Alternative            // Composite: one for each component of Param, in order
	Missing   bool                     // modifier Missing: the parameter must have no value
}

// A Token is a requested code and system (https://hl7.org/fhir/R4/search.html#token): code,
// system|code, |code (no system), system| (any code).
type Token struct {
	System, Code string
	AnySystem    bool // "code": any system
	AnyCode      bool // "system|"
}

// A Unit is the unit of a requested quantity: number|system|code, number||code, or none.
type Unit struct {
	System, Code string // Code "": any unit; System "": any system, compared with code and unit
	// Canonical is the number in the canonical UCUM unit CanonicalUnit, if System is UCUM and Code
	// can be converted. Otherwise CanonicalUnit is "".
	Canonical     index.Span[index.Number]
	CanonicalUnit string
}

// A Near is a circle around a position.
type Near struct{ Latitude, Longitude, Km float64 } // degrees, kilometres

// A Reference is a requested reference: a resource of this server, or a URL. The forms are id,
// Type/id, Type/id/_history/v, and url. A URL of this server becomes Type/id.
type Reference struct {
	// Key is a resource of this server. If only an id was given and the parameter has several
	// targets, Key.Type is "" and Types are the possible targets.
	Key     index.Key
	Types   []string
	Version string // of the resource or canonical, if given
	URL     string // if Key is empty: an absolute URL, canonical or URN
	// Bases are the base URLs of this server. An absolute reference that begins with one of them
	// refers to a resource of this server.
	Bases []string
}

// A Chain requires a reference to a resource that meets another criterion.
type Chain struct {
	Param *definitions.SearchParam // the reference or canonical
	// Targets are the types that the reference may lead to and that have the rest of the chain.
	// Matching one of them is enough.
	Targets []Target
}

// A Target is a type that a chain leads to, with the criterion for its resources.
type Target struct {
	Type      string
	Criterion Criterion
}

// Has requires that another resource refers to the match (https://hl7.org/fhir/R4/search.html#has):
// a resource of Type whose Param refers to it, and which meets Criterion.
type Has struct {
	Type      string
	Param     *definitions.SearchParam
	Criterion Criterion
}

// A SortKey is a parameter to sort by.
type SortKey struct {
	Code   string // "_lastUpdated", "birthdate"
	Desc   bool
	Params []*definitions.SearchParam // one for each of Query.Types
}

// An Include requests resources that matches refer to, or as RevInclude resources that refer to
// matches.
type Include struct {
	Text string // as in the request
	// Source is the type that has the references, "" for any type.
	Source string
	// Params are the reference parameters to follow: one, with "*" all of Source, or nil for all of
	// any type.
	Params []*definitions.SearchParam
	// Target is the type that references must lead to, "" for any.
	Target  string
	Iterate bool // also follow references of included resources
}

// Summary is the requested part of resources (https://hl7.org/fhir/R4/search.html#summary).
type Summary uint8

// The summaries. With SummaryCount, Query.Count is 0.
const (
	SummaryFalse Summary = iota
	SummaryTrue
	SummaryText
	SummaryData
	SummaryCount
)

// Total is how the number of matches is requested (https://hl7.org/fhir/R4/search.html#total).
type Total uint8

// The totals.
const (
	TotalDefault  Total = iota // exact if that is cheap, otherwise approximate
	TotalNone                  // not returned
	TotalEstimate              // the same
	TotalAccurate              // exact, at any cost
)

// A Compartment is identified by the resource that owns it.
type Compartment struct{ Type, ID string }
