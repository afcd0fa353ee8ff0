package validate

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// concept checks a Coding or CodeableConcept against its binding: one of the codings must be in the
// list.
func (w *walker) concept(e *definitions.Element, v document.Value) {
	if e.TypeCode == "Coding" {
		if !inList(e.Binding, v) {
			w.report(Error, CodeInvalidCode, v, "the code must be one of %s", listed(e.Binding))
		}
		return
	}
	for coding := range v.Get("coding").Items() {
		if inList(e.Binding, coding) {
			return
		}
	}
	w.report(Error, CodeInvalidCode, v, "one of the codings must be one of %s", listed(e.Binding))
}

func inList(list *definitions.CodeList, coding document.Value) bool {
	return list.ContainsCoding(coding.Get("system").Text(), coding.Get("code").Text())
}

// listed lists the codes of a list, or names the list if it is long.
func listed(list *definitions.CodeList) string {
	const most = 24
	if codes := list.Codes(); len(codes) <= most {
		return strings.Join(codes, ", ")
	}
	return "the codes of " + list.URL
}
