package validate

import "slices"

// transitions are the allowed changes of QuestionnaireResponse.status.
var transitions = map[string][]string{
	"in-progress":      {"completed", "stopped"},
	"completed":        {"amended"},
	"stopped":          {"entered-in-error"},
	"amended":          {"entered-in-error"},
	"entered-in-error": {},
}

// Transition reports whether an update or patch may change the status of a QuestionnaireResponse,
// and returns the statuses it may change to. The status may always stay the same, and may always
// change from one that R4 does not have.
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

// stages are the statuses that a ResearchSubject typically goes through, in order; ineligible is
// beside eligible.
var stages = [...]string{
	"candidate", "screening", "eligible", "ineligible", "pending-on-study", "on-study", "on-study-intervention",
	"on-study-observation", "follow-up", "off-study", "withdrawn",
}

// Stages returns the statuses of a ResearchSubject in their typical order; eligible and ineligible
// are one stage. Writes are not checked against it.
func Stages() []string { return slices.Clone(stages[:]) }

// GoesBack reports whether a ResearchSubject changed to a status that typically comes before the
// present one, which a reader may want to check. It is false for statuses that are not among
// Stages.
func GoesBack(from, to string) bool {
	before, after := slices.Index(stages[:], from), slices.Index(stages[:], to)
	if from == "ineligible" && to == "eligible" {
		return false
	}
	return after >= 0 && after < before
}
