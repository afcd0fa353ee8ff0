package fhirpath

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// extended evaluates extension(url) and hasExtension(url) of stack[from:to].
func (s *Scope) extended(n *node, this Item, from, to int) error {
	url := n.name
	if n.arg != nil {
		item, found, err := s.single(n.arg, this)
		if err != nil {
			return err
		}
		if !found {
			s.stack = s.stack[:from]
			return nil
		}
		url = item.Text()
	}
	for i := from; i < to; i++ {
		s.extensions(s.stack[i], url)
	}
	s.drop(from, to)
	if n.op == opHasExt {
		s.result(from, truth(len(s.stack) > from))
	}
	return nil
}

// extensions pushes the extensions of an item with a url onto the stack.
func (s *Scope) extensions(i Item, url string) {
	s.steps++
	holder := i.Value
	if holder.Kind() != document.Object {
		holder = i.Beside()
	}
	typ := s.tables.Type("Extension")
	for extension := range holder.Get("extension").Items() {
		s.steps++
		if extension.Get("url").Is(url) {
			s.stack = append(s.stack, Item{Value: extension, Type: typ})
		}
	}
}

// resolve returns the target of a Reference, canonical or uri as far as the resource itself
// contains it: a contained resource with its value, and the type of other targets. It returns false
// if not even the type is known.
func (s *Scope) resolve(i Item) (Item, bool) {
	s.steps++
	reference, typ := i.Text(), ""
	if i.Value.Kind() == document.Object {
		reference, typ = i.Value.Get("reference").Text(), i.Value.Get("type").Text()
	}
	if id, local := strings.CutPrefix(reference, "#"); local {
		if id == "" {
			return s.root, true
		}
		contained := s.root.Value.Get("contained")
		if contained.Kind() == document.Array {
			for resource := range contained.Items() {
				s.steps++
				if resource.Get("id").Is(id) {
					return s.resource(resource), true
				}
			}
		}
	}
	if t := s.tables.TargetType(reference); t != nil {
		return Item{Type: t}, true
	}
	if t := s.tables.Type(typ); t != nil && t.Kind == definitions.ResourceType {
		return Item{Type: t}, true
	}
	return Item{}, false
}
