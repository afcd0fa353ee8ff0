package resources_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// FuzzParseQuery compares search strings with what package net/url reads from them.
func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"", "?", "a=b", "?a=b&a=c", "identifier=http://x|1&active=true", "a=%zz", "%ff=1", "a=b;c=d", "a+b=c+d", "=x", "a", "&&", "a==b", "name:exact=%26", "??a=b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		params, err := resources.ParseQuery(text)
		want, wrong := url.ParseQuery(strings.TrimPrefix(text, "?"))
		if err != nil {
			if !errors.Is(err, search.ErrParameter) {
				t.Errorf("%q: %v", text, err)
			}
			valid := true
			for name, values := range want {
				valid = valid && utf8.ValidString(name) && !slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) })
			}
			if wrong == nil && valid {
				t.Errorf("%q: %v, but it is %v", text, err, want)
			}
			return
		}
		if wrong != nil && !strings.Contains(text, ";") { // net/url takes no semicolons
			t.Errorf("%q: %v, but %v", text, params, wrong)
		}
		if wrong != nil {
			return
		}
		have := url.Values{}
		for _, p := range params {
			have.Add(p.Name, p.Value)
		}
		if have.Encode() != want.Encode() {
			t.Errorf("%q: %v, want %v", text, have, want)
		}
	})
}

// FuzzParseCondition checks that a condition never loses a parameter, and that one about another type
// is refused: it would match what nobody meant.
func FuzzParseCondition(f *testing.F) {
	for _, seed := range []string{"", "identifier=1", "Patient?identifier=1", "identifier=a?b", "?", "Observation?x=1", "/Patient", "Patient", "a?b?c", "Patient?Patient?x=1", "#"} {
		f.Add(seed)
	}
	same := func(t *testing.T, condition, query string) {
		t.Helper()
		have, errHave := resources.ParseCondition("Patient", condition)
		want, errWant := resources.ParseQuery(query)
		if !slices.Equal(have, want) || (errHave == nil) != (errWant == nil) {
			t.Errorf("%q: %v, %v, want %v, %v", condition, have, errHave, want, errWant)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, prefix := range []string{"Patient?", "/Patient?", "?"} {
			same(t, prefix+text, text)
		}
		if !strings.Contains(text, "?") {
			same(t, text, text)
		}
		for _, other := range []string{"Observation?", "patient?", "Patient/1?"} {
			if params, err := resources.ParseCondition("Patient", other+text); !errors.Is(err, search.ErrParameter) {
				t.Errorf("%q: %v, %v", other+text, params, err)
			}
		}
	})
}
