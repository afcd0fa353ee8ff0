package codesystem

import (
	"context"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/resources/r4"
)

// Properties yields the properties in source order, without those that only state
// the hierarchy (parent, child, subsumedBy): Parents and Children have these.
func (x *Index) Properties(o Ord) iter.Seq[Property] { panic("skeleton") }

// Filter evaluates one value set filter on this index: the operators of R4
// (= is-a descendent-of is-not-a regex in not-in generalizes exists) and R5's
// child-of and descendent-leaf, on the properties concept/code, display, definition,
// parent, child, any declared or used property, inactive, status, abstract.
// The set is frozen. Errors: ErrUnknownProperty, ErrUnknownOperator, ErrBadFilterValue,
// ErrUnknownCode (is-a of a code that is not there).
func (x *Index) Filter(ctx context.Context, f r4.Filter) (*roaring.Bitmap, error) { panic("skeleton") }

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
