package validate

import (
	"strings"

	"github.com/roget-health/roget/resources/document"
)

// Lacks reports whether a code system that is known does not have a code. system may be url|version.
type Lacks func(system, code string) bool

// WithSystems lets Strict refuse codes that their code systems do not have.
func WithSystems(f Lacks) Option { return func(v *Validator) { v.lacks = f } }

// tolerated returns the severity of what only Strict refuses.
func (w *walker) tolerated() Severity {
	if w.strict {
		return Error
	}
	return Warning
}

// uri refuses canonicals that are relative, and OIDs and UUIDs of the wrong form.
func (w *walker) uri(typ string, v document.Value) {
	if typ != "uri" && typ != "url" && typ != "canonical" {
		return
	}
	switch text := v.Text(); {
	case typ == "canonical" && !isAbsolute(text):
		w.report(Error, CodeValue, v, "%.80q is relative; a canonical must be absolute, or #id of a contained resource", text)
	case strings.HasPrefix(text, "urn:oid:") && !isOID(text):
		w.report(Error, CodeValue, v, "%.80q is not a valid OID", text)
	case strings.HasPrefix(text, "urn:uuid:") && !isUUID(text):
		w.report(Error, CodeValue, v, "%.80q is not a valid UUID in lower case", text)
	}
}

// system refuses the relative system of a Coding, Quantity or Identifier.
func (w *walker) system(v document.Value) {
	if system := v.Get("system"); w.strict && system.Text() != "" && !isAbsolute(system.Text()) {
		w.reportAt(Error, CodeValue, system, "system", "%.80q is relative; a system must be absolute", system.Text())
	}
}

// code refuses a code that its system does not have.
func (w *walker) code(v document.Value) {
	system, code := v.Get("system").Text(), v.Get("code").Text()
	if !w.strict || w.v.lacks == nil || system == "" {
		return
	}
	if version := v.Get("version").Text(); version != "" {
		system += "|" + version
	}
	if w.v.lacks(system, code) {
		w.reportAt(Error, CodeInvalidCode, v, "code", "%.120s does not have the code %.60q", system, code)
	}
}

// codingRule looks for the codes of CodeableConcepts in their systems, like HL7's validator.
func codingRule(w *walker, v document.Value) {
	w.system(v)
	if n := len(w.steps); n > 1 && w.steps[n-2].element.TypeCode == "CodeableConcept" {
		w.code(v)
	}
}

// identifierRule requires a URI as the value in the system of URIs.
func identifierRule(w *walker, v document.Value) {
	w.system(v)
	if value := v.Get("value"); w.strict && v.Get("system").Is("urn:ietf:rfc:3986") && value.Exists() && !isAbsolute(value.Text()) {
		w.reportAt(Error, CodeValue, value, "value", "%.80q is not an absolute URI, which the system urn:ietf:rfc:3986 requires", value.Text())
	}
}

// entryRule requires that the fullUrl of a resource in a Bundle has its type and id, if it is a REST
// address.
func entryRule(w *walker, v document.Value) {
	resource, full := v.Get("resource"), v.Get("fullUrl")
	if !w.strict || !resource.Exists() {
		return
	}
	if !full.Exists() {
		switch v.Parent().Parent().Get("type").Text() {
		case "transaction", "batch", "transaction-response", "batch-response":
		default:
			w.reportAt(Error, CodeRequired, v, "fullUrl", "the entry has no fullUrl, which only transactions, batches and their responses may omit")
		}
		return
	}
	parts := strings.Split(full.Text(), "/")
	if n := len(parts); n > 4 && strings.HasPrefix(parts[0], "http") && w.v.tables.IsResource(parts[n-2]) &&
		(!resource.Get("resourceType").Is(parts[n-2]) || !resource.Get("id").Is(parts[n-1])) {
		w.reportAt(Error, CodeValue, full, "fullUrl", "%.120q does not end with type and id of the resource", full.Text())
	}
}
