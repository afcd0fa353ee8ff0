package resources_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

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
