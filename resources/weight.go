package resources

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/roget-health/roget/resources/index"
)

// Bounds of the entries in the search index that one transaction writes, because other writers wait
// meanwhile. They are counted like those of a single resource (index.MaxEntries): 10,000 resources of
// Synthea have 206,000. CodeSystems, ValueSets and ConceptMaps are counted apart. They have a code for
// each concept, and may together have as many as one of them alone.
const (
	MaxTransactionEntries            = 400_000
	MaxTransactionTerminologyEntries = index.MaxTerminologyEntries
)

// An entryCount counts the entries of a transaction. It is safe for concurrent use.
type entryCount struct{ terminology, others atomic.Int64 }

// add counts the entries of an indexed document. It returns an error if there are too many.
func (c *entryCount) add(d *draft) error {
	n := int64(d.entries())
	if isTerminology(d.typ) {
		c.terminology.Add(n)
	} else {
		c.others.Add(n)
	}
	return c.exceeded()
}

// exceeded returns an error if there are too many entries.
func (c *entryCount) exceeded() error {
	what, most := "", 0
	switch {
	case c.others.Load() > MaxTransactionEntries:
		what, most = "the resources", MaxTransactionEntries
	case c.terminology.Load() > MaxTransactionTerminologyEntries:
		what, most = "the CodeSystems, ValueSets and ConceptMaps", MaxTransactionTerminologyEntries
	default:
		return nil
	}
	return fmt.Errorf("%w: %s of a transaction may have %d entries in the index together, and those of this bundle exceed that; divide the bundle into several",
		index.ErrTooManyValues, what, most)
}

// set makes the counts those of another count.
func (c *entryCount) set(other *entryCount) {
	c.terminology.Store(other.terminology.Load())
	c.others.Store(other.others.Load())
}

// all returns the number of all entries.
func (c *entryCount) all() int { return int(c.terminology.Load() + c.others.Load()) }

func isTerminology(typ string) bool { return slices.Contains(terminologyTypes[:], typ) }

// LargeEntries is the number of entries in the index from which a change is large: writing them takes a
// store more than about 50 ms.
const LargeEntries = 20_000

// turn waits until a change of a number of entries may go to the store, and returns what to call
// when it is written. A store writes changes in the order in which they come. So that a small one
// waits for few entries of others, large changes go there only while those that are there have
// no more than MaxTransactionEntries together; the others wait here.
func (s *Service) turn(ctx context.Context, entries int) (done func(), err error) {
	if entries <= LargeEntries {
		return func() {}, nil
	}
	n := int64(min(entries, MaxTransactionEntries))
	if err := s.large.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { s.large.Release(n) }, nil
}
