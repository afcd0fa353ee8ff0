package obo

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// text reads an OBO file: first its definitions, then the terms.
func (j *job) text() error {
	words := newVocabulary()
	err := j.pass(func(in *loader.Stream) error { return words.readText(in, j.identity) })
	if err != nil {
		return err
	}
	w := newWriter(words)
	var origin loader.Origin
	err = j.pass(func(in *loader.Stream) error {
		origin = in.Origin()
		return j.terms(in, w)
	})
	if err != nil {
		return err
	}
	w.finish()
	return j.reading.Deliver(w.builder, origin, j.sink)
}

// each calls f for each stanza.
func each(in io.Reader, f func(*stanza) error) error {
	for r := newStanzas(in); ; {
		s, err := r.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(s)
		}
		if err != nil {
			return err
		}
	}
}

// isTerm reports whether a stanza is a concept, and returns its code.
func isTerm(s *stanza) (code string, ok bool, err error) {
	if s.kind != "Term" {
		return "", false, nil
	}
	if code = codeOf(identifier(s.first("id"))); code == "" {
		return "", false, fmt.Errorf("line %d: %w: a term has no id", s.line, loader.ErrFormat)
	}
	return code, !strings.HasPrefix(s.first("is_anonymous"), "true") && !strings.HasPrefix(code, "_:"), nil
}

// readText reads the definitions in an OBO file.
func (v *vocabulary) readText(in io.Reader, identity loader.Identity) error {
	v.header = loader.Header()
	err := each(in, func(s *stanza) error {
		switch s.kind {
		case "":
			v.readHeader(s)
		case "Typedef":
			id := identifier(s.first("id"))
			description := plain(s.first("name"))
			if def, _, ok := quoted(s.first("def")); ok {
				description = strings.TrimSpace(def)
			}
			v.relations[id] = named{propertyCode(localName(id)), description}
		case "Term":
			code, ok, err := isTerm(s)
			if err != nil {
				return err
			}
			if ok {
				v.terms[code] = struct{}{}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(v.terms) == 0 {
		return fmt.Errorf("%w: no [Term]", loader.ErrNothing)
	}
	v.source = v.header.URL
	identity.Apply(v.header)
	if v.header.URL == "" {
		return fmt.Errorf("%w: the header does not name the ontology; name the url with --url", loader.ErrFormat)
	}
	if v.source == "" {
		v.source = v.header.URL
	}
	return nil
}

// readHeader reads the header of an OBO file.
func (v *vocabulary) readHeader(s *stanza) {
	h := v.header
	for _, t := range s.tags {
		switch t.name {
		case "ontology":
			name := identifier(t.value)
			h.URL = ontologyURL(name)
			if h.Title == "" {
				h.Title = name
			}
		case "data-version":
			h.Version = versionOf(identifier(t.value))
		case "date":
			h.Date = dateOf(t.value)
		case "synonymtypedef":
			id, rest, _ := strings.Cut(t.value, " ")
			description, scope, _ := quoted(strings.TrimSpace(rest))
			scope, _ = structured(scope)
			v.synonymTypes[localName(unescape(id))] = synonymType{description, scope}
		case "property_value":
			if property, value, ok := annotation(t.value); ok {
				describe(h, property, value)
			}
		}
	}
	if h.Version == "" {
		h.Version = h.Date
	}
}

// describe puts an annotation of an ontology into the header.
func describe(h *r4.CodeSystem, property, value string) {
	switch localName(property) {
	case "title":
		h.Title = value
	case "description":
		h.Description = value
	case "license":
		h.Copyright = value
	case "versionInfo":
		if h.Version == "" {
			h.Version = versionOf(value)
		}
	}
}

// annotation parses the value of a property_value: a property, and a text in quotes with its type,
// or an identifier.
func annotation(s string) (property, value string, ok bool) {
	s, _ = structured(s)
	property, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	if text, _, quotes := quoted(rest); quotes {
		return unescape(property), strings.TrimSpace(text), true
	}
	value, _, _ = strings.Cut(rest, " ")
	return unescape(property), codeOf(unescape(value)), value != ""
}

// terms adds the terms of an OBO file.
func (j *job) terms(in io.Reader, w *writer) error {
	return each(in, func(s *stanza) error {
		code, ok, err := isTerm(s)
		if err != nil || !ok {
			return err
		}
		w.begin(code, fmt.Sprintf("line %d", s.line))
		for i := range s.tags {
			if err := w.tag(&s.tags[i]); err != nil {
				return fmt.Errorf("line %d: term %s: %w", s.tags[i].line, code, err)
			}
		}
		j.reading.Count(1, 0, 0)
		return w.end()
	})
}

// tag reads a line of a term. Unknown tags are skipped, as OBO requires.
func (w *writer) tag(t *tag) error {
	switch t.name {
	case "name":
		w.concept.Display = plain(t.value)
	case "def":
		text, _, ok := quoted(t.value)
		if !ok {
			return notQuoted(t)
		}
		w.concept.Definition = strings.TrimSpace(text)
	case "synonym":
		return w.textSynonym(t, "")
	case "exact_synonym", "broad_synonym", "narrow_synonym", "related_synonym":
		scope, _, _ := strings.Cut(t.name, "_")
		return w.textSynonym(t, strings.ToUpper(scope))
	case "is_a":
		value, qualifiers := structured(t.value)
		if value != "" && !inContext(qualifiers) {
			w.parent(codeOf(unescape(value)))
		}
	case "relationship":
		value, qualifiers := structured(t.value)
		relation, target, ok := strings.Cut(value, " ")
		if target = strings.TrimSpace(target); !ok || target == "" {
			return fmt.Errorf("%w: %.60q is not a relationship and a term", loader.ErrFormat, t.value)
		}
		if !inContext(qualifiers) {
			w.relate(unescape(relation), codeOf(unescape(target)))
		}
	case "is_obsolete":
		if value, _ := structured(t.value); value == "true" || value == "1" {
			w.property("inactive", r4.Boolean(true))
		}
	case "property_value":
		if property, value, ok := annotation(t.value); ok {
			w.annotate(property, value)
		}
	case "created_by":
		w.fixed("createdBy", r4.String(identifier(t.value)))
	case "creation_date":
		w.created(identifier(t.value))
	case "comment":
		w.fixed("comment", r4.String(plain(t.value)))
	case "xref", "xref_analog", "xref_unk":
		w.fixed("xref", r4.String(reference(t.value)))
	case "subset":
		w.fixed("subset", r4.String(localName(identifier(t.value))))
	case "namespace":
		w.fixed("namespace", r4.String(identifier(t.value)))
	case "alt_id":
		w.fixed("alternateCode", r4.Code(codeOf(identifier(t.value))))
	case "replaced_by":
		w.fixed("replacedBy", r4.Code(codeOf(identifier(t.value))))
	case "consider", "use_term":
		w.fixed("consider", r4.Code(codeOf(identifier(t.value))))
	}
	return nil
}

func notQuoted(t *tag) error {
	return fmt.Errorf("%w: %s: %.60q is not a text in quotes", loader.ErrFormat, t.name, t.value)
}

// textSynonym reads `"text" SCOPE type [references]`. In old files the tag implies the scope.
func (w *writer) textSynonym(t *tag, scope string) error {
	text, rest, ok := quoted(t.value)
	if !ok {
		return notQuoted(t)
	}
	rest, _, _ = strings.Cut(rest, "[")
	kind := ""
	for i, word := range strings.Fields(rest) {
		if i == 0 && scope == "" && isScope(word) {
			scope = word
		} else if kind == "" {
			kind = unescape(word)
		}
	}
	w.synonym(scope, kind, text)
	return nil
}

func isScope(word string) bool {
	switch word {
	case "EXACT", "BROAD", "NARROW", "RELATED":
		return true
	}
	return false
}
