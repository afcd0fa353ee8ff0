package search

import (
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// Param is one parameter of a search as it stands in the URL or form, decoded: the name
// with its modifier or chain, and the value with its escapes.
type Param struct{ Name, Value string }

// A Query is a search that was understood. It is not changed once it is made, and may be
// run any number of times.
type Query struct {
	// Types are the resource types searched and what must hold of each, in the order of
	// their names; never empty. The criteria of all types are the same parameters, read as
	// each type defines them.
	Types []TypeQuery

	Sort       []SortKey // in order of weight; nil: newest first
	Include    []Include
	RevInclude []Include

	Bases []string // Options.Bases

	Summary  Summary
	Elements []string // names of top level elements; nil: all
	Total    Total
	Count    int    // matches on a page; 0: only count
	Cursor   string // where the page begins, as a link of another page said; "": the first

	// Used are the parameters that were understood, in the order of the request: what the
	// self link says. Cursor is not among them.
	Used []Param
	// Ignored are those that were not, and Issues says why.
	Ignored []Param
	Issues  []Issue
}

// TypeQuery is what a search asks of resources of one type.
type TypeQuery struct {
	Type     string
	Criteria []Criterion // all must hold; none: every resource of the type
	// Texts must all hold, too. They are about the document, which is looked at once
	// Criteria hold.
	Texts []Words
}

// Words are the values of _text or _content, one of which must be in the text of a document:
// each a list of folded words, all of which must be there, whole or as beginnings.
type Words struct {
	Param        Param
	Narrative    bool // _text: only the narrative counts; else all that is text
	Alternatives [][]string
}

// A Criterion is one parameter of a search. It holds of a resource when one of its
// Alternatives does; with a negative Modifier (Not, NotIn) when none does.
//
// Exactly one of Alternatives, Chain and Has says what is asked. Compartments are criteria
// too: a reference of one of several parameters.
type Criterion struct {
	Name     string                   // as in the request: "code:below", "subject:Patient.name"
	Param    *definitions.SearchParam // the parameter named; of the Chain the first; nil for Has and compartments
	Modifier Modifier

	Alternatives []Alternative
	Chain        *Chain
	Has          *Has
}

// Modifier is what follows the name of a parameter: ":below".
type Modifier uint8

// The modifiers (https://hl7.org/fhir/R4/search.html#modifiers). A type after a reference,
// ":Patient", is no Modifier: Alternative.Key has the type, or Chain its targets.
const (
	Plain      Modifier = iota
	Missing             // :missing: Alternatives is one, whose Missing says which way
	Exact               // :exact, strings
	Contains            // :contains, strings
	Text                // :text, tokens: the words in the display, the text or the type's text
	Not                 // :not, tokens: no value is one of the alternatives
	In                  // :in, tokens: a value set has the code
	NotIn               // :not-in, tokens: no code is in any of the value sets
	Below               // :below, tokens (the code or a descendant), uris and canonicals (prefix)
	Above               // :above, tokens (the code or an ancestor), uris and canonicals
	OfType              // :of-type, identifiers: type system | type code | value
	Identifier          // :identifier, references: by Reference.identifier
	ECL                 // :ecl, tokens: an Expression Constraint selects the code
)

// Negative reports that the criterion holds where no alternative does.
func (m Modifier) Negative() bool { return m == Not || m == NotIn }

// An Alternative is one of the values, between commas, that a criterion asks for. Which
// fields count follows from Kind, and from the modifier of the criterion.
type Alternative struct {
	Text string // as in the request, with its escapes

	// Param is whose values decide, and Kind how they are read. That is Criterion.Param and
	// its kind but for the few parameters with two meanings, and compartments.
	Param *definitions.SearchParam
	Kind  definitions.ParamKind

	Prefix index.Prefix // Number, Date, Quantity

	// Token: what is asked for. With In, NotIn: Target is the value set; with ECL: Token.System
	// and Target, the expression; with OfType: Token is the type, and Target the value;
	// with Text: Target is the text, and Folded.
	Token Token
	// Target is the text to compare for String, the url for URI (unescaped). Folded is the
	// text as index.Fold has it.
	Target, Folded string

	Time      index.Span[int64]        // Date: the time asked for; with Approximately widened
	Number    index.Span[index.Number] // Number, Quantity: by the digits given for Equal, NotEqual and Approximately
	Unit      Unit                     // Quantity: the unit asked for
	Near      Near                     // Special: what is near
	Reference Reference                // Reference; with Identifier see Token
	Parts     []Alternative            // Composite: one for each component of Param, in their order
	Missing   bool                     // with the modifier Missing: the parameter must have no value
}

// Token is what is asked of a code and its system (https://hl7.org/fhir/R4/search.html#token):
// code, system|code, |code (no system), system| (any code).
type Token struct {
	System, Code string
	AnySystem    bool // "code": the system does not matter
	AnyCode      bool // "system|"
}

// Unit is the unit of a quantity asked for: number|system|code, number||code, or none.
type Unit struct {
	System, Code string // Code "": of any unit; System "": of any system, by code or unit
	// Canonical is the number in the canonical unit of UCUM, CanonicalUnit, where System is
	// UCUM and Code can be converted; else CanonicalUnit is "".
	Canonical     index.Span[index.Number]
	CanonicalUnit string
}

// Near is a circle around a position.
type Near struct{ Latitude, Longitude, Km float64 } // degrees, kilometres

// Reference is what is asked of a reference: a resource here, or a url. The
// forms are id, Type/id, Type/id/_history/v, and url, of which those that name this server are
// made Type/id.
type Reference struct {
	// Key names a resource here. Its Type is "" when only an id was given and the
	// parameter has several targets: then Types are the targets that count.
	Key     index.Key
	Types   []string
	Version string // of the resource or canonical, when given
	URL     string // when Key is empty: an absolute url, canonical or urn
	// Bases are the base urls of this server: an absolute reference that begins with one is to
	// a resource here.
	Bases []string
}

// Chain asks for references to resources that meet a criterion of their own.
type Chain struct {
	Param *definitions.SearchParam // the reference, or canonical
	// Targets are the types that the reference may lead to and that know the rest of the
	// chain; any of them will do.
	Targets []Target
}

// Target is a type of resource that a chain leads to, and what is asked of it.
type Target struct {
	Type      string
	Criterion Criterion
}

// Has asks for resources that others refer to (https://hl7.org/fhir/R4/search.html#has):
// one of Type whose Param refers here, and which meets Criterion.
type Has struct {
	Type      string
	Param     *definitions.SearchParam
	Criterion Criterion
}

// SortKey is a parameter to order by.
type SortKey struct {
	Code   string // "_lastUpdated", "birthdate"
	Desc   bool
	Params []*definitions.SearchParam // of each of Query.Types
}

// Include asks for what matches refer to, or with RevInclude for what refers to them.
type Include struct {
	Text string // as in the request
	// Source is the type that has the references; "" any type.
	Source string
	// Params are the reference parameters followed: one, or with "*" all of Source; nil: all
	// of any type.
	Params []*definitions.SearchParam
	// Target is the type that references must lead to; "" any.
	Target  string
	Iterate bool // followed from what was included, too
}

// Summary is the part of a resource that is asked for (https://hl7.org/fhir/R4/search.html#summary).
type Summary uint8

// The summaries. With SummaryCount, Query.Count is 0.
const (
	SummaryFalse Summary = iota
	SummaryTrue
	SummaryText
	SummaryData
	SummaryCount
)

// Total is how the number of matches is wanted (https://hl7.org/fhir/R4/search.html#total).
type Total uint8

// The totals.
const (
	TotalDefault  Total = iota // told when it is cheap to know
	TotalNone                  // not told
	TotalEstimate              // roughly
	TotalAccurate              // exact, whatever it takes
)

// Compartment is the resource to which a compartment belongs.
type Compartment struct{ Type, ID string }
