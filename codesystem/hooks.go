package codesystem

import (
	"context"

	"github.com/roget-health/roget/resources/r4"
)

// This file is the seam between the parts of the package: the builder lays out
// codes, hierarchy and designations; properties and text add their own sections.

// A propertyBuilder collects the properties of concepts that do not state the
// hierarchy, and lays them out as sections.
type propertyBuilder struct {
	// header gives the header as known now: its declarations may come after the concepts.
	header func() *r4.CodeSystem
}

func newPropertyBuilder(header func() *r4.CodeSystem) *propertyBuilder {
	return &propertyBuilder{header: header}
}

// add takes the properties of one concept, numbered in source order (not yet the
// Ord). Concepts come in ascending order, each at most once, except that a header
// that came late may make add be called again for earlier concepts, with
// properties to append. props and its slices belong to the caller. An error says
// what is wrong with the value (ErrBadProperty); the caller names concept and place.
func (p *propertyBuilder) add(concept int, props []Property) error { return nil }

// take removes all values of one property and yields them in order of the concept.
// Called only when a header that came late declares code as a parent or child property.
func (p *propertyBuilder) take(code string, yield func(concept int, v r4.Value)) {}

// finish lays out the property sections (ids 32 to 47). newOf maps the numbers
// given to add to Ords. x has codes, displays, designations, hierarchy and flags.
func (p *propertyBuilder) finish(ctx context.Context, newOf []uint32, x *Index) ([]section, error) {
	return nil, nil
}

// propertyView reads the property sections.
type propertyView struct{}

// openProperties opens the property sections over untrusted bytes: whatever it
// accepts can be read later without going out of range. get gives nil for a section
// that is absent; n is the number of concepts.
func openProperties(get func(id uint32) []byte, n int) (propertyView, error) {
	return propertyView{}, nil
}

// buildText makes the text sections (ids 48 to 63) from an index that has
// everything but them: codes, displays, designations, hierarchy, flags, properties.
func buildText(ctx context.Context, x *Index) ([]section, error) { return nil, nil }

// textView reads the text sections.
type textView struct{}

// openText opens the text sections, under the contract of openProperties.
func openText(get func(id uint32) []byte, n int) (textView, error) { return textView{}, nil }
