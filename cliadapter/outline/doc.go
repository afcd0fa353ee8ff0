// Package outline takes parts of a hierarchy of concepts that are small enough to look at: what is
// below a concept to a depth, and what is above one. It draws them with box characters.
//
// A hierarchy may be a graph, in which many paths lead to a concept. A graph is not unrolled: a
// concept that is below two others is opened at the first of them, and marked at the second; above
// a concept, one path is drawn, and the parents beside it are listed.
package outline
