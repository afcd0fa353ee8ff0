package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"
)

// unused are codes of ISO 4217 that are the currency of no territory: metals, units of account,
// "no currency" and the code for tests; and one that CLDR calls past, and ISO does not.
var unused = []string{"XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XTS", "XUA", "XXX", "SVC"}

// notISO are currencies of CLDR without a code of ISO 4217.
var notISO = []string{"CNH", "MCF"}

// named are names of currencies that CLDR lacks, or for which it has other uses.
var named = map[string]string{"XAD": "Arab Accounting Dinar", "XXX": "No currency"}

// since is the year from which currencies that are no longer in use are kept: records have them.
const since = "2000"

// currencyLines lists the currencies in use, and as "past" those that were in use since 2000.
func (s *sources) currencyLines() []string {
	kinds := map[string]string{}
	for _, list := range s.use {
		for _, entry := range list {
			for code, u := range entry {
				switch {
				case slices.Contains(notISO, code) || u.To != "" && u.To < since:
				case u.To == "":
					kinds[code] = "currency"
				case kinds[code] == "":
					kinds[code] = "past"
				}
			}
		}
	}
	for _, code := range unused {
		kinds[code] = "currency"
	}
	var lines []string
	for _, code := range slices.Sorted(maps.Keys(kinds)) {
		lines = append(lines, line(kinds[code], code, nil, named[code], s.currencies[code]["displayName"]))
	}
	return lines
}

// renamed are countries whose name in R4 is no longer that of ISO 3166, or is cut off.
var renamed = []string{"MK", "SZ", "TR", "VI"}

// short are English short names of ISO 3166 with an article or a qualifier in brackets, which the
// sources write otherwise.
var short = map[string][]string{
	"AE": {"United Arab Emirates (the)"}, "BO": {"Bolivia (Plurinational State of)"}, "BS": {"Bahamas (the)"},
	"CC": {"Cocos (Keeling) Islands (the)"}, "CD": {"Congo (the Democratic Republic of the)"}, "CF": {"Central African Republic (the)"},
	"CG": {"Congo (the)"}, "CK": {"Cook Islands (the)"}, "DO": {"Dominican Republic (the)"}, "FK": {"Falkland Islands (the) [Malvinas]"},
	"FM": {"Micronesia (Federated States of)"}, "FO": {"Faroe Islands (the)"},
	"GB": {"United Kingdom of Great Britain and Northern Ireland (the)"}, "GM": {"Gambia (the)"}, "IR": {"Iran (Islamic Republic of)"},
	"KM": {"Comoros (the)"}, "KP": {"Korea (the Democratic People's Republic of)"}, "KR": {"Korea (the Republic of)"},
	"KY": {"Cayman Islands (the)"}, "LA": {"Lao People's Democratic Republic (the)"}, "MD": {"Moldova (the Republic of)"},
	"MH": {"Marshall Islands (the)"}, "MP": {"Northern Mariana Islands (the)"}, "NE": {"Niger (the)"},
	"NL": {"Netherlands (Kingdom of the)", "Netherlands (the)"}, "PH": {"Philippines (the)"}, "RU": {"Russian Federation (the)"},
	"SD": {"Sudan (the)"}, "SY": {"Syrian Arab Republic (the)"}, "TC": {"Turks and Caicos Islands (the)"},
	"TF": {"French Southern Territories (the)"}, "TW": {"Taiwan (Province of China)"}, "TZ": {"Tanzania, the United Republic of"},
	"UM": {"United States Minor Outlying Islands (the)"}, "US": {"United States of America (the)"}, "VA": {"Holy See (the)"},
	"VE": {"Venezuela (Bolivarian Republic of)"}, "VG": {"Virgin Islands (British)"}, "VI": {"Virgin Islands (U.S.)"},
}

// countryLines lists the countries: code, three letters, number, names. The name to display is that
// of FHIR, which follows ISO.
func (s *sources) countryLines() []string {
	var lines []string
	for _, code := range slices.Sorted(maps.Keys(s.fhir)) {
		m := s.mappings[code]
		names := slices.Concat([]string{strings.ReplaceAll(s.fhir[code], "''", "'")}, s.registered[code])
		if slices.Contains(renamed, code) {
			names = s.registered[code]
		}
		names = append(names, short[code]...)
		names = append(names, strings.ReplaceAll(s.territories[code], "’", "'"))
		for _, key := range slices.Sorted(maps.Keys(s.territories)) {
			if strings.HasPrefix(key, code+"-alt-") {
				names = append(names, s.territories[key])
			}
		}
		lines = append(lines, line("country", code, []string{m.Alpha3, m.Numeric}, names...))
	}
	return lines
}

// areaLines lists the areas of UN M49 that are not countries.
func (s *sources) areaLines() []string {
	var lines []string
	for _, code := range slices.Sorted(maps.Keys(s.registered)) {
		if strings.IndexFunc(code, func(r rune) bool { return !unicode.IsDigit(r) }) < 0 {
			lines = append(lines, line("area", code, nil, append(slices.Clone(s.registered[code]), s.territories[code])...))
		}
	}
	return lines
}

// subdivisionLines lists the subdivisions of countries, without those that CLDR has replaced.
func (s *sources) subdivisionLines() []string {
	names := map[string]string{}
	for key, name := range s.subdivisions {
		if !strings.Contains(key, "-alt-") && s.aliases[key].Reason != "deprecated" {
			names[key] = name
		}
	}
	for key, a := range s.aliases {
		if a.Reason == "overlong" { // a territory with a country's code too
			names[key] = s.territories[a.Replacement]
		}
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(names)) {
		code := strings.ToUpper(key)
		if len(code) > 2 && s.fhir[code[:2]] != "" {
			lines = append(lines, line("subdivision", code[:2]+"-"+code[2:], nil, names[key]))
		}
	}
	return lines
}

// zoneLines lists, in one line, the names of time zones in tzdata.zi, also the former ones, which are links.
func zoneLines(file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var names []string
	for l := range strings.Lines(string(data)) {
		switch f := strings.Fields(l); {
		case len(f) > 1 && f[0] == "Z":
			names = append(names, f[1])
		case len(f) == 3 && f[0] == "L":
			names = append(names, f[2])
		}
	}
	slices.Sort(names)
	return []string{line("zones", "all", nil, names...)}, nil
}
