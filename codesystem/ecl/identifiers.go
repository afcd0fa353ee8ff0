package ecl

// Identifiers of SNOMED CT's model that the language gives a meaning.
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

// The reference sets of the history profiles. MAX also takes in whatever lies below
// historicalAssociations in the edition at hand.
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

// dialects are the aliases of language reference sets, from the specification's list,
// with the forms that its examples use.
var dialects = map[string]string{
	"da-dk":             "554461000005103",
	"de":                "722130004",
	"en-au":             "32570271000036106",
	"en-ca":             "19491000087109",
	"en-gb":             "900000000000508004",
	"en-gb-x-drug":      "999000681000001101",
	"en-gb-x-ext":       "999001251000000103",
	"en-ie":             "21000220103",
	"en-nhs-clinical":   "999001261000000100",
	"en-nhs-dmd":        "999000671000001103",
	"en-nhs-pharmacy":   "999000691000001104",
	"en-nz":             "271000210107",
	"en-nz-x-pat":       "281000210109",
	"en-us":             "900000000000509007",
	"en-x-gmdn":         "608771002",
	"en-x-nhs-clinical": "999001261000000100",
	"en-x-nhs-dmd":      "999000671000001103",
	"en-x-nhs-pharmacy": "999000691000001104",
	"es":                "450828004",
	"es-uy":             "5641000179103",
	"et-ee":             "71000181105",
	"fr":                "722131000",
	"fr-be":             "21000172104",
	"fr-ca":             "20581000087109",
	"ja":                "722129009",
	"mi":                "291000210106",
	"nb-no":             "61000202103",
	"nl-be":             "31000172101",
	"nl-nl":             "31000146106",
	"nn-no":             "91000202106",
	"sv-se":             "46011000052107",
	"zh":                "722128001",
}

// schemes are the aliases of identifier schemes that are known by their concept.
var schemes = map[string]string{
	"loinc": "705114005",
}
