package codesystem

import (
	"slices"
	"strings"
)

// dialects lists the aliases of language reference sets of SNOMED CT, sorted (Expression
// Constraint Language 2.2, appendix C).
var dialects = [...]struct{ alias, refset string }{
	{"da-dk", "554461000005103"},
	{"de", "722130004"},
	{"en-au", "32570271000036106"},
	{"en-ca", "19491000087109"},
	{"en-gb", "900000000000508004"},
	{"en-gb-x-drug", "999000681000001101"},
	{"en-gb-x-ext", "999001251000000103"},
	{"en-ie", "21000220103"},
	{"en-nz", "271000210107"},
	{"en-nz-x-pat", "281000210109"},
	{"en-us", "900000000000509007"},
	{"en-x-gmdn", "608771002"},
	{"en-x-nhs-clinical", "999001261000000100"},
	{"en-x-nhs-dmd", "999000671000001103"},
	{"en-x-nhs-pharmacy", "999000691000001104"},
	{"es", "450828004"},
	{"es-uy", "5641000179103"},
	{"et-ee", "71000181105"},
	{"fr", "722131000"},
	{"fr-be", "21000172104"},
	{"fr-ca", "20581000087109"},
	{"ja", "722129009"},
	{"mi", "291000210106"},
	{"nb-no", "61000202103"},
	{"nl-be", "31000172101"},
	{"nl-nl", "31000146106"},
	{"nn-no", "91000202106"},
	{"sv-se", "46011000052107"},
	{"zh", "722128001"},
}

// DialectRefset returns the language reference set for a dialect alias of the Expression
// Constraint Language, without regard to case.
func DialectRefset(alias string) (refset string, ok bool) {
	i, ok := slices.BinarySearchFunc(dialects[:], strings.ToLower(alias), func(d struct{ alias, refset string }, want string) int {
		return strings.Compare(d.alias, want)
	})
	if !ok {
		return "", false
	}
	return dialects[i].refset, true
}

// privateDialect marks a language tag that contains the identifier of a language reference set.
const privateDialect = "x-sctlang-"

// LanguageRefset returns the language reference set that a language tag names: by SNOMED CT's
// private use subtags, en-x-sctlang-90000000-00005080-04, or by a dialect alias. language is the
// rest of the tag.
func LanguageRefset(tag string) (language, refset string, ok bool) {
	at := strings.Index(strings.ToLower(tag), privateDialect)
	if at < 0 || at > 0 && tag[at-1] != '-' {
		refset, ok = DialectRefset(tag)
		return tag, refset, ok
	}
	refset = strings.ReplaceAll(tag[at+len(privateDialect):], "-", "")
	for i := range len(refset) {
		if refset[i] < '0' || refset[i] > '9' {
			return tag, "", false
		}
	}
	return strings.TrimSuffix(tag[:at], "-"), refset, refset != ""
}
