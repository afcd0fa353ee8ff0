package rf2

import "strconv"

// An sctid is a SNOMED CT identifier, which has 6 to 18 digits.
type sctid uint64

func (id sctid) String() string { return strconv.FormatUint(uint64(id), 10) }

// namespace returns the namespace of a long format identifier (partition 10, 11, 12). It is 0 for
// the short format, which belongs to the International Edition.
func (id sctid) namespace() uint64 {
	if id/100%10 != 1 {
		return 0
	}
	return uint64(id / 1000 % 10_000_000)
}

// Identifiers to which the format itself gives a meaning.
const (
	isA sctid = 116680003

	definedStatus   sctid = 900000000000073002
	primitiveStatus sctid = 900000000000074008

	fullySpecifiedName sctid = 900000000000003001
	synonym            sctid = 900000000000013009
	textDefinition     sctid = 900000000000550004

	inferredRelationship   sctid = 900000000000011006
	additionalRelationship sctid = 900000000000227009

	preferred  sctid = 900000000000548007
	acceptable sctid = 900000000000549004

	americanEnglish  sctid = 900000000000509007
	moduleDependency sctid = 900000000000534007
)

// Names in URIs (SNOMED CT URI Standard).
const (
	systemURL         = "http://snomed.info/sct"
	unpublishedURL    = "http://snomed.info/xsct"
	internationalCore = sctid(900000000000207008)
)

// editionModules returns the publicly known modules that name editions. Other modules can name an
// edition too; these decide between several modules of one namespace.
func editionModules() map[sctid]bool {
	return map[sctid]bool{
		internationalCore: true, // International
		449081005:         true, // Spanish
		731000124108:      true, // United States
		5631000179106:     true, // Uruguay
		11000221109:       true, // Argentina
		32506021000036107: true, // Australia
		11000234105:       true, // Austria
		11000172109:       true, // Belgium
		20611000087101:    true, // Canada
		554471000005108:   true, // Denmark
		11000181102:       true, // Estonia
		11000315107:       true, // France
		11000274103:       true, // Germany
		1121000189102:     true, // India
		11000220105:       true, // Ireland
		11000146104:       true, // Netherlands
		21000210109:       true, // New Zealand
		51000202101:       true, // Norway
		45991000052106:    true, // Sweden
		2011000195101:     true, // Switzerland
		83821000000107:    true, // United Kingdom
	}
}
