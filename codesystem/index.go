package codesystem

import (
	"encoding/json"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/resources/r4"
)

// Index is one version of a code system, immutable and safe for concurrent use. It is a view of
// the bytes of a snapshot.
//
// Methods that take an Ord panic if it is not below Len, as indexing a slice does.
type Index struct {
	data   []byte
	n      int
	info   info
	header *r4.CodeSystem
	stats  Stats

	table        codeTable
	codes        texts
	displays     texts
	definitions  texts
	flags        []byte
	designations designationView
	extensions   extensionView
	hierarchyView

	sets  [countSets]func() *roaring.Bitmap
	props propertyView
	text  textView

	refsets refsetView

	origin any // see WithOrigin
}

// openConcepts opens everything but properties and text.
func (x *Index) openConcepts(in opener) (err error) {
	facts, err := numbersOf[info](in.get(secInfo))
	if err != nil {
		return err
	}
	if len(facts) != 1 || facts[0].concepts > maxConcepts {
		return fmt.Errorf("%w: counts", ErrDamaged)
	}
	x.info = facts[0]
	x.n = int(x.info.concepts)
	x.header = new(r4.CodeSystem)
	if err := json.Unmarshal(in.get(secHeader), x.header); err != nil {
		return fmt.Errorf("%w: header: %w", ErrDamaged, err)
	}
	x.table = codeTable{seed: x.info.hashSeed, fold: x.info.caseSensitive == 0}
	if x.table.slots, err = numbersOf[slot](in.get(secTable)); err != nil {
		return err
	}
	if size := len(x.table.slots); size == 0 || size&(size-1) != 0 {
		return fmt.Errorf("%w: code table of %d slots", ErrDamaged, size)
	}
	if x.codes, err = in.texts(secCodeOffsets, secCodes, x.n, false); err != nil {
		return err
	}
	if x.displays, err = in.texts(secTextOffsets, secDisplays, x.n, false); err != nil {
		return err
	}
	if x.definitions, err = in.texts(secDefOffsets, secDefinitions, x.n, true); err != nil {
		return err
	}
	if x.flags = in.get(secFlags); len(x.flags) != x.n {
		return fmt.Errorf("%w: %d flags of %d concepts", ErrDamaged, len(x.flags), x.n)
	}
	if x.designations, err = openDesignations(in, x.n); err != nil {
		return err
	}
	if x.extensions, err = openExtensions(in, x.n+len(x.designations.kinds)); err != nil {
		return err
	}
	if x.hierarchyView, err = openHierarchy(in, &x.info); err != nil {
		return err
	}
	x.prepareSets()
	return nil
}

// Header returns the CodeSystem without its concepts. It must not be modified.
func (x *Index) Header() *r4.CodeSystem { return x.header }

// URL returns the canonical of the code system, from the header.
func (x *Index) URL() string { return x.header.URL }

// Version returns the version of the code system, from the header; it may be "".
func (x *Index) Version() string { return x.header.Version }

// CaseSensitive reports whether letter case counts when codes are compared. Without a value in the
// header it does. Otherwise codes compare by simple Unicode folding, as in strings.EqualFold.
func (x *Index) CaseSensitive() bool { return !x.table.fold }

// Len returns the number of concepts.
func (x *Index) Len() int { return x.n }

// WithOrigin returns the index with what its codes were made from. An index of composed codes has
// one; packages that compose codes know its type.
func (x *Index) WithOrigin(origin any) *Index {
	made := *x
	made.origin = origin
	return &made
}

// Origin returns what the codes of an index were made from, nil for a code system with a list.
func (x *Index) Origin() any { return x.origin }
