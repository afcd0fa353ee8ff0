package validate

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// concept holds a Coding or CodeableConcept to its list: one of the codings must be in it.
func (w *walker) concept(e *definitions.Element, v document.Value) {
	if e.TypeCode == "Coding" {
		if !inList(e.Binding, v) {
			w.report(Error, CodeInvalidCode, v, "the code is none of %s", listed(e.Binding))
		}
		return
	}
	for coding := range v.Get("coding").Items() {
		if inList(e.Binding, coding) {
			return
		}
	}
	w.report(Error, CodeInvalidCode, v, "there must be a coding that is one of %s", listed(e.Binding))
}

func inList(list *definitions.CodeList, coding document.Value) bool {
	return list.ContainsCoding(coding.Get("system").Text(), coding.Get("code").Text())
}

// listed names the codes of a list, or the list when it is long.
func listed(list *definitions.CodeList) string {
	const most = 24
	if codes := list.Codes(); len(codes) <= most {
		return strings.Join(codes, ", ")
	}
	return "the codes of " + list.URL
}
