package search

import (
	"bytes"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// rangesOf returns the ranges that can match an alternative. ok is false if the index has none for
// it.
func rangesOf(f index.Field, m Modifier, a *Alternative) (ranges []index.Range, may func([]byte) bool, ok bool) {
	switch a.Kind {
	case definitions.Token:
		switch t := a.Token; {
		case m == OfType:
			return f.Code(a.Target), nil, true
		case m != Plain:
			return nil, nil, false
		case t.AnyCode:
			if ofBooleans(t.System) {
				return nil, nil, false
			}
			ranges, may = f.System(t.System)
			return ranges, may, true
		case t.AnySystem, t.System == "", ofBooleans(t.System): // the index has the system of a binding
			return f.Code(t.Code), nil, true
		default:
			return f.Token(t.System, t.Code), nil, true
		}
	case definitions.String:
		switch {
		case m == Exact, m == Equals:
			return f.Text(a.Target), nil, true
		case a.Folded == "":
			return []index.Range{}, nil, true
		case m == Contains, m == EndsWith:
			ranges, may = containing(f, a.Folded)
			return ranges, may, true
		}
		return f.Prefix(a.Target), nil, true
	case definitions.URI:
		return urlRanges(f, m, a.Target)
	case definitions.Date:
		return f.Dates(a.Prefix, a.Time), nil, true
	case definitions.Reference:
		return referenceRanges(f, m, a)
	case definitions.Number:
		return f.Numbers(a.Prefix, a.Number), nil, true
	case definitions.Quantity:
		return quantityRanges(f, a), nil, true
	case definitions.Composite:
		return compositeRanges(f, a)
	case definitions.Special:
		return f.Near(a.Near.Latitude, a.Near.Km), nil, true
	}
	return nil, nil, false
}

// containing returns the ranges of all texts, and a function that reports whether an entry contains
// a folded text.
func containing(f index.Field, text string) (ranges []index.Range, may func([]byte) bool) {
	ranges, of := f.Texts()
	wanted := []byte(text)
	return ranges, func(entry []byte) bool {
		folded, capped := of(entry)
		return capped || bytes.Contains(folded, wanted)
	}
}

// maxTypes is the number of types that are looked up one by one for a reference without type.
const maxTypes = 8

func referenceRanges(f index.Field, m Modifier, a *Alternative) (ranges []index.Range, may func([]byte) bool, ok bool) {
	switch t, ref := a.Token, &a.Reference; {
	case m == Identifier && t.AnySystem:
		return f.IdentifierValue(t.Code), nil, true
	case m == Identifier && !t.AnyCode:
		return f.Identifier(t.System, t.Code), nil, true
	case m != Plain:
		return nil, nil, false
	case ref.URL != "":
		return f.URL(ref.URL), nil, true
	case ref.Key.Type != "":
		return f.Reference(ref.Key), nil, true
	case len(ref.Types) <= maxTypes:
		for _, typ := range ref.Types {
			ranges = append(ranges, f.Reference(index.Key{Type: typ, ID: ref.Key.ID})...)
		}
		return ranges, nil, true
	default:
		return f.ReferenceID(ref.Key.ID), nil, true
	}
}

func quantityRanges(f index.Field, a *Alternative) []index.Range {
	if a.Unit.CanonicalUnit != "" {
		return f.Canonical(a.Prefix, a.Unit.Canonical, a.Unit.CanonicalUnit)
	}
	return f.Numbers(a.Prefix, a.Number)
}

// compositeRanges uses the first two components.
func compositeRanges(f index.Field, a *Alternative) (ranges []index.Range, may func([]byte) bool, ok bool) {
	first, second := &a.Parts[0], &a.Parts[1]
	switch t := first.Token; {
	case first.Kind == definitions.Token && t.AnySystem:
		f = f.FirstCode(t.Code)
	case first.Kind == definitions.Token && !t.AnyCode:
		f = f.First(t.System, t.Code)
	case first.Kind == definitions.Reference && first.Reference.Key.Type != "":
		f = f.FirstReference(first.Reference.Key)
	default:
		return f.Has(), nil, true
	}
	if ranges, may, ok = rangesOf(f, Plain, second); ok {
		return ranges, may, true
	}
	return f.Has(), nil, true
}

// urlRanges returns the ranges of a URL, with Above also those of its prefixes up to a slash.
func urlRanges(f index.Field, m Modifier, url string) (ranges []index.Range, may func([]byte) bool, ok bool) {
	switch m {
	case Plain:
		ranges = f.URL(url)
		if unversioned, _, found := strings.Cut(url, "|"); found {
			ranges = append(ranges, f.URL(unversioned)...)
		}
		return ranges, nil, true
	case Above:
		ranges = f.URL(url)
		for i := range len(url) {
			if url[i] == '/' && i > 0 {
				ranges = append(append(ranges, f.URL(url[:i])...), f.URL(url[:i+1])...)
			}
		}
		return ranges, nil, true
	}
	return nil, nil, false
}

// ofBooleans reports whether a system is that of booleans, whose values have no system
// (https://hl7.org/fhir/R4/search.html#token).
func ofBooleans(system string) bool {
	return system == specialValues || system == "http://hl7.org/fhir/special-values"
}

// alwaysThere reports whether every value of a kind has an entry. Codes and references may consist
// of a text only.
func alwaysThere(k definitions.ParamKind) bool {
	switch k {
	case definitions.String, definitions.Date, definitions.Number, definitions.Quantity, definitions.URI:
		return true
	}
	return false
}
