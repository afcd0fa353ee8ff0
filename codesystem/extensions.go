package codesystem

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"github.com/roget-health/roget/resources/r4"
)

// standardsStatus is the extension for the standards status. On a concept or designation it can be
// deprecated or withdrawn.
const standardsStatus = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"

// extensionBuilder collects the extensions of concepts and of their designations. Few systems have
// extensions, so each is stored with its owner.
type extensionBuilder struct {
	owners []extensionOwner // owner i has text i
	texts  arena            // JSON arrays
	buf    []byte
}

// An extensionOwner is a concept, or one of its designations.
type extensionOwner struct {
	concept     uint32 // number given by Builder.Add
	designation int32  // index among the designations of the concept; -1: the concept itself
}

func newExtensionBuilder() extensionBuilder { return extensionBuilder{texts: newArena()} }

// add stores the extensions of a concept and of its designations. It reports whether there is room
// for them.
func (e *extensionBuilder) add(number int, c *Concept) bool {
	fits := e.keep(uint32(number), -1, c.Extensions)
	for i := range c.Designations {
		fits = fits && e.keep(uint32(number), int32(i), c.Designations[i].Extension)
	}
	return fits
}

func (e *extensionBuilder) keep(concept uint32, designation int32, list r4.Extensions) bool {
	if len(list) == 0 {
		return true
	}
	e.buf = append(e.buf[:0], '[')
	for i := range list {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = r4.AppendExtension(e.buf, &list[i])
	}
	e.buf = append(e.buf, ']')
	if !e.texts.fits(len(e.buf)) {
		return false
	}
	e.owners = append(e.owners, extensionOwner{concept, designation})
	e.texts.add(textOf(e.buf))
	return true
}

// sections lays the extensions out by owner: concepts by Ord, then designations by number. firstOf
// holds the number of the first designation of each concept.
func (e *extensionBuilder) sections(newOf, firstOf []uint32) []section {
	if len(e.owners) == 0 {
		return nil
	}
	type owned struct{ owner, text uint32 }
	all := make([]owned, len(e.owners))
	for i, o := range e.owners {
		ord := newOf[o.concept]
		all[i] = owned{ord, uint32(i)}
		if o.designation >= 0 {
			all[i].owner = uint32(len(newOf)) + firstOf[ord] + uint32(o.designation)
		}
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Compare(a.owner, b.owner) < 0
	})
	owners, order := make([]uint32, len(all)), make([]uint32, len(all))
	for i, o := range all {
		owners[i], order[i] = o.owner, o.text
	}
	offsets, data := e.texts.inOrder(order)
	return []section{
		{secExtOwners, bytesOf(owners)},
		{secExtOffsets, bytesOf(offsets)},
		{secExtensions, data},
	}
}

// extensionView reads extensions. The zero value has none.
type extensionView struct {
	owners []uint32
	texts  texts
}

// openExtensions opens the sections; limit is the highest possible number of owners.
func openExtensions(in opener, limit int) (v extensionView, err error) {
	raw := in.get(secExtOwners)
	if raw == nil {
		return v, nil
	}
	if v.owners, err = numbersOf[uint32](raw); err != nil {
		return v, fmt.Errorf("extensions: %w", err)
	}
	if err = in.below(v.owners, limit); err != nil {
		return v, fmt.Errorf("extensions: %w", err)
	}
	if err = in.sorted(v.owners); err != nil {
		return v, fmt.Errorf("extensions: %w", err)
	}
	if v.texts, err = in.texts(secExtOffsets, secExtensions, len(v.owners), false); err != nil {
		return v, fmt.Errorf("extensions: %w", err)
	}
	return v, nil
}

// of returns the extensions of an owner.
func (v *extensionView) of(owner uint32) r4.Extensions {
	if len(v.owners) == 0 {
		return nil
	}
	at, ok := slices.BinarySearch(v.owners, owner)
	if !ok {
		return nil
	}
	list, err := r4.DecodeExtensions(json.RawMessage(v.texts.at(uint32(at))))
	if err != nil {
		return nil // damaged text: the checksum detects it
	}
	return list
}

// Extensions returns the extensions of a concept, including those of its designations, or nil.
func (x *Index) Extensions(o Ord) r4.Extensions {
	_ = x.flags[o]
	return x.extensions.of(o)
}
