package loader

import "github.com/roget-health/roget/resources/r4"

// DesignationUse is the system of designation uses that no other code system defines: the kinds of
// names in classifications. It is built in (package engine/base).
const DesignationUse = "https://roget.health/fhir/CodeSystem/designation-use"

// DisplayUse is HL7's system of designation uses. Its code display marks the preferred name in a
// language.
const DisplayUse = "http://terminology.hl7.org/CodeSystem/designation-usage"

// A Use is a code of DesignationUse.
type Use struct{ Code, Display, Definition string }

// DesignationUses lists the codes of DesignationUse. Each call returns a new list.
func DesignationUses() []Use {
	return []Use{
		{"preferredLong", "Long name", "The preferred name in full, without reference to the classes above"},
		{"short", "Short name", "A name shortened to a limited number of characters"},
		{"synonym", "Synonym", "Another name of the class"},
		{"inclusion", "Inclusion term", "A name of the class, or of something narrower that belongs to it"},
		{"index", "Index term", "A term of the alphabetical index that leads to the class"},
	}
}

// UseCoding returns the use of designations with a code of DesignationUse, or HL7's display for
// "preferred", the preferred name in a language. It is nil for any other code. Each call returns a
// new Coding.
func UseCoding(code string) *r4.Coding {
	if code == "preferred" {
		return &r4.Coding{System: DisplayUse, Code: "display"}
	}
	for _, use := range DesignationUses() {
		if use.Code == code {
			return &r4.Coding{System: DesignationUse, Code: code, Display: use.Display}
		}
	}
	return nil
}
