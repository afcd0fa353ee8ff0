package fhirpath

import (
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/document"
)

// NewConstant returns a value of a primitive type for CompileWith.
func NewConstant(typ string, v document.Value) (Item, error) {
	kind, text := document.String, v.Text()
	switch typ {
	case "boolean":
		kind = document.Bool
	case "decimal", "integer", "integer64", "positiveInt", "unsignedInt":
		kind = document.Number
	case "date", "dateTime", "instant", "time":
		if _, ok := parseMoment(text); v.Kind() == kind && ok {
			return momentItem(text), nil
		}
		return Item{}, fmt.Errorf("%.40q is not a %s", text, typ)
	case "base64Binary", "canonical", "code", "id", "oid", "string", "uri", "url", "uuid":
	default:
		return Item{}, fmt.Errorf("%.40q is not a type of constants", typ)
	}
	if v.Kind() != kind {
		return Item{}, fmt.Errorf("%.40s is not a %s", v.Raw(), typ)
	}
	return computed(kind, text), nil
}

// key returns getResourceKey() of a resource or getReferenceKey() of a reference.
func (s *Scope) key(n *node, i Item) Item {
	s.steps++
	id := i.Value.Get("id").Text()
	if n.op == opReferenceKey {
		reference := i.Value.Get("reference").Text()
		for _, base := range s.bases {
			if local, is := strings.CutPrefix(reference, base+"/"); is {
				reference = local
				break
			}
		}
		var typ string
		typ, id, _ = strings.Cut(reference, "/")
		id, _, _ = strings.Cut(id, "/_history/")
		if !s.tables.IsResource(typ) || strings.ContainsAny(id, "/?#") || n.name != "" && !s.isA(s.tables.Type(typ), n.name) {
			id = ""
		}
	}
	if id == "" {
		return Item{none: true}
	}
	return computed(document.String, id)
}

// joined evaluates join(separator) of stack[from:].
func (s *Scope) joined(n *node, this Item, from int) error {
	separator := ""
	if n.arg != nil {
		item, _, err := s.single(n.arg, this)
		if err != nil {
			return err
		}
		separator = item.Text()
	}
	if len(s.stack) == from {
		return nil
	}
	var b strings.Builder
	for i, item := range s.stack[from:] {
		if i > 0 {
			b.WriteString(separator)
		}
		if b.WriteString(item.Text()); b.Len() > maxText {
			return errors.New("a text is too long")
		}
	}
	s.result(from, computed(document.String, b.String()))
	return nil
}
