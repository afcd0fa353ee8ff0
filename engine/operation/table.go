package operation

import "slices"

// All returns the table of operations in fixed order: where rows share a command of
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
		&compare,
		related(),
		&batchValidateCode,
		&batchValidateCodeInSystem,
		scoreRow(),
		&versions,
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

// systemVersionParams are the rules about versions of code systems.
func systemVersionParams() []Param {
	return []Param{
		{Name: "system-version", Type: "canonical", Many: true, Doc: "system|version: the version of a code system to use where none is named. 1.x and 1.* stand for any 1.-version."},
		{Name: "check-system-version", Type: "canonical", Many: true, Doc: "system|version: fail when another version of the code system is used."},
		{Name: "force-system-version", Type: "canonical", Many: true, Doc: "system|version: the version of a code system to use, whatever is named."},
	}
}

// versionRuleParams are the rules about versions of code systems and value sets.
func versionRuleParams() []Param {
	return append(systemVersionParams(),
		Param{Name: "default-valueset-version", Type: "canonical", Many: true, Doc: "valueset|version: the version of a value set to use where one is named or imported without a version."},
		Param{Name: "check-valueset-version", Type: "canonical", Many: true, Doc: "valueset|version: fail when another version of the value set is used."},
		Param{Name: "force-valueset-version", Type: "canonical", Many: true, Doc: "valueset|version: the version of a value set to use, whatever is named."},
	)
}

func supplementParams() []Param {
	return []Param{{
		Name: "useSupplement", Type: "canonical", Many: true,
		Doc: "Supplement of a code system to use, url|version is understood; the request fails when it is not there.",
	}}
}

func lenientDisplayParam() Param {
	return Param{
		Name: "lenient-display-validation", Type: "boolean", Default: "false",
		Doc: "Make a wrong display a warning instead of an error.",
	}
}

// validationExtras are parameters that clients of the terminology ecosystem send with
// every validation.
func validationExtras() []Param {
	return []Param{
		{Name: "mode", Type: "code", HTTPOnly: true, Doc: "lenient-display-validation is understood as the parameter of that name; anything else changes nothing."},
		{Name: "diagnostics", Type: "boolean", HTTPOnly: true, Doc: "Accepted; there are no diagnostics."},
	}
}

// requestParams are the parameters that every operation has: what a request brings along
// for itself. No row's Run reads them; Runner does.
func requestParams() []Param {
	return []Param{
		{Name: paramResources, Type: "Resource", Many: true, HTTPOnly: true, Doc: "A CodeSystem, ValueSet or ConceptMap to answer this request with, before everything the server has. Resources of other types are passed over. Expansions are then whole, and nested, where the request does not say otherwise."},
		{Name: paramCacheID, Type: "id", HTTPOnly: true, Doc: "A name the client makes up: the tx-resources sent with it are remembered for a while, and used for later requests with the same one."},
	}
}

// with appends parameters to those of a row.
func with(own []Param, shared ...[]Param) []Param {
	return slices.Concat(append([][]Param{own}, shared...)...)
}
