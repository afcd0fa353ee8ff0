package samples_test

import (
	"context"
	"slices"
	"testing"

	"github.com/roget-health/roget/engine"
)

// The value sets on it have what is below a concept.
func TestClinicValueSets(t *testing.T) {
	eng := publish(t)
	codes := map[string][]string{}
	for _, id := range []string{"clinic-infections", "clinic-diseases"} {
		answer, err := eng.Expand(context.Background(), &engine.ExpandRequest{URL: base + "ValueSet/" + id})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range answer.Table().Rows {
			codes[id] = append(codes[id], row[0])
		}
	}
	infections, diseases := codes["clinic-infections"], codes["clinic-diseases"]
	for _, code := range []string{"infection", "respiratory-infection", "influenza"} {
		if !slices.Contains(infections, code) {
			t.Errorf("%s is not among infections", code)
		}
	}
	for _, code := range infections {
		if !slices.Contains(diseases, code) {
			t.Errorf("%s is no disease", code)
		}
	}
	if slices.Contains(diseases, "disease") || slices.Contains(diseases, "fever") || !slices.Contains(diseases, "hypertension") || len(diseases) <= len(infections) {
		t.Errorf("diseases: %v", diseases)
	}
}
