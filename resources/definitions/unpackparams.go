package definitions

import (
	"cmp"
	"slices"
	"strings"
)

func (u *unpacker) readParams() {
	u.line.next()
	typ := u.line.next()
	var list []*SearchParam
	for u.inside() {
		code := u.line.next()
		if code == "" { // a component of the previous parameter; it is linked later
			p := list[len(list)-1]
			p.Components = append(p.Components, Component{Param: &SearchParam{Code: u.line.next()}, Expression: u.line.next()})
			continue
		}
		p := u.param(typ, code)
		p.Kind = ParamKind(slices.Index(kindNames[:], u.line.next()))
		p.Expression = expression(u.line.next(), typ, code)
		p.Targets = names(u.line.next())
		p.Definition = "http://hl7.org/fhir/SearchParameter/" + cmp.Or(u.line.next(), typ+"-"+code)
		list = append(list, p)
	}
	u.t.params[typ] = list
}

// expression puts the type at the start of the terms of an expression. = stands for the element that the
// code names.
func expression(short, typ, code string) string {
	if short == "=" {
		return typ + "." + ElementOf(code)
	}
	if strings.HasPrefix(short, ".") {
		short = typ + short
	}
	return strings.ReplaceAll(strings.ReplaceAll(short, " .", " "+typ+"."), "(.", "("+typ+".")
}

// ElementOf returns the name of an element as most codes of search parameters write it, birthDate for
// birth-date.
func ElementOf(code string) string {
	words := strings.Split(code, "-")
	for i, w := range words[1:] {
		words[i+1] = NameOf(w)
	}
	return strings.Join(words, "")
}

// param allocates a parameter.
func (u *unpacker) param(typ, code string) *SearchParam {
	if len(u.params) == 0 {
		u.params = make([]SearchParam, 256)
	}
	p := &u.params[0]
	u.params = u.params[1:]
	p.Number, p.Type, p.Code = ParamNumber(typ, code), typ, code
	return p
}

// own adds the parameters of this project, gives each type the parameters of all resources, and
// links components to their parameters.
func (u *unpacker) own() {
	for _, typ := range u.t.resources {
		list := u.t.params[typ]
		for _, p := range ownParams {
			if p.Type == typ {
				list = u.put(list, p)
			}
		}
		list = append(list, u.common(typ, "Resource")...)
		if u.t.types[typ].Base == "DomainResource" {
			list = append(list, u.common(typ, "DomainResource")...)
		}
		u.t.params[typ] = sorted(list)
	}
	u.t.params["Resource"] = sorted(append(u.t.params["Resource"], u.common("Resource", "DomainResource")...))
	delete(u.t.params, "DomainResource")
	for _, list := range u.t.params {
		for _, p := range list {
			for i := range p.Components {
				c := &p.Components[i]
				c.Param = u.t.SearchParam(p.Type, c.Param.Code)
			}
			if p.Alternative != nil {
				p.Alternative = u.t.SearchParam(p.Type, p.Alternative.Code)
			}
		}
	}
	for _, m := range ownMembers {
		c := u.t.compartments[m.compartment]
		if c == nil {
			continue
		}
		c.params[m.typ] = append(c.params[m.typ], m.param)
		if !slices.Contains(c.types, m.typ) {
			c.types = append(c.types, m.typ)
			slices.Sort(c.types)
		}
	}
}

func sorted(list []*SearchParam) []*SearchParam {
	slices.SortFunc(list, func(a, b *SearchParam) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// put adds a parameter of this project, replacing that of R4 with the same code.
func (u *unpacker) put(list []*SearchParam, own ownParam) []*SearchParam {
	p := u.param(own.Type, own.Code)
	p.Own, p.Kind, p.Expression = true, own.Kind, own.Expression
	for _, c := range own.components {
		p.Components = append(p.Components, Component{Param: &SearchParam{Code: c[0]}, Expression: c[1]})
	}
	if own.alternative != "" {
		p.Alternative = &SearchParam{Code: own.alternative}
	}
	list = slices.DeleteFunc(list, func(old *SearchParam) bool { return old.Code == own.Code })
	return append(list, p)
}

// common returns copies, for a type, of the parameters of an abstract type.
func (u *unpacker) common(typ, abstract string) []*SearchParam {
	var list []*SearchParam
	for _, of := range u.t.params[abstract] {
		p := u.param(typ, of.Code)
		p.Kind, p.Targets, p.Definition = of.Kind, of.Targets, of.Definition
		if of.Expression != "" {
			p.Expression = typ + strings.TrimPrefix(of.Expression, abstract)
		}
		list = append(list, p)
	}
	return list
}
