// Command gen makes registry.tsv.gz from the IANA language subtag registry as JSON:
//
//	go run ./gen REGISTRY.json.gz registry.tsv.gz
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
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen REGISTRY.json.gz OUT.tsv.gz")
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
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte(strings.Join(lines, ""))); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return out.Close()
}
