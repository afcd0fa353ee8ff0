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
// The values of coded elements come from the lists that the service documents (lists_*.go).
// Where it has none, they come from a code system of our own, Clinic, which is among the
// built-in samples, or from the codes that Options.Codes gives for the element.
//
// Every resource is labelled HTEST (test health data) in meta.security, so that synthetic
// resources can be told from others: Patient?_security=HTEST.
//
// # The way through the package
//
// A type is a row of a table (table_*.go, type.go) with its maker in type_NAME.go, which
// writes the members of one resource. A maker works on a draft (draft.go): a stream of random
// numbers (random.go), a writer of JSON (writer.go, datatypes.go) and the facts that a story has
// settled (facts.go); what is not settled it draws. Whom a resource refers to is in
// reference.go, who the people are in person.go, names.go and places.go, what can be asked for
// in option.go.
//
// What a maker knows about its subject stands beside it, in files named after the subject:
// measurements.go, dosage.go, modalities.go, signs.go, udi.go, encounter_course.go,
// library_logic.go, questionnaire_*.go, research_design.go. Lists of codes with their weights
// are in lists_NAME.go (list.go draws from them), the concepts of Clinic in clinic_*.go.
//
// Generator (generator.go) runs one maker; generator_stream.go makes many resources, with what
// they refer to. Population (population.go) runs them all: for each patient a teller
// (teller.go) plans a story (story.go), which sets facts and calls makers; story_*.go are the
// parts that a story has, illnesses.go the table of what befalls people. population_stream.go
// makes many patients at a time. lines.go frames resources as NDJSON or as transactions.
//
// The package pinned holds tests alone: the bytes that are made do not change unawares.
package synth
