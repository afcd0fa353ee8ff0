// Command gen makes registry.tsv.lzma from the IANA language subtag registry as JSON:
//
//	go run ./gen REGISTRY.json.gz registry.tsv.lzma
//
// Each line has the type of a subtag, the subtag, and its names, separated by tabs.
package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem/packed/pack"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen REGISTRY.json.gz OUT.tsv.lzma")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// entry is a record of the registry.
type entry struct {
	Type, Subtag, Tag string
	Description       []string
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
	var entries []entry
	if err := json.NewDecoder(z).Decode(&entries); err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		if e.Type != "redundant" { // these are made of subtags that are there
			lines = append(lines, strings.Join(append([]string{e.Type, strings.ToLower(e.Subtag + e.Tag)}, e.Description...), "\t")+"\n")
		}
	}
	slices.Sort(lines)
	file, err := pack.Table([]byte(strings.Join(lines, "")), 2)
	if err != nil {
		return err
	}
	return os.WriteFile(to, file, 0o644)
}
