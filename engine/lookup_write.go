package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/expansion"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/resources/r4"
)

// wants reports whether a property is part of the answer.
func (r *LookupResult) wants(property string) bool {
	return len(r.properties) == 0 || slices.Contains(r.properties, property) || slices.Contains(r.properties, "*")
}

// wantsDesignation reports whether designations in a language are part of the answer.
func (r *LookupResult) wantsDesignation(tag string) bool {
	if r.wants("designation") {
		return true
	}
	for _, p := range r.properties {
		if wanted, ok := strings.CutPrefix(p, "lang."); ok && language.Fit(wanted, tag) >= language.FitNarrow {
			return true
		}
	}
	return false
}

// AppendJSON appends the Parameters resource.
func (r *LookupResult) AppendJSON(dst []byte) []byte {
	x, o := r.Index, r.Concept
	h := x.Header()
	w := r4.NewParametersWriter(dst)
	w.String("name", cmp.Or(h.Name, h.Title, h.URL, h.ID))
	w.String("display", cmp.Or(r.Display, x.Code(o)))
	w.Code("code", x.Code(o))
	if h.URL != "" {
		w.URI("system", h.URL)
	}
	if h.Version != "" {
		w.String("version", h.Version)
	}
	if d := x.Definition(o); d != "" && r.wants("definition") {
		w.String("definition", d)
	}
	if r.wants("abstract") {
		w.Boolean("abstract", x.Abstract(o))
	}
	r.appendDesignations(&w)
	if r.wants("parent") {
		appendRelatives(&w, "parent", x, x.Parents(o))
	}
	if r.wants("child") {
		appendRelatives(&w, "child", x, x.Children(o))
	}
	if r.wants("inactive") {
		w.Begin("property")
		w.Code("code", "inactive")
		w.Boolean("value", x.Inactive(o))
		w.End()
	}
	for i, name := range [...]string{expression.PropertyNormalForm, expression.PropertyNormalFormTerse} {
		if r.normal != nil && slices.Contains(r.properties, name) {
			w.Begin("property")
			w.Code("code", name)
			w.String("value", r.normal.NormalForm(i == 0))
			w.End()
		}
	}
	r.appendProperties(&w, x, o)
	for _, s := range r.supplements {
		if so, ok := s.Find(x.Code(o)); ok {
			r.appendProperties(&w, s, so)
		}
	}
	for _, s := range r.supplements {
		w.Canonical("used-supplement", r4.JoinCanonical(s.URL(), s.Version()))
	}
	return w.Finish()
}

// preferredUse returns the use of a designation that is the display, as terminology servers write
// it.
func preferredUse() r4.Coding {
	use := expansion.PreferredForLanguage
	use.Display = "Preferred For Language"
	return use
}

// appendDesignations appends the display as a designation with its language, then all other
// designations.
func (r *LookupResult) appendDesignations(w *r4.ParametersWriter) {
	if language := r.Index.Header().Language; r.wantsDesignation(language) {
		if display := r.Index.Display(r.Concept); display != "" {
			use := preferredUse()
			appendDesignation(w, &r4.Designation{Language: language, Use: &use, Value: display}, "")
		}
	}
	for d := range r.Index.Designations(r.Concept) {
		if r.wantsDesignation(d.Language) {
			appendDesignation(w, &d, "")
		}
	}
	for _, s := range r.supplements {
		o, ok := s.Find(r.Index.Code(r.Concept))
		if !ok {
			continue
		}
		source := r4.JoinCanonical(s.URL(), s.Version())
		if language, display := s.Header().Language, s.Display(o); display != "" && r.wantsDesignation(language) {
			appendDesignation(w, &r4.Designation{Language: language, Value: display}, source)
		}
		for d := range s.Designations(o) {
			if r.wantsDesignation(d.Language) {
				appendDesignation(w, &d, source)
			}
		}
	}
}

// appendDesignation appends a designation. source is the supplement that it comes from.
func appendDesignation(w *r4.ParametersWriter, d *r4.Designation, source string) {
	w.Begin("designation")
	if d.Language != "" {
		w.Code("language", d.Language)
	}
	if d.Use != nil {
		w.Coding("use", d.Use)
	}
	w.String("value", d.Value)
	if source != "" {
		w.Canonical("source", source)
	}
	w.End()
}

func appendRelatives(w *r4.ParametersWriter, name string, x *codesystem.Index, list []codesystem.Ord) {
	for _, o := range list {
		w.Begin("property")
		w.Code("code", name)
		w.Code("value", x.Code(o))
		if d := x.Display(o); d != "" {
			w.String("description", d)
		}
		w.End()
	}
}

// appendProperties appends the properties of a concept of the code system or of a supplement. In
// SNOMED CT an attribute in several groups is written once, then the groups follow. In other systems
// the first property of a group has the others as subproperties.
func (r *LookupResult) appendProperties(w *r4.ParametersWriter, x *codesystem.Index, o codesystem.Ord) {
	reader := r.read(x)
	written := make([]uint32, 0, 64) // pairs; on the stack unless there are more
	next, begun := 0, false          // the first group, and whether there is a property to end
	for a := range x.Attributes(o) {
		if a.Group > 0 && reader.grouped && (next == 0 || a.Group < next) {
			next = a.Group
		}
		wanted, inner := reader.next(a)
		if !wanted || slices.Contains(written, a.Pair) {
			continue
		}
		if !reader.nested {
			written = append(written, a.Pair)
		}
		if inner {
			r.appendProperty(w, "subproperty", x, a)
			continue
		}
		if begun {
			w.End()
		}
		r.beginProperty(w, "property", x, a)
		begun = true
	}
	if begun {
		w.End()
	}
	for next > 0 {
		next = r.appendGroup(w, x, o, next)
	}
}

// A propertyReader takes the properties of a concept in their order.
type propertyReader struct {
	result          *LookupResult
	x               *codesystem.Index
	nested, grouped bool // groups are subproperties of their first property, or of a property of SNOMED CT
	group           int  // of the property before
	open            bool // whether the first property of that group is wanted
}

// read returns a reader for the properties of a concept of x.
func (r *LookupResult) read(x *codesystem.Index) propertyReader {
	return propertyReader{result: r, x: x, nested: x.URL() != catalog.SNOMED, grouped: r.groups(x)}
}

// next reports whether the next property is wanted, and whether it is an inner one. An inner one is
// wanted if the first of its group is.
func (p *propertyReader) next(a codesystem.Attribute) (wanted, inner bool) {
	code := p.x.PropertyCode(a.Property)
	wanted = code != "inactive" && p.result.wants(code)
	if inner = p.nested && a.Group > 0 && a.Group == p.group; !inner {
		p.group, p.open = a.Group, wanted
	}
	return wanted || inner && p.open, inner && p.open
}

// roleGroup is the attribute of SNOMED CT for groups of attributes.
const roleGroup = "609096000"

// groups reports whether grouped attributes are also written as subproperties of their group.
func (r *LookupResult) groups(x *codesystem.Index) bool {
	return x.Grouped() && x.URL() == catalog.SNOMED && r.wants(roleGroup)
}

// appendGroup appends a group of attributes. It returns the number of the next group, 0 after the
// last.
func (r *LookupResult) appendGroup(w *r4.ParametersWriter, x *codesystem.Index, o codesystem.Ord, group int) (next int) {
	w.Begin("property")
	w.Code("code", roleGroup)
	for a := range x.Attributes(o) {
		switch {
		case a.Group == group:
			r.appendProperty(w, "subproperty", x, a)
		case a.Group > group && (next == 0 || a.Group < next):
			next = a.Group
		}
	}
	w.End()
	return next
}

// appendProperty appends a property.
func (r *LookupResult) appendProperty(w *r4.ParametersWriter, name string, x *codesystem.Index, a codesystem.Attribute) {
	r.beginProperty(w, name, x, a)
	w.End()
}

// beginProperty appends a property without its end. A value that is a code is a concept of the code
// system itself.
func (r *LookupResult) beginProperty(w *r4.ParametersWriter, name string, x *codesystem.Index, a codesystem.Attribute) {
	value := x.PairValue(a.Pair)
	w.Begin(name)
	w.Code("code", x.PropertyCode(a.Property))
	w.Value("value", value)
	if value.Type == "Code" {
		if target, ok := r.target(x, a.Pair, value.Text); ok {
			if d := r.Index.Display(target); d != "" {
				w.String("description", d)
			}
		}
	}
}

// target returns the concept that a value of the code system, or of a supplement, names.
func (r *LookupResult) target(x *codesystem.Index, pair uint32, code string) (codesystem.Ord, bool) {
	if x == r.Index {
		if target, ok := x.PairTarget(pair); ok {
			return target, true
		}
	}
	return r.Index.Find(code)
}
