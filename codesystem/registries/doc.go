// Package registries contains code systems that FHIR uses, that others keep, and that FHIR does not
// publish: the currencies of ISO 4217, the countries and subdivisions of ISO 3166, the areas of
// UN M49, and the time zones of IANA. Of each it has codes and names, which are facts.
//
// All lists the code systems. The lists of codes are unpacked on first use, from registries.tsv.lzma.
// NOTICE states where codes and names come from, and under which licences.
//
// The program in gen makes the file from the packages cldr-core, cldr-localenames-full,
// cldr-numbers-full and cldr-subdivisions-full of npm, the value set iso3166-1-2 of FHIR R4 core,
// the IANA language subtag registry, and the time zone database that Debian installs:
//
//	CLDR=/path/to/node_modules go generate ./codesystem/registries
package registries

//go:generate go run ./gen ${CLDR} ../../../shared/data /usr/share/zoneinfo/tzdata.zi registries.tsv.lzma
