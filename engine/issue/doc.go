// Package issue has the errors and messages of terminology operations, and the error that
// carries issues of an OperationOutcome. Failures have a class and no HTTP status: adapters map
// classes to their protocol.
package issue
