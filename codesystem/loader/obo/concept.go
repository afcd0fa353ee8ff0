package obo

import (
	"slices"
	"sort"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// A vocabulary is the result of the first pass over a file: the names of the ontology and its
// definitions.
type vocabulary struct {
	header *r4.CodeSystem
	source string // url of the ontology in the file, which is the system of the types of synonyms
	terms  map[string]struct{}
	// Relations and annotations by identifier, and types of synonyms by localName.
	relations    map[string]named
	synonymTypes map[string]synonymType
}

type named struct{ code, description string }

type synonymType struct{ description, scope string }

func newVocabulary() *vocabulary {
	return &vocabulary{terms: map[string]struct{}{}, relations: map[string]named{}, synonymTypes: map[string]synonymType{}}
}

// fixed are the properties with the same meaning in every ontology, in the order in which they are
// declared. The first two are always declared, the others when a concept has them.
var fixed = [...]r4.CodeSystemProperty{
	{Code: "parent", URI: "http://hl7.org/fhir/concept-properties#parent", Type: "code", Description: "Parent by is_a"},
	{Code: "inactive", URI: "http://hl7.org/fhir/concept-properties#inactive", Type: "boolean", Description: "The term is obsolete"},
	{Code: "is_a", Type: "code", Description: "Parent by is_a that this code system does not have"},
	{Code: "replacedBy", Type: "code", Description: "Term to use in place of this obsolete one"},
	{Code: "consider", Type: "code", Description: "Term that may be meant instead of this obsolete one"},
	{Code: "alternateCode", Type: "code", Description: "Another identifier of the term, often of one merged into it"},
	{Code: "subset", Type: "string", Description: "Subset that the term is in"},
	{Code: "namespace", Type: "string", Description: "Namespace of the term, where it is not the usual one"},
	{Code: "xref", Type: "string", Description: "Cross-reference to another vocabulary"},
	{Code: "comment", Type: "string", Description: "Comment"},
	{Code: "created", Type: "dateTime", Description: "When the term was made"},
	{Code: "createdBy", Type: "string", Description: "Who made the term"},
}

// notNames are the types of synonyms that are not names (ChEBI), and their properties.
var notNames = [...]struct{ synonymType, property string }{
	{"FORMULA", "formula"},
	{"SMILES", "smiles"},
	{"InChI", "inchi"},
	{"InChIKey", "inchikey"},
}

// A writer turns terms into concepts and adds them to a builder.
type writer struct {
	words    *vocabulary
	builder  *codesystem.Builder
	language string
	concept  codesystem.Concept
	declared map[string]r4.CodeSystemProperty
	uses     map[[2]string]*r4.Coding // by scope and type
}

func newWriter(words *vocabulary) *writer {
	w := &writer{words: words, builder: codesystem.NewBuilder(words.header), declared: map[string]r4.CodeSystemProperty{}, uses: map[[2]string]*r4.Coding{}}
	if w.language = words.header.Language; w.language == "" {
		w.language = "en"
	}
	return w
}

// begin starts a concept.
func (w *writer) begin(code, where string) {
	clear(w.concept.Designations)
	w.concept = codesystem.Concept{
		Code: code, Parent: -1, Where: where,
		Designations: w.concept.Designations[:0], Properties: w.concept.Properties[:0],
	}
}

// end adds the concept.
func (w *writer) end() error {
	_, err := w.builder.Add(&w.concept)
	return err
}

// property adds a value of a property, unless the concept has it already.
func (w *writer) property(code string, value r4.Value) {
	if strings.TrimSpace(value.Text) == "" {
		return
	}
	if slices.ContainsFunc(w.concept.Properties, func(p codesystem.Property) bool {
		return p.Code == code && p.Value.Type == value.Type && p.Value.Text == value.Text
	}) {
		return
	}
	w.concept.Properties = append(w.concept.Properties, codesystem.Property{Code: code, Value: value})
}

// fixed adds a value of one of the fixed properties.
func (w *writer) fixed(code string, value r4.Value) {
	if _, ok := w.declared[code]; !ok {
		at := slices.IndexFunc(fixed[:], func(p r4.CodeSystemProperty) bool { return p.Code == code })
		w.declared[code] = fixed[at]
	}
	w.property(code, value)
}

// declare returns the code of a relation or annotation by its identifier, and the type of its
// values, which is that of the first value.
func (w *writer) declare(id, kind string) (code, declaredKind string) {
	n, ok := w.words.relations[id]
	if !ok {
		n = named{code: propertyCode(localName(id))}
	}
	d, ok := w.declared[n.code]
	if !ok {
		d = r4.CodeSystemProperty{Code: n.code, Type: kind, Description: n.description}
		w.declared[n.code] = d
	}
	return n.code, d.Type
}

// relate adds a relationship to another term.
func (w *writer) relate(relation, target string) {
	code, kind := w.declare(relation, "code")
	w.property(code, valueOf(kind, target))
}

// annotate adds an annotation.
func (w *writer) annotate(property, text string) {
	code, kind := w.declare(property, "string")
	w.property(code, valueOf(kind, text))
}

func valueOf(kind, text string) r4.Value {
	if kind == "code" {
		return r4.Code(text)
	}
	return r4.String(text)
}

// parent adds a parent, to the hierarchy if the file describes it.
func (w *writer) parent(code string) {
	if _, ok := w.words.terms[code]; ok {
		w.property("parent", r4.Code(code))
	} else {
		w.fixed("is_a", r4.Code(code))
	}
}

// created adds the time of creation, if it is valid.
func (w *writer) created(text string) {
	if loader.IsDateTime(text) {
		w.fixed("created", r4.Value{Type: "DateTime", Text: text})
	}
}

// synonym adds a designation. The scope is one of OBO, such as "EXACT", or "" for the scope of the
// type, or else related; the type may be empty.
func (w *writer) synonym(scope, kind, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	kind = localName(kind)
	for _, n := range notNames {
		if n.synonymType == kind {
			if _, ok := w.declared[n.property]; !ok {
				w.declared[n.property] = r4.CodeSystemProperty{Code: n.property, Type: "string", Description: n.synonymType}
			}
			w.property(n.property, r4.String(text))
			return
		}
	}
	if scope == "" {
		if scope = w.words.synonymTypes[kind].scope; scope == "" {
			scope = "RELATED"
		}
	}
	d := r4.Designation{Language: w.language, Value: text}
	if kind == "uk_spelling" {
		d.Language, kind = "en-GB", ""
	}
	d.Use = w.use(scope, kind)
	if kind != "" && scope != "EXACT" {
		d.Extension = r4.Extensions{{URL: additionalUse, Value: r4.Value{Type: "Coding", Coding: w.use(scope, "")}}}
	}
	if !slices.ContainsFunc(w.concept.Designations, func(o r4.Designation) bool {
		return o.Value == d.Value && o.Language == d.Language && o.Use == d.Use && len(o.Extension) == len(d.Extension)
	}) {
		w.concept.Designations = append(w.concept.Designations, d)
	}
}

// use returns the use of designations with a scope and type, the same pointer each time.
func (w *writer) use(scope, kind string) *r4.Coding {
	key := [2]string{scope, kind}
	if kind != "" {
		key[0] = ""
	}
	use, ok := w.uses[key]
	if !ok {
		if use = (&r4.Coding{System: scopes, Code: scopeCode(scope)}); kind != "" {
			use = &r4.Coding{System: w.words.source, Code: kind, Display: w.words.synonymTypes[kind].description}
		}
		w.uses[key] = use
	}
	return use
}

// scopeCode returns the code of a scope as written in OBO files.
func scopeCode(scope string) string {
	switch scope {
	case "EXACT":
		return "hasExactSynonym"
	case "BROAD":
		return "hasBroadSynonym"
	case "NARROW":
		return "hasNarrowSynonym"
	}
	return "hasRelatedSynonym"
}

// finish declares the properties that concepts have.
func (w *writer) finish() {
	header := *w.words.header
	header.Property = append(header.Property, fixed[:2]...)
	for _, p := range fixed[2:] {
		if _, ok := w.declared[p.Code]; ok {
			header.Property = append(header.Property, p)
			delete(w.declared, p.Code)
		}
	}
	own := make([]r4.CodeSystemProperty, 0, len(w.declared))
	for _, p := range w.declared {
		own = append(own, p)
	}
	sort.Slice(own, func(i, j int) bool {
		a, b := &own[i], &own[j]
		return strings.Compare(a.Code, b.Code) < 0
	})
	header.Property = append(header.Property, own...)
	w.builder.SetHeader(&header)
}
