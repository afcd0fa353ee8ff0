package codesystem

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// Some code systems define their own filters, which FHIR describes on a page for each system. They
// are translated to general filters here, unless a property holds their values.
const (
	urlSNOMED = "http://snomed.info/sct"
	urlLOINC  = "http://loinc.org"
	urlRxNorm = "http://www.nlm.nih.gov/research/umls/rxnorm"
)

// native translates a filter that its code system defines to a general filter.
//
//   - SNOMED CT: expressions, whether post-coordinated expressions are included. No index has
//     such expressions, so every concept passes.
//   - LOINC: LIST, the answers of answer lists (LL…) or terms of groups (LG…), by = and in.
//   - RxNorm: relationships name a concept as CUI:123; STY names a semantic type by its TUI, as
//     TUI:T200, or as STY: and its name (R4 rxnorm.html).
func (x *Index) native(f r4.Filter) (r4.Filter, error) {
	switch x.header.URL {
	case urlSNOMED:
		if f.Property == "expressions" && f.Op == "=" {
			if f.Value != "true" && f.Value != "false" {
				return f, fmt.Errorf("filter %.100s %.100s %.200q: %w: want true or false", f.Property, f.Op, f.Value, ErrBadFilterValue)
			}
			return r4.Filter{Property: "concept", Op: "exists", Value: "true"}, nil
		}
	case urlLOINC:
		if f.Property == "LIST" && (f.Op == "=" || f.Op == "in") && len(x.Refsets()) > 0 {
			for code := range strings.SplitSeq(f.Value, ",") {
				if _, ok := x.Refset(strings.TrimSpace(code)); !ok {
					return f, fmt.Errorf("filter %.100s %.100s %.200q: %w", f.Property, f.Op, f.Value, ErrUnknownCode)
				}
			}
			f.Property, f.Op = "concept", "in"
		}
	case urlRxNorm:
		if !strings.Contains(f.Value, ":") || f.Op != "=" && f.Op != "in" && f.Op != "not-in" {
			return f, nil
		}
		values := strings.Split(f.Value, ",")
		for i, value := range values {
			column, rest, found := strings.Cut(strings.TrimSpace(value), ":")
			switch {
			case !found:
			case f.Property == "STY" && (column == "TUI" || column == "STY"), column == "CUI":
				values[i] = rest
			case f.Property == "STY", column == "AUI":
				return f, fmt.Errorf("filter %.100s %.100s %.200q: %w: %.100s is not known here", f.Property, f.Op, f.Value, ErrBadFilterValue, column)
			}
		}
		f.Value = strings.Join(values, ",")
	}
	return f, nil
}

// valueRule returns the rule for values of properties. FHIR compares a Coding by its code (R4
// ValueSet.compose.include.filter.value); filters of LOINC and RxNorm may also name a part or a
// semantic type by its display (R4 loinc.html, rxnorm.html). Displays and values of LOINC are not
// case sensitive (R4 loinc.html).
func (x *Index) valueRule() valueRule {
	fold, loinc := !x.CaseSensitive(), x.URL() == urlLOINC
	return valueRule{fold: fold, displays: loinc || x.URL() == urlRxNorm, texts: fold && loinc}
}

// mayBeDisplay reports whether a value of a filter on Codings may be a display, because it does
// not look like the code of a part (LP14449-0) or of a semantic type (T200).
func mayBeDisplay(value string) bool {
	digits, isType := strings.CutPrefix(value, "T")
	if number, isPart := strings.CutPrefix(value, "LP"); isPart {
		number, check, ok := strings.Cut(number, "-")
		return !ok || len(check) != 1 || !isDigits(check) || !isDigits(number)
	}
	return !isType || len(digits) != 3 || !isDigits(digits)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
