// Package catalog has the published code systems, value sets and concept maps of an engine, and
// the rules for finding them by canonical, version or id.
//
// A State is immutable. Publishing returns the next state.
package catalog
