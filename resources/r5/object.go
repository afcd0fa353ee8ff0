package r5

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// A frame is an object in work.
type frame struct {
	v          document.Value
	from, to   *definitions.Type
	out        members
	extensions [][]byte                      // of the new object, in order
	restored   map[string][]document.Value   // extensions that hold an element, by its name
	done       map[*definitions.Element]bool // elements of from that are converted
}

// object appends an object of a type.
func (c *conversion) object(dst []byte, v document.Value, from, to *definitions.Type) []byte {
	f := &frame{v: v, from: from, to: to, done: map[*definitions.Element]bool{}}
	if c.alternative(f) {
		return f.out.append(dst)
	}
	c.splitExtensions(f)
	c.special(f)
	for member := range v.Members() {
		c.member(f, member)
	}
	c.restore(f)
	f.out.set("extension", array(f.extensions))
	return f.out.append(dst)
}

// splitExtensions converts the extensions of an object, apart from those that hold an element that
// the new version has.
func (c *conversion) splitExtensions(f *frame) {
	list := f.v.Get("extension")
	if list.Exists() && list.Kind() != document.Array {
		c.fail(ErrStructure, list, "extension is an array")
		return
	}
	for x := range list.Items() {
		if name, ok := c.holds(f, x); ok {
			if f.restored == nil {
				f.restored = map[string][]document.Value{}
			}
			f.restored[name] = append(f.restored[name], x)
			continue
		}
		if name := c.doubled(f, x); name != "" {
			c.fail(ErrStructure, x, "the extension stands for the element %s, which is there too", name)
			return
		}
		f.extensions = append(f.extensions, c.extension(x))
	}
}

// doubled returns the name of an element of an object that one of its extensions stands for as well.
func (c *conversion) doubled(f *frame, x document.Value) string {
	rest, found := strings.CutPrefix(x.Get("url").Text(), c.own+f.from.Name+".")
	if !found {
		return ""
	}
	for _, e := range variants(f.from, strings.TrimSuffix(rest, "[x]")) {
		if f.v.Get(e.JSON).Exists() || f.v.Get("_"+e.JSON).Exists() {
			return e.JSON
		}
	}
	return ""
}

// extension returns an extension in the new version.
func (c *conversion) extension(x document.Value) []byte {
	if x.Kind() != document.Object {
		c.fail(ErrStructure, x, "an extension is an object")
		return nil
	}
	return c.object(nil, x, c.from.Type("Extension"), c.to.Type("Extension"))
}

// member converts one member of an object.
func (c *conversion) member(f *frame, member document.Value) {
	name := member.Name()
	if name == "resourceType" && f.from.Kind == definitions.ResourceType {
		f.out.set(name, member.Raw())
		return
	}
	base := strings.TrimPrefix(name, "_")
	e := f.from.Element(base)
	if e == nil && f.to.Element(base) == nil {
		f.out.set(name, member.Raw()) // neither version knows it
		return
	}
	if e == nil || name != base && !isPrimitive(e) {
		c.fail(ErrUnknownElement, member, "%s has no element %q in R%d", f.from.Name, cut(name), c.version())
		return
	}
	if base == "extension" || f.done[e] {
		return
	}
	f.done[e] = true
	value, companion := f.v.Get(base), f.v.Get("_"+base)
	if !isPrimitive(e) {
		companion = document.Value{}
	}
	to := f.to.Element(c.renamed(e))
	switch {
	case to == nil || !sameChoice(e, to):
		c.carryAll(f, e, items(value), companion)
	default:
		c.convertElement(f, e, to, value, companion)
	}
}

// version returns the number of the version that is converted.
func (c *conversion) version() int {
	if c.toR4 {
		return 5
	}
	return 4
}

// sameChoice reports whether both elements are choices or neither is.
func sameChoice(a, b *definitions.Element) bool { return a.Choice == b.Choice }

// convertElement converts an element that both versions have.
func (c *conversion) convertElement(f *frame, e, to *definitions.Element, value, companion document.Value) {
	if e.Repeats() && value.Exists() && value.Kind() != document.Array || !e.Repeats() && value.Kind() == document.Array {
		c.fail(ErrStructure, value, "%s repeats: %v", e.Path, e.Repeats())
		return
	}
	list, companions := items(value), items(companion)
	if isPrimitive(e) != isPrimitive(to) {
		c.fail(ErrNoPlace, value, "%s", e.Path)
		return
	}
	if !isPrimitive(e) {
		converted := make([][]byte, 0, len(list))
		for _, v := range list {
			converted = append(converted, c.value(nil, v, e, to))
		}
		switch {
		case to.Repeats():
			for _, x := range f.restored[to.JSON] {
				if v, ok := c.decode(x, to); ok {
					converted = append(converted, v.value)
				}
			}
			delete(f.restored, to.JSON)
			f.out.set(to.JSON, array(converted))
		case len(converted) > 0:
			f.out.set(to.JSON, converted[0])
			if len(list) > 1 {
				c.carryAll(f, e, list[1:], document.Value{})
			}
		}
		return
	}
	c.primitives(f, e, to, list, companions)
}
