package samples_test

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/examples/samples"
	"github.com/roget-health/roget/resources/synth"
)

var updateClinic = flag.Bool("update-clinic", false, "write "+clinicFile+" anew")

const clinicFile = "CodeSystem-clinic.json"

// The code system of synthetic resources is among the samples as it is there.
func TestClinic(t *testing.T) {
	want := synth.Clinic()
	if *updateClinic {
		if err := os.WriteFile(clinicFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := fs.ReadFile(samples.Files(), clinicFile)
	if err != nil {
		t.Fatal(err)
	}
	if *updateClinic {
		return // what is embedded is what was there before
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what resources/synth draws from; go test ./examples/samples -update-clinic writes it anew", clinicFile)
	}
}

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
