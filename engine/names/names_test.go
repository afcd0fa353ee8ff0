package names_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/engine/names"
)

const (
	icd10   = "http://hl7.org/fhir/sid/icd-10"
	icd10cm = "http://hl7.org/fhir/sid/icd-10-cm"
	icd9cm  = "http://hl7.org/fhir/sid/icd-9-cm"
	snomed  = "http://snomed.info/sct"
	chebi   = "http://purl.obolibrary.org/obo/chebi.owl"
	gender  = "http://hl7.org/fhir/administrative-gender"
	ours    = "http://example.org/gender"
)

func systems() []names.Resource {
	return []names.Resource{
		{URL: icd10cm, ID: "icd-10-cm", Name: "ICD10CM", Title: "ICD-10 Clinical Modification"},
		{URL: icd9cm, ID: "cs9", Title: "ICD-9 Clinical Modification"},
		{URL: chebi, ID: "chebi", Name: "Chemical Entities"},
		{URL: gender, ID: "administrative-gender", Name: "AdministrativeGender", BuiltIn: true},
		{URL: "http://hl7.org/fhir/publication-status", ID: "publication-status", BuiltIn: true},
		{URL: "http://hl7.org/fhir/event-status", ID: "event-status", BuiltIn: true},
		{ID: "nameless", Name: "Nameless"},
	}
}

// TestFind checks the steps, and that the first that finds something decides.
func TestFind(t *testing.T) {
	for name, want := range map[string]struct {
		url string
		how names.How
	}{
		icd10cm:                 {icd10cm, names.Exact},
		"icd-10-cm":             {icd10cm, names.Exact},
		"ICD10CM":               {icd10cm, names.ByName},
		"icd 10 cm":             {icd10cm, names.ByName},
		"ICD-9-CM":              {icd9cm, names.ByName}, // the last part of the url, and well known
		"chebi.owl":             {chebi, names.ByName},
		"chemical entities":     {chebi, names.ByName},
		"entit":                 {chebi, names.ByPart},
		"obolibrary":            {chebi, names.ByPart},
		"gender":                {gender, names.ByPart},
		"publication":           {"http://hl7.org/fhir/publication-status", names.ByPart},
		"snomed":                {snomed, names.ByName}, // which is not loaded
		"SNOMED CT":             {snomed, names.ByName},
		"icd10":                 {icd10, names.ByName}, // not the clinical modification, of which it is a part
		"http://example.org/no": {"http://example.org/no", names.Exact},
		"urn:iso:std:iso:3166":  {"urn:iso:std:iso:3166", names.Exact},
	} {
		url, how, err := names.NewList("CodeSystem", systems()).Find(name)
		if err != nil || url != want.url || how != want.how {
			t.Errorf("%s: %s, %d, %v, want %s, %d", name, url, how, err, want.url, want.how)
		}
	}
}

// TestNotFound checks the texts of the errors, which are read by people.
func TestNotFound(t *testing.T) {
	for name, want := range map[string]string{
		"icd":       `"icd" may be any of 2, write one of them: icd-10-cm (http://hl7.org/fhir/sid/icd-10-cm), icd-9-cm (http://hl7.org/fhir/sid/icd-9-cm)`,
		"status":    `"status" may be any of 2, write one of them: event-status (http://hl7.org/fhir/event-status), publication-status (http://hl7.org/fhir/publication-status)`,
		"icd-10-cn": `"icd-10-cn" is the name of nothing that is loaded; the nearest: icd-10-cm (http://hl7.org/fhir/sid/icd-10-cm), icd-9-cm (http://hl7.org/fhir/sid/icd-9-cm)`,
		"cheby":     `"cheby" is the name of nothing that is loaded; the nearest: chebi (http://purl.obolibrary.org/obo/chebi.owl)`,
		"nameless":  `"nameless" is the name of nothing that is loaded`,
		"zzzz":      `"zzzz" is the name of nothing that is loaded`,
		"":          `"" is the name of nothing that is loaded`,
		"-":         `"-" is the name of nothing that is loaded`,
		"x":         `"x" is the name of nothing that is loaded`,
	} {
		url, _, err := names.NewList("CodeSystem", systems()).Find(name)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %s %v\nwant %s", name, url, err, want)
		}
	}
}

// TestLeastAlike names what is alike enough, and not what is a little less so.
func TestLeastAlike(t *testing.T) {
	l := names.NewList("CodeSystem", []names.Resource{{URL: "urn:q", ID: "abcdefghijklmabcdefghijk"}, {URL: "urn:r", ID: "lmnopqrstuvwx"}})
	for name, nearest := range map[string]string{
		"abcdefghijklmzzzzzzzzzzz": `; the nearest: abcdefghijklmabcdefghijk (urn:q)`, // 11 letters of 24 are others
		"lmnopqrzzzzzz":            "",                                                // 6 of 13
	} {
		if _, _, err := l.Find(name); err == nil || err.Error() != `"`+name+`" is the name of nothing that is loaded`+nearest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOwnFirst checks that what is part of the program gives way, and that the well-known names are
// for code systems only.
func TestOwnFirst(t *testing.T) {
	l := names.NewList("CodeSystem", append(systems(), names.Resource{URL: ours, ID: "gender-2"}))
	if url, how, err := l.Find("gend"); url != ours || how != names.ByPart || err != nil {
		t.Error(url, how, err)
	}
	if url, _, err := names.NewList("ValueSet", nil).Find("snomed"); err == nil {
		t.Error(url)
	}
}

// fold is the naive form of what the package compares.
func Fold(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// drawn returns resources with names that are likely to be alike.
func drawn(t *rapid.T) []names.Resource {
	word := rapid.StringMatching(`[ab]{1,3}(-[abc])?`)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) names.Resource {
		return names.Resource{
			URL: "http://x/" + word.Draw(t, "url"), ID: word.Draw(t, "id"), Name: word.Draw(t, "name"), Title: word.Draw(t, "title"),
			BuiltIn: rapid.Bool().Draw(t, "builtIn"),
		}
	}), 1, 8).Draw(t, "resources")
}

// TestLaws checks on generated lists that a url stands for itself, and so does an id that only one
// url has; that a name which is found by its parts is a part of one url's names only, and one that is
// not found a part of several or of none; that a short name leads back; and that the order of the
// list does not matter.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		resources := drawn(t)
		l := names.NewList("CodeSystem", resources)
		for _, r := range resources {
			if url, how, err := l.Find(r.URL); url != r.URL || how != names.Exact || err != nil {
				t.Fatalf("url %s: %s %v", r.URL, url, err)
			}
			url, _, err := l.Find(r.ID)
			if want := urlsOf(resources, func(o names.Resource) bool { return o.ID == r.ID }); !leads(url, err, want) {
				t.Fatalf("id %s: %s %v, want %v", r.ID, url, err, want)
			}
			if url, _, err := l.Find(l.Short(r.URL)); url != r.URL || err != nil {
				t.Fatalf("short name %s of %s: %s %v", l.Short(r.URL), r.URL, url, err)
			}
		}
		name := rapid.StringMatching(`[abc-]{2,4}`).Draw(t, "name")
		folded := Fold(name)
		url, how, err := l.Find(name)
		switch want := urlsOf(resources, func(o names.Resource) bool {
			return slices.ContainsFunc([]string{o.ID, o.Name, o.Title, strings.TrimPrefix(o.URL, "http://")}, func(text string) bool {
				return len(folded) > 1 && strings.Contains(Fold(text), folded)
			})
		}); {
		case err == nil && how != names.ByPart: // a whole name goes first
		case !leads(url, err, want):
			if _, ambiguous := errors.AsType[*names.AmbiguousError](err); !ambiguous {
				t.Fatalf("part %s: %s %v, want %v", name, url, err, want)
			}
		}
		other := names.NewList("CodeSystem", rapid.Permutation(resources).Draw(t, "other order"))
		if again, how2, err2 := other.Find(name); again != url || how2 != how || text(err2) != text(err) {
			t.Fatalf("%s: %s %v, in another order %s %v", name, url, err, again, err2)
		}
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// leads reports whether an answer is the only one of some urls, or else the right error.
func leads(url string, err error, want []string) bool {
	_, ambiguous := errors.AsType[*names.AmbiguousError](err)
	_, unknown := errors.AsType[*names.UnknownError](err)
	switch len(want) {
	case 0:
		return unknown
	case 1:
		return err == nil && url == want[0]
	}
	return ambiguous
}

// urlsOf returns the urls of the resources that are meant, without those of the program if there are
// others.
func urlsOf(resources []names.Resource, meant func(names.Resource) bool) []string {
	found := map[bool][]string{}
	for _, r := range resources {
		if meant(r) && !slices.Contains(found[r.BuiltIn], r.URL) {
			found[r.BuiltIn] = append(found[r.BuiltIn], r.URL)
		}
	}
	if len(found[false]) == 0 {
		return found[true]
	}
	return found[false]
}

// FuzzFind checks that no name makes the search fail otherwise than with its errors, and that the
// texts of the errors are short.
func FuzzFind(f *testing.F) {
	for _, name := range []string{"icd", "http://x", "", "\x00", strings.Repeat("icd", 1000), "ﬁ\u202eﾊ"} {
		f.Add(name)
	}
	l := names.NewList("CodeSystem", systems())
	f.Fuzz(func(t *testing.T, name string) {
		url, _, err := l.Find(name)
		_, ambiguous := errors.AsType[*names.AmbiguousError](err)
		_, unknown := errors.AsType[*names.UnknownError](err)
		if (err == nil) == (url == "") || err != nil && !ambiguous && !unknown {
			t.Errorf("%q: %q, %v", name, url, err)
		}
	})
}
