package loinc

import (
	"encoding/json"
	"fmt"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// valueSets are the accessory files that list terms, in the order of their files.
var valueSets = []struct {
	kind               kind
	column             string
	id, url, name      string
	title, description string
}{
	{imaging, "LOINC_NUM", "loinc-imaging-document-codes", System + "/vs/loinc-imaging-document-codes", "LOINCImagingDocumentCodes", "LOINC Imaging Document Codes", "Terms for imaging documents"},
	{orders, "LOINC_NUM", "loinc-universal-order-set", System + "/vs/loinc-universal-order-set", "LOINCUniversalLabOrders", "LOINC Universal Lab Orders", "Terms for the laboratory orders that are used most"},
	{topSI, "LOINC #", "top-2000-lab-observations-si", System + "/vs/top-2000-lab-observations-si", "LOINCTop2000LabResultsSI", "LOINC Top 2000 Lab Results (SI)", "Terms for the laboratory results that are reported most, in SI units"},
	{topUS, "LOINC #", "top-2000-lab-observations-us", System + "/vs/top-2000-lab-observations-us", "LOINCTop2000LabResultsUS", "LOINC Top 2000 Lab Results (US)", "Terms for the laboratory results that are reported most, in units of the US"},
}

// writeDocuments hands on the value sets and concept maps from the accessory files.
func (l *load) writeDocuments() error {
	for _, vs := range valueSets {
		for i := range l.release[vs.kind] {
			f := &l.release[vs.kind][i]
			var listed []r4.ConceptReference
			err := l.file(f, func(rows *loader.Rows) error {
				at, err := columns(rows, vs.column)
				if err != nil {
					return err
				}
				for rows.Next() {
					listed = append(listed, r4.ConceptReference{Code: l.text(rows, at[0])})
				}
				return nil
			})
			if err != nil {
				return err
			}
			if len(listed) == 0 {
				continue
			}
			set := r4.ValueSet{
				Header:  l.documentHeader("ValueSet", vs.id, vs.url, vs.name, vs.title, vs.description),
				Compose: &r4.Compose{Include: []r4.Include{{System: System, Concept: listed}}},
			}
			if err := l.document(&set.Header, &set, f.Origin); err != nil {
				return err
			}
		}
	}
	for i := range l.release[partMaps] {
		if err := l.readPartMaps(&l.release[partMaps][i]); err != nil {
			return err
		}
	}
	return l.mapAnswers()
}

func (l *load) documentHeader(kind, id, url, name, title, description string) r4.Header {
	return r4.Header{
		ResourceType: kind, ID: id, URL: url, Version: l.header.Version, Name: name, Title: title, Status: "active",
		Publisher: l.header.Publisher, Description: description, Copyright: l.header.Copyright,
	}
}

func (l *load) document(header *r4.Header, resource any, origin loader.Origin) error {
	body, err := json.Marshal(resource)
	if err == nil {
		err = l.sink.Document(header.ResourceType, header, body, origin)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", origin, err)
	}
	l.reading.Count(0, 1, 0)
	return nil
}
