package operation

import "slices"

// All returns the table of operations in a fixed order. Rows that share a command of the terminal
// are tried in this order. Each call returns a new slice; the rows are shared and must not be
// modified.
func All() []*Operation {
	return []*Operation{
		&lookup,
		&validateCode,
		&validateCodeInSystem,
		&subsumes,
		&expand,
		&memberOf,
		&translate,
		&closureRow,
		&findMatches,
		&explain,
		&compare,
		related(),
		&impact,
		&batchValidateCode,
		&batchValidateCodeInSystem,
		scoreRow(),
		&versions,
		&cacheControl,
	}
}

// The parameters that several operations share.

func displayLanguageParam() Param {
	return Param{
		Name: "displayLanguage", Type: "code", Aliases: []string{"language"}, // HAPI's clients
		Doc: "Language of the displays: a BCP 47 tag such as de-CH, or a list as in the Accept-Language header. Codes without a display in that language have the display of the code system.",
	}
}

func dateParam() Param {
	return Param{
		Name: "date", Type: "dateTime",
		Doc: "Point in time that the answer should be valid for. Accepted; the answer is always based on the content loaded now.",
	}
}

func codingParam(doc string) Param {
	return Param{Name: "coding", Type: "Coding", Aliases: []string{"valueCoding"}, Doc: doc} // IG Publisher
}

func codeableConceptParam(doc string) Param {
	return Param{Name: "codeableConcept", Type: "CodeableConcept", Aliases: []string{"valueCodeableConcept"}, Doc: doc, HTTPOnly: true}
}

// systemVersionParams returns the parameters with rules for versions of code systems.
func systemVersionParams() []Param {
	return []Param{
		{Name: "system-version", Type: "canonical", Names: "CodeSystem", Many: true, Doc: "Version of a code system to use where none is named, as system|version. 1.x and 1.* match every version 1."},
		{Name: "check-system-version", Type: "canonical", Names: "CodeSystem", Many: true, Doc: "Version that a code system must have, as system|version: the request fails if another version is used."},
		{Name: "force-system-version", Type: "canonical", Names: "CodeSystem", Many: true, Doc: "Version of a code system to use even where another version is named, as system|version."},
	}
}

// versionRuleParams returns the parameters with rules for versions of code systems and value sets.
func versionRuleParams() []Param {
	return append(systemVersionParams(),
		Param{Name: "default-valueset-version", Type: "canonical", Names: "ValueSet", Many: true, Doc: "Version of a value set to use where none is named, as valueset|version."},
		Param{Name: "check-valueset-version", Type: "canonical", Names: "ValueSet", Many: true, Doc: "Version that a value set must have, as valueset|version: the request fails if another version is used."},
		Param{Name: "force-valueset-version", Type: "canonical", Names: "ValueSet", Many: true, Doc: "Version of a value set to use even where another version is named, as valueset|version."},
	)
}

func supplementParams() []Param {
	return []Param{{
		Name: "useSupplement", Type: "canonical", Many: true,
		Doc: "Supplement of the code system to use, as url or url|version. The request fails if it is not loaded.",
	}}
}

func lenientDisplayParam() Param {
	return Param{
		Name: lenientDisplayName, Type: "boolean",
		Doc: "Report a wrong display as a warning instead of an error. A display that is no longer in use is a warning anyway, unless this is false.",
	}
}

// validationExtras returns parameters that clients of the terminology ecosystem send with every
// validation.
func validationExtras() []Param {
	return []Param{
		{Name: "mode", Type: "code", HTTPOnly: true, Doc: "lenient-display-validation has the effect of the parameter of that name; other values have no effect."},
		{Name: "diagnostics", Type: "boolean", HTTPOnly: true, Doc: "Accepted; the answer has no diagnostics."},
	}
}

// requestParams returns the parameters of every operation for resources that come with the
// request. Only the Runner reads them.
func requestParams() []Param {
	return []Param{
		{Name: paramResources, Type: "Resource", Many: true, HTTPOnly: true, Doc: "A CodeSystem, ValueSet or ConceptMap to use for this request; it takes precedence over everything the server has. Resources of other types are ignored. Expansions are then not paged, and nested, unless the request says otherwise."},
		// Clients from before $cache-control choose a name of their own if this is listed.
		{Name: paramCacheID, Type: "id", HTTPOnly: true, Unlisted: true, Doc: "The id of a cache that $cache-control started, for clients that cannot send the header X-Cache-Id. The request is answered as if it had brought the resources of the cache along."},
	}
}

// with returns the parameters of a row followed by shared ones.
func with(own []Param, shared ...[]Param) []Param {
	return slices.Concat(append([][]Param{own}, shared...)...)
}
