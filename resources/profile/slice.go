package profile

import (
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/validate"
)

// slices assigns the values of an element to its slices, and checks them against these.
func (w *walk) slices(p *place, n *node, values []*place) {
	s := slicingOf(n)
	groups := make([][]*place, len(n.slices))
	last := 0
	var outside *place // the last value that is in no slice
	for _, v := range values {
		at := -1
		for i, slice := range n.slices {
			if !w.step() {
				return
			}
			in, problem := w.in(v, slice, s)
			if problem != "" {
				w.warnOnce("slicing "+n.id, codeUnable, v, n, "the slices are not checked: %s", problem)
				return
			}
			if in {
				at = i
				break
			}
		}
		switch {
		case at < 0 && s.rules == "closed":
			w.report(validate.Error, validate.CodeStructure, v, "", n, "the value is in none of the slices %s, and others are not allowed", sliceNames(n))
		case at < 0:
			outside = v
		case outside != nil && s.rules == "openAtEnd":
			w.report(validate.Error, validate.CodeStructure, outside, "", n, "values that are in no slice must follow those that are")
			outside = nil
		}
		if at < 0 {
			continue
		}
		if s.ordered && at < last {
			w.report(validate.Error, validate.CodeStructure, v, "", n, "the value is out of order: the slice %s comes before %s", n.slices[at].slice, n.slices[last].slice)
		}
		last = max(last, at)
		groups[at] = append(groups[at], v)
	}
	for i, slice := range n.slices {
		w.count(p, slice, groups[i], true)
		for _, v := range groups[i] {
			w.check(v, slice)
		}
		if len(slice.slices) > 0 {
			w.slices(p, slice, groups[i])
		}
	}
}

func sliceNames(n *node) string {
	var names []string
	for _, s := range n.slices {
		names = append(names, s.slice)
	}
	return strings.Join(names, ", ")
}

// slicingOf returns how the slices of an element are told apart: by default extensions by their url,
// and choices by their type.
func slicingOf(n *node) slicing {
	s := slicing{rules: "open"}
	if n.slicing != nil {
		s = *n.slicing
	}
	switch {
	case len(s.by) > 0:
	case isExtension(n):
		s.by = []discriminator{{kind: "value", path: "url", steps: []step{{stepChild, "url"}}}}
	case strings.HasSuffix(n.name, "[x]"):
		s.by = []discriminator{{kind: "type", path: "$this"}}
	}
	return s
}

func isExtension(n *node) bool { return n.name == "extension" || n.name == "modifierExtension" }

// in reports whether a value is in a slice, or why that cannot be told.
func (w *walk) in(v *place, s *node, how slicing) (in bool, problem string) {
	if len(how.by) == 0 {
		return false, "there is no discriminator"
	}
	for i := range how.by {
		d := &how.by[i]
		if d.problem != "" {
			return false, d.problem
		}
		yes, known := w.discriminate(v, s, d)
		if !known {
			return false, "the slice " + s.slice + " does not say what " + d.path + " must be (discriminator " + d.kind + ")"
		}
		if !yes {
			return false, ""
		}
	}
	return true, ""
}

// discriminate answers the question of a discriminator. known is false if the slice does not.
func (w *walk) discriminate(v *place, s *node, d *discriminator) (yes, known bool) {
	if isExtension(s) && d.path == "url" {
		if url := extensionURL(s); url != "" {
			return v.value.Get("url").Is(url), true
		}
	}
	items := w.follow(v, d.steps)
	for _, def := range w.described(s, d.steps) {
		var answered bool
		switch d.kind {
		case "exists":
			yes, answered = byExistence(items, def.node)
		case "type":
			yes, answered = w.byType(items, def)
		case "profile":
			yes, answered = w.byProfile(items, def)
		default:
			yes, answered = w.byValue(items, def.node)
		}
		known = known || answered
		if answered && yes {
			return true, true
		}
	}
	return false, known
}

func byExistence(items []*place, n *node) (yes, known bool) {
	if n.max == 0 {
		return len(items) == 0, true
	}
	return len(items) > 0, n.min > 0
}

func (w *walk) byType(items []*place, def described) (yes, known bool) {
	names := def.node.types
	if def.profile != nil {
		names = []typeRef{{code: def.profile.typ.Name}}
	}
	for _, item := range items {
		for _, t := range names {
			if w.c.isA(item.typ, t.code) || item.element != nil && item.element.TypeCode == t.code {
				return true, true
			}
		}
	}
	return false, len(names) > 0
}

func (w *walk) byProfile(items []*place, def described) (yes, known bool) {
	profiles := []*compiled{def.profile}
	if def.profile == nil {
		profiles = nil
		for _, t := range def.node.types {
			for _, canonical := range t.profiles {
				if d, err := w.lookup(canonical); err == nil {
					profiles = append(profiles, d)
				}
			}
		}
	}
	for _, item := range items {
		for _, d := range profiles {
			if item.value.Exists() && w.conforms(item, d) == "" {
				return true, true
			}
		}
	}
	return false, len(profiles) > 0
}

func (w *walk) byValue(items []*place, n *node) (yes, known bool) {
	if !w.says(n, 0) {
		return byExistence(items, n)
	}
	for _, item := range items {
		if w.fits(item, n, 0) {
			return true, true
		}
	}
	return false, true
}

// maxSaying is how deep the elements of a slice are searched for values that tell it apart.
const maxSaying = 8

// says reports whether a node or one below it says what a value must be.
func (w *walk) says(n *node, depth int) bool {
	if n.fixed.Exists() || n.pattern.Exists() || n.binding.strength == "required" && n.binding.valueSet != "" {
		return true
	}
	for _, c := range n.children {
		if depth < maxSaying && w.step() && w.says(c, depth+1) {
			return true
		}
	}
	return false
}

// fits reports whether a place has the value that a node says.
func (w *walk) fits(p *place, n *node, depth int) bool {
	switch {
	case n.fixed.Exists():
		return document.Equal(n.fixed, p.value)
	case n.pattern.Exists():
		return contains(p.value, n.pattern)
	case n.binding.strength == "required" && n.binding.valueSet != "":
		in, known := w.member(p, n)
		return in || !known
	}
	for _, c := range n.children {
		if !w.says(c, depth) || depth >= maxSaying {
			continue
		}
		values := w.c.children(p, c.name)
		found := len(values) == 0 && c.min == 0
		for _, v := range values {
			if found = found || w.step() && w.fits(v, c, depth+1); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// follow returns the elements of a place at a path.
func (w *walk) follow(p *place, steps []step) []*place {
	now := []*place{p}
	for _, s := range steps {
		var next []*place
		for _, at := range now {
			switch s.kind {
			case stepResolve:
				if to := w.resolve(at); to != nil {
					next = append(next, to)
				}
			case stepType:
				if w.c.isA(at.typ, s.name) {
					next = append(next, at)
				}
			case stepExtension:
				for _, v := range w.c.children(at, "extension") {
					if v.value.Get("url").Is(s.name) {
						next = append(next, v)
					}
				}
			default:
				if next = append(next, w.c.children(at, s.name)...); at.typ.Element(s.name) == nil {
					next = append(next, w.c.children(at, s.name+"[x]")...)
				}
			}
		}
		now = next
	}
	return now
}

// A described is what a slice says about the elements at a path: a node, and its profile if it is
// the root of one.
type described struct {
	node    *node
	profile *compiled
}

// described returns what a slice, and the profiles that it names, say about the elements at a path.
func (w *walk) described(n *node, steps []step) []described {
	now := []described{{node: n}}
	for _, s := range steps {
		var next []described
		for _, d := range now {
			if s.kind == stepResolve {
				for _, t := range d.node.types {
					next = w.append(next, t.targets)
				}
				continue
			}
			around := []described{d}
			for _, t := range d.node.types {
				around = w.append(around, t.profiles)
			}
			for _, a := range around {
				next = append(next, within(a, s)...)
			}
		}
		now = next
	}
	return now
}

func (w *walk) append(list []described, profiles []string) []described {
	for _, canonical := range profiles {
		if d, err := w.lookup(canonical); err == nil {
			list = append(list, described{d.root, d})
		}
	}
	return list
}

// within returns what is said about the elements one step below a node.
func within(d described, s step) []described {
	switch s.kind {
	case stepType:
		return []described{d}
	case stepExtension:
		if c := d.node.child("extension"); c != nil {
			for _, slice := range c.slices {
				if extensionURL(slice) == s.name {
					return []described{{node: slice}}
				}
			}
		}
		return nil
	}
	c := d.node.child(s.name)
	if c == nil {
		c = d.node.child(s.name + "[x]")
	}
	if c == nil {
		return nil
	}
	return []described{{node: c}}
}

// extensionURL returns the url of the extensions in a slice, "" if it is not known.
func extensionURL(s *node) string {
	if c := s.child("url"); c != nil && c.fixed.Exists() {
		return c.fixed.Text()
	}
	for _, t := range s.types {
		for _, canonical := range t.profiles {
			url, _, _ := strings.Cut(canonical, "|")
			return url
		}
	}
	return ""
}
