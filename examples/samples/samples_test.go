package samples_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/examples/samples"
)

// base begins the url of every sample.
const base = "https://roget.health/fhir/"

// publish puts the samples into an engine.
func publish(t *testing.T) *engine.Engine {
	t.Helper()
	var c engine.Collector
	for name, text := range samples.All() {
		if err := fhir.Read(context.Background(), bytes.NewReader(text), name, fhir.Options{}, &c); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.Entries) != 10 {
		t.Errorf("%d samples", len(c.Entries))
	}
	eng := engine.New()
	if err := eng.Publish(c.Entries...); err != nil {
		t.Fatal(err)
	}
	return eng
}

// Every sample is called by its file's name, and has our url.
func TestNames(t *testing.T) {
	eng := publish(t)
	n := 0
	for _, typ := range []string{"CodeSystem", "ValueSet", "ConceptMap"} {
		for _, e := range eng.Entries(typ) {
			n++
			if want := base + typ + "/" + e.Header.ID; e.Header.URL != want {
				t.Errorf("url %s, want %s", e.Header.URL, want)
			}
			if e.Origin != typ+"-"+e.Header.ID+".json" {
				t.Errorf("%s is in %s", e.Header.URL, e.Origin)
			}
			if e.Header.Status != "active" || e.Header.Version == "" || e.Header.Title == "" {
				t.Errorf("%s: status %q, version %q, title %q", e.Header.URL, e.Header.Status, e.Header.Version, e.Header.Title)
			}
		}
	}
	if n != 10 {
		t.Errorf("%d samples are published", n)
	}
}

// The code systems say how many concepts they have, and say it right.
func TestCounts(t *testing.T) {
	systems, err := publish(t).Systems(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range systems {
		if count := x.Header().Count; count == nil || *count != x.Len() {
			t.Errorf("%s: count %v, %d concepts", x.URL(), count, x.Len())
		}
	}
}

func TestExpansions(t *testing.T) {
	eng := publish(t)
	for id, want := range map[string]string{
		"pets":             "cat dog sheepdog rabbit pony mouse parrot goldfish tortoise",
		"four-legged":      "cat dog sheepdog rabbit horse pony cow sheep wolf bear polar-bear mouse tortoise frog",
		"wild-four-legged": "wolf bear polar-bear frog",
		"urgent-colours":   "red orange",
	} {
		answer, err := eng.Expand(context.Background(), &engine.ExpandRequest{URL: base + "ValueSet/" + id})
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		var codes []string
		for _, row := range answer.Table().Rows {
			codes = append(codes, row[0])
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
}
