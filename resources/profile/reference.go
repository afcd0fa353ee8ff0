package profile

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/validate"
)

// target checks that a reference is to one of the types and profiles of a node. Of a target that
// cannot be found only the type is checked, as far as the reference tells it.
func (w *walk) target(p *place, n *node, targets []string) {
	to := w.resolve(p)
	if to == nil {
		return
	}
	why := ""
	for _, canonical := range targets {
		d := w.known(p, canonical)
		if d == nil {
			return // it may be that
		}
		if !w.c.isA(to.typ, d.typ.Name) {
			continue
		}
		if !to.value.Exists() {
			return
		}
		if why = w.conforms(to, d); why == "" {
			return
		}
	}
	if why == "" {
		w.report(validate.Error, validate.CodeStructure, p, "", n, "the reference is to a %s, but must be to %s", to.typ.Name, strings.Join(targets, " or "))
		return
	}
	w.report(validate.Error, validate.CodeStructure, p, "", n, "the target of the reference does not conform to %s: %s", strings.Join(targets, " or "), why)
}

// resolve returns the target of a reference: a resource that is contained, in the same Bundle or
// found by Request.Resolve, or else a place without a value that has the type of the target. It
// returns nil if not even the type is known.
func (w *walk) resolve(p *place) *place {
	text := p.value.Text()
	if p.value.Kind() == document.Object {
		text = p.value.Get("reference").Text()
	}
	container := p.container()
	if id, local := strings.CutPrefix(text, "#"); local {
		if id == "" {
			return container
		}
		for _, c := range w.c.children(container, "contained") {
			if c.value.Get("id").Is(id) {
				return c
			}
		}
		return nil
	}
	if text != "" {
		if to := w.bundled(container, text); to != nil {
			return to
		}
		if to := w.fetched(text); to != nil {
			return to
		}
	}
	t := w.c.tables.TargetType(text)
	if t == nil && p.value.Kind() == document.Object {
		t = w.resourceType(p.value.Get("type").Text())
	}
	if t == nil {
		return nil
	}
	return &place{typ: t, index: -1}
}

// bundled returns the resource of an entry of the Bundles around a resource, by its fullUrl or by
// its type and id.
func (w *walk) bundled(resource *place, reference string) *place {
	for in := resource; in.up != nil; in = in.up {
		bundle := in.up
		if bundle.typ.Name != "Bundle" {
			continue
		}
		for _, entry := range w.c.children(bundle, "entry") {
			if !w.step() {
				return nil
			}
			url, found := entry.value.Get("fullUrl"), entry.value.Get("resource")
			if url.Is(reference) || strings.HasSuffix(url.Text(), "/"+reference) ||
				!url.Exists() && reference == found.Get("resourceType").Text()+"/"+found.Get("id").Text() {
				for _, r := range w.c.children(entry, "resource") {
					return r
				}
			}
		}
	}
	return nil
}

// fetched returns a resource of another document, which is read once.
func (w *walk) fetched(reference string) *place {
	to, asked := w.targets[reference]
	if !asked && w.request.Resolve != nil && len(w.targets) < maxTargets && w.failed == nil {
		to = w.fetch(reference)
		w.targets[reference] = to
	}
	return to
}

func (w *walk) fetch(reference string) *place {
	d, err := w.request.Resolve(w.ctx, reference)
	if err != nil {
		w.failed = err
	}
	if err != nil || d == nil {
		return nil
	}
	if t := w.resourceType(d.ResourceType()); t != nil {
		return &place{value: d.Root(), typ: t, index: -1}
	}
	return nil
}

func (w *walk) resourceType(name string) *definitions.Type {
	if !w.c.tables.IsResource(name) {
		return nil
	}
	return w.c.tables.Type(name)
}
