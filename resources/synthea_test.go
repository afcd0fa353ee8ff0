package resources_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/sharedtest"
)

// TestSynthea stores the bundles of Synthea patients: hospitals and practitioners by conditional
// creates, each patient as a transaction. $everything of each patient must return the resources of
// its file that belong to the compartment of a patient, and what these refer to.
func TestSynthea(t *testing.T) {
	folder := sharedtest.Path(t, "data/synthea")
	files, err := filepath.Glob(filepath.Join(folder, "*.json.gz"))
	if err != nil || len(files) != 22 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	slices.Sort(files) // hospitals and practitioners first
	want := 16412
	if testing.Short() { // which is for what runs at the same time
		files, want = files[:8], 0
	}
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		stored := 0
		for _, file := range files {
			b := readBundle(t, file)
			if b.Type == "batch" {
				for _, e := range b.Entries {
					o, err := service.Create(t.Context(), e.URL, e.Resource, resources.CreateOptions{IfNoneExist: e.IfNoneExist})
					if err != nil || !o.Created {
						t.Fatalf("%s: %+v, %v", file, o.Key, err)
					}
				}
				stored += len(b.Entries)
				continue
			}
			outcomes, err := service.Transaction(t.Context(), b, resources.TransactionOptions{})
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			stored += len(outcomes)
			checkPatient(t, service, file, outcomes)
		}
		if stored != want && want != 0 {
			t.Errorf("%d resources were stored", stored)
		}
	})
}

// notOfPatients are the types of Synthea that are in no compartment of a patient.
var notOfPatients = []string{"Medication", "Organization", "Practitioner", "Location"}

// sharedReference is a reference to one of them.
var sharedReference = regexp.MustCompile(`"reference": *"(Medication|Organization|Practitioner|Location)/[^"]*"`)

func checkPatient(t *testing.T, service *resources.Service, file string, outcomes []resources.Outcome) {
	t.Helper()
	patient, want, referred := "", map[string]int{}, map[string]bool{}
	for _, o := range outcomes {
		if strings.Contains(string(o.Body), `"reference":"urn:uuid:`) || strings.Contains(string(o.Body), `"reference":"Practitioner?`) {
			t.Errorf("%s: %s has references that are not resolved", file, o.Key)
		}
		if o.Type == "Patient" {
			patient = o.ID
		}
		if slices.Contains(notOfPatients, o.Type) {
			continue
		}
		want[o.Type]++
		for _, found := range sharedReference.FindAllStringSubmatch(string(o.Body), -1) {
			if !referred[found[0]] {
				referred[found[0]] = true
				want[found[1]]++
			}
		}
	}
	got, cursor := map[string]int{}, ""
	for pages := 0; ; pages++ {
		page, err := service.Everything(t.Context(), resources.EverythingRequest{Type: "Patient", ID: patient, Count: 500, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		if pages == 0 && (len(page.Versions) == 0 || page.Versions[0].ID != patient) {
			t.Errorf("%s: the patient is not the first", file)
		}
		for _, v := range page.Versions {
			got[v.Type]++
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: everything (-want +got):\n%s", file, diff)
	}
}

func readBundle(t testing.TB, path string) *resources.Bundle {
	t.Helper()
	b, err := resources.ParseBundle(sharedtest.Unzipped(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
