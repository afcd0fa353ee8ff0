package validate

import "slices"

// transitions are the moves of a QuestionnaireResponse, by state.
var transitions = map[string][]string{
	"in-progress":      {"completed", "stopped"},
	"completed":        {"amended"},
	"stopped":          {"entered-in-error"},
	"amended":          {"entered-in-error"},
	"entered-in-error": {},
}

// Transition reports whether a QuestionnaireResponse may go from one status to another
// when it is updated or patched, and the states it may go to. Staying is always allowed,
// and so is leaving a state that R4 does not know.
func Transition(from, to string) (allowed []string, ok bool) {
	allowed, known := transitions[from]
	if from == to || !known {
		return allowed, true
	}
	for _, state := range allowed {
		if state == to {
			return allowed, true
		}
	}
	return allowed, false
}

// stages are those a ResearchSubject typically goes through, in that order; ineligible
// stands beside eligible.
var stages = [...]string{
	"candidate", "screening", "eligible", "ineligible", "pending-on-study", "on-study", "on-study-intervention",
	"on-study-observation", "follow-up", "off-study", "withdrawn",
}

// Stages returns the statuses of a ResearchSubject in the order it typically goes through
// them; eligible and ineligible are one stage. No write is held to it.
func Stages() []string { return slices.Clone(stages[:]) }

// GoesBack reports that a ResearchSubject of one status came to one that typically lies before
// it, which a reader may want to look at. Statuses that are not among Stages never do.
func GoesBack(from, to string) bool {
	before, after := slices.Index(stages[:], from), slices.Index(stages[:], to)
	if from == "ineligible" && to == "eligible" {
		return false
	}
	return after >= 0 && after < before
}
