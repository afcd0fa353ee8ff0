// Command gen makes registries.tsv.lzma from CLDR's JSON packages, FHIR R4 core, the IANA language
// subtag registry and its time zone database:
//
//	go run ./gen NODE_MODULES SHARED_DATA TZDATA_ZI registries.tsv.lzma
//
// Each line has the kind of a code, the code and its names, separated by tabs. A country has its
// three-letter and numeric codes before its names. The first name is the one to display.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem/packed/pack"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: CLDR=NODE_MODULES go generate, or gen NODE_MODULES SHARED_DATA TZDATA_ZI OUT.tsv.lzma")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generate reads the sources and writes the file.
func generate(cldr, shared, zones, to string) error {
	s, err := read(cldr, shared)
	if err != nil {
		return err
	}
	timeZones, err := zoneLines(zones)
	if err != nil {
		return err
	}
	lines := slices.Concat(s.currencyLines(), s.countryLines(), s.areaLines(), s.subdivisionLines(), timeZones)
	file, err := pack.Table([]byte(strings.Join(lines, "")), 2)
	if err != nil {
		return err
	}
	return os.WriteFile(to, file, 0o644)
}

// line returns a line of the file, without repetitions of a name.
func line(kind, code string, fields []string, names ...string) string {
	var distinct []string
	for _, n := range names {
		n = strings.TrimSpace(n)
		if n != "" && !slices.ContainsFunc(distinct, func(other string) bool { return strings.EqualFold(other, n) }) {
			distinct = append(distinct, n)
		}
	}
	return strings.Join(slices.Concat([]string{kind, code}, fields, distinct), "\t") + "\n"
}

// open decodes a JSON file, which may be compressed.
func open(into any, path ...string) error {
	file := filepath.Join(path...)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		var plain bytes.Buffer
		if _, err := plain.ReadFrom(z); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		data = plain.Bytes()
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
