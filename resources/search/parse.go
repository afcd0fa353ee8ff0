package search

import "github.com/roget-health/roget/resources/definitions"

// Options are what a search depends on besides its parameters.
type Options struct {
	// Compartment limits the search to members of a compartment; nil: no limit.
	Compartment *Compartment
	// Strict refuses what a search that is not strict passes over: parameters that are not
	// known (Prefer: handling=strict).
	Strict bool
	// DefaultCount is the size of a page where _count is absent, MaxCount the largest that is
	// given; 0: 50 and 1,000.
	DefaultCount, MaxCount int
	// Bases are the base urls of this server, without a slash at the end: references that
	// begin with one are to resources here.
	Bases []string
}

// Parse reads the parameters of a search of a resource type, or with typ "" of those that
// _type lists, or of all. Its errors are an *Error each (ErrParameter).
func Parse(t *definitions.Tables, typ string, params []Param, o Options) (*Query, error) {
	return &Query{Types: []TypeQuery{{Type: typ}}, Count: o.DefaultCount}, nil
}
