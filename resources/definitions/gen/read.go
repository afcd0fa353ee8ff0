package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// read returns the facts of the code systems and value sets in a folder.
func read(folder string) ([]*resource, error) {
	var all []*resource
	for _, name := range []string{"codesystems.ndjson.gz", "valuesets.ndjson.gz"} {
		path := filepath.Join(folder, name)
		list, err := readFile[resource](path)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	for _, r := range all {
		r.tidy()
	}
	return all, nil
}

// readFile decodes the documents of a file.
func readFile[T any](path string) ([]*T, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var list []*T
	for lines := json.NewDecoder(unpacked); ; {
		r := new(T)
		if err := lines.Decode(r); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, r)
	}
}

const (
	standardsStatus = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"
	uris            = "urn:ietf:rfc:3986"
)

// tidy removes extensions other than the standards status, identifiers other than OIDs, and
// designations and properties that are not facts. It joins the lines of notices.
func (r *resource) tidy() {
	r.Extension = slices.DeleteFunc(r.Extension, func(e extension) bool { return e.URL != standardsStatus })
	r.Identifier = slices.DeleteFunc(r.Identifier, func(i identifier) bool { return i.System != uris })
	for _, text := range []*string{&r.Name, &r.Title, &r.Publisher, &r.Copyright} {
		*text = strings.Join(strings.Fields(*text), " ")
	}
	tidyConcepts(r.Concept)
	if r.Compose == nil {
		return
	}
	for _, list := range [][]include{r.Compose.Include, r.Compose.Exclude} {
		for _, inc := range list {
			for i := range inc.Concept {
				inc.Concept[i].Designation = names(inc.Concept[i].Designation)
			}
		}
	}
}

func tidyConcepts(list []*concept) {
	for _, c := range list {
		c.Designation = names(c.Designation)
		c.Property = slices.DeleteFunc(c.Property, func(v value) bool {
			return v.OfCode == "" && v.Boolean == nil && v.DateTime == ""
		})
		tidyConcepts(c.Concept)
	}
}

// names omits designations that are definitions.
func names(list []designation) []designation {
	return slices.DeleteFunc(list, func(d designation) bool { return d.Use != nil && d.Use.Code == "definition" })
}
