package profile

import (
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// A place is a value of an element in the document. A primitive without a value, which has only
// extensions, has an absent value.
type place struct {
	value   document.Value
	aside   document.Value // the object with id and extensions of a primitive
	typ     *definitions.Type
	element *definitions.Element // nil for the root
	up      *place
	index   int // in the array, -1 if the element does not repeat
}

// at returns where the place is in the source.
func (p *place) at() document.Value {
	if p.value.Exists() {
		return p.value
	}
	return p.aside
}

// holder returns the object with the extensions of the place.
func (p *place) holder() document.Value {
	if p.typ.Kind == definitions.PrimitiveType {
		return p.aside
	}
	return p.value
}

// resource returns the innermost resource that the place is in.
func (p *place) resource() *place {
	for p.up != nil && p.typ.Kind != definitions.ResourceType {
		p = p.up
	}
	return p
}

// container returns the resource that the place is in, without being contained.
func (p *place) container() *place {
	r := p.resource()
	for r.up != nil && r.element != nil && r.element.Name == "contained" {
		r = r.up.resource()
	}
	return r
}

// expression returns the place as FHIRPath, or that of an element of it.
func (p *place) expression(member string) string {
	if member = strings.TrimSuffix(member, "[x]"); member != "" {
		return p.appended(true) + "." + member
	}
	return p.appended(false)
}

// appended returns the expression, with the type of a choice if an element of it follows.
func (p *place) appended(more bool) string {
	const limit = 1000 // a document may be nested thousands of levels deep
	if p.up == nil {
		return p.typ.Name
	}
	text := p.up.appended(true)
	if len(text) > limit {
		return text
	}
	if stem, choice := strings.CutSuffix(p.element.Name, "[x]"); !choice {
		text += "." + p.element.Name
	} else if text += "." + stem; more {
		text += ".ofType(" + p.element.TypeCode + ")"
	}
	if p.index >= 0 {
		text += "[" + strconv.Itoa(p.index) + "]"
	}
	return text
}

// children returns the values of an element of a place by its name in the definition, such as
// "value[x]".
func (c *Checker) children(p *place, name string) []*place {
	holder := p.holder()
	if e := p.typ.Element(name); e != nil && !e.Choice {
		return c.values(nil, p, e, holder)
	}
	var all []*place
	for _, e := range p.typ.Choices(name) {
		all = c.values(all, p, e, holder)
	}
	return all
}

// values appends the values of an element, or variant of a choice.
func (c *Checker) values(all []*place, p *place, e *definitions.Element, holder document.Value) []*place {
	value, aside := holder.Get(e.JSON), document.Value{}
	if e.Type.Kind == definitions.PrimitiveType {
		aside = holder.Get("_" + e.JSON)
	}
	if value.Kind() != document.Array && aside.Kind() != document.Array {
		if value.Exists() || aside.Exists() {
			all = append(all, c.place(p, e, value, aside, -1))
		}
		return all
	}
	first := len(all)
	for item := range value.Items() {
		if item.Kind() == document.Null {
			item = document.Value{}
		}
		all = append(all, c.place(p, e, item, document.Value{}, len(all)-first))
	}
	i := first
	for item := range aside.Items() {
		if i == len(all) {
			all = append(all, c.place(p, e, document.Value{}, item, i-first))
		} else if item.Kind() == document.Object {
			all[i].aside = item
		}
		i++
	}
	return all
}

func (c *Checker) place(up *place, e *definitions.Element, value, aside document.Value, index int) *place {
	p := &place{value: value, aside: aside, typ: e.Type, element: e, up: up, index: index}
	if e.Type.Kind == definitions.ResourceType {
		if t := c.tables.Type(value.Get("resourceType").Text()); t != nil {
			p.typ = t
		}
	}
	return p
}
