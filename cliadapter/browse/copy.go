package browse

import (
	"encoding/json"
	"strings"

	"github.com/roget-health/roget/codesystem"
)

// A form is how a concept is copied.
type form func(x *codesystem.Index, o codesystem.Ord) string

// copyCode copies the code.
func copyCode(x *codesystem.Index, o codesystem.Ord) string { return x.Code(o) }

// copyToken copies system|code, as a token in a search of FHIR.
func copyToken(x *codesystem.Index, o codesystem.Ord) string { return x.URL() + "|" + x.Code(o) }

// copyCoding copies a Coding.
func copyCoding(x *codesystem.Index, o codesystem.Ord) string {
	coding := struct {
		System  string `json:"system"`
		Version string `json:"version,omitempty"`
		Code    string `json:"code"`
		Display string `json:"display,omitempty"`
	}{x.URL(), x.Version(), x.Code(o), x.Display(o)}
	var doc strings.Builder
	encoder := json.NewEncoder(&doc)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(coding); err != nil {
		return ""
	}
	return strings.TrimSuffix(doc.String(), "\n")
}

// copyConstraint copies an expression constraint that selects the concept and what is below it.
func copyConstraint(x *codesystem.Index, o codesystem.Ord) string {
	code := x.Code(o)
	if x.URL() != "http://snomed.info/sct" {
		code = `code#"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(code) + `"`
	}
	return "<< " + code
}

// copy takes the concept of the cursor in a form.
func (m *Model) copy(f form) {
	if r, ok := m.tree().current(); ok {
		m.copied, m.pending = f(m.index(), r.ord), true
		m.status = "copied " + m.copied
	}
}
