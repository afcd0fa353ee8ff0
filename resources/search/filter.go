package search

import (
	"context"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// match decides a group.
func (g *Group) match(ctx context.Context, rec *index.Record, v index.View, env *Env) (bool, error) {
	for i := range g.Of {
		match, err := g.Of[i].Match(ctx, rec, v, env)
		if err != nil {
			return false, err
		}
		if match == g.Any {
			return g.Any != g.Not, nil
		}
	}
	return g.Any == g.Not, nil
}

// groupAccess returns the access of the first criterion of a group that has one, or with Any those of
// all, nil if there is none.
func (r *run) groupAccess(ctx context.Context, of *TypeQuery, g *Group) (*access, error) {
	if g.Not {
		return nil, nil
	}
	all := &access{whole: true, ranges: []index.Range{}}
	for i := range g.Of {
		a, err := r.access(ctx, of, &g.Of[i])
		if err != nil {
			return nil, err
		}
		switch {
		case !g.Any && a != nil:
			return a, nil
		case !g.Any:
			continue
		case a == nil:
			return nil, nil
		}
		if err := a.resolve(ctx, r); err != nil {
			return nil, err
		}
		if !a.whole { // all or nothing, as the alternatives are united
			if a.seqs, a.whole, err = a.gather(ctx, r, r.bounds.gather); err != nil || !a.whole {
				return nil, err
			}
		}
		all.seqs = append(all.seqs, a.seqs...)
	}
	if !g.Any {
		return nil, nil
	}
	return all, nil
}

// filter parses _filter (https://hl7.org/fhir/R4/search_filter.html).
func (p *parser) filter(param Param) *Error {
	for i := range p.query.Types {
		t := &p.query.Types[i]
		f := filterParser{parser: p, typ: t.Type, rest: param.Value}
		c, err := f.any()
		if err == nil && f.peek() != "" {
			err = malformed("_filter: %q is not expected", clip(f.peek()))
		}
		if err != nil {
			err.Unknown = false // without it the search would find too much
			return err
		}
		t.Criteria = append(t.Criteria, c)
	}
	p.use(param)
	return nil
}

// filterParser parses an expression for one type.
type filterParser struct {
	*parser
	typ, rest string
	depth     int
}

// peek returns the next word, parenthesis or quoted text, "" at the end.
func (f *filterParser) peek() string {
	f.rest = strings.TrimLeft(f.rest, " \t")
	switch {
	case f.rest == "":
		return ""
	case strings.IndexByte("()[]", f.rest[0]) >= 0:
		return f.rest[:1]
	case f.rest[0] == '"':
		for i := 1; i < len(f.rest); i++ {
			switch f.rest[i] {
			case '\\':
				i++
			case '"':
				return f.rest[:i+1]
			}
		}
		return f.rest
	}
	if end := strings.IndexAny(f.rest, " \t()[]"); end >= 0 {
		return f.rest[:end]
	}
	return f.rest
}

func (f *filterParser) next() string {
	word := f.peek()
	f.rest = f.rest[len(word):]
	return word
}

// take reads a word if it is the next one.
func (f *filterParser) take(word string) bool {
	if f.peek() != word {
		return false
	}
	f.next()
	return true
}

// any parses what or joins, and all what and joins, which binds closer.
func (f *filterParser) any() (Criterion, *Error) { return f.joined("or", true, f.all) }

func (f *filterParser) all() (Criterion, *Error) { return f.joined("and", false, f.one) }

func (f *filterParser) joined(word string, either bool, part func() (Criterion, *Error)) (Criterion, *Error) {
	first, err := part()
	if err != nil || f.peek() != word {
		return first, err
	}
	g := &Group{Any: either, Of: []Criterion{first}}
	for f.take(word) {
		c, err := part()
		if err != nil {
			return Criterion{}, err
		}
		g.Of = append(g.Of, c)
	}
	return Criterion{Name: "_filter", Group: g}, nil
}

// one parses a comparison, or what is in parentheses.
func (f *filterParser) one() (Criterion, *Error) {
	not := f.take("not")
	switch {
	case f.take("("):
		if f.depth++; f.depth > maxDepth {
			return Criterion{}, malformed("_filter has more than %d parentheses in each other", maxDepth)
		}
		c, err := f.any()
		if err == nil && !f.take(")") {
			err = malformed("_filter: a closing parenthesis is missing")
		}
		f.depth--
		if err != nil || !not {
			return c, err
		}
		return negated(c), nil
	case not:
		return Criterion{}, malformed("_filter: expected a parenthesis after not")
	}
	path, op, value := f.next(), f.next(), f.next()
	if path == "" || op == "" || value == "" || strings.ContainsAny(path[:1]+value[:1], "()[]") {
		return Criterion{}, malformed("_filter: expected parameter, operator and value, such as birthdate ge 2014-10-10")
	}
	if op == "[" {
		return Criterion{}, malformed("_filter: filters in brackets are not supported; write a chain such as subject.name")
	}
	if value[0] == '"' {
		if len(value) < 2 || value[len(value)-1] != '"' {
			return Criterion{}, malformed("_filter: a quotation mark is missing")
		}
		value = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value[1 : len(value)-1])
		if op != "in" && op != "ni" {
			value = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `$`, `\$`).Replace(value)
		}
	}
	return f.comparison(path, op, value)
}

func negated(c Criterion) Criterion {
	return Criterion{Name: "_filter", Group: &Group{Not: true, Of: []Criterion{c}}}
}

// operators are what an operator of a filter is for each kind of parameter: a modifier after a colon,
// or the prefix of the value.
var operators = map[string]map[definitions.ParamKind]string{
	"eq": {definitions.Token: "", definitions.String: "=", definitions.URI: "", definitions.Reference: "", definitions.Date: "", definitions.Number: "", definitions.Quantity: "", definitions.Composite: ""},
	"co": {definitions.String: ":contains"},
	"sw": {definitions.String: "", definitions.URI: ":below"},
	"ew": {definitions.String: "$"},
	"gt": prefixed("gt"), "lt": prefixed("lt"), "ge": prefixed("ge"), "le": prefixed("le"),
	"sa": prefixed("sa"), "eb": prefixed("eb"), "ap": prefixed("ap"),
	"ss": {definitions.Token: ":above"}, "sb": {definitions.Token: ":below"},
	"in": {definitions.Token: ":in"}, "ni": {definitions.Token: ":not-in"},
	"re": {definitions.Reference: ""},
}

func prefixed(prefix string) map[definitions.ParamKind]string {
	return map[definitions.ParamKind]string{definitions.Date: prefix, definitions.Number: prefix, definitions.Quantity: prefix}
}

// comparison returns the criterion of a comparison.
func (f *filterParser) comparison(path, op, value string) (Criterion, *Error) {
	name := strings.ReplaceAll(path, ":", ".") // no modifiers
	switch op {
	case "pr":
		if value != "true" && value != "false" {
			return Criterion{}, malformed("_filter: expected true or false after pr")
		}
		return f.criterion(f.typ, name+":missing", map[string]string{"true": "false", "false": "true"}[value], 0)
	case "ne":
		equal, err := f.comparison(path, "eq", value)
		if err != nil {
			return Criterion{}, err
		}
		there, err := f.comparison(path, "pr", "true")
		return Criterion{Name: "_filter", Group: &Group{Of: []Criterion{there, negated(equal)}}}, err
	}
	kinds := operators[op]
	if kinds == nil {
		return Criterion{}, malformed("_filter: %q is not a supported operator; there are eq, ne, co, sw, ew, gt, lt, ge, le, sa, eb, ap, pr, ss, sb, in, ni and re", clip(op))
	}
	// The kind is that of the end of a chain: what the parameter without a modifier means tells it.
	plain := value
	if _, is := kinds[definitions.Date]; is && op != "eq" {
		plain = op + value
	}
	c, err := f.criterion(f.typ, name, plain, 0)
	if err != nil {
		return Criterion{}, err
	}
	end := endOf(&c)
	if end == nil {
		return Criterion{}, malformed("_filter: %s is not a parameter for filters", clip(path))
	}
	how, allowed := kinds[end.Kind]
	switch {
	case !allowed:
		return Criterion{}, malformed("_filter: the operator %s is not for parameters of type %s", op, end.Kind)
	case strings.HasPrefix(how, ":"):
		return f.criterion(f.typ, name+how, value, 0)
	case how == "=":
		setModifier(&c, Equals)
	case how == "$":
		setModifier(&c, EndsWith)
	}
	return c, nil
}

// endOf returns the parameter at the end of a chain.
func endOf(c *Criterion) *definitions.SearchParam {
	for c.Chain != nil {
		c = &c.Chain.Targets[0].Criterion
	}
	return c.Param
}

func setModifier(c *Criterion, m Modifier) {
	if c.Chain == nil {
		c.Modifier = m
		return
	}
	c.Chain.Targets = slices.Clone(c.Chain.Targets)
	for i := range c.Chain.Targets {
		setModifier(&c.Chain.Targets[i].Criterion, m)
	}
}
