package resources_test

import (
	"path/filepath"
	"regexp"
	"runtime"
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
		if _, err := service.Create(t.Context(), "Basic", []byte(`{"resourceType":"Basic","code":{"text":"x"}}`), resources.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		before := heap() // with the tables of R4
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
		held, size := heap()-before, 0
		for _, typ := range service.Types() {
			err := store.Each(t.Context(), typ, func(v resources.Version) error {
				size += len(v.Body)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if stored == want && held > 2*size { // in memory with all that searches need
			t.Errorf("%d bytes for %d bytes of JSON", held, size)
		}
	})
}

// heap returns how much memory is in use.
func heap() int {
	runtime.GC()
	runtime.GC() // of what pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// notOfPatients are the types of Synthea that are in no compartment of a patient.
var notOfPatients = []string{"Medication", "Organization", "Practitioner", "Location"}

var referenceOf = regexp.MustCompile(`"reference":\s*"([A-Z][A-Za-z]+/[A-Za-z0-9.-]+)"`)

func checkPatient(t *testing.T, service *resources.Service, file string, outcomes []resources.Outcome) {
	t.Helper()
	patient, want, referred := "", map[string]int{}, map[string]bool{}
	var follow func(body []byte)
	follow = func(body []byte) {
		for _, found := range referenceOf.FindAllSubmatch(body, -1) {
			typ, id, _ := strings.Cut(string(found[1]), "/")
			if key := typ + "/" + id; slices.Contains(notOfPatients, typ) && !referred[key] {
				referred[key] = true
				v, err := service.Read(t.Context(), typ, id)
				if err != nil {
					t.Fatal(err)
				}
				follow(v.Body)
			}
		}
	}
	for _, o := range outcomes {
		if strings.Contains(string(o.Body), `"reference":"urn:uuid:`) || strings.Contains(string(o.Body), `"reference":"Practitioner?`) {
			t.Errorf("%s: %s has references that are not resolved", file, o.Key)
		}
		if o.Type == "Patient" {
			patient = o.ID
		}
		if !slices.Contains(notOfPatients, o.Type) {
			want[o.Type]++
			follow(o.Body)
		}
	}
	for key := range referred {
		want[key[:strings.IndexByte(key, '/')]]++
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
