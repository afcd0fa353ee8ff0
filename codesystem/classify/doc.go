// Package classify computes what follows from the definitions of an ontology: which classes are
// below which, which are equivalent, and which can have no instance.
//
// It decides the profile OWL 2 EL as SNOMED CT and the OBO Foundry use it: conjunctions,
// existential restrictions, hierarchies and chains of roles, transitive and reflexive roles, ranges,
// disjointness, and literals compared by value. The method is the saturation of ELK (Kazakov,
// Krötzsch, Simančík: The Incredible ELK, 2014): each expression has a context, the set of what is
// above it, to which rules add until nothing changes. The order of the rules does not matter, so
// several workers arrive at the same result as one.
package classify
