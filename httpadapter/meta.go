package httpadapter

import (
	"net/http"
	"slices"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// metaOperations returns $meta, $meta-add and $meta-delete of instances.
func metaOperations() []*resourceOperation {
	in := []operation.Param{{Name: "meta", Type: "Meta", Min: 1, Doc: "Its profiles, tags and security labels are meant."}}
	list := []*resourceOperation{
		{Operation: operation.Operation{
			Name: "meta", Summary: "The meta of a resource", Doc: "Returns the profiles, tags and security labels of a resource, and its version.",
		}, run: func(c *call, _ *operation.Input) {
			v, err := c.h.Resources.Read(c.context(), c.label.typ, c.target.id)
			if err == nil {
				c.note(hasRead, v.Type, v.ID, v.VersionID, v.Body)
			}
			c.respondMeta(v.Body, err)
		}},
		{Operation: operation.Operation{
			Name: "meta-add", Summary: "Add to the meta of a resource", AffectsState: true, In: in,
			Doc: "Adds profiles, tags and security labels to a resource, which makes a new version if one of them is new.",
		}, run: func(c *call, _ *operation.Input) { c.changeMeta(true) }},
		{Operation: operation.Operation{
			Name: "meta-delete", Summary: "Remove from the meta of a resource", AffectsState: true, In: in,
			Doc: "Removes profiles, tags and security labels from a resource, which makes a new version if it has one of them.",
		}, run: func(c *call, _ *operation.Input) { c.changeMeta(false) }},
	}
	for _, op := range list {
		op.Type, op.Instance, op.raw = typeAny, true, true
		op.Spec = "https://hl7.org/fhir/R4/resource-operation-" + op.Name + ".html"
		op.Out = []operation.Param{{Name: "return", Type: "Meta", Min: 1, Doc: "The meta."}}
	}
	return list
}

// changeMeta runs $meta-add or $meta-delete.
func (c *call) changeMeta(add bool) {
	body, err := c.readResource("send Parameters as " + mediaFHIR)
	var doc *document.Document
	if err == nil {
		doc, err = document.Parse(body, r4.DefaultLimits())
	}
	var options resources.UpdateOptions
	if err == nil {
		options, err = c.writeConditions(c.context(), c.label.typ, c.target.id)
	}
	if err != nil {
		c.fail(err)
		return
	}
	change := metaPatch{add: add}
	for p := range doc.Root().Get("parameter").Items() {
		if p.Get("name").Is("meta") {
			change.meta = p.Get("valueMeta")
		}
	}
	if change.meta.Kind() != document.Object {
		c.fail(operation.Missing("meta", "the profiles, tags and security labels, as valueMeta"))
		return
	}
	out, err := c.h.Resources.Patch(c.context(), c.label.typ, c.target.id, change, options)
	if err == nil {
		c.noteOutcome(&out)
	}
	c.respondMeta(out.Body, err)
}

// respondMeta responds with the meta of a resource.
func (c *call) respondMeta(body []byte, err error) {
	var doc *document.Document
	if err == nil {
		doc, err = document.Parse(body, r4.Limits{})
	}
	if err != nil {
		c.fail(notFoundIfBadID(err, c.label.typ, c.target.id))
		return
	}
	answer := append([]byte(`{"resourceType":"Parameters","parameter":[{"name":"return","valueMeta":`), doc.Root().Get("meta").Raw()...)
	c.fhir(http.StatusOK, append(answer, `}]}`...))
}

// A metaPatch adds the items of a meta to that of a resource, or removes them.
type metaPatch struct {
	add  bool
	meta document.Value
}

// Apply implements resources.Patch.
func (p metaPatch) Apply(body []byte) ([]byte, error) {
	doc, err := document.Parse(body, r4.Limits{})
	if err != nil {
		return nil, err
	}
	e := doc.Edit()
	have := doc.Root().Get("meta")
	for _, name := range [...]string{"profile", "tag", "security"} {
		list := have.Get(name)
		var kept, added []document.Value
		for item := range list.Items() {
			if p.add || !listed(p.meta.Get(name), item) {
				kept = append(kept, item)
			}
		}
		for item := range p.meta.Get(name).Items() {
			if p.add && !listed(list, item) && !slices.ContainsFunc(added, func(o document.Value) bool { return sameLabel(o, item) }) {
				added = append(added, item)
			}
		}
		switch {
		case len(added) == 0 && len(kept) == list.Len():
		case len(added)+len(kept) == 0:
			e.Remove(list)
		default:
			text := []byte{'['}
			for i, item := range append(kept, added...) {
				if i > 0 {
					text = append(text, ',')
				}
				text = append(text, item.Raw()...)
			}
			e.Set(have, name, append(text, ']'))
		}
	}
	return e.Bytes()
}

func listed(list, item document.Value) bool {
	for other := range list.Items() {
		if sameLabel(item, other) {
			return true
		}
	}
	return false
}

// sameLabel reports whether two profiles are equal, or two Codings have the same system and code.
func sameLabel(a, b document.Value) bool {
	return a.Text() == b.Text() && a.Get("system").Text() == b.Get("system").Text() && a.Get("code").Text() == b.Get("code").Text()
}
