package resources_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

// shared is a store that several services share. It reports all writes to each of them.
type shared struct {
	*memory.Store
	written chan []resources.Key
}

func (s shared) Watch(ctx context.Context, types []string, fn func([]resources.Key)) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case keys, open := <-s.written:
			if !open {
				return errors.New("connection lost")
			}
			fn(keys)
			s.written <- nil // done
		}
	}
}

// TestMaintainWatches checks that writes of other processes are published here once, and that
// writes of this process are not published again.
func TestMaintainWatches(t *testing.T) {
	store := shared{memory.New(), make(chan []resources.Key)}
	here := &listener{journal: &journal{}, published: map[string]string{}}
	service := resources.NewService(store, here)
	other := resources.NewService(store, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		service.Maintain(ctx)
	}()
	tell := func(ids ...string) []string {
		var keys []resources.Key
		for _, id := range ids {
			keys = append(keys, resources.Key{Type: "CodeSystem", ID: id})
		}
		store.written <- keys
		<-store.written
		return here.take()
	}
	put := func(s *resources.Service, id, status string) {
		t.Helper()
		if _, err := s.Update(t.Context(), "CodeSystem", id, []byte(`{"resourceType":"CodeSystem","id":"`+id+`","status":"`+status+`"}`), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put(other, "a", "draft")
	put(service, "b", "draft")
	here.take()
	want := []string{"prepare CodeSystem/a", "publish CodeSystem/a"}
	if diff := cmp.Diff(want, tell("a", "b", "none")); diff != "" {
		t.Errorf("written by another (-want +got):\n%s", diff)
	}
	if got := tell("a"); len(got) > 0 {
		t.Errorf("told again: %v", got)
	}
	put(other, "b", "active")
	if _, err := other.Delete(t.Context(), "CodeSystem", "a", resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	want = []string{"prepare CodeSystem/a", "publish CodeSystem/a", "prepare CodeSystem/b", "publish CodeSystem/b"}
	if diff := cmp.Diff(want, tell("a", "b")); diff != "" {
		t.Errorf("changed by another (-want +got):\n%s", diff)
	}
	if len(here.published) != 1 || here.published["CodeSystem/b"] == "" {
		t.Errorf("published %v", here.published)
	}
	cancel()
	<-done
}

// TestPurge checks that the pages of a search last for an hour.
func TestPurge(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		now := time.Now()
		service := resources.NewService(store, nil, resources.WithClock(func() time.Time { return now }))
		for _, family := range []string{"One", "Two", "Three"} {
			if _, err := service.Update(t.Context(), "Patient", "a", patient("a", "1", family), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			now = now.Add(40 * time.Minute)
		}
		// The first was superseded 80 minutes ago, the second 40.
		if n, err := service.Purge(t.Context()); err != nil || n != 1 {
			t.Errorf("purged %d, %v", n, err)
		}
		if got := found(t, service, "Patient", "family=three"); len(got) != 1 {
			t.Errorf("found %v", got)
		}
	})
}

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

// onStores runs a test on each kind of store that needs no server.
func onStores(t *testing.T, test func(t *testing.T, store resources.Store)) {
	t.Run("memory", func(t *testing.T) {
		test(t, memory.New())
	})
	t.Run("sqlite", func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "roget.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, store)
	})
}

// found returns the keys that a search finds, newest first.
func found(t *testing.T, service *resources.Service, typ, query string) []string {
	t.Helper()
	params, err := resources.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	page, err := service.Search(t.Context(), resources.SearchRequest{Type: typ, Params: params, Options: search.Options{DefaultCount: 1000}})
	if err != nil {
		t.Fatalf("%s?%s: %v", typ, query, err)
	}
	keys := []string{}
	for i := range page.Matches {
		keys = append(keys, page.Matches[i].Type+"/"+page.Matches[i].ID)
	}
	return keys
}

func query(t *testing.T, text string) []search.Param {
	t.Helper()
	params, err := resources.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return params
}

// TestAnswers checks that a QuestionnaireResponse is compared with its Questionnaire, where that is.
func TestAnswers(t *testing.T) {
	service := resources.NewService(memory.New(), nil)
	store := func(typ, id, body string) error {
		_, err := service.Update(t.Context(), typ, id, []byte(body), resources.UpdateOptions{})
		return err
	}
	const item = `"status":"active","item":[{"linkId":"1","type":"boolean"}]}`
	for id, head := range map[string]string{"one": `"url":"http://x/q","version":"1",`, "two": `"url":"http://x/q","version":"2",`, "only": `"url":"http://x/only",`} {
		if err := store("Questionnaire", id, `{"resourceType":"Questionnaire","id":"`+id+`",`+head+item); err != nil {
			t.Fatal(err)
		}
	}
	for canonical, known := range map[string]bool{
		"http://x/only": true, "http://x/q|2": true, "http://x/q": false, "http://x/q|3": false, "http://x/none": false, "#q": true, "#other": false, "http://x/a,b": false,
	} {
		response := `{"resourceType":"QuestionnaireResponse","id":"r","status":"completed","questionnaire":"` + canonical + `","contained":[{"resourceType":"Questionnaire","id":"q",` + item +
			`],"extension":[{"url":"http://x","valueReference":{"reference":"#q"}}],"item":[{"linkId":"1","answer":[{"valueBoolean":true}]}]}`
		if err := store("QuestionnaireResponse", "r", response); err != nil {
			t.Errorf("%s: %v", canonical, err)
		}
		wrong := strings.Replace(response, `"valueBoolean":true`, `"valueString":"yes"`, 1)
		err := store("QuestionnaireResponse", "r", wrong)
		var invalid *validate.Invalid
		if errors.As(err, &invalid) != known || !known && err != nil {
			t.Errorf("%s: %v", canonical, err)
		}
		if known && !strings.Contains(err.Error(), "QuestionnaireResponse.item[0].answer[0].value: an answer of the type boolean must be valueBoolean") {
			t.Errorf("%s: %v", canonical, err)
		}
	}
}
