package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/profile"
	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

// TestCore compiles all profiles and extensions of R4 core, from their snapshots and from their
// differentials, and checks the examples of R4 against those that they use: all conform.
func TestCore(t *testing.T) {
	eng := engine.New()
	if err := eng.Publish(base.Entries()...); err != nil {
		t.Fatal(err)
	}
	basic := parsed(t, `{"resourceType":"Basic","code":{"text":"a"}}`)
	for _, from := range []string{"snapshot", "differential"} {
		var l profile.Library
		var urls []string
		for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/structuredefinitions.ndjson.gz")) {
			body := string(line)
			if from == "differential" {
				body = strings.Replace(body, `"snapshot":{`, `"snapshot_":{`, 1)
			}
			d := parsed(t, body)
			if l.Add(d); d.Root().Get("derivation").Is("constraint") {
				urls = append(urls, d.Root().Get("url").Text())
			}
		}
		if len(urls) < 400 {
			t.Fatalf("only %d profiles and extensions", len(urls))
		}
		c := profile.New(definitions.R4(), &l, eng)
		for _, url := range urls {
			issues, err := c.Check(t.Context(), basic, profile.Request{Profiles: []string{url}})
			if err != nil || strings.Contains(fmt.Sprint(issues), "is not checked") {
				t.Errorf("%s of %s: %v %v", from, url, issues, err)
			}
		}
		unchecked := map[string]bool{}
		for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
			d := parsed(t, string(line))
			issues, err := c.Check(t.Context(), d, profile.Request{})
			if err != nil || validate.Failed(issues) {
				t.Errorf("%s %s/%s: %v %v", from, d.ResourceType(), d.Root().Get("id").Text(), issues, err)
			}
			for _, i := range issues {
				if text, _, is := strings.Cut(i.Text, " not checked:"); is && !strings.HasPrefix(text, "the constraint") {
					unchecked[text] = true
				}
			}
		}
		want := map[string]bool{
			"the profile http://hl7.org/fhir/us/sdc/StructureDefinition/sdc-questionnaire is":  true,
			"the profile http://hl7.org/fhir/us/sdc/StructureDefinition/sdc-valueset is":       true,
			"codes of the value set http://hl7.org/fhir/ValueSet/ucum-vitals-common|4.0.1 are": true, // Its codes are UCUM's.
		}
		if fmt.Sprint(unchecked) != fmt.Sprint(want) {
			t.Errorf("%s: not checked are %v", from, unchecked)
		}
	}
}
