package rf2test

import (
	"fmt"

	"github.com/roget-health/roget/codesystem/loader/rf2/internal/checkdigit"
)

// Identifier returns an identifier: item, partition (two digits, or those of a namespace and two
// more) and check digit.
func Identifier(item int, partition string) string {
	id := fmt.Appendf(nil, "%d%s0", item, partition)
	for !checkdigit.Verhoeff(id) {
		id[len(id)-1]++
	}
	return string(id)
}

// Concept returns the identifier of a concept.
func Concept(item int) string { return Identifier(item, "00") }

// Description returns the identifier of a description.
func Description(item int) string { return Identifier(100_000+item, "01") }

// Relationship returns the identifier of a relationship.
func Relationship(item int) string { return Identifier(100_000+item, "02") }

// Member returns the identifier of a member of a reference set.
func Member(item int) string { return fmt.Sprintf("00000000-0000-4000-a000-%012x", item) }

// Identifiers of the metadata of SNOMED CT.
const (
	Root            = "138875005"
	IsA             = "116680003"
	Core            = "900000000000207008" // module of the International Edition
	Model           = "900000000000012004" // module of the metadata
	FullName        = "900000000000003001"
	Synonym         = "900000000000013009"
	Text            = "900000000000550004"
	Primitive       = "900000000000074008"
	Defined         = "900000000000073002"
	Inferred        = "900000000000011006"
	Stated          = "900000000000010007"
	Some            = "900000000000451002"
	NoCase          = "900000000000448009"
	AmericanEnglish = "900000000000509007"
	BritishEnglish  = "900000000000508004"
	Preferred       = "900000000000548007"
	Acceptable      = "900000000000549004"
	ReplacedBy      = "900000000000526001"
	SameAs          = "900000000000527005"
	Dependencies    = "900000000000534007"
)
