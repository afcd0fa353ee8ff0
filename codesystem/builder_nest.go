package codesystem

import "fmt"

// Nest states that one added concept is nested in another, by their numbers. It is for readers
// that reach the end of a nested concept before the end of the concept around it, and so cannot
// set Concept.Parent. Siblings keep the order in which they were added.
func (b *Builder) Nest(child, parent int) error {
	if n := b.Len(); child < 0 || child >= n || parent < 0 || parent >= n || child == parent {
		return fmt.Errorf("%w: cannot nest concept %d of %d in concept %d", ErrUnknownParent, child, n, parent)
	}
	if b.nested == nil {
		b.nested = make([]int32, b.Len(), 2*b.Len()+16)
	}
	b.nested[child] = int32(parent + 1)
	return nil
}
