// Package operation has the table of operations that HTTP, the terminal and the
// CapabilityStatement read.
//
// A row (Operation) has the name of an operation, the levels it applies to, its typed and
// documented parameters, and one function. Routes, commands, the CapabilityStatement,
// OperationDefinitions and the reference page are all made from the table: no adapter switches on
// the name of an operation. All returns the rows that every service offers, Generate the rows that
// a service offers on request.
//
// A row works on an Env: an engine and, if resources are stored, their service. A row that may
// change something sets AffectsState.
//
// Input has the parameters of one call. A GET fills it with DecodeQuery, a POST with
// DecodeParameters, the terminal with Add. All three check names, types and repetition against the
// row, so the function of a row sees the same Input for every kind of call.
//
// Outcome and ExitCode map errors to what a client sees: an OperationOutcome with its class, and
// an exit code. HTTP statuses are the business of the HTTP adapter.
package operation
