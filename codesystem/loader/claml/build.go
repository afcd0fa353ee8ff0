package claml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

const conceptProperties = "http://hl7.org/fhir/concept-properties#"

// load reads a document and adds its classes to a builder.
func load(r *loader.Reading, in *loader.Stream, identity loader.Identity) (*codesystem.Builder, error) {
	c, err := read(in)
	if err != nil {
		return nil, err
	}
	if len(c.classes) == 0 {
		return nil, fmt.Errorf("%w: no Class", loader.ErrNothing)
	}
	c.link()
	if err := c.modify(r.Context()); err != nil {
		return nil, err
	}
	header := c.header()
	identity.Apply(header)
	if header.URL == "" {
		return nil, fmt.Errorf("%w: its Identifier is neither a URI nor an OID (%.60q); name the url with --url", loader.ErrFormat, c.uid)
	}
	w := &writer{builder: codesystem.NewBuilder(header), header: header, uses: map[string]*r4.Coding{}, declared: map[string]bool{}}
	for _, x := range c.classes {
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		if err := w.add(x); err != nil {
			return nil, err
		}
		r.Count(1, 0, 0)
	}
	w.finish()
	return w.builder, nil
}

// link makes the lists of super- and subclasses agree.
func (c *classification) link() {
	type pair struct{ above, below string }
	stated := map[pair]bool{}
	for _, x := range c.classes {
		for _, code := range x.parents {
			stated[pair{code, x.code}] = true
		}
	}
	for _, x := range c.classes {
		for _, code := range x.children {
			if sub := c.byCode[code]; sub != nil && !stated[pair{x.code, code}] {
				stated[pair{x.code, code}] = true
				sub.parents = append(sub.parents, x.code)
			}
		}
		x.children = x.children[:0]
	}
	for _, x := range c.classes {
		for _, code := range x.parents {
			if above := c.byCode[code]; above != nil {
				above.children = append(above.children, x.code)
			}
		}
	}
}

// header returns the header of the code system.
func (c *classification) header() *r4.CodeSystem {
	h := loader.Header()
	h.URL, h.Version, h.Title, h.Language = urlOf(c.uid), c.version, c.title, c.language
	if h.Title == "" {
		h.Title = c.name
	}
	h.Name = loader.NameOf(c.name)
	if loader.IsDateTime(c.date) {
		h.Date = c.date
	}
	if h.Version == "" {
		h.Version = h.Date
	}
	for _, x := range c.classes {
		for _, l := range x.labels {
			if h.Language == "" && l.kind == "preferred" {
				h.Language = l.language
			}
		}
	}
	return h
}

// A writer turns classes into concepts.
type writer struct {
	builder  *codesystem.Builder
	header   *r4.CodeSystem
	concept  codesystem.Concept
	uses     map[string]*r4.Coding
	declared map[string]bool // properties named by the document
}

// add adds a class.
func (w *writer) add(x *class) error {
	clear(w.concept.Designations)
	w.concept = codesystem.Concept{
		Code: x.code, Parent: -1, Where: fmt.Sprintf("line %d", x.line),
		Designations: w.concept.Designations[:0], Properties: w.concept.Properties[:0],
	}
	for _, p := range x.parents {
		w.property("parent", r4.Code(p))
	}
	if x.kind != "" {
		w.property("kind", r4.Code(x.kind))
	}
	if x.kind == "chapter" || x.kind == "block" {
		w.property("notSelectable", r4.Boolean(true))
	}
	if x.usage != "" {
		w.property("usage", r4.Code(x.usage))
	}
	for _, l := range x.labels {
		w.label(l)
	}
	if w.concept.Display == "" {
		w.longAsDisplay()
	}
	for _, m := range x.meta {
		w.own(m.name, m.value)
	}
	_, err := w.builder.Add(&w.concept)
	return err
}

func (w *writer) property(code string, v r4.Value) {
	w.concept.Properties = append(w.concept.Properties, codesystem.Property{Code: code, Value: v})
}

// own adds a value of a property that the document defines.
func (w *writer) own(name, text string) {
	if name = strings.TrimSpace(name); name == "" || strings.TrimSpace(text) == "" {
		return
	}
	switch name {
	case "kind", "usage":
		name = "claml-" + name
	}
	code := loader.OwnProperty("claml", name)
	w.declared[code] = true
	w.property(code, r4.String(text))
}

// label adds a label according to the kind of its rubric.
func (w *writer) label(l label) {
	language := l.language
	if language == "" {
		language = w.header.Language
	}
	main := language == w.header.Language
	switch {
	case l.kind == "preferred" && main && w.concept.Display == "":
		w.concept.Display = l.text
	case l.kind == "definition" && main && w.concept.Definition == "":
		w.concept.Definition = l.text
	case w.use(l.kind) != nil:
		w.concept.Designations = append(w.concept.Designations, r4.Designation{Language: language, Use: w.use(l.kind), Value: l.text})
	default:
		w.own(l.kind, l.text)
	}
}

// use returns the use of names of a kind, the same pointer each time. It is nil for kinds of
// rubrics that are not names.
func (w *writer) use(kind string) *r4.Coding {
	use, known := w.uses[kind]
	if !known {
		use = loader.UseCoding(kind)
		w.uses[kind] = use
	}
	return use
}

// longAsDisplay makes the long name of a class the display when there is no preferred name.
func (w *writer) longAsDisplay() {
	list := w.concept.Designations
	if i := slices.IndexFunc(list, func(d r4.Designation) bool {
		return d.Use == w.use("preferredLong") && d.Language == w.header.Language
	}); i >= 0 {
		w.concept.Display = list[i].Value
		w.concept.Designations = slices.Delete(list, i, i+1)
	}
}

// finish declares the properties.
func (w *writer) finish() {
	header := *w.header
	header.Property = []r4.CodeSystemProperty{
		{Code: "parent", URI: conceptProperties + "parent", Type: "code", Description: "SuperClass"},
		{Code: "kind", Type: "code", Description: "Kind of the class"},
		{Code: "notSelectable", URI: conceptProperties + "notSelectable", Type: "boolean", Description: "A chapter or block"},
		{Code: "usage", Type: "code", Description: "Usage of the class, such as dagger or aster"},
	}
	names := make([]string, 0, len(w.declared))
	for name := range w.declared {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		header.Property = append(header.Property, r4.CodeSystemProperty{Code: name, Type: "string", Description: "Rubric or Meta " + name})
	}
	w.builder.SetHeader(&header)
}
