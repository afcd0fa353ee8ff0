package resources_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/sharedtest"
)

// TestOwnersOfExamples compares the patients that the audit log names for each example of R4 with
// $everything of these patients, which reads the compartment from the index of the store.
func TestOwnersOfExamples(t *testing.T) {
	service := resources.NewService(memory.New(), nil, resources.WithoutValidation())
	owners := index.NewOwners(definitions.R4(), "Patient")
	var items []resources.LoadItem
	patients := map[string]bool{}
	named := regexp.MustCompile(`Patient/([A-Za-z0-9.-]{1,64})`)
	stored := map[resources.Key][]byte{}
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		var head struct{ ResourceType, ID string }
		if err := json.Unmarshal(line, &head); err != nil {
			t.Fatal(err)
		}
		if head.ResourceType == "Parameters" || head.ID == "" {
			continue
		}
		body := slices.Clone(line)
		items = append(items, resources.LoadItem{Body: body})
		stored[resources.Key{Type: head.ResourceType, ID: head.ID}] = body
		if head.ResourceType == "Patient" {
			patients[head.ID] = true
		}
		for _, found := range named.FindAllSubmatch(body, -1) {
			patients[string(found[1])] = true
		}
	}
	if len(items) < 500 {
		t.Fatalf("%d examples", len(items))
	}
	for id := range patients {
		key := resources.Key{Type: "Patient", ID: id}
		if stored[key] == nil {
			body := []byte(`{"resourceType":"Patient","id":"` + id + `"}`)
			stored[key] = body
			items = append(items, resources.LoadItem{Body: body})
		}
	}
	results, err := service.Load(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	for i := range results {
		if results[i].Err != nil {
			t.Fatalf("%.200s: %v", items[i].Body, results[i].Err)
		}
	}
	type pair struct {
		patient  string
		resource resources.Key
	}
	byAudit, bySearch := map[pair]bool{}, map[pair]bool{}
	for key, body := range stored {
		ids, err := owners.Of(nil, key.Type, key.ID, body, nil)
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		for _, id := range ids {
			byAudit[pair{id, key}] = true
		}
	}
	for id := range patients {
		page, err := service.Search(t.Context(), resources.SearchRequest{Options: search.Options{
			Compartment: &search.Compartment{Type: "Patient", ID: id}, DefaultCount: 1000, MaxCount: 1000,
		}})
		if err != nil || page.Next != "" {
			t.Fatalf("%s: %v", id, err)
		}
		bySearch[pair{id, resources.Key{Type: "Patient", ID: id}}] = true
		for i := range page.Matches {
			bySearch[pair{id, resources.VersionOf(&page.Matches[i]).Key}] = true
		}
	}
	types := map[string]bool{}
	for _, p := range slices.Collect(maps.Keys(byAudit)) {
		types[p.resource.Type] = true
		if !bySearch[p] {
			t.Errorf("%s is not in the compartment of Patient/%s", p.resource, p.patient)
		}
	}
	for p := range bySearch {
		if !byAudit[p] {
			t.Errorf("the audit log does not say that %s is of Patient/%s", p.resource, p.patient)
		}
	}
	if len(byAudit) < 300 || len(types) < 50 {
		t.Errorf("only %d pairs of %d types", len(byAudit), len(types))
	}
	t.Logf("%d pairs of %d types", len(byAudit), len(types))
}
