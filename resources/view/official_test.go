package view_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/view"
)

// run runs a view over resources and returns what it writes.
func run(t *testing.T, definition string, o view.Options, resources ...string) (string, error) {
	t.Helper()
	d, err := document.Parse([]byte(definition), r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := view.Parse(definitions.R4(), d.Root())
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	_, err = v.Run(t.Context(), o, func(yield func([]byte) error) error {
		for _, r := range resources {
			if err := yield([]byte(r)); err != nil {
				return err
			}
		}
		return nil
	}, &out)
	return out.String(), err
}

// TestOfficial runs the test cases of SQL on FHIR v2 from the folder that ROGET_VIEW_CASES names: a
// copy of tests/*.json of github.com/FHIR/sql-on-fhir-v2.
func TestOfficial(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("ROGET_VIEW_CASES"), "*.json"))
	if err != nil || os.Getenv("ROGET_VIEW_CASES") == "" {
		t.Skip("ROGET_VIEW_CASES names no folder with the test cases of SQL on FHIR")
	}
	count := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var suite struct {
			Resources []json.RawMessage
			Tests     []struct {
				Title       string
				View        json.RawMessage
				Expect      []json.RawMessage
				ExpectError any
			}
		}
		if err := json.Unmarshal(text, &suite); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var resources []string
		for _, r := range suite.Resources {
			resources = append(resources, string(r))
		}
		for _, test := range suite.Tests {
			count++
			t.Run(filepath.Base(path)+" "+test.Title, func(t *testing.T) {
				out, err := run(t, string(test.View), view.Options{Format: "ndjson"}, resources...)
				if failed := test.ExpectError != nil; failed || err != nil {
					if !failed || err == nil {
						t.Errorf("%v, want an error: %v", err, failed)
					}
					return
				}
				var want []string
				for _, row := range test.Expect {
					want = append(want, plain(t, row))
				}
				var got []string
				for line := range strings.Lines(out) {
					got = append(got, plain(t, []byte(line)))
				}
				sort.Strings(want)
				sort.Strings(got)
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
	t.Logf("%d cases", count)
}

// plain returns JSON in which the same values are the same text.
func plain(t *testing.T, text []byte) string {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
