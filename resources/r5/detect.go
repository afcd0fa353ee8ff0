package r5

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// Added reports whether a member of a resource, without what is inside it, is new in R5: an element
// that R5 has and R4 lacks, or what is beside it.
func Added(resourceType, member string) bool {
	new, old := definitions.R5().Type(resourceType), definitions.R4().Type(resourceType)
	name := strings.TrimPrefix(member, "_")
	return new != nil && old != nil && new.Element(name) != nil && old.Element(name) == nil
}

// Detect reports whether a resource is R5 and not R4: whether it has an element, a code or a list
// that R5 has and R4 lacks, and no element of R4 that R5 lacks. A resource that is the same in both
// versions is not. It returns false for what is not a resource of these versions.
func Detect(data []byte) bool {
	doc, err := document.Parse(data, r4.DefaultLimits())
	if err != nil || !Supports(doc.ResourceType()) {
		return false
	}
	d := detection{new: definitions.R5(), old: definitions.R4()}
	d.object(doc.Root(), d.new.Type(doc.ResourceType()), d.old.Type(doc.ResourceType()))
	return d.isNew && !d.isOld
}

// A detection collects what only one of the versions has.
type detection struct {
	new, old     *definitions.Tables
	isNew, isOld bool
}

func (d *detection) object(v document.Value, new, old *definitions.Type) {
	for member := range v.Members() {
		name := strings.TrimPrefix(member.Name(), "_")
		inNew, inOld := new.Element(name), old.Element(name)
		switch {
		case inNew == nil && inOld == nil:
		case inOld == nil:
			d.isNew = true
		case inNew == nil:
			d.isOld = true
		default:
			d.element(member, inNew, inOld)
		}
		if d.isOld {
			return
		}
	}
}

func (d *detection) element(v document.Value, new, old *definitions.Element) {
	if new.Repeats() != old.Repeats() {
		if array := v.Kind() == document.Array; array == new.Repeats() {
			d.isNew = true
		} else {
			d.isOld = true
		}
	}
	for _, item := range items(v) {
		switch {
		case item.Kind() == document.Object && new.TypeCode == "Resource":
			if typ := item.Get("resourceType").Text(); Supports(typ) {
				d.object(item, d.new.Type(typ), d.old.Type(typ))
			}
		case item.Kind() == document.Object && !isPrimitive(new) && !isPrimitive(old):
			d.object(item, new.Type, old.Type)
		case item.Kind() == document.String && new.Binding != nil && old.Binding != nil && new.Binding.Contains(item.Text()) != old.Binding.Contains(item.Text()):
			if new.Binding.Contains(item.Text()) {
				d.isNew = true
			} else {
				d.isOld = true
			}
		}
	}
}
