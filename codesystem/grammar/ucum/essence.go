package ucum

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
)

// essenceFile is the table as published, packed.
//
//go:embed ucum-essence.xml.lzma
var essenceFile string

// essence is the content of the published table.
type essence struct {
	Version  string        `xml:"version,attr"`
	Date     string        `xml:"revision-date,attr"`
	Prefixes []essenceUnit `xml:"prefix"`
	Bases    []essenceUnit `xml:"base-unit"`
	Units    []essenceUnit `xml:"unit"`
}

// essenceUnit is a prefix, a base unit or a unit.
type essenceUnit struct {
	Code      string   `xml:"Code,attr"`
	Metric    string   `xml:"isMetric,attr"`
	Special   string   `xml:"isSpecial,attr"`
	Arbitrary string   `xml:"isArbitrary,attr"`
	Names     []string `xml:"name"`
	Property  string   `xml:"property"`
	Value     struct {
		Unit     string `xml:"Unit,attr"`
		Number   string `xml:"value,attr"`
		Function *struct {
			Name   string `xml:"name,attr"`
			Number string `xml:"value,attr"`
			Unit   string `xml:"Unit,attr"`
		} `xml:"function"`
	} `xml:"value"`
}

// readEssence decodes a table in the format of ucum-essence.xml.
func readEssence(text []byte) (*essence, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	// The file is declared as "ascii", which encoding/xml does not know by name.
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var e essence
	if err := d.Decode(&e); err != nil {
		return nil, fmt.Errorf("UCUM table: %w", err)
	}
	return &e, nil
}

// name returns the first name of a unit.
func (u *essenceUnit) name() string {
	if len(u.Names) == 0 {
		return u.Code
	}
	return u.Names[0]
}
