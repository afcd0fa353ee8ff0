package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
)

// TestImplicitRefsets checks the implicit value sets of reference sets.
func TestImplicitRefsets(t *testing.T) {
	e := clinic(t)
	for _, tt := range []struct {
		url  string
		want []string
	}{
		{sct + "?fhir_vs=refset", []string{simpleRefset, sameAs, usRefset}}, // those that are concepts here
		{international + "?fhir_vs=refset", []string{simpleRefset, sameAs, usRefset}},
		{sct + "?fhir_vs=refset/" + simpleRefset, []string{"23583003", "66754008"}},
		{sct + "?fhir_vs=refset/" + sameAs, []string{"155728006"}}, // active rows only
		{releaseDate + "?fhir_vs=refset/" + simpleRefset, []string{"23583003", "66754008"}},
	} {
		for range 2 {
			r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: tt.url})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, entry := range r.Entries {
				got = append(got, entry.Code)
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: %s", tt.url, diff)
			}
		}
	}
	for url, says := range map[string]string{
		sct + "?fhir_vs=refset/1":           `no reference set "1"`,
		sct + "?fhir_vs=refset/74400008":    `no reference set "74400008"`,
		sct + "?fhir_vs=refset/" + usRefset: "descriptions",
		sct + "?fhir_vs=refset/":            "fhir_vs=refset/CODE",
	} {
		_, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: url})
		if !errors.Is(err, engine.ErrUnknownValueSet) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", url, err)
		}
	}
	none := zoo(t)
	r, err := none.Expand(context.Background(), &engine.ExpandRequest{URL: animals + "?fhir_vs=refset"})
	if err != nil || r.Total != 0 {
		t.Errorf("reference sets of animals: %v %v", r, err)
	}
	v, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: sct + "?fhir_vs=refset/" + simpleRefset, System: sct, Code: "66754008"})
	if err != nil || !v.Result {
		t.Errorf("member: %+v %v", v, err)
	}
}

// TestDialects checks displays in the dialect asked for.
func TestDialects(t *testing.T) {
	e := clinic(t)
	for language, want := range map[string]string{
		"":                                  "Appendectomy",
		"en":                                "Appendectomy",
		"en-US":                             "Appendectomy",
		"en-GB":                             "Appendicectomy",
		"en-gb, en;q=0.5":                   "Appendicectomy",
		"en-x-sctlang-90000000-00005080-04": "Appendicectomy",
		"fr, en-x-sctlang-90000000-00005080-04;q=0.9": "Appendicectomy",
		gbRefset:     "Appendicectomy",
		usRefset:     "Appendectomy",
		simpleRefset: "Appendectomy",
		"nl":         "verwijderen van appendix",
		"nl-NL":      "verwijderen van appendix",
		"fr":         "Appendectomy",
	} {
		r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: sct, Code: "80146002", DisplayLanguage: language})
		if err != nil || r.Display != want {
			t.Errorf("$lookup in %q: %q %v, want %q", language, r.Display, err, want)
		}
		x, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: sct + "?fhir_vs=isa/80146002", DisplayLanguage: language})
		if err != nil || x.Entries[0].Display != want {
			t.Errorf("$expand in %q: %+v %v, want %q", language, x, err, want)
		}
	}
	for display, want := range map[string]bool{"Appendicectomy": true, "Appendectomy": true, "appendectomie": true, "Removal": false} {
		r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: sct + "?fhir_vs", System: sct, Code: "80146002", Display: display})
		if err != nil || r.Result != want {
			t.Errorf("display %q: %+v %v", display, r, err)
		}
	}
	r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: sct + "?fhir_vs", System: sct, Code: "80146002", Display: "Removal", DisplayLanguage: "en-GB"})
	if err != nil || !strings.Contains(r.Message, "Appendicectomy") || strings.Contains(r.Message, "procedure") {
		t.Errorf("%+v %v", r, err)
	}
}

// TestImplicitConstraints checks the implicit value sets of expression constraints.
func TestImplicitConstraints(t *testing.T) {
	e := clinic(t)
	publish(t, e, engine.CodeSystemEntry(animalSystem(t, "1.0.0"), "test"))
	for _, tt := range []struct {
		url  string
		want []string
	}{
		{sct + "?fhir_vs=ecl/%3C%20404684003", []string{"74400008"}},
		{sct + "?fhir_vs=ecl/<< 404684003", []string{"404684003", "74400008"}},
		{sct + "?fhir_vs=ecl/<< 404684003 |Clinical finding|", []string{"404684003", "74400008"}},
		{sct + "?fhir_vs=ecl/<< 404684003 |Clinical finding||" + international, []string{"404684003", "74400008"}},
		{releaseDate + "?fhir_vs=ecl/<< 404684003 : 363698007 |Finding site| = 66754008 |Appendix structure|", []string{"74400008"}},
		{sct + "?fhir_vs=ecl/^ " + simpleRefset, []string{"23583003", "66754008"}},
		{animals + "?fhir_vs=ecl/%3C%20code%23pet", []string{"cat", "dog"}},
		{animals + "?fhir_vs=ecl/< code#pet", []string{"cat", "dog"}},
	} {
		for range 2 {
			r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: tt.url})
			if err != nil {
				t.Errorf("%s: %v", tt.url, err)
				continue
			}
			var got []string
			for _, entry := range r.Entries {
				got = append(got, entry.Code)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: %s", tt.url, diff)
			}
		}
	}
	for url, says := range map[string]string{
		sct + "?fhir_vs=ecl/<< 404684003 AND":  "position 16",
		sct + "?fhir_vs=ecl/<< 404684003 OR (": "position",
		sct + "?fhir_vs=ecl/":                  "fhir_vs=ecl/ECL",
	} {
		_, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: url})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", url, err)
		}
	}
	v, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: sct + "?fhir_vs=ecl/<< 404684003", System: sct, Code: "74400008"})
	if err != nil || !v.Result {
		t.Errorf("member: %+v %v", v, err)
	}
}
