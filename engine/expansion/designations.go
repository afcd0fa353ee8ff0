package expansion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/resources/r4"
)

// A designationFilter selects the designations to return.
type designationFilter struct {
	languages []string
	uses      []r4.Coding
}

// parseDesignations parses includeDesignations and designation; nil means no designations.
func parseDesignations(req *Request) (*designationFilter, error) {
	if (req.IncludeDesignations == nil || !*req.IncludeDesignations) && len(req.Designations) == 0 {
		return nil, nil
	}
	var f designationFilter
	for _, token := range req.Designations {
		system, code, found := strings.Cut(token, "|")
		switch {
		case !found || code == "":
			return nil, issue.Invalid("designation", fmt.Sprintf("%q is not of the form system|code", token))
		case system == "urn:ietf:bcp:47":
			f.languages = append(f.languages, code)
		default:
			f.uses = append(f.uses, r4.Coding{System: system, Code: code})
		}
	}
	return &f, nil
}

// takes reports whether a designation is selected.
func (f *designationFilter) takes(w *language.Wording, d *r4.Designation) bool {
	if len(f.languages) == 0 && len(f.uses) == 0 {
		return true
	}
	for _, tag := range f.languages {
		if strings.EqualFold(tag, d.Language) {
			return true
		}
		if _, refset, ok := codesystem.LanguageRefset(tag); ok {
			if in, _ := w.AcceptedIn(refset); in {
				return true
			}
		}
	}
	for i := range f.uses {
		if d.Use != nil && d.Use.System == f.uses[i].System && d.Use.Code == f.uses[i].Code {
			return true
		}
	}
	return false
}

// PreferredForLanguage is the use of a designation that is the display of a concept.
var PreferredForLanguage = r4.Coding{System: "http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra", Code: "preferredForLanguage"}

// copiedFromDesignation are the extensions of designations to return.
var copiedFromDesignation = []string{
	"coding-sctdescid", "rendering-style", "rendering-xhtml", "structuredefinition-standards-status", "codesystem-alternate",
}

// copied returns the extensions of a designation to return.
func copied(list r4.Extensions) r4.Extensions {
	unknown := func(x r4.Extension) bool {
		name, ours := strings.CutPrefix(x.URL, extensionOfFHIR)
		return !ours || !slices.Contains(copiedFromDesignation, name)
	}
	if !slices.ContainsFunc(list, unknown) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), unknown)
}
