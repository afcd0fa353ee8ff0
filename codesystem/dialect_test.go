package codesystem_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
)

func TestDialectRefset(t *testing.T) {
	for alias, want := range map[string]string{
		"en-gb": "900000000000508004", "en-US": "900000000000509007", "DE": "722130004", "zh": "722128001", "en-nz-x-pat": "281000210109",
		"en": "", "": "", "zz": "", "de-ch": "",
	} {
		got, ok := codesystem.DialectRefset(alias)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", alias, got, ok, want)
		}
	}
	// Each identifier is one of a component that is a concept, and has its check digit.
	for _, alias := range []string{
		"da-dk", "de", "en-au", "en-ca", "en-gb", "en-gb-x-drug", "en-gb-x-ext", "en-ie", "en-nz", "en-nz-x-pat", "en-us", "en-x-gmdn", "en-x-nhs-clinical",
		"en-x-nhs-dmd", "en-x-nhs-pharmacy", "es", "es-uy", "et-ee", "fr", "fr-be", "fr-ca", "ja", "mi", "nb-no", "nl-be", "nl-nl", "nn-no", "sv-se", "zh",
	} {
		refset, ok := codesystem.DialectRefset(alias)
		if !ok || !checksOut(refset) {
			t.Errorf("%s: %q is no identifier", alias, refset)
		}
	}
}

// checksOut checks the digit at the end of an identifier of SNOMED CT (Verhoeff).
func checksOut(id string) bool {
	turn := func(a, b int) int { // of the dihedral group of ten
		switch {
		case a < 5 && b < 5:
			return (a + b) % 5
		case a < 5:
			return 5 + (a+b)%5
		case b < 5:
			return 5 + (a-b)%5
		}
		return (a - b + 5) % 5
	}
	permuted := []int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}
	check := 0
	for i := range len(id) {
		digit := int(id[len(id)-1-i] - '0')
		for range i % 8 {
			digit = permuted[digit]
		}
		check = turn(check, digit)
	}
	return check == 0
}

func TestLanguageRefset(t *testing.T) {
	for _, tt := range []struct {
		tag, language, refset string
		ok                    bool
	}{
		{"en-x-sctlang-90000000-00005080-04", "en", "900000000000508004", true},
		{"EN-X-SCTLANG-90000000-00005080-04", "EN", "900000000000508004", true},
		{"nl-x-sctlang-31000146-106", "nl", "31000146106", true},
		{"x-sctlang-72213000-4", "", "722130004", true},
		{"en-GB", "en-GB", "900000000000508004", true},
		{"en", "en", "", false},
		{"en-x-sctlang-", "en", "", false},
		{"en-x-sctlang-9000000A", "en-x-sctlang-9000000A", "", false},
		{"enx-sctlang-1", "enx-sctlang-1", "", false},
	} {
		language, refset, ok := codesystem.LanguageRefset(tt.tag)
		if language != tt.language || refset != tt.refset || ok != tt.ok {
			t.Errorf("%q: %q %q %v", tt.tag, language, refset, ok)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		refset := rapid.StringMatching(`[1-9][0-9]{5,17}`).Draw(rt, "refset")
		language := rapid.SampledFrom([]string{"", "en", "de-CH"}).Draw(rt, "language")
		tag := strings.TrimPrefix(language+"-x-sctlang", "-")
		for rest := refset; rest != ""; rest = rest[min(8, len(rest)):] {
			tag += "-" + rest[:min(8, len(rest))]
		}
		back, same, ok := codesystem.LanguageRefset(tag)
		if !ok || back != language || same != refset {
			rt.Fatalf("%q %q: %s, back %q %q", language, refset, tag, back, same)
		}
	})
}
