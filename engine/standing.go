package engine

import "github.com/roget-health/roget/resources/r4"

// standingOf tells how far a resource can be relied on, in one word, as seen from one that
// uses it: deprecated or withdrawn (its standards status), retired, experimental, draft;
// "" when there is nothing to say. What uses an experimental resource and is experimental
// itself knows, and so does a draft that uses a draft. A resource counts as its own user;
// user may be nil.
func standingOf(h, user *r4.Header) string {
	switch status := standardsStatusOf(h); {
	case status == "deprecated", status == "withdrawn":
		return status
	case h.Status == "retired":
		return "retired"
	case isExperimental(h):
		if user == nil || !isExperimental(user) {
			return "experimental"
		}
	case h.Status == "draft", status == "draft":
		if user == nil || user.Status != "draft" && standardsStatusOf(user) != "draft" {
			return "draft"
		}
	}
	return ""
}

func isExperimental(h *r4.Header) bool { return h.Experimental != nil && *h.Experimental }

// standardsStatusOf is the standards status of a resource, "" when it has none.
func standardsStatusOf(h *r4.Header) string {
	if len(h.Extension) == 0 {
		return ""
	}
	list, _ := r4.DecodeExtensions(h.Extension) // what cannot be read says nothing
	return list.Text(standardsStatus)
}
