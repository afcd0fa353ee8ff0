package registries

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// A System is a code system. Systems are immutable.
type System struct {
	id, url, name, title, publisher, copyright string

	size       int // number of codes
	properties []r4.CodeSystemProperty
	// list passes the concepts to add, in the order of their codes.
	list func(t *table, add func(*codesystem.Concept) error) error
}

// systems are the code systems of this package.
var systems = [...]System{
	{
		id: "iso-4217", url: "urn:iso:std:iso:4217", name: "ISO4217", title: "Currency codes", publisher: "ISO", copyright: isoCopyright, size: 234,
		properties: []r4.CodeSystemProperty{{
			Code: inactive, URI: "http://hl7.org/fhir/concept-properties#inactive", Type: "boolean",
			Description: "The currency is no longer in use",
		}},
		list: currencies,
	},
	{
		id: "iso-3166", url: "urn:iso:std:iso:3166", name: "ISO3166Part1", title: "Country codes", publisher: "ISO", copyright: isoCopyright, size: 747,
		properties: []r4.CodeSystemProperty{
			{Code: alpha2, Type: "code", Description: "The code of two letters"},
			{Code: alpha3, Type: "code", Description: "The code of three letters"},
			{Code: numeric, Type: "code", Description: "The code of three digits"},
		},
		list: countries,
	},
	{
		id: "iso-3166-2", url: "urn:iso:std:iso:3166:-2", name: "ISO3166Part2", title: "Country subdivision codes", publisher: "ISO", copyright: isoCopyright, size: 5422,
		properties: []r4.CodeSystemProperty{{Code: country, Type: "string", Description: "The country, as its code of two letters"}},
		list:       subdivisions,
	},
	{
		id: "m49", url: "http://unstats.un.org/unsd/methods/m49/m49.htm", name: "M49", title: "Area codes", publisher: "United Nations Statistics Division", copyright: copyright, size: 280,
		properties: []r4.CodeSystemProperty{{Code: class, Type: "string", Description: "region or country"}},
		list:       areas,
	},
	{
		id: "time-zones", url: "https://www.iana.org/time-zones", name: "TimeZones", title: "Names of time zones", publisher: "IANA", copyright: "The time zone database is in the public domain.", size: 598,
		list: zones,
	},
}

// Properties of the code systems.
const (
	inactive = "inactive"
	alpha2   = "alpha-2"
	alpha3   = "alpha-3"
	numeric  = "numeric"
	country  = "country"
	class    = "class"
)

const (
	copyright    = "Names come from the Unicode CLDR (Copyright 2004-2026 Unicode, Inc., Unicode License V3), FHIR R4 core and the IANA language subtag registry."
	isoCopyright = "Codes are those of ISO. " + copyright
)

// All returns the code systems. The caller must not modify the list.
func All() []System { return systems[:] }

// Len returns the number of codes.
func (s *System) Len() int { return s.size }

// Header returns the description of the code system, which the caller may change.
func (s *System) Header() *r4.CodeSystem {
	sensitive := true
	return &r4.CodeSystem{
		Header: r4.Header{
			ResourceType: "CodeSystem", ID: s.id, URL: s.url, Name: s.name, Title: s.title, Status: "active",
			Publisher: s.publisher, Language: "en", Copyright: s.copyright,
		},
		CaseSensitive: &sensitive,
		Content:       "complete",
		Property:      append([]r4.CodeSystemProperty(nil), s.properties...),
	}
}

// Index builds the index of the code system. An error means that the executable is corrupt, or that
// ctx is done.
func (s *System) Index(ctx context.Context) (*codesystem.Index, error) {
	t, err := load()
	if err != nil {
		return nil, err
	}
	b := codesystem.NewBuilder(s.Header())
	err = s.list(t, func(c *codesystem.Concept) error {
		c.Parent = -1
		_, err := b.Add(c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.Build(ctx)
}

// concept returns the concept of a code with names, the first of which is the display.
func concept(code string, names []string, properties ...codesystem.Property) *codesystem.Concept {
	c := &codesystem.Concept{Code: code, Display: names[0], Properties: properties}
	for _, name := range names[1:] {
		c.Designations = append(c.Designations, r4.Designation{Language: "en", Use: &r4.Coding{System: "http://snomed.info/sct", Code: "900000000000013009"}, Value: name})
	}
	return c
}

// currencies lists ISO 4217.
func currencies(t *table, add func(*codesystem.Concept) error) error {
	for _, r := range t.currencies {
		c := concept(r.code, r.names)
		if r.past {
			c.Properties = []codesystem.Property{{Code: inactive, Value: r4.Boolean(true)}}
		}
		if err := add(c); err != nil {
			return err
		}
	}
	return nil
}

// countries lists ISO 3166-1: all codes of two letters, all of three letters, all numbers.
func countries(t *table, add func(*codesystem.Concept) error) error {
	for _, form := range []func(*row) string{
		func(r *row) string { return r.code },
		func(r *row) string { return r.alpha3 },
		func(r *row) string { return r.numeric },
	} {
		for i := range t.countries {
			r := &t.countries[i]
			err := add(concept(form(r), r.names,
				codesystem.Property{Code: alpha2, Value: r4.Code(r.code)},
				codesystem.Property{Code: alpha3, Value: r4.Code(r.alpha3)},
				codesystem.Property{Code: numeric, Value: r4.Code(r.numeric)}))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// subdivisions lists ISO 3166-2.
func subdivisions(t *table, add func(*codesystem.Concept) error) error {
	for _, r := range t.subdivisions {
		if err := add(concept(r.code, r.names, codesystem.Property{Code: country, Value: r4.String(r.code[:2])})); err != nil {
			return err
		}
	}
	return nil
}

// areas lists UN M49: regions, then countries.
func areas(t *table, add func(*codesystem.Concept) error) error {
	for _, r := range t.areas {
		if err := add(concept(r.code, r.names, codesystem.Property{Code: class, Value: r4.String("region")})); err != nil {
			return err
		}
	}
	for _, r := range t.countries {
		if err := add(concept(r.numeric, r.names, codesystem.Property{Code: class, Value: r4.String("country")})); err != nil {
			return err
		}
	}
	return nil
}

// zones lists the names of time zones.
func zones(t *table, add func(*codesystem.Concept) error) error {
	for _, name := range t.zones[0].names {
		if err := add(concept(name, []string{name})); err != nil {
			return err
		}
	}
	return nil
}
