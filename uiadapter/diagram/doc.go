// Package diagram places the boxes of a hierarchy in layers, so that lines lead downwards and cross
// each other rarely.
//
// The method is Sugiyama's: a layer for each box, invisible boxes where a line passes a layer, an
// order within each layer that lessens crossings, and then positions that keep the order and the
// distances and make lines short. It is deterministic. Cycles are not expected: a line that would lead
// upwards is left out.
package diagram
