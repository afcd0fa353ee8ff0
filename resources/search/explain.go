package search

import (
	"strings"
	"time"

	"github.com/roget-health/roget/resources/index"
)

// A Step is a part of a search that was run, for Options.Explain.
type Step struct {
	What string  `json:"step"`
	Rows int     `json:"rows"` // left after it, -1 if that is unknown
	Read int     `json:"read"` // records
	Ms   float64 `json:"ms"`
}

// trace collects the steps of a run. A nil trace collects nothing.
type trace struct {
	steps []Step
	last  time.Time
	read  int // records since the last step
}

// explain begins the trace of a run. Readers that hide records get none: it would tell how many.
func (r *run) explain() {
	if r.query.Explain && index.Unrestricted(r.reader) == r.reader {
		r.trace = &trace{last: time.Now()}
		r.env.trace = r.trace
	}
}

func (t *trace) reads(records int) {
	if t != nil {
		t.read += records
	}
}

// note ends a step.
func (t *trace) note(what string, rows int) {
	if t == nil {
		return
	}
	now := time.Now()
	t.steps = append(t.steps, Step{what, rows, t.read, float64(now.Sub(t.last).Microseconds()) / 1000})
	t.last, t.read = now, 0
}

func (t *trace) done() []Step {
	if t == nil {
		return nil
	}
	return t.steps
}

// names returns the types of tables.
func (t tables) names() string {
	list := make([]string, len(t))
	for i := range t {
		list[i] = t[i].typ
	}
	return strings.Join(list, ", ")
}
