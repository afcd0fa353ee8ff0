package ecl

// Identifiers of SNOMED CT's model to which the language gives a meaning.
const (
	isA = "116680003"

	primitiveStatus = "900000000000074008"
	definedStatus   = "900000000000073002"

	fullNameType   = "900000000000003001"
	synonymType    = "900000000000013009"
	definitionType = "900000000000550004"

	preferredID  = "900000000000548007"
	acceptableID = "900000000000549004"

	historicalAssociations = "900000000000522004"
)

// The reference sets of the history profiles. MAX also includes everything below
// historicalAssociations in the edition.
var (
	historyMinSets = []string{
		"900000000000527005", // same as
	}
	historyModSets = []string{
		"900000000000527005",
		"900000000000526001", // replaced by
		"900000000000528000", // was a
		"1186924009",         // partially equivalent to
	}
	historyMaxSets = []string{
		"900000000000527005", "900000000000526001", "900000000000528000", "1186924009",
		"900000000000523009", // possibly equivalent to
		"900000000000524003", // moved to
		"900000000000525002", // moved from
		"900000000000529008", // similar to
		"900000000000530003", // alternative
		"1186921001",         // possibly replaced by
	}
)

// schemes maps aliases of identifier schemes to their concepts.
var schemes = map[string]string{
	"loinc": "705114005",
}
