package catalog

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// An Entry is a terminology resource that an engine answers from. Exactly one of CodeSystem,
// ValueSet and ConceptMap is set, as Header.ResourceType requires. The engine calls it on first
// use, never concurrently, and keeps the result; it calls it again only after an error.
type Entry struct {
	Header      r4.Header
	Content     string // CodeSystem.content
	Supplements string // CodeSystem.supplements: canonical of the supplemented code system
	AllCodes    string // CodeSystem.valueSet: canonical of the value set of all its codes
	Concepts    int    // CodeSystem: number of concepts
	Origin      string // where it came from, for people: a file, "stored", "built in"
	Stored      bool   // in the resource store: may be changed and deleted over HTTP
	BuiltIn     bool   // part of the program: other resources of its id or canonical take precedence
	CodeSystem  func() (*codesystem.Index, error)
	// Grammar is set if a grammar defines the codes. CodeSystem then returns the codes in common
	// use.
	Grammar    grammar.System
	ValueSet   func() (*r4.ValueSet, error)
	ConceptMap func() (*r4.ConceptMap, error)
	// Document returns the original JSON. It is nil if there is only an index; a CodeSystem from a
	// snapshot is then written from its index.
	Document func() ([]byte, error)
}

// HasCodes reports whether codes can be looked up in a code system: it is loaded completely or in
// part. With strict, examples do not count.
func (e *Entry) HasCodes(strict bool) bool {
	switch e.Content {
	case "not-present", "supplement":
		return false
	case "example":
		return !strict
	}
	return true
}

// CodeSystemEntry returns the entry of an index in memory.
func CodeSystemEntry(x *codesystem.Index, origin string) *Entry {
	h := x.Header()
	return &Entry{
		Header: h.Header, Content: h.Content, Supplements: h.Supplements, AllCodes: h.ValueSet,
		Concepts: x.Len(), Origin: origin,
		CodeSystem: func() (*codesystem.Index, error) { return x, nil },
	}
}

// ValueSetEntry returns the entry of a value set in memory.
func ValueSetEntry(vs *r4.ValueSet, origin string) *Entry {
	return &Entry{
		Header: vs.Header, Origin: origin,
		ValueSet: func() (*r4.ValueSet, error) { return vs, nil },
	}
}

// ConceptMapEntry returns the entry of a concept map in memory.
func ConceptMapEntry(m *r4.ConceptMap, origin string) *Entry {
	return &Entry{
		Header: m.Header, Origin: origin,
		ConceptMap: func() (*r4.ConceptMap, error) { return m, nil },
	}
}

// A Kind is one of the three types of terminology resources.
type Kind uint8

const (
	KindCodeSystem Kind = iota
	KindValueSet
	KindConceptMap
	kinds
)

// KindOf returns the kind of a FHIR type; ok is false for other types.
func KindOf(typ string) (k Kind, ok bool) {
	switch typ {
	case "CodeSystem":
		return KindCodeSystem, true
	case "ValueSet":
		return KindValueSet, true
	case "ConceptMap":
		return KindConceptMap, true
	}
	return 0, false
}

// Check returns the kind of the entry, and an error if it cannot be published.
func (e *Entry) Check() (Kind, error) {
	k, ok := KindOf(e.Header.ResourceType)
	if !ok {
		return 0, fmt.Errorf("%w: resource type %q is not one of terminology", issue.ErrInvalidResource, e.Header.ResourceType)
	}
	given := [kinds]bool{e.CodeSystem != nil, e.ValueSet != nil, e.ConceptMap != nil}
	for i, g := range given {
		if g != (Kind(i) == k) {
			return 0, fmt.Errorf("%w: entry of %s %s must have exactly the function of its type", issue.ErrInvalidResource, e.Header.ResourceType, e.Header.ID)
		}
	}
	return k, nil
}

// name sets the id of an entry that has none: the last part of its url, for people, and a hash of
// its canonical.
func (e *Entry) name() {
	if e.Header.ID != "" {
		return
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(e.Header.ResourceType + "\x00" + e.Header.URL + "\x00" + e.Header.Version))
	last := e.Header.URL[strings.LastIndexAny(e.Header.URL, "/:")+1:]
	last = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		}
		return -1
	}, last)
	e.Header.ID = fmt.Sprintf("%.40s-%016x", cmp.Or(last, "x"), h.Sum64())
}

// A layer determines which of several resources with the same id or canonical is used: the one of
// the highest layer.
type layer uint8

const (
	layerBuiltIn layer = iota
	layerLoaded
	layerStored
	layerRequest // came with a request
	layers
)

func (e *Entry) layer() layer {
	switch {
	case e.Stored:
		return layerStored
	case e.BuiltIn:
		return layerBuiltIn
	}
	return layerLoaded
}
