package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sources is what the sources say, by code.
type sources struct {
	mappings     map[string]mapping           // of countries: their other codes
	use          map[string][]map[string]use  // of territories: their currencies
	currencies   map[string]map[string]string // displayName
	territories  map[string]string            // also CODE-alt-…
	subdivisions map[string]string            // by code without dash, in lower case
	aliases      map[string]alias             // of subdivisions
	fhir         map[string]string            // countries in the value set of R4
	registered   map[string][]string          // regions of the language subtag registry
}

type mapping struct {
	Numeric string `json:"_numeric"`
	Alpha3  string `json:"_alpha3"`
}

// use is the time in which a territory used a currency.
type use struct {
	To string `json:"_to"`
}

type alias struct {
	Reason      string `json:"_reason"`
	Replacement string `json:"_replacement"`
}

func read(cldr, shared string) (*sources, error) {
	var s sources
	var codes struct {
		Supplemental struct{ CodeMappings *map[string]mapping }
	}
	codes.Supplemental.CodeMappings = &s.mappings
	var money struct {
		Supplemental struct {
			CurrencyData struct {
				Region *map[string][]map[string]use
			}
		}
	}
	money.Supplemental.CurrencyData.Region = &s.use
	var names struct {
		Main struct {
			En struct {
				Numbers            struct{ Currencies *map[string]map[string]string }
				LocaleDisplayNames struct{ Territories *map[string]string }
			}
		}
	}
	names.Main.En.Numbers.Currencies = &s.currencies
	names.Main.En.LocaleDisplayNames.Territories = &s.territories
	var parts struct {
		Subdivisions struct {
			LocaleDisplayNames struct{ Subdivisions *map[string]string }
		}
	}
	parts.Subdivisions.LocaleDisplayNames.Subdivisions = &s.subdivisions
	var other struct {
		Supplemental struct {
			Metadata struct {
				Alias struct{ SubdivisionAlias *map[string]alias }
			}
		}
	}
	other.Supplemental.Metadata.Alias.SubdivisionAlias = &s.aliases
	var registry []struct {
		Type, Subtag string
		Description  []string
	}
	for _, f := range []struct {
		into any
		path []string
	}{
		{&codes, []string{cldr, "cldr-core", "supplemental", "codeMappings.json"}},
		{&money, []string{cldr, "cldr-core", "supplemental", "currencyData.json"}},
		{&other, []string{cldr, "cldr-core", "supplemental", "aliases.json"}},
		{&names, []string{cldr, "cldr-numbers-full", "main", "en", "currencies.json"}},
		{&names, []string{cldr, "cldr-localenames-full", "main", "en", "territories.json"}},
		{&parts, []string{cldr, "cldr-subdivisions-full", "subdivisions", "en", "en.json"}},
		{&registry, []string{shared, "bcp47", "registry.json.gz"}},
	} {
		if err := open(f.into, f.path...); err != nil {
			return nil, err
		}
	}
	s.registered = map[string][]string{}
	for _, e := range registry {
		if e.Type == "region" {
			s.registered[e.Subtag] = e.Description
		}
	}
	var err error
	s.fhir, err = valueSet(filepath.Join(shared, "r4-core", "valuesets.ndjson.gz"), "http://hl7.org/fhir/ValueSet/iso3166-1-2")
	return &s, err
}

// valueSet returns the codes and displays that a value set lists.
func valueSet(file, url string) (map[string]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var vs struct {
			URL     string
			Compose struct {
				Include []struct {
					Concept []struct{ Code, Display string }
				}
			}
		}
		if !strings.Contains(lines.Text(), url) {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &vs); err != nil {
			return nil, err
		}
		if vs.URL != url {
			continue
		}
		list := map[string]string{}
		for _, inc := range vs.Compose.Include {
			for _, c := range inc.Concept {
				list[c.Code] = c.Display
			}
		}
		return list, nil
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s: no value set %s", file, url)
}
