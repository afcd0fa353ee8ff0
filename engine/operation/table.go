package operation

// All gives the table of operations in fixed order: where rows share a command of
// the terminal, the order is the one in which they are tried. The slice is fresh
// each call; the rows are shared and not to be changed.
func All() []*Operation {
	return []*Operation{
		&lookup,
		&validateCode,
		&validateCodeInSystem,
		&subsumes,
		&expand,
		&memberOf,
		&translate,
		&findMatches,
		&explain,
	}
}

// The parameters that several operations share, worded once.

func displayLanguageParam() Param {
	return Param{
		Name: "displayLanguage", Type: "code",
		Doc: "Language of the displays: a BCP 47 tag such as de-CH, or a list in the form of Accept-Language. Falls back to the display of the code system.",
	}
}

func dateParam() Param {
	return Param{
		Name: "date", Type: "dateTime",
		Doc: "Point in time the answer should hold for. Accepted; the answer is of the content published now.",
	}
}

func codingParam(doc string) Param {
	return Param{Name: "coding", Type: "Coding", Doc: doc}
}

func codeableConceptParam(doc string) Param {
	return Param{Name: "codeableConcept", Type: "CodeableConcept", Doc: doc, HTTPOnly: true}
}

func versionRuleParams() []Param {
	return []Param{
		{Name: "system-version", Type: "canonical", Many: true, Doc: "system|version: the version of a code system to use where the value set names none."},
		{Name: "check-system-version", Type: "canonical", Many: true, Doc: "system|version: fail when another version of the code system is used. 1.x and 1.* stand for any 1.-version."},
		{Name: "force-system-version", Type: "canonical", Many: true, Doc: "system|version: the version of a code system to use, whatever the value set names."},
	}
}
