package resources_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// FuzzTransaction checks that every bundle is either executed, without leaving a reference to an
// entry, or refused with a documented error and without changes.
func FuzzTransaction(f *testing.F) {
	for _, entries := range []string{
		entry("urn:uuid:a", "POST", "Patient", string(patient("", "1", "A"))) + "," + entry("", "POST", "Observation", fmt.Sprintf(observation, "urn:uuid:a")),
		entry("", "PUT", "Patient?identifier=1", string(patient("", "1", "A"))) + "," + entry("", "DELETE", "Patient/there", ""),
		entry("", "POST", "Observation", fmt.Sprintf(observation, "Patient?identifier=there")),
		entry("http://a/b/Patient/1", "PUT", "Patient/1", string(patient("1", "1", "A")), `"ifMatch":"W/\"1\""`, `"ifNoneMatch":"*"`),
		entry("", "PATCH", "Patient/there", `{"resourceType":"Parameters","parameter":[]}`) + "," + entry("", "GET", "Patient/there", ""),
		`{"request":{"method":"POST","url":"/"}}`, `null`, `{}`,
	} {
		f.Add(`{"resourceType":"Bundle","type":"transaction","entry":[` + entries + `]}`)
	}
	answer := func(context.Context, int, *resources.BundleEntry) error { return nil }
	f.Fuzz(func(t *testing.T, body string) {
		b, err := resources.ParseBundle([]byte(body))
		if err != nil {
			var syntax *r4.SyntaxError
			if !errors.Is(err, resources.ErrBundle) && !errors.As(err, &syntax) {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		store := memory.New()
		service := resources.NewService(store, nil)
		if _, err := service.Update(t.Context(), "Patient", "there", patient("there", "there", "There"), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		outcomes, err := service.Transaction(t.Context(), b, resources.TransactionOptions{Answer: answer})
		history, herr := service.History(t.Context(), resources.HistoryRequest{})
		if herr != nil {
			t.Fatal(herr)
		}
		if err != nil {
			if !named(err) {
				t.Errorf("%q: %v", body, err)
			}
			if len(history.Versions) != 1 {
				t.Errorf("%q: refused, and %d versions are there", body, len(history.Versions))
			}
			return
		}
		changed := 1
		for _, o := range outcomes {
			if o.Changed {
				changed++
			}
			for _, e := range b.Entries {
				if names(e) && strings.Contains(string(o.Body), `"reference":"`+e.FullURL+`"`) {
					t.Errorf("%q: %s still refers to %s", body, o.Key, e.FullURL)
				}
			}
		}
		if len(history.Versions) != changed {
			t.Errorf("%q: %d changes, %d versions", body, changed, len(history.Versions))
		}
	})
}

// names reports whether references to an entry have to be resolved.
func names(e resources.BundleEntry) bool {
	switch e.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		return strings.HasPrefix(e.FullURL, "urn:uuid:")
	}
	return false
}

// named reports whether an error of a transaction is documented for clients.
func named(err error) bool {
	var syntax *r4.SyntaxError
	if errors.As(err, &syntax) {
		return true
	}
	for _, known := range []error{
		resources.ErrBundle, resources.ErrUnknownType, resources.ErrBadID, resources.ErrTypeMismatch, resources.ErrIDMismatch,
		resources.ErrInvalid, resources.ErrConflict, resources.ErrInUse, resources.ErrMultipleMatches, resources.ErrNoMatch, resources.ErrNotFound,
		resources.ErrGone, search.ErrParameter, patch.ErrMalformed, patch.ErrPath, patch.ErrTest,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

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
