package validate

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
