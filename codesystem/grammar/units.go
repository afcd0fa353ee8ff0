package grammar

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/grammar/ucum"
	"github.com/roget-health/roget/codesystem/packed"
	"github.com/roget-health/roget/resources/r4"
)

// Units is UCUM, http://unitsofmeasure.org. The display of a unit is its code, which is how units
// are written; designations spell it out. The property canonical is the unit in base units
// (ucum.Unit.Canonical) and can be used in filters.
//
// Source: https://hl7.org/fhir/R4/ucum.html.
type Units struct{}

// canonicalUnit is the property for the canonical form.
const canonicalUnit = "canonical"

// URL returns the canonical of UCUM.
func (Units) URL() string { return ucum.URL }

// Header returns the description of UCUM.
func (Units) Header() *r4.CodeSystem {
	sensitive := true
	return &r4.CodeSystem{
		Header: r4.Header{
			ResourceType: "CodeSystem", ID: "ucum", URL: ucum.URL, Version: ucum.Version,
			Name: "UCUM", Title: "Unified Code for Units of Measure", Status: "active", Date: "2024-06-17",
			Publisher: "Regenstrief Institute", Language: "en",
			Copyright: "Copyright 1999-2024 Regenstrief Institute, Inc. All rights reserved. Licensed under the UCUM License, Version 1.1: https://unitsofmeasure.org/license",
		},
		CaseSensitive: &sensitive,
		Compositional: true,
		Content:       "complete",
		Property: []r4.CodeSystemProperty{
			{Code: canonicalUnit, Description: "The unit in base units", Type: "string"},
		},
		Filter: []r4.CodeSystemFilter{
			{Code: canonicalUnit, Description: "Units with this canonical form", Operator: []string{"="}, Value: "A unit in base units, such as g.m-3"},
		},
	}
}

// Concept parses a unit. It returns the errors of ucum.Parse, and one for the empty unit, which no code stands for.
func (Units) Concept(code string) (*codesystem.Concept, error) {
	u, err := ucum.Parse(code)
	if err == nil && code == "" {
		err = &ucum.Error{Reason: "a code is not empty; the code of unity is 1", Kind: ucum.ErrSyntax}
	}
	if err != nil {
		return nil, err
	}
	c := codesystem.Concept{
		Code: code, Display: code, Parent: -1,
		Properties: []codesystem.Property{{Code: canonicalUnit, Value: r4.String(u.Canonical())}},
	}
	if name := u.Display(); name != code {
		c.Designations = append(c.Designations, r4.Designation{Language: "en", Value: name})
	}
	return &c, nil
}

// Mismatch names the canonical form of a unit.
func (Units) Mismatch(code string, f r4.Filter) string {
	u, err := ucum.Parse(code)
	if err != nil || f.Property != canonicalUnit || f.Op != "=" || u.Canonical() == f.Value {
		return ""
	}
	return fmt.Sprintf("Code %s has canonical form %s, not %s as required", code, u.Canonical(), f.Value)
}

//go:generate go run ./gen ${VALUESETS} ucum-common.tsv.lzma

// commonUnitsFile is the value set of R4 core that lists units in common use, packed: code, tab, name.
//
//go:embed ucum-common.tsv.lzma
var commonUnitsFile string

var commonUnits = sync.OnceValue(func() []string {
	text, err := packed.Table(commonUnitsFile)
	if err != nil {
		panic(err) // the file is part of the program, and tests unpack it
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
})

// Usual returns http://hl7.org/fhir/ValueSet/ucum-common of R4 core.
func (Units) Usual() *List {
	return &List{
		Header: r4.Header{
			ResourceType: "ValueSet", ID: "ucum-common", URL: "http://hl7.org/fhir/ValueSet/ucum-common", Version: "4.0.1",
			Name: "Common UCUM units", Status: "draft", Publisher: "FHIR Project",
			Copyright: "UCUM is Copyright © 1999-2013 Regenstrief Institute, Inc. and The UCUM Organization, Indianapolis, IN. All rights reserved. See http://unitsofmeasure.org/trac//wiki/TermsOfUse for details.",
		},
		Len: len(commonUnits()),
		Concepts: func() []r4.ConceptReference {
			lines := commonUnits()
			out := make([]r4.ConceptReference, len(lines))
			for i, line := range lines {
				out[i].Code, out[i].Display, _ = strings.Cut(line, "\t")
			}
			return out
		},
	}
}
