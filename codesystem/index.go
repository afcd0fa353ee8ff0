package codesystem

import (
	"encoding/json"
	"fmt"
	"iter"
	"sync"
	"unsafe"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/resources/r4"
)

// Ord numbers the concepts of an Index densely from 0, in preorder.
type Ord = uint32

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
}

// Sets that are derived from the flags of an index when they are first needed.
const (
	setAll = iota
	setInactive
	setAbstract
	setDeprecated
	setRoots
	setLeaves
	countSets
)

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

// prepareSets makes the derived sets available.
func (x *Index) prepareSets() {
	x.sets[setAll] = sync.OnceValue(func() *roaring.Bitmap {
		set := roaring.New()
		set.AddRange(0, uint64(x.n))
		return set
	})
	for set, bit := range map[int]byte{
		setInactive: flagInactive, setAbstract: flagAbstract, setDeprecated: flagDeprecated,
		setRoots: flagRoot, setLeaves: flagLeaf,
	} {
		x.sets[set] = sync.OnceValue(func() *roaring.Bitmap { return x.flagged(bit) })
	}
}

// flagged returns the concepts that have a flag.
func (x *Index) flagged(bit byte) *roaring.Bitmap {
	set := roaring.New()
	var some [1024]uint32
	count := 0
	for o, f := range x.flags {
		if f&bit == 0 {
			continue
		}
		some[count] = uint32(o)
		if count++; count == len(some) {
			set.AddMany(some[:])
			count = 0
		}
	}
	set.AddMany(some[:count])
	set.RunOptimize()
	return set
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

// Subsumptive reports whether the hierarchy expresses subsumption: hierarchyMeaning is absent,
// is-a or classified-with. A hierarchy of part-of or grouped-by does not.
func (x *Index) Subsumptive() bool {
	switch x.header.HierarchyMeaning {
	case "", "is-a", "classified-with":
		return true
	}
	return false
}

// Len returns the number of concepts.
func (x *Index) Len() int { return x.n }

// Find returns the concept with a code, by the case rule of the system. It allocates nothing.
func (x *Index) Find(code string) (Ord, bool) {
	return x.table.find(code, uint32(x.n), &x.codes)
}

// FindBytes is Find for a code in bytes.
func (x *Index) FindBytes(code []byte) (Ord, bool) {
	return x.Find(unsafe.String(unsafe.SliceData(code), len(code)))
}

// Code returns the code of a concept, as its source wrote it.
func (x *Index) Code(o Ord) string { return x.codes.at(o) }

// Display returns the display of a concept, "" when absent.
func (x *Index) Display(o Ord) string { return x.displays.at(o) }

// Definition returns the definition of a concept, "" when absent.
func (x *Index) Definition(o Ord) string { return x.definitions.at(o) }

// Inactive reports whether a concept is inactive: property inactive is true, property status is
// retired or inactive, or the standards status is withdrawn.
func (x *Index) Inactive(o Ord) bool { return x.flags[o]&flagInactive != 0 }

// Abstract reports whether property notSelectable (or not-selectable) or abstract is true.
func (x *Index) Abstract(o Ord) bool { return x.flags[o]&flagAbstract != 0 }

// Deprecated reports whether property status is deprecated, or property deprecated or
// deprecationDate is present.
func (x *Index) Deprecated(o Ord) bool { return x.flags[o]&flagDeprecated != 0 }

// Root reports whether a concept has no parent.
func (x *Index) Root(o Ord) bool { return x.flags[o]&flagRoot != 0 }

// Leaf reports whether a concept has no children.
func (x *Index) Leaf(o Ord) bool { return x.flags[o]&flagLeaf != 0 }

// All returns the set of all concepts, frozen.
func (x *Index) All() *roaring.Bitmap { return x.sets[setAll]() }

// InactiveSet returns the set of inactive concepts, frozen.
func (x *Index) InactiveSet() *roaring.Bitmap { return x.sets[setInactive]() }

// AbstractSet returns the set of abstract concepts, frozen.
func (x *Index) AbstractSet() *roaring.Bitmap { return x.sets[setAbstract]() }

// DeprecatedSet returns the set of deprecated concepts, frozen.
func (x *Index) DeprecatedSet() *roaring.Bitmap { return x.sets[setDeprecated]() }

// Roots returns the set of concepts without a parent, frozen.
func (x *Index) Roots() *roaring.Bitmap { return x.sets[setRoots]() }

// Leaves returns the set of concepts without a child, frozen.
func (x *Index) Leaves() *roaring.Bitmap { return x.sets[setLeaves]() }

// Codes yields all codes in order of their concepts.
func (x *Index) Codes() iter.Seq2[Ord, string] {
	return func(yield func(Ord, string) bool) {
		for o := range uint32(x.n) {
			if !yield(o, x.codes.at(o)) {
				return
			}
		}
	}
}
