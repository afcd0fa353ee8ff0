package codesystem

import "fmt"

// Nest states that one added concept is nested in another, by their numbers. It is
// for readers that come to the end of a nested concept before that of the concept
// around it, so that they cannot give Concept.Parent. Siblings keep the order in
// which they were added.
func (b *Builder) Nest(child, parent int) error {
	if n := b.Len(); child < 0 || child >= n || parent < 0 || parent >= n || child == parent {
		return fmt.Errorf("%w: nest concept number %d of %d in number %d", ErrUnknownParent, child, n, parent)
	}
	if b.nested == nil {
		b.nested = make([]int32, b.Len(), 2*b.Len()+16)
	}
	b.nested[child] = int32(parent + 1)
	return nil
}
