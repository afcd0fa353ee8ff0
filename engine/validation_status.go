package engine

import (
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// reportStatus says what is to be said of the status of a resource that user refers to.
func (v *validation) reportStatus(typ string, h, user *r4.Header) {
	if m := issue.StatusMessage(h, user); m != nil {
		v.issues.Add(m.Issue("", typ, r4.JoinCanonical(h.URL, h.Version)))
	}
}

// remarkable reports a concept of which flag has something to note.
func remarkable(x *codesystem.Index, o codesystem.Ord) bool {
	return x.Inactive(o) || x.Deprecated(o) || x.Status(o) == "deprecated"
}

// flag notes an inactive or deprecated concept. The first one counts, but an inactive one
// more than a deprecated one.
func (v *validation) flag(f *finding, x *codesystem.Index, o codesystem.Ord) {
	inactive, status := x.Inactive(o), x.Status(o)
	if v.flagged.found && (v.flagged.inactive || !inactive) || !inactive && status == "" {
		return
	}
	v.flagged.found, v.flagged.inactive = true, inactive
	v.flagged.code, v.flagged.status, v.flagged.path = f.code, status, f.path
}

// reportFlagged says that a concept is inactive or deprecated.
func (v *validation) reportFlagged(r *ValidateCodeResult, shown *finding) {
	flagged := &v.flagged
	path := flagged.path
	if path == "" {
		path = "code"
	}
	switch {
	case !flagged.found:
	case flagged.inactive:
		if shown != nil && shown.path == flagged.path {
			r.Inactive = true
			if flagged.status != "inactive" {
				r.Status = flagged.status
			}
		}
		m := &issue.InactiveStatus
		if flagged.status == "inactive" || flagged.status == "DISCOURAGED" {
			m = &issue.Inactive
		}
		v.say(m.Issue(path, flagged.status, flagged.code))
	case flagged.status == "deprecated":
		r.Status = flagged.status
		v.say(issue.Deprecated.Issue(path, flagged.code))
	}
}
