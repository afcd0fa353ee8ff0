package search

import (
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

// trace collects the steps of a page. A nil trace collects nothing.
type trace struct {
	page *Page
	last time.Time
	read int // records since the last step
}

// explain begins the trace of a page. Readers that hide records get none: it would tell how many.
func (r *run) explain(page *Page) {
	if _, hides := r.reader.(interface{ Unrestricted() index.Reader }); r.query.Explain && !hides {
		r.trace = &trace{page: page, last: time.Now()}
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
	t.page.Steps = append(t.page.Steps, Step{what, rows, t.read, float64(now.Sub(t.last).Microseconds()) / 1000})
	t.last, t.read = now, 0
}
