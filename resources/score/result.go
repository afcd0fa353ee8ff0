package score

import "github.com/roget-health/roget/resources/r4"

// Result is what the answers of a response add up to.
type Result struct {
	Instrument *Instrument
	// Complete reports whether every item is answered. Only then there are Total and Band.
	Complete bool
	Total    int
	Band     string
	// Partial is the sum of the answers there are, Answered how many that is.
	Partial, Answered int
	// Missing are the linkIds of items without an answer, in ascending order.
	Missing []string
}

// AppendJSON appends the result as a Parameters resource: instrument, complete and answered;
// then total and band, or partial and a parameter missing for each item without an answer.
func (r *Result) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Code("instrument", r.Instrument.Code)
	if r.Complete {
		w.Integer("total", r.Total)
		w.String("band", r.Band)
	}
	w.Boolean("complete", r.Complete)
	w.Integer("answered", r.Answered)
	if !r.Complete {
		w.Integer("partial", r.Partial)
		for _, linkID := range r.Missing {
			w.String("missing", linkID)
		}
	}
	return w.Finish()
}
