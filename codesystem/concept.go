package codesystem

import (
	"iter"
	"unsafe"
)

// Ord numbers the concepts of an Index densely from 0, in preorder.
type Ord = uint32

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
