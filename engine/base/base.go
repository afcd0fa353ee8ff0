// Package base has the base content of an engine: the code systems and value sets of FHIR R4 core
// without third-party copyright, as facts (see package resources/definitions), the code systems
// that are defined by grammars (package codesystem/grammar), those of ISO 4217, ISO 3166 and UN M49
// (package codesystem/registries), and the code system of designation uses that loaders assign.
//
//	eng := engine.New()
//	err := eng.Publish(base.Entries()...)
//
// The entries are BuiltIn: other resources of the same id or canonical take precedence.
package base

import (
	"bytes"
	"context"
	"fmt"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/r4"
)

// Origin is the Origin of the entries.
const Origin = "FHIR R4 core"

// Entries returns the base content. It reads only a table: documents are unpacked and indexes
// built on first use.
func Entries() []*engine.Entry {
	list := definitions.All()
	entries := make([]engine.Entry, len(list))
	published := make([]*engine.Entry, len(list))
	for i := range list {
		published[i] = &entries[i]
		fill(published[i], &list[i])
	}
	for _, e := range engine.GrammarEntries() {
		e.Origin = Origin // as shown in the list of loaded resources
		published = append(published, e)
	}
	published = append(published, registered()...)
	return append(published, designationUses())
}

func fill(e *engine.Entry, d *definitions.Definition) {
	*e = engine.Entry{
		Header: d.Header, Content: d.Content, AllCodes: d.AllCodes, Concepts: d.Concepts,
		Origin: Origin, BuiltIn: true, Document: d.Document,
	}
	if d.Header.ResourceType == "CodeSystem" {
		e.CodeSystem = func() (*codesystem.Index, error) { return index(d) }
	} else {
		e.ValueSet = func() (*r4.ValueSet, error) { return valueSet(d) }
	}
}

// index builds the index of a code system.
func index(d *definitions.Definition) (*codesystem.Index, error) {
	document, err := d.Document()
	if err != nil {
		return nil, err
	}
	var read engine.Collector
	if err := fhir.Read(context.Background(), bytes.NewReader(document), Origin, fhir.Options{}, &read); err != nil {
		return nil, err
	}
	if len(read.Entries) != 1 || read.Entries[0].CodeSystem == nil {
		return nil, fmt.Errorf("%s: not one code system", d.Header.URL)
	}
	return read.Entries[0].CodeSystem()
}

func valueSet(d *definitions.Definition) (*r4.ValueSet, error) {
	document, err := d.Document()
	if err != nil {
		return nil, err
	}
	return r4.DecodeValueSet(document)
}
