package search

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// CursorParam is the parameter that says where a page begins: it stands in the links from
// page to page, and is of no use elsewhere.
const CursorParam = "_cursor"

// Limits on searches. They bound what one search string can ask for.
const (
	maxParams       = 1_000  // parameters of a search
	maxAlternatives = 10_000 // values between commas, of all parameters
	maxCriteria     = 50_000 // criteria, those within chains and of each type included
	maxDepth        = 8      // links of a chain
	maxIncludes     = 100
)

// Options are what a search depends on besides its parameters.
type Options struct {
	// Compartment limits the search to members of a compartment; nil: no limit.
	Compartment *Compartment
	// Strict refuses what a search that is not strict passes over: parameters that are not
	// known (Prefer: handling=strict).
	Strict bool
	// DefaultCount is the size of a page where _count is absent, MaxCount the largest that is
	// given; 0: 50 and 1,000.
	DefaultCount, MaxCount int
	// Bases are the base urls of this server, without a slash at the end: references that
	// begin with one are to resources here.
	Bases []string
	// Now is the time that dates are compared with by the prefix ap; zero: the present.
	Now time.Time
}

// Parse reads the parameters of a search of a resource type, or with typ "" of those that
// _type lists, or of all. Its errors are an *Error each (ErrParameter).
func Parse(t *definitions.Tables, typ string, params []Param, o Options) (*Query, error) {
	return parse(t, index.NewExtractor(t), typ, params, o)
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
		return nil, &Error{Text: fmt.Sprintf("%d parameters, at most %d are read", len(params), maxParams)}
	}
	p := &parser{tables: t, extractor: x, options: o, query: &Query{Count: min(o.DefaultCount, o.MaxCount), Bases: o.Bases}}
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

// param reads one parameter into the query. What is not known is passed over with an
// issue, or with Strict an error.
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
		Text: fmt.Sprintf("search parameter %s was ignored: %s", clip(param.Name), err.Text),
	})
	return nil
}

// understand reads one parameter. The error has no Param yet.
func (p *parser) understand(param Param) *Error {
	if param.Value == "" {
		return unknown("it has no value")
	}
	if control, is := controlOf(param.Name); is {
		if control == nil {
			return unknown("it is not supported")
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

// use notes that a parameter was understood.
func (p *parser) use(param Param) { p.query.Used = append(p.query.Used, param) }

// types finds the types that are searched.
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
					return &Error{Param: param, Text: fmt.Sprintf("%q is no resource type of R4", clip(name))}
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
		return &Error{Text: fmt.Sprintf("%q is no resource type of R4", clip(typ))}
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

// compartment adds what makes resources members of the compartment, and drops the types
// that can't be.
func (p *parser) compartment() *Error {
	c := p.options.Compartment
	if c == nil {
		return nil
	}
	table := p.tables.Compartment(c.Type)
	if table == nil {
		return &Error{Text: fmt.Sprintf("there is no compartment of %s", clip(c.Type))}
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
		return &Error{Text: fmt.Sprintf("no %s is in the compartment of a %s", asked[0].Type, c.Type)}
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

// unknown is an Error of what is not known.
func unknown(format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...), Unknown: true}
}

// malformed is an Error of what is known, and wrong.
func malformed(format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...)}
}

// list joins names for a message.
func list(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
