// Package issue has what goes wrong in terminology operations: the errors, the catalogue of
// messages that answers and failures are worded with, and the error that carries issues of an
// OperationOutcome. It knows classes of failures, and no protocol: an edge maps a class to
// its HTTP status or exit code.
package issue
