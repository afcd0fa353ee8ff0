// Package operation is the one table of operations that HTTP, the terminal and the
// CapabilityStatement read.
//
// A row (Operation) names an operation, the levels it applies to, its typed and
// documented parameters in and out, and one function. Routes, commands, the
// CapabilityStatement, OperationDefinitions and the reference page are readings of the
// table: no adapter switches on the name of an operation. All has the rows that every
// service offers, Generate those that are offered where somebody chooses to.
//
// A row works on an Env: an engine and, where resources are stored, these. One that may
// change something says so (AffectsState).
//
// Input carries the parameters of one call. A GET fills it with DecodeQuery, a POST with
// DecodeParameters, the terminal with Add; all three check names, types and repetition
// against the row, so that a function sees the same Input whichever way a call came.
//
// Outcome and ExitCode are the only map from errors to what a client sees: an HTTP
// status, an OperationOutcome and an exit code.
package operation
