// Package catalog holds what an engine answers from: the published code systems, value sets
// and concept maps, and the rules by which a canonical, a version or an id finds one of them.
//
// A State is immutable. Publishing makes the next state out of the one before.
package catalog
