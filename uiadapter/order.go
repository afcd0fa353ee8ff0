package uiadapter

import "sort"

// sortBy sorts a list and keeps the order of what compares as equal. Its lists are short and of many
// types: slices.SortStableFunc, which it stands for, is compiled for each of these and takes 9 kB of the
// program each time, slices.SortFunc 18 kB.
func sortBy[T any](list []T, compare func(a, b T) int) { sort.Stable(compared[T]{list, compare}) }

// compared is a list with its order.
type compared[T any] struct {
	list    []T
	compare func(a, b T) int
}

// Len implements sort.Interface.
func (c compared[T]) Len() int { return len(c.list) }

// Less implements sort.Interface.
func (c compared[T]) Less(i, j int) bool { return c.compare(c.list[i], c.list[j]) < 0 }

// Swap implements sort.Interface.
func (c compared[T]) Swap(i, j int) { c.list[i], c.list[j] = c.list[j], c.list[i] }
