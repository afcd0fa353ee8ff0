package codesystem

import (
	"context"
	"io"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/resources/r4"
)

// Ord numbers the concepts of an Index densely from 0, in preorder.
type Ord = uint32

// Concept is one concept as a loader hands it to a Builder. The Builder copies
// what it needs: the caller may reuse the value and its slices.
type Concept struct {
	Code, Display, Definition string
	Designations              []r4.Designation
	Properties                []Property
	// Parent is the index (see Builder.Add) of the concept this one is nested in, or -1.
	Parent int
	// Where tells the place in the source, for errors: "file.json: line 12".
	Where string
}

// Property is one property value of a concept.
type Property struct {
	Code  string
	Value r4.Value
}

// Builder collects concepts and builds an Index. Not safe for concurrent use.
type Builder struct{}

// NewBuilder starts an index of the code system that header describes.
func NewBuilder(header *r4.CodeSystem) *Builder { panic("skeleton") }

// SetHeader replaces the header: a streamed CodeSystem may give elements after its concepts.
func (b *Builder) SetHeader(header *r4.CodeSystem) {}

// Add appends a concept and returns its number for use as Parent of the concepts
// nested in it. Errors name the place: a duplicate code, an empty code, …
func (b *Builder) Add(c *Concept) (int, error) { panic("skeleton") }

// Len is the number of concepts added.
func (b *Builder) Len() int { panic("skeleton") }

// Build makes the Index: it links the hierarchy (nesting and the properties parent,
// child, subsumedBy and partOf), reports unknown parents and cycles with their path,
// numbers the concepts and lays everything out. The Builder is spent afterwards.
func (b *Builder) Build(ctx context.Context) (*Index, error) { panic("skeleton") }

// Index is one version of a code system, immutable.
type Index struct {
	props propertyView
	text  textView
}

// Header is the CodeSystem without its concepts. Not to be modified.
func (x *Index) Header() *r4.CodeSystem { panic("skeleton") }

// URL and Version are short for the header's.
func (x *Index) URL() string     { panic("skeleton") }
func (x *Index) Version() string { panic("skeleton") }

// CaseSensitive tells how codes compare. Absent in the header means true.
func (x *Index) CaseSensitive() bool { panic("skeleton") }

// Hierarchical reports that any concept has a parent.
func (x *Index) Hierarchical() bool { panic("skeleton") }

// Subsumptive reports that the hierarchy is one of meaning (hierarchyMeaning absent,
// is-a or classified-with), so that subsumption follows it; part-of and grouped-by are not.
func (x *Index) Subsumptive() bool { panic("skeleton") }

// Len is the number of concepts.
func (x *Index) Len() int { panic("skeleton") }

// Find gives the concept of a code, by the case rule of the system.
func (x *Index) Find(code string) (Ord, bool) { panic("skeleton") }

// FindBytes is Find without a conversion.
func (x *Index) FindBytes(code []byte) (Ord, bool) { panic("skeleton") }

// Code, Display, Definition are "" when absent.
func (x *Index) Code(o Ord) string       { panic("skeleton") }
func (x *Index) Display(o Ord) string    { panic("skeleton") }
func (x *Index) Definition(o Ord) string { panic("skeleton") }

// Inactive: property inactive true, or status retired/inactive/deprecated? see docs.
func (x *Index) Inactive(o Ord) bool { panic("skeleton") }

// Abstract: property notSelectable or abstract true.
func (x *Index) Abstract(o Ord) bool { panic("skeleton") }

// Deprecated: property status deprecated, or deprecated/deprecationDate in the past.
func (x *Index) Deprecated(o Ord) bool { panic("skeleton") }

// Designations yields the designations of a concept in source order.
func (x *Index) Designations(o Ord) iter.Seq[r4.Designation] { panic("skeleton") }

// Properties yields the properties in source order, without those that only state
// the hierarchy (parent, child, subsumedBy): Parents and Children have these.
func (x *Index) Properties(o Ord) iter.Seq[Property] { panic("skeleton") }

// Parents and Children are the direct neighbours in ascending order (children in source order).
func (x *Index) Parents(o Ord) []Ord  { panic("skeleton") }
func (x *Index) Children(o Ord) []Ord { panic("skeleton") }

// Ancestors are all proper ancestors, ascending.
func (x *Index) Ancestors(o Ord) []Ord { panic("skeleton") }

// IsAncestor reports that a is a proper ancestor of b. It allocates nothing.
func (x *Index) IsAncestor(a, b Ord) bool { panic("skeleton") }

// Descendants is the set of proper descendants, frozen.
func (x *Index) Descendants(o Ord) *roaring.Bitmap { panic("skeleton") }

// All, ActiveSet, InactiveSet, AbstractSet, Roots, Leaves are frozen sets.
func (x *Index) All() *roaring.Bitmap         { panic("skeleton") }
func (x *Index) InactiveSet() *roaring.Bitmap { panic("skeleton") }
func (x *Index) AbstractSet() *roaring.Bitmap { panic("skeleton") }
func (x *Index) Roots() *roaring.Bitmap       { panic("skeleton") }
func (x *Index) Leaves() *roaring.Bitmap      { panic("skeleton") }

// Filter evaluates one value set filter on this index: the operators of R4
// (= is-a descendent-of is-not-a regex in not-in generalizes exists) and R5's
// child-of and descendent-leaf, on the properties concept/code, display, definition,
// parent, child, any declared or used property, inactive, status, abstract.
// The set is frozen. Errors: ErrUnknownProperty, ErrUnknownOperator, ErrBadFilterValue,
// ErrUnknownCode (is-a of a code that is not there).
func (x *Index) Filter(ctx context.Context, f r4.Filter) (*roaring.Bitmap, error) { panic("skeleton") }

// Stats gives the figures of the hierarchy, over active concepts.
func (x *Index) Stats() Stats { panic("skeleton") }

// Stats are counts of a code system. Edges, roots, depth, ancestors and closure are
// over active concepts. JSON keys are fixed for scripts.
type Stats struct {
	URL           string  `json:"url"`
	Version       string  `json:"version"`
	Concepts      int     `json:"concepts"`
	Active        int     `json:"active"`
	Edges         int     `json:"edges"`
	Roots         int     `json:"roots"`
	MaxDepth      int     `json:"maxDepth"`
	MeanAncestors float64 `json:"meanAncestors"`
	MaxAncestors  int     `json:"maxAncestors"`
	ClosurePairs  int     `json:"closurePairs"`
}

// Query is a compiled text filter: folded words, the last one (each, in fact) a prefix.
type Query struct{}

// CompileQuery folds a text filter. An empty query matches everything.
func CompileQuery(text string) *Query { panic("skeleton") }

// Empty reports that the query has no words.
func (q *Query) Empty() bool { panic("skeleton") }

// Score ranks a hit; lower is better.
type Score uint32

// Match scores one text against the query the way Search does; ok is false for no match.
// For codes and texts that live outside an index (codes listed in a value set).
func (q *Query) Match(code, text string) (score Score, ok bool) { panic("skeleton") }

// Hit is one concept found by Search.
type Hit struct {
	Concept Ord
	Score   Score
}

// Search finds concepts whose code, display or a designation matches the query,
// within a set (nil: all), best first, ties by Ord. It appends at most limit hits
// (those ranked offset to offset+limit) to dst and returns the exact total.
func (x *Index) Search(q *Query, within *roaring.Bitmap, offset, limit int, dst []Hit) (hits []Hit, total int) {
	panic("skeleton")
}

// WriteTo writes the snapshot. Open and Read check magic, layout version, length and checksum.
func (x *Index) WriteTo(w io.Writer) (int64, error) { panic("skeleton") }

// Bytes is the snapshot as it lies in memory.
func (x *Index) Bytes() []byte { panic("skeleton") }

// FromBytes opens a snapshot over data, which must be 8-byte aligned and not change
// while the Index lives. verify false skips the checksum (the caller has verified it).
func FromBytes(data []byte, verify bool) (*Index, error) { panic("skeleton") }
