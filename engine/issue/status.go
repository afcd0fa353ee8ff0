package issue

import "github.com/roget-health/roget/resources/r4"

// Status tells how far a resource can be relied on, in one word, as seen from one that
// uses it: deprecated or withdrawn (its standards status), retired, experimental, draft;
// "" when there is nothing to say. What uses an experimental resource and is experimental
// itself knows, and so does a draft that uses a draft. A resource counts as its own user;
// user may be nil.
func Status(h, user *r4.Header) string {
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

// StandardsStatus is the extension that has the standards status of a resource or element.
const StandardsStatus = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"

// standardsStatusOf is the standards status of a resource, "" when it has none.
func standardsStatusOf(h *r4.Header) string {
	if len(h.Extension) == 0 {
		return ""
	}
	list, _ := r4.DecodeExtensions(h.Extension) // what cannot be read says nothing
	return list.Text(StandardsStatus)
}

// StatusMessage returns what is to be said of the standing of a resource that another one,
// user, refers to; nil when there is nothing.
func StatusMessage(h, user *r4.Header) *Message {
	switch Status(h, user) {
	case "deprecated":
		return &StatusDeprecated
	case "withdrawn":
		return &StatusWithdrawn
	case "retired":
		return &StatusRetired
	case "experimental":
		return &StatusExperimental
	case "draft":
		return &StatusDraft
	}
	return nil
}
