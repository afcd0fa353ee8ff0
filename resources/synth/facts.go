package synth

// facts are what a story has settled about a resource before it is written. What is zero is
// drawn when the resource is written.
type facts struct {
	id   string
	refs [roleCount]string

	at     moment // when it happened, began, was asked for
	until  moment // when it ended; with open, it has not
	open   bool
	status string // of a state-bearing element
	kind   string // category, variant or template
	code   Coding // what it is about
	more   Coding // a second code: reason, route
	level  int    // of what is measured: -1 too low, 1 too high
	female bool
	born   day
	died   moment

	worst   judgement // of the results
	results []string  // references to what belongs to it: observations, members
	part    string    // what it is part of
}
