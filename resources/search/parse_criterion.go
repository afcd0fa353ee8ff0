package search

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
)

// criterion reads a parameter of a type, with its modifier or chain.
func (p *parser) criterion(typ, name, value string, depth int) (Criterion, *Error) {
	if depth > maxDepth {
		return Criterion{}, malformed("the chain has more than %d links", maxDepth)
	}
	if p.criteria++; p.criteria > maxCriteria {
		return Criterion{}, malformed("the search leads to too many types: name the types of references, as in subject:Patient.name")
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

// Searchable reports that a parameter of the definitions is understood: not those that
// stand for a whole search of their own (_query, _filter).
func Searchable(p *definitions.SearchParam) bool {
	return hasValues(p) || p.Code == "_text" || p.Code == "_content"
}

// hasValues reports that a parameter is about values of a resource, or its Record: it can be
// chained to and sorted by.
func hasValues(p *definitions.SearchParam) bool {
	return p.Expression != "" && (p.Kind != definitions.Special || p.Code == "near") || ofRecord(p)
}

// searchable checks a parameter that was looked up by a code.
func (p *parser) searchable(typ, code string, param *definitions.SearchParam) *Error {
	switch {
	case param == nil:
		return unknown("%s has no search parameter %q", typ, clip(code))
	case !hasValues(param):
		return unknown("%s of %s is not supported", param.Code, typ)
	}
	return nil
}

// chain reads what follows the dot: subject:Patient.name, subject.name.
func (p *parser) chain(param *definitions.SearchParam, name, modifier string, modified bool, rest, value string, depth int) (Criterion, *Error) {
	if param.Kind != definitions.Reference {
		return Criterion{}, malformed("%s is of type %s: only references can be chained", param.Code, param.Kind)
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
		return Criterion{}, unknown("none of %s, which %s refers to, has a search parameter %q", list(targets), param.Code, clip(rest))
	}
	return Criterion{}, ignorable
}

// has reads what follows "_has:": Observation:patient:code.
func (p *parser) has(typ, name, rest, value string, depth int) (Criterion, *Error) {
	parts := strings.SplitN(rest, ":", 3)
	if len(parts) < 3 || parts[2] == "" {
		return Criterion{}, malformed("_has is written _has:Type:reference:parameter, such as _has:Observation:patient:code")
	}
	source, code := parts[0], parts[1]
	if !p.tables.IsResource(source) {
		return Criterion{}, malformed("%q is no resource type of R4", clip(source))
	}
	param := p.tables.SearchParam(source, code)
	if err := p.searchable(source, code, param); err != nil {
		return Criterion{}, err
	}
	switch {
	case param.Kind != definitions.Reference:
		return Criterion{}, malformed("%s of %s is of type %s: _has goes along references", param.Code, source, param.Kind)
	case !refersTo(param, typ):
		return Criterion{}, malformed("%s of %s does not refer to %s, but to %s", param.Code, source, typ, list(param.Targets))
	}
	inner, err := p.criterion(source, parts[2], value, depth+1)
	if err != nil {
		return Criterion{}, err
	}
	return Criterion{Name: name, Has: &Has{Type: source, Param: param, Criterion: inner}}, nil
}

// refersTo reports that a reference parameter can lead to a type.
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
		return malformed("%s does not refer to %s, but to %s", param.Code, name, list(param.Targets))
	}
	return nil
}
