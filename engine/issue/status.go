package issue

import "github.com/roget-health/roget/resources/r4"

// Status returns the status to warn about when user uses a resource: deprecated or withdrawn (its
// standards status), retired, experimental or draft; "" if no warning is due. An experimental user
// needs no warning about an experimental resource, nor a draft about a draft. A resource counts as
// its own user; user may be nil.
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

// StandardsStatus is the extension with the standards status of a resource or element.
const StandardsStatus = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"

// standardsStatusOf returns the standards status of a resource, "" if it has none.
func standardsStatusOf(h *r4.Header) string {
	if len(h.Extension) == 0 {
		return ""
	}
	list, _ := r4.DecodeExtensions(h.Extension) // malformed extensions are ignored
	return list.Text(StandardsStatus)
}

// StatusMessage returns the message about the status of a resource that user refers to, or nil.
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
