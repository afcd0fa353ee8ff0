package definitions

import (
	"slices"
	"strings"
)

// rawElement is an element as in the tables. Its types are known once all lines are read.
type rawElement struct {
	name, types string
	min, max    int
	summary     bool
	modifier    bool
	binding     *CodeList
	valueSet    string
	extensible  bool
}

func (u *unpacker) readType() {
	if u.raw == nil {
		u.raw = make(map[string][]rawElement, 1000)
	}
	head := u.line.next()
	t := &Type{Name: u.line.next(), Base: u.line.next(), Abstract: head[len(head)-1] >= 'a'}
	switch head[len(head)-1] {
	case 'P':
		t.Kind, t.Value = PrimitiveType, valueKind(t.Name)
	case 'C', 'c':
		t.Kind = ComplexType
	case 'R', 'r':
		t.Kind = ResourceType
	default:
		t.Kind = BackboneType
	}
	var list []rawElement
	for u.inside() {
		e := rawElement{name: u.line.next(), types: u.line.next()}
		flags := u.line.next()
		e.min, e.max = bounds(flags)
		e.summary = strings.IndexByte(flags, 's') > 0
		e.modifier = strings.IndexByte(flags, 'm') > 0
		switch binding := u.line.next(); {
		case strings.HasPrefix(binding, "~"), strings.HasPrefix(binding, "!"):
			e.valueSet, e.extensible = valueSet(binding[1:]), binding[0] == '~'
		default:
			e.binding = u.list(valueSet(binding))
		}
		list = append(list, e)
	}
	u.raw[t.Name] = list
	u.order = append(u.order, t.Name)
	u.t.types[t.Name] = t
}

// bounds decodes a cardinality.
func bounds(flags string) (lowest, highest int) {
	switch {
	case strings.HasPrefix(flags, "1"):
		return 1, 1
	case strings.HasPrefix(flags, "*"):
		return 0, Unbounded
	case strings.HasPrefix(flags, "+"):
		return 1, Unbounded
	case strings.HasPrefix(flags, "0"):
		return 0, 0
	}
	return 0, 1
}

// link makes the elements of all types, now that all types are known.
func (u *unpacker) link() {
	for _, name := range u.order {
		t := u.t.types[name]
		t.Elements = make([]*Element, 0, 8+len(u.raw[name]))
		u.inherit(t, t.Base)
		for _, e := range u.raw[name] {
			u.add(t, e)
		}
		t.byJSON = make(map[string]*Element, len(t.Elements))
		for i, e := range t.Elements {
			e.Order = i
			t.byJSON[e.JSON] = e
			if n := len(t.required); e.Min > 0 && (n == 0 || t.required[n-1].Name != e.Name) {
				t.required = append(t.required, e)
			}
		}
		if t.Kind == ResourceType && !t.Abstract {
			u.t.resources = append(u.t.resources, name)
		}
	}
	slices.Sort(u.t.resources)
}

// inherit adds the elements of a base and of its bases, the topmost first.
func (u *unpacker) inherit(t *Type, base string) {
	b := u.t.types[base]
	if b == nil {
		return
	}
	u.inherit(t, b.Base)
	for _, e := range u.raw[base] {
		u.add(t, e)
	}
}

// add adds an element, or the variants of a choice.
func (u *unpacker) add(t *Type, raw rawElement) {
	t.Elements = slices.DeleteFunc(t.Elements, func(e *Element) bool { return e.Name == raw.name })
	e := Element{
		Name: raw.name, JSON: raw.name, Path: t.Name + "." + raw.name,
		Min: raw.min, Max: raw.max, Summary: raw.summary, Modifier: raw.modifier, Binding: raw.binding,
		ValueSet: raw.valueSet, Extensible: raw.extensible,
		Attribute: raw.name == "id" && t.Kind != ResourceType || raw.name == "url" && t.Name == "Extension",
	}
	stem, isChoice := strings.CutSuffix(raw.name, "[x]")
	if raw.types == "*" {
		raw.types = u.openTypes()
	}
	for raw.types != "" {
		var one string
		one, raw.types, _ = strings.Cut(raw.types, ",")
		v := u.element()
		*v = e
		switch {
		case strings.HasPrefix(one, "#"):
			v.TypeCode, v.Type = "BackboneElement", u.t.types[one[1:]]
			if v.Type != nil && v.Type.Base != "" {
				v.TypeCode = v.Type.Base
			}
		case strings.HasPrefix(one, "@"):
			v.TypeCode, v.Type = one[1:], u.t.types[e.Path]
		default:
			code, targets, _ := strings.Cut(one, "(")
			v.TypeCode, v.Type = code, u.t.types[code]
			v.Targets = names(strings.TrimSuffix(targets, ")"))
		}
		if v.Type == nil || v.TypeCode == "" {
			u.undefined = e.Path
			continue
		}
		if isChoice {
			v.Choice = true
			v.JSON = stem + strings.ToUpper(v.TypeCode[:1]) + v.TypeCode[1:]
		}
		t.Elements = append(t.Elements, v)
	}
}

// openTypes returns the types of a choice without restrictions.
func (u *unpacker) openTypes() string {
	for _, e := range u.raw["Extension"] {
		if e.name == "value[x]" {
			return e.types
		}
	}
	return ""
}

// element allocates an element.
func (u *unpacker) element() *Element {
	if len(u.elements) == 0 {
		u.elements = make([]Element, 512)
	}
	e := &u.elements[0]
	u.elements = u.elements[1:]
	return e
}
