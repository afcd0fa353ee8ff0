// Package synth makes synthetic resources: of each of the 21 types of the service, of the
// types they refer to, and whole populations of patients with coherent histories.
//
// What is made follows from a seed alone. Resource n of a type is a function of the seed,
// the type, n and the options; it does not depend on how many are made, on what was made
// before, or on the time. The bytes are the same on every platform and with every version
// of Go: all arithmetic is on integers (numbers with decimals are integers with a scale,
// times are seconds counted from 1970 with a calendar of our own), the random numbers are
// SplitMix64's, members are written in the order of the FHIR definitions, and no map is
// walked.
//
// Generator makes resources of one type, one after the other; Population makes patients
// with their histories. Both write compact JSON.
//
// The values of coded elements come from the lists that the service documents (lists*.go).
// Where it has none, they come from a code system of our own, Clinic, which is among the
// built-in samples, or from the codes that Options.Codes gives for the element.
//
// Every resource is labelled HTEST (test health data) in meta.security, so that synthetic
// resources can be told from others: Patient?_security=HTEST.
package synth
