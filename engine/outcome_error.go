package engine

import "github.com/roget-health/roget/resources/r4"

// OutcomeError is an error that says itself how a client sees it: an edge writes exactly
// its issues. An operation returns one where the specification demands more than one
// issue, or coding and text that the map of errors to issues cannot know.
type OutcomeError interface {
	error
	// Issues are those of the OperationOutcome; there is at least one.
	Issues() []r4.Issue
	// Status is the HTTP status, from 400 on.
	Status() int
}
