package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// LookupRequest asks for what is known of one code (CodeSystem/$lookup).
type LookupRequest struct {
	ID              string // CodeSystem/{id}/$lookup: the system is this one
	System          string // canonical of the code system, may be url|version
	Version         string // "" asks for the default version
	Code            string
	Coding          *r4.Coding // instead of System, Version and Code
	DisplayLanguage string     // BCP 47, or a list as Accept-Language has it
	AcceptLanguage  string     // of the HTTP request, used where DisplayLanguage is empty
	UseSupplements  []string   // canonicals of supplements that must be used
	Versions        VersionRules
	// Properties to give: properties of the code system, or parent, child, inactive,
	// definition, abstract, designation, lang.TAG (designations of a language), * (all). Empty
	// gives all.
	Properties []string
	Date       string // accepted; the content published now is given
}

// LookupResult is the answer of Lookup: a place in an index. It is written straight
// from there, so it should not be kept longer than needed.
type LookupResult struct {
	Index   *codesystem.Index
	Concept codesystem.Ord
	Display string // in the language asked for

	supplements []*codesystem.Index
	properties  []string
}

// Lookup gives a concept: display, definition, designations, properties. Errors:
// ErrUnknownSystem, ErrUnknownVersion, ErrNoContent, ErrUnknownID, ErrUnknownCode,
// ErrMissingParameter, ErrInvalidParameter, ErrVersionCheck, ErrUnknownSupplement.
func (e *Engine) Lookup(ctx context.Context, req *LookupRequest) (LookupResult, error) {
	ctx, span := e.observe(ctx, "lookup", req.System)
	r, err := e.lookup(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) lookup(ctx context.Context, req *LookupRequest) (LookupResult, error) {
	st := e.state.Load()
	system, version, code := req.System, req.Version, req.Code
	if c := req.Coding; c != nil {
		if code != "" && code != c.Code {
			return LookupResult{}, invalid("code", "code and coding contradict each other")
		}
		system, version, code = cmp.Or(c.System, system), cmp.Or(c.Version, version), c.Code
	}
	if code == "" {
		return LookupResult{}, missing("code", "the code to look up, or coding")
	}
	want, err := chooseLanguages(req.DisplayLanguage, "", req.AcceptLanguage, "")
	if err != nil {
		return LookupResult{}, err
	}
	x, err := st.lookedUp(ctx, req, system, version)
	if err != nil {
		return LookupResult{}, err
	}
	if x, err = st.covering(ctx, x, code); err != nil {
		return LookupResult{}, err
	}
	o, ok := x.Find(code)
	if !ok {
		return LookupResult{}, unknownCode(x, code)
	}
	supplements, err := st.supplementsOf(x, req.UseSupplements)
	if err != nil {
		return LookupResult{}, err
	}
	if err := st.checkSupplements(req.UseSupplements, []*codesystem.Index{x}); err != nil {
		return LookupResult{}, err
	}
	r := LookupResult{Index: x, Concept: o, Display: x.Display(o), supplements: supplements, properties: st.lookupProperties(x, req.Properties)}
	if !want.none() {
		c := concept{index: x, ord: o, display: r.Display, supplements: supplements}
		r.Display = c.pickDisplay(&want)
	}
	return r, nil
}

// lookedUp gives the code system of a request, in the version that its rules choose.
func (st *state) lookedUp(ctx context.Context, req *LookupRequest, system, version string) (*codesystem.Index, error) {
	src, err := st.source(&req.Versions)
	if err != nil {
		return nil, err
	}
	if src.rules == nil || req.ID != "" || system == "" {
		return st.codeSystem(req.ID, "system", system, version)
	}
	url, version, err := st.splitSystem("system", system, version)
	if err != nil {
		return nil, err
	}
	return src.CodeSystem(ctx, url, version)
}

// unknownCode is the error of a code that a system does not have.
func unknownCode(x *codesystem.Index, code string) error {
	return fmt.Errorf("%w: %q in %s", ErrUnknownCode, code, r4.JoinCanonical(x.URL(), x.Version()))
}

// wants reports that a property is to be given.
func (r *LookupResult) wants(property string) bool {
	return len(r.properties) == 0 || slices.Contains(r.properties, property) || slices.Contains(r.properties, "*")
}

// wantsDesignation reports that a designation in a language is to be given.
func (r *LookupResult) wantsDesignation(language string) bool {
	if r.wants("designation") {
		return true
	}
	for _, p := range r.properties {
		if tag, ok := strings.CutPrefix(p, "lang."); ok && fit(tag, language) >= fitNarrow {
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

// preferredUse says that a designation is the display: the use that terminology servers
// agreed upon.
func preferredUse() r4.Coding {
	return r4.Coding{
		System: "http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra", Code: "preferredForLanguage", Display: "Preferred For Language",
	}
}

// appendDesignations writes the display as a designation too, with its language, then all others.
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

// appendDesignation writes a designation; source is the supplement it is from.
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

// appendProperties writes the properties of a concept of the system or of a supplement.
// Values that are codes name concepts of the system itself.
func (r *LookupResult) appendProperties(w *r4.ParametersWriter, x *codesystem.Index, o codesystem.Ord) {
	for p := range x.Properties(o) {
		if p.Code == "inactive" || !r.wants(p.Code) {
			continue
		}
		w.Begin("property")
		w.Code("code", p.Code)
		w.Value("value", p.Value)
		if p.Value.Type == "Code" {
			if target, ok := r.Index.Find(p.Value.Text); ok {
				if d := r.Index.Display(target); d != "" {
					w.String("description", d)
				}
			}
		}
		w.End()
	}
}

// Yes is true: a code that is not there is an error.
func (r *LookupResult) Yes() bool { return true }

// Table has one row for each fact.
func (r *LookupResult) Table() *Table {
	x, o := r.Index, r.Concept
	h := x.Header()
	t := &Table{Header: []string{"NAME", "VALUE", "DESCRIPTION"}}
	add := func(name, value, description string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value, description})
		}
	}
	add("name", cmp.Or(h.Name, h.Title), "")
	add("display", r.Display, "")
	add("code", x.Code(o), "")
	add("system", h.URL, "")
	add("version", h.Version, "")
	if r.wants("definition") {
		add("definition", x.Definition(o), "")
	}
	c := concept{index: x, ord: o, supplements: r.supplements}
	for d := range c.designations {
		if r.wantsDesignation(d.Language) {
			use := ""
			if d.Use != nil {
				use = cmp.Or(d.Use.Display, d.Use.Code)
			}
			add("designation", d.Value, strings.TrimSpace(d.Language+" "+use))
		}
	}
	relatives := func(name string, list []codesystem.Ord) {
		if r.wants(name) {
			for _, p := range list {
				add(name, x.Code(p), x.Display(p))
			}
		}
	}
	relatives("parent", x.Parents(o))
	relatives("child", x.Children(o))
	if r.wants("inactive") {
		add("inactive", fmt.Sprint(x.Inactive(o)), "")
	}
	properties := func(x *codesystem.Index, o codesystem.Ord) {
		for p := range x.Properties(o) {
			if p.Code == "inactive" || !r.wants(p.Code) {
				continue
			}
			value, description := valueText(p.Value)
			if target, ok := r.Index.Find(value); ok && p.Value.Type == "Code" {
				description = r.Index.Display(target)
			}
			add(p.Code, value, description)
		}
	}
	properties(x, o)
	for _, s := range r.supplements {
		if so, ok := s.Find(x.Code(o)); ok {
			properties(s, so)
		}
	}
	return t
}

// valueText gives a property value and what describes it, for people.
func valueText(v r4.Value) (text, description string) {
	if v.Coding != nil {
		return v.Coding.System + "|" + v.Coding.Code, v.Coding.Display
	}
	return v.Text, ""
}
