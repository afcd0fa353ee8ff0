// Command gen makes ucum-common.tsv.lzma from the value sets of FHIR R4 core, one a line:
//
//	go run ./gen VALUESETS.ndjson.gz ucum-common.tsv.lzma
//
// Each line has a code and its display, separated by a tab. Three codes that are not of UCUM are left out, and
// the second displays of four.
package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/roget-health/roget/codesystem/grammar/ucum"
	"github.com/roget-health/roget/codesystem/packed/pack"
	"github.com/roget-health/roget/resources/r4"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen VALUESETS.ndjson.gz OUT.tsv.lzma")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	for sets := json.NewDecoder(z); ; {
		var set r4.ValueSet
		if err := sets.Decode(&set); err != nil {
			return err
		}
		if set.ID != "ucum-common" {
			continue
		}
		if set.Compose == nil {
			return errors.New("the value set has no content")
		}
		var lines []byte
		met := map[string]bool{}
		for _, c := range set.Compose.Include[0].Concept {
			if _, err := ucum.Parse(c.Code); err == nil && !met[c.Code] {
				met[c.Code] = true
				lines = fmt.Appendf(lines, "%s\t%s\n", c.Code, c.Display)
			}
		}
		file, err := pack.Table(lines, 1)
		if err != nil {
			return err
		}
		return os.WriteFile(to, file, 0o644)
	}
}
