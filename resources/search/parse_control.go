package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
)

// use records that a parameter was understood.
func (p *parser) use(param Param) { p.query.Used = append(p.query.Used, param) }

// cursor sets where the page begins. It is decoded when the search runs.
func (p *parser) cursor(param Param) *Error {
	p.query.Cursor = param.Value
	return nil
}

// count sets the page size, limited to the maximum.
func (p *parser) count(param Param) *Error {
	n, err := strconv.ParseUint(param.Value, 10, 31)
	if err != nil {
		return malformed("expected a number of entries, 0 or more")
	}
	p.query.Count = min(int(n), p.options.MaxCount)
	p.use(Param{param.Name, strconv.Itoa(p.query.Count)})
	return nil
}

// total sets how the number of matches is requested.
func (p *parser) total(param Param) *Error {
	i, err := p.choice(param, []string{TotalNone: "none", TotalEstimate: "estimate", TotalAccurate: "accurate"})
	if err == nil {
		p.query.Total = Total(i) //nolint:gosec // i is a place in a short list
	}
	return err
}

// summary sets the requested part of resources.
func (p *parser) summary(param Param) *Error {
	i, err := p.choice(param, []string{SummaryFalse: "false", SummaryTrue: "true", SummaryText: "text", SummaryData: "data", SummaryCount: "count"})
	if err == nil {
		p.query.Summary = Summary(i) //nolint:gosec // i is a place in a short list
	}
	return err
}

// choice returns the index of a value among the allowed words.
func (p *parser) choice(param Param, words []string) (int, *Error) {
	i := slices.Index(words, param.Value)
	if i < 0 {
		return 0, malformed("expected one of %s", strings.Join(words, ", "))
	}
	p.use(param)
	return i, nil
}

// elements sets the names of the requested elements.
func (p *parser) elements(param Param) *Error {
	for _, name := range cut(param.Value, ',') {
		known := slices.ContainsFunc(p.query.Types, func(t TypeQuery) bool { return p.isElement(t.Type, name) })
		if !known {
			return unknown("%q is not an element of the searched types", clip(name))
		}
		if !slices.Contains(p.query.Elements, name) {
			p.query.Elements = append(p.query.Elements, name)
		}
	}
	p.use(param)
	return nil
}

// isElement reports whether a type has an element of a name. A choice has the names "value" and
// "value[x]".
func (p *parser) isElement(typ, name string) bool {
	tables := p.tables
	if p.options.Shown != nil {
		tables = p.options.Shown
	}
	t := tables.Type(typ)
	return t != nil && (t.Element(name) != nil || t.Choices(strings.TrimSuffix(name, "[x]")+"[x]") != nil)
}

// typeList checks _type. Without a type in the path, types has parsed it before.
func (p *parser) typeList(param Param) *Error {
	for _, name := range cut(param.Value, ',') {
		if !slices.ContainsFunc(p.query.Types, func(t TypeQuery) bool { return t.Type == name }) {
			return unknown("this search does not include the type %s", clip(name))
		}
	}
	p.use(param)
	return nil
}

// contained refuses contained resources as matches, which are not supported.
func (p *parser) contained(param Param) *Error {
	if param.Value != "false" {
		return unknown("searching contained resources is not supported")
	}
	p.use(param)
	return nil
}

// sort sets the order: names of parameters, with a hyphen for descending.
func (p *parser) sort(param Param) *Error {
	var keys []SortKey
	for _, name := range cut(param.Value, ',') {
		key := SortKey{Code: strings.TrimPrefix(name, "-"), Desc: strings.HasPrefix(name, "-")}
		if slices.ContainsFunc(keys, func(k SortKey) bool { return k.Code == key.Code }) {
			continue // a repeated key decides nothing
		}
		for _, t := range p.query.Types {
			by := p.tables.SearchParam(t.Type, key.Code)
			if err := p.searchable(t.Type, key.Code, by); err != nil {
				return err
			}
			if by.Kind == definitions.Composite {
				return unknown("%s is a composite parameter, which has no order", key.Code)
			}
			key.Params = append(key.Params, by)
		}
		keys = append(keys, key)
	}
	if p.query.Sort != nil {
		return malformed("_sort occurs twice; separate the parameters to sort by with commas")
	}
	p.query.Sort = keys
	p.use(param)
	return nil
}

// include parses _include and _revinclude: Type:parameter, Type:parameter:Target, Type:*, *.
func (p *parser) include(param Param) *Error {
	name, modifier, _ := strings.Cut(param.Name, ":")
	reverse := name == "_revinclude"
	in := Include{Text: param.Value, Iterate: modifier != ""}
	parts := strings.Split(param.Value, ":")
	if len(p.query.Include)+len(p.query.RevInclude) >= maxIncludes {
		return malformed("the search has more than %d includes", maxIncludes)
	}
	switch {
	case param.Value == "*" && !reverse:
	case len(parts) < 2 || len(parts) > 3:
		return malformed("expected Type:parameter or Type:parameter:Target, such as Observation:subject:Patient")
	default:
		if err := p.includeSource(&in, parts, reverse); err != nil {
			return err
		}
	}
	if reverse {
		p.query.RevInclude = append(p.query.RevInclude, in)
	} else {
		p.query.Include = append(p.query.Include, in)
	}
	p.use(param)
	return nil
}

// includeSource determines the type, the parameters and the target of an include.
func (p *parser) includeSource(in *Include, parts []string, reverse bool) *Error {
	for i, name := range parts {
		if i != 1 && !p.tables.IsResource(name) {
			return unknown("%q is not a resource type of R4", clip(name))
		}
	}
	in.Source = parts[0]
	if len(parts) == 3 {
		in.Target = parts[2]
	}
	if parts[1] == "*" {
		for _, by := range p.tables.SearchParams(in.Source) {
			if by.Kind == definitions.Reference && Searchable(by) && (!reverse || p.leadsHere(by)) {
				in.Params = append(in.Params, by)
			}
		}
		return nil
	}
	by := p.tables.SearchParam(in.Source, parts[1])
	if err := p.searchable(in.Source, parts[1], by); err != nil {
		return err
	}
	switch {
	case by.Kind != definitions.Reference:
		return malformed("only references can be included, but %s of %s is of type %s", by.Code, in.Source, by.Kind)
	case in.Target != "" && !refersTo(by, in.Target):
		return unknown("%s of %s does not refer to %s", by.Code, in.Source, in.Target)
	}
	in.Params = []*definitions.SearchParam{by}
	return nil
}

// leadsHere reports whether a reference can lead to a searched type.
func (p *parser) leadsHere(by *definitions.SearchParam) bool {
	return slices.ContainsFunc(p.query.Types, func(t TypeQuery) bool { return refersTo(by, t.Type) })
}

// String formats a parameter as name=value, for messages.
func (p Param) String() string { return fmt.Sprintf("%s=%s", p.Name, clip(p.Value)) }
