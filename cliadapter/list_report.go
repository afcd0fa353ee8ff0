package cliadapter

import (
	"fmt"
	"io"
	"time"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/cliadapter/lists"
	"github.com/roget-health/roget/engine"
)

// listStatus returns the line for progress. If answers go to a terminal, there is none.
func (inv *invocation) listStatus() *command.Status {
	if inv.OutTerminal {
		return &command.Status{W: io.Discard}
	}
	return inv.Status()
}

// maxFaults is the number of broken lines that are reported one by one.
const maxFaults = 20

// A listReport tells about a list while it is answered.
type listReport struct {
	inv    *invocation
	source *lists.Source
	status *command.Status
	began  time.Time
	shown  time.Time // the status
	faults int
}

// tell reports broken lines, and progress ten times a second.
func (r *listReport) tell(tally lists.Tally, faults []lists.Fault) {
	for _, f := range faults {
		if r.faults++; r.faults <= maxFaults {
			r.status.Clear()
			r.inv.Notice("%s: line %d: %v", r.source.Name, f.Line, f.Err)
		}
	}
	if now := time.Now(); now.Sub(r.shown) >= 100*time.Millisecond {
		r.shown = now
		text := command.Counted(tally.Total(), "line")
		if r.source.Size > 0 {
			text += fmt.Sprintf(", %d%%", min(100*r.source.Position()/r.source.Size, 100))
		}
		r.status.Tell(text)
	}
}

// end prints the summary.
func (r *listReport) end(tally lists.Tally) {
	r.status.Clear()
	if more := r.faults - maxFaults; more > 0 {
		r.inv.Notice("%s: and %s", r.source.Name, command.Counted(more, "more broken line"))
	}
	if r.inv.Is("quiet") {
		return
	}
	took := max(time.Since(r.began), time.Millisecond)
	text := fmt.Sprintf("%s in %s", command.Counted(tally.Total(), "line"), rounded(took))
	if took >= time.Second {
		text += fmt.Sprintf(" (%s a second)", engine.Thousands(int(float64(tally.Total())/took.Seconds())))
	}
	text += fmt.Sprintf(": %s yes, %s no", engine.Thousands(tally.Yes), engine.Thousands(tally.No))
	for _, more := range []struct {
		n    int
		what string
	}{{tally.Empty, "without a code"}, {tally.Broken, "broken"}} {
		if more.n > 0 {
			text += fmt.Sprintf(", %s %s", engine.Thousands(more.n), more.what)
		}
	}
	r.inv.Notice("%s", text)
}
