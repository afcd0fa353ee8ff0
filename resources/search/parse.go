package search

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// CursorParam is the parameter with the cursor of a page. It occurs only in the links between
// pages.
const CursorParam = "_cursor"

// Limits on what one search string can request.
const (
	maxParams       = 1_000  // parameters of a search
	maxAlternatives = 10_000 // comma-separated values of all parameters
	maxCriteria     = 50_000 // criteria, including those within chains and of each type
	maxDepth        = 8      // links of a chain
	maxIncludes     = 100
)

// Options are the inputs of a search besides its parameters.
type Options struct {
	// Compartment limits the search to members of a compartment; nil for no limit.
	Compartment *Compartment
	// Strict refuses unknown parameters, which are otherwise ignored (Prefer: handling=strict).
	Strict bool
	// DefaultCount is the page size without _count, and MaxCount the maximum page size. 0 means 50
	// and 1,000.
	DefaultCount, MaxCount int
	// Bases are the base URLs of this server, without a trailing slash. References that begin with
	// one of them are to resources of this server.
	Bases []string
	// Shown are the types that _elements names the elements of, if resources are shown in another
	// version of FHIR than they are stored in; nil for the types that are searched.
	Shown *definitions.Tables
	// At is the state that is searched, if the store has moved on since; 0 for the present. It must be
	// younger than what the store has purged.
	At index.Seq
	// Now is the time that the prefix ap compares dates with; zero for the present.
	Now time.Time
	// Explain asks for Page.Steps.
	Explain bool
}

// Parse parses the parameters of a search. typ is the resource type, or "" for the types listed in
// _type or all types. Every error is an *Error (ErrParameter).
func Parse(t *definitions.Tables, typ string, params []Param, o Options) (*Query, error) {
	return parse(t, index.NewExtractor(t), typ, params, o)
}

// Parse parses the parameters of a search; see the function Parse.
func (s *Searcher) Parse(typ string, params []Param, o Options) (*Query, error) {
	return parse(s.tables, s.extractor, typ, params, o)
}

func parse(t *definitions.Tables, x *index.Extractor, typ string, params []Param, o Options) (*Query, error) {
	if o.DefaultCount <= 0 {
		o.DefaultCount = 50
	}
	if o.MaxCount <= 0 {
		o.MaxCount = 1000
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if len(params) > maxParams {
		return nil, &Error{Text: fmt.Sprintf("the search has %d parameters; at most %d are allowed", len(params), maxParams)}
	}
	p := &parser{tables: t, extractor: x, options: o, query: &Query{Count: min(o.DefaultCount, o.MaxCount), Bases: o.Bases, At: o.At, Explain: o.Explain}}
	if err := p.types(typ, params); err != nil {
		return nil, err
	}
	if err := p.compartment(); err != nil {
		return nil, err
	}
	for _, param := range params {
		if err := p.param(param); err != nil {
			return nil, err
		}
	}
	if p.query.Summary == SummaryCount {
		p.query.Count = 0
	}
	return p.query, nil
}

// parser is the state of one Parse.
type parser struct {
	tables       *definitions.Tables
	extractor    *index.Extractor
	options      Options
	query        *Query
	alternatives int
	criteria     int
}

// param parses one parameter into the query. An unknown parameter is ignored with an issue, or with
// Strict refused.
func (p *parser) param(param Param) error {
	err := p.understand(param)
	switch {
	case err == nil:
		return nil
	case !err.Unknown || p.options.Strict:
		err.Param = param
		return err
	}
	p.query.Ignored = append(p.query.Ignored, param)
	p.query.Issues = append(p.query.Issues, Issue{
		Severity: Warning, Code: "not-supported", Param: param.Name,
		Text: fmt.Sprintf("the search parameter %s was ignored: %s", clip(param.Name), err.Text),
	})
	return nil
}

// understand parses one parameter. The error does not have its Param yet.
func (p *parser) understand(param Param) *Error {
	if param.Value == "" {
		return unknown("the value is empty")
	}
	if control, is := controlOf(param.Name); is {
		if control == nil {
			return unknown("this parameter is not supported")
		}
		return control(p, param)
	}
	parsed := make([]Criterion, len(p.query.Types))
	for i, t := range p.query.Types {
		c, err := p.criterion(t.Type, param.Name, param.Value, 0)
		if err != nil {
			return err
		}
		parsed[i] = c
	}
	for i, c := range parsed {
		p.query.Types[i].Criteria = append(p.query.Types[i].Criteria, c)
	}
	p.use(param)
	return nil
}

// types determines the types to search.
func (p *parser) types(typ string, params []Param) *Error {
	names := []string{typ}
	if typ == "" {
		names = nil
		for _, param := range params {
			if param.Name != "_type" || param.Value == "" {
				continue
			}
			for _, name := range cut(param.Value, ',') {
				if !p.tables.IsResource(name) {
					return &Error{Param: param, Text: fmt.Sprintf("%q is not a resource type of R4", clip(name))}
				}
				names = append(names, name)
			}
		}
		if names == nil {
			names = slices.Clone(p.tables.Resources())
		}
		slices.Sort(names)
		names = slices.Compact(names)
	} else if !p.tables.IsResource(typ) {
		return &Error{Text: fmt.Sprintf("%q is not a resource type of R4", clip(typ))}
	}
	for _, name := range names {
		if name != "Parameters" { // never stored
			p.query.Types = append(p.query.Types, TypeQuery{Type: name})
		}
	}
	if len(p.query.Types) == 0 {
		return &Error{Text: "resources of type Parameters are never stored"}
	}
	return nil
}

// compartment adds the criteria of membership in the compartment, and drops types that cannot be
// members.
func (p *parser) compartment() *Error {
	c := p.options.Compartment
	if c == nil {
		return nil
	}
	table := p.tables.Compartment(c.Type)
	if table == nil {
		return &Error{Text: fmt.Sprintf("the type %s has no compartment", clip(c.Type))}
	}
	asked := p.query.Types
	var members []TypeQuery
	for _, t := range asked {
		if criterion, member := p.member(table, t.Type, *c); member {
			t.Criteria = append(t.Criteria, criterion)
			members = append(members, t)
		}
	}
	if len(members) == 0 {
		return &Error{Text: fmt.Sprintf("resources of type %s are never in the compartment of a %s", asked[0].Type, c.Type)}
	}
	p.query.Types = members
	return nil
}

// member returns the criterion of a type's membership in a compartment.
func (p *parser) member(table *definitions.Compartment, typ string, c Compartment) (Criterion, bool) {
	out := Criterion{Name: c.Type + "/" + c.ID}
	add := func(a Alternative) {
		a.Text = out.Name
		out.Alternatives = append(out.Alternatives, a)
	}
	if typ == c.Type {
		if id := p.tables.SearchParam(typ, "_id"); id != nil {
			add(Alternative{Param: id, Kind: definitions.Token, Token: Token{Code: c.ID, AnySystem: true}})
		}
	}
	for _, code := range table.Params(typ) {
		if param := p.tables.SearchParam(typ, code); param != nil && param.Kind == definitions.Reference {
			a := Alternative{Param: param, Kind: definitions.Reference}
			a.Reference.Key, a.Reference.Bases = index.Key{Type: c.Type, ID: c.ID}, p.options.Bases
			add(a)
		}
	}
	return out, len(out.Alternatives) > 0
}

// unknown returns an Error about something that is unknown.
func unknown(format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...), Unknown: true}
}

// malformed returns an Error about something that is known but wrong.
func malformed(format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...)}
}

// list joins names for a message.
func list(names []string) string {
	const limit = 12
	if len(names) > limit {
		return strings.Join(names[:limit], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// A control parses a parameter that affects how results are returned rather than which.
type control func(p *parser, param Param) *Error

// controlOf returns the parser of a control parameter, nil if it is not supported.
func controlOf(name string) (read control, is bool) {
	switch name {
	case "_sort":
		return (*parser).sort, true
	case "_count":
		return (*parser).count, true
	case "_total":
		return (*parser).total, true
	case "_summary":
		return (*parser).summary, true
	case "_elements":
		return (*parser).elements, true
	case "_include", "_include:iterate", "_include:recurse", "_revinclude", "_revinclude:iterate", "_revinclude:recurse":
		return (*parser).include, true
	case "_type":
		return (*parser).typeList, true
	case CursorParam:
		return (*parser).cursor, true
	case "_contained":
		return (*parser).contained, true
	case "_format", "_pretty":
		return func(p *parser, param Param) *Error { p.use(param); return nil }, true
	case "_text", "_content":
		return (*parser).words, true
	case "_filter":
		return (*parser).filter, true
	case "_containedType", "_query", "_score":
		return nil, true
	}
	return nil, false
}

// criterion parses a parameter of a type, with its modifier or chain.
func (p *parser) criterion(typ, name, value string, depth int) (Criterion, *Error) {
	if depth > maxDepth {
		return Criterion{}, malformed("the chain has more than %d links", maxDepth)
	}
	if p.criteria++; p.criteria > maxCriteria {
		return Criterion{}, malformed("the chain leads to too many types; name the types of references, as in subject:Patient.name")
	}
	if name == "_list" {
		if strings.HasPrefix(value, "$") {
			return Criterion{}, unknown("lists by function, such as %s, are not supported", clip(value))
		}
		name = "_has:List:item:_id"
	}
	if rest, is := strings.CutPrefix(name, "_has:"); is {
		return p.has(typ, name, rest, value, depth)
	}
	head, rest, chained := strings.Cut(name, ".")
	code, modifier, modified := strings.Cut(head, ":")
	param := p.tables.SearchParam(typ, code)
	if err := p.searchable(typ, code, param); err != nil {
		return Criterion{}, err
	}
	if chained {
		return p.chain(param, name, modifier, modified, rest, value, depth)
	}
	c := Criterion{Name: name, Param: param}
	target := ""
	if modified {
		var err *Error
		if c.Modifier, target, err = p.modifier(param, modifier); err != nil {
			return Criterion{}, err
		}
	}
	return c, p.values(&c, target, value)
}

// Searchable reports whether a parameter of the definitions is supported. Parameters that contain a
// whole search (_query, _filter) are not.
func Searchable(p *definitions.SearchParam) bool {
	return hasValues(p) || p.Code == "_text" || p.Code == "_content"
}

// hasValues reports whether a parameter is about values of a resource or its Record, so that it can
// be chained to and sorted by.
func hasValues(p *definitions.SearchParam) bool {
	return p.Expression != "" && (p.Kind != definitions.Special || p.Code == "near") || ofRecord(p)
}

// searchable checks a parameter that was looked up by its code.
func (p *parser) searchable(typ, code string, param *definitions.SearchParam) *Error {
	switch {
	case param == nil:
		return unknown("%s has no search parameter %q", typ, clip(code))
	case !hasValues(param):
		return unknown("the search parameter %s of %s is not supported", param.Code, typ)
	}
	return nil
}

// chain parses what follows the dot: subject:Patient.name, subject.name.
func (p *parser) chain(param *definitions.SearchParam, name, modifier string, modified bool, rest, value string, depth int) (Criterion, *Error) {
	if param.Kind != definitions.Reference {
		return Criterion{}, malformed("only references can be chained, but %s is of type %s", param.Code, param.Kind)
	}
	targets := param.Targets
	if targets == nil {
		targets = p.tables.Resources()
	}
	if modified {
		if err := p.targetType(param, modifier); err != nil {
			return Criterion{}, err
		}
		targets = []string{modifier}
	}
	chain := &Chain{Param: param}
	var ignorable, wrong *Error
	for _, target := range targets {
		c, err := p.criterion(target, rest, value, depth+1)
		switch {
		case err == nil:
			chain.Targets = append(chain.Targets, Target{Type: target, Criterion: c})
		case err.Unknown:
			ignorable = err
		default:
			wrong = err
		}
	}
	switch {
	case len(chain.Targets) > 0:
		return Criterion{Name: name, Param: param, Chain: chain}, nil
	case wrong != nil:
		return Criterion{}, wrong
	case len(targets) > 1:
		return Criterion{}, unknown("%s refers to %s, none of which has a search parameter %q", param.Code, list(targets), clip(rest))
	}
	return Criterion{}, ignorable
}

// has parses what follows "_has:": Observation:patient:code.
func (p *parser) has(typ, name, rest, value string, depth int) (Criterion, *Error) {
	parts := strings.SplitN(rest, ":", 3)
	if len(parts) < 3 || parts[2] == "" {
		return Criterion{}, malformed("expected _has:Type:reference:parameter, such as _has:Observation:patient:code")
	}
	source, code := parts[0], parts[1]
	if !p.tables.IsResource(source) {
		return Criterion{}, malformed("%q is not a resource type of R4", clip(source))
	}
	param := p.tables.SearchParam(source, code)
	if err := p.searchable(source, code, param); err != nil {
		return Criterion{}, err
	}
	switch {
	case param.Kind != definitions.Reference:
		return Criterion{}, malformed("_has needs a reference, but %s of %s is of type %s", param.Code, source, param.Kind)
	case !refersTo(param, typ):
		return Criterion{}, malformed("%s of %s refers to %[4]s, not to %[3]s", param.Code, source, typ, list(param.Targets))
	}
	inner, err := p.criterion(source, parts[2], value, depth+1)
	if err != nil {
		return Criterion{}, err
	}
	return Criterion{Name: name, Has: &Has{Type: source, Param: param, Criterion: inner}}, nil
}

// refersTo reports whether a reference parameter can lead to a type.
func refersTo(param *definitions.SearchParam, typ string) bool {
	if param.Targets == nil {
		return true
	}
	for _, t := range param.Targets {
		if t == typ {
			return true
		}
	}
	return false
}

// targetType checks a type after a reference parameter: subject:Patient.
func (p *parser) targetType(param *definitions.SearchParam, name string) *Error {
	if !p.tables.IsResource(name) {
		return malformed("%q is neither a modifier of %s nor a resource type", clip(name), param.Code)
	}
	if !refersTo(param, name) {
		return malformed("%s refers to %[3]s, not to %[2]s", param.Code, name, list(param.Targets))
	}
	return nil
}
