package resources_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/validate"
)

// bundleOf returns a transaction of entries.
func bundleOf(t *testing.T, entries ...string) *resources.Bundle {
	t.Helper()
	b, err := resources.ParseBundle([]byte(`{"resourceType":"Bundle","type":"transaction","entry":[` + strings.Join(entries, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func entry(fullURL, method, url, resource string, more ...string) string {
	e := `{"request":{"method":"` + method + `","url":"` + url + `"`
	for _, m := range more {
		e += "," + m
	}
	e += "}"
	if fullURL != "" {
		e += `,"fullUrl":"` + fullURL + `"`
	}
	if resource != "" {
		e += `,"resource":` + resource
	}
	return e + "}"
}

const observation = `{"resourceType":"Observation","status":"final","code":{"text":"x"},"subject":{"reference":"%s"}}`

// TestTransactionReferences checks that references, including conditional ones, become references
// to the resources that entries created or found.
func TestTransactionReferences(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		n := 0
		service := resources.NewService(store, nil, resources.WithIDs(func() string { n++; return fmt.Sprint("n", n) }))
		put := func(id, identifier string) {
			if _, err := service.Update(t.Context(), "Patient", id, patient(id, identifier, "Old"), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		put("there", "1")
		put("updated", "2")
		put("gone", "3")
		outcomes, err := service.Transaction(t.Context(), bundleOf(t,
			entry("urn:uuid:o1", "POST", "Observation", fmt.Sprintf(observation, "urn:uuid:new")),
			entry("urn:uuid:new", "POST", "Patient", string(patient("ignored", "9", "New"))),
			entry("urn:uuid:cond", "POST", "Patient", string(patient("", "1", "Other")), `"ifNoneExist":"Patient?identifier=1"`),
			entry("", "POST", "Observation", fmt.Sprintf(observation, "urn:uuid:cond")),
			entry("", "POST", "Observation", fmt.Sprintf(observation, "Patient?identifier=http://example.org/mrn|1")),
			entry("urn:uuid:put", "PUT", "Patient?identifier=2", string(patient("updated", "2", "Changed"))),
			entry("", "POST", "Observation", fmt.Sprintf(observation, "urn:uuid:put#part")),
			entry("urn:uuid:first", "POST", "Patient", string(patient("", "7", "Seven")), `"ifNoneExist":"identifier=7"`),
			entry("urn:uuid:second", "POST", "Patient", string(patient("", "7", "Seven")), `"ifNoneExist":"identifier=7"`),
			entry("", "POST", "Observation", fmt.Sprintf(observation, "urn:uuid:second")),
			entry("", "POST", "Observation", fmt.Sprintf(observation, "Patient?identifier=7")),
			entry("", "DELETE", "Patient/gone", ""),
			entry("http://example.org/fhir/Patient/55", "POST", "Patient", string(patient("", "55", "Abs"))),
			entry("http://example.org/fhir/Observation/56", "POST", "Observation", fmt.Sprintf(observation, "Patient/55")),
			entry("urn:uuid:doc", "POST", "DocumentReference", `{"resourceType":"DocumentReference","status":"current","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"urn:uuid:new\">p</a> urn:uuid:new</div>"},"content":[{"attachment":{"url":"urn:uuid:new"}},{"attachment":{"url":"urn:uuid:nobody"}}],"subject":{"reference":"urn:uuid:unknown"},"masterIdentifier":{"value":"urn:uuid:new"}}`),
		), resources.TransactionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		newID := "Patient/" + outcomes[1].ID
		for i, want := range map[int]string{
			0: newID, 3: "Patient/there", 4: "Patient/there", 6: "Patient/updated#part",
			9: "Patient/" + outcomes[7].ID, 10: "Patient/" + outcomes[7].ID, 13: "Patient/" + outcomes[12].ID,
		} {
			if !strings.Contains(string(outcomes[i].Body), `"reference":"`+want+`"`) {
				t.Errorf("entry %d should refer to %s: %s", i, want, outcomes[i].Body)
			}
		}
		var made []bool
		warned := ""
		for _, o := range outcomes {
			made = append(made, o.Changed)
			for _, i := range o.Issues {
				if strings.HasPrefix(i.Text, "no entry of the Bundle") {
					warned += i.Text
				}
			}
		}
		if strings.Count(warned, "fullUrl") != 1 || !strings.Contains(warned, `"urn:uuid:unknown"`) {
			t.Errorf("warnings: %s", warned)
		}
		want := []bool{true, true, false, true, true, true, true, true, false, true, true, true, true, true, true}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("changed (-want +got): %s", diff)
		}
		if outcomes[8].ID != outcomes[7].ID || outcomes[2].ID != "there" || outcomes[5].ID != "updated" || outcomes[5].VersionID != 2 {
			t.Errorf("outcomes %v %v %v %v", outcomes[2].Key, outcomes[5].Key, outcomes[7].Key, outcomes[8].Key)
		}
		if text := string(outcomes[14].Body); !strings.Contains(text, `href=\"`+newID+`\"`) || !strings.Contains(text, `"url":"`+newID+`"`) ||
			!strings.Contains(text, `"value":"urn:uuid:new"`) || !strings.Contains(text, `urn:uuid:new</div>`) || !strings.Contains(text, "urn:uuid:unknown") {
			t.Error(text)
		}
		if got := found(t, service, "Observation", "subject="+newID); len(got) != 1 {
			t.Errorf("found %v", got)
		}
		if got := found(t, service, "Patient", "identifier=3"); len(got) != 0 {
			t.Errorf("found %v", got)
		}
	})
}

// TestTransactionFails checks that an error names its entry and nothing changes.
func TestTransactionFails(t *testing.T) {
	good := entry("urn:uuid:g", "POST", "Patient", string(patient("", "g", "Good")))
	unnamed := `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"delete"},{"name":"path","valueString":"Patient.name"}]}]}`
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		for _, id := range []string{"a", "b", "gone"} {
			if _, err := service.Update(t.Context(), "Patient", id, patient(id, id, "Same"), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := service.Delete(t.Context(), "Patient", "gone", resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name    string
			entries []string
			index   int
			err     error
		}{
			{"method", []string{good, entry("", "MOVE", "Patient", "{}")}, 1, resources.ErrBundle},
			{"id in use", []string{good, entry("", "PUT", "Patient?identifier=new", string(patient("a", "new", "New")))}, 1, resources.ErrInUse},
			{"another server", []string{good, entry("", "POST", "http://example.org/Patient", string(patient("", "1", "New")))}, 1, resources.ErrBundle},
			{"no request", []string{good, `{"resource":{"resourceType":"Patient"}}`}, 1, resources.ErrBundle},
			{"unknown type", []string{good, entry("", "POST", "Cow", `{"resourceType":"Cow"}`)}, 1, resources.ErrUnknownType},
			{"other type", []string{good, entry("", "POST", "Patient", `{"resourceType":"Observation"}`)}, 1, resources.ErrTypeMismatch},
			{"id of a put", []string{good, entry("", "PUT", "Patient/x", string(patient("y", "x", "X")))}, 1, resources.ErrIDMismatch},
			{"bad id", []string{good, entry("", "PUT", "Patient/x_y", string(patient("x_y", "x", "X")))}, 1, resources.ErrBadID},
			{"invalid", []string{entry("", "POST", "Patient", `{"resourceType":"Patient","gender":"blue"}`), good}, 0, resources.ErrInvalid},
			{"version", []string{good, entry("", "PUT", "Patient/a", string(patient("a", "a", "New")), `"ifMatch":"W/\"5\""`)}, 1, resources.ErrConflict},
			{"malformed version", []string{good, entry("", "PUT", "Patient/a", string(patient("a", "a", "New")), `"ifMatch":"five"`)}, 1, resources.ErrBundle},
			{"several match", []string{good, entry("", "PUT", "Patient?family=Same", string(patient("", "a", "New")))}, 1, resources.ErrMultipleMatches},
			{"several to refer to", []string{good, entry("", "POST", "Observation", fmt.Sprintf(observation, "Patient?family=Same"))}, 1, resources.ErrMultipleMatches},
			{"none to refer to", []string{good, entry("", "POST", "Observation", fmt.Sprintf(observation, "Patient?family=None"))}, 1, resources.ErrNoMatch},
			{"several to delete", []string{good, entry("", "DELETE", "Patient?family=Same", "")}, 1, resources.ErrMultipleMatches},
			{"twice", []string{good, entry("", "PUT", "Patient/c", string(patient("c", "c", "C"))), entry("", "PUT", "Patient/c", string(patient("c", "d", "D")))}, 2, resources.ErrBundle},
			{"deleted and changed", []string{good, entry("", "PUT", "Patient/a", string(patient("a", "c", "C"))), entry("", "DELETE", "Patient/a", "")}, 2, resources.ErrBundle},
			{"full url twice", []string{good, good}, 1, resources.ErrBundle},
			{"get without an answer", []string{good, entry("", "GET", "Patient/a", "")}, 1, resources.ErrBundle},
			{"patch of nothing", []string{good, entry("", "PATCH", "Patient/none", unnamed)}, 1, resources.ErrNotFound},
			{"patch of a deleted one", []string{good, entry("", "PATCH", "Patient/gone", unnamed)}, 1, resources.ErrGone},
		} {
			_, err := service.Transaction(t.Context(), bundleOf(t, tt.entries...), resources.TransactionOptions{})
			var at *resources.EntryError
			if !errors.Is(err, tt.err) || !errors.As(err, &at) || at.Index != tt.index {
				t.Errorf("%s: %v, want %v of entry %d", tt.name, err, tt.err, tt.index)
			}
			var invalid *validate.Invalid
			if errors.As(err, &invalid) && invalid.Issues[0].Expression != "Bundle.entry[0].resource.gender" {
				t.Errorf("%s: %v", tt.name, invalid.Issues)
			}
		}
		if got := found(t, service, "Patient", "_sort=family"); len(got) != 2 {
			t.Errorf("changed: %v", got)
		}
		for _, b := range []*resources.Bundle{{Type: "batch"}, {Type: "transaction", Entries: make([]resources.BundleEntry, 10_001)}} {
			if _, err := service.Transaction(t.Context(), b, resources.TransactionOptions{}); !errors.Is(err, resources.ErrBundle) {
				t.Errorf("%s of %d: %v", b.Type, len(b.Entries), err)
			}
		}
	})
}

// TestTransactionAtomic checks that a listener that refuses the last entry leaves no changes, and
// that one that accepts is called after everything is stored.
func TestTransactionAtomic(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		heard := &listener{journal: &journal{}, published: map[string]string{}}
		service := resources.NewService(store, heard)
		b := func() *resources.Bundle {
			return bundleOf(t,
				entry("", "PUT", "Patient/p", string(patient("p", "1", "One"))),
				entry("", "PUT", "CodeSystem/c", `{"resourceType":"CodeSystem","id":"c","status":"active"}`),
				entry("", "PUT", "ValueSet/v", `{"resourceType":"ValueSet","id":"v","status":"active"}`))
		}
		heard.prepare = func(_ context.Context, typ, _ string, _ []byte) error {
			if typ == "ValueSet" {
				return errors.New("no good")
			}
			return nil
		}
		var at *resources.EntryError
		if _, err := service.Transaction(t.Context(), b(), resources.TransactionOptions{}); !errors.As(err, &at) || at.Index != 2 || !strings.Contains(err.Error(), "no good") {
			t.Errorf("refused: %v", err)
		}
		for _, key := range [][2]string{{"Patient", "p"}, {"CodeSystem", "c"}, {"ValueSet", "v"}} {
			if _, err := service.Read(t.Context(), key[0], key[1]); !errors.Is(err, resources.ErrNotFound) {
				t.Errorf("%v is there: %v", key, err)
			}
		}
		if len(heard.published) > 0 || len(found(t, service, "Patient", "identifier=1")) > 0 {
			t.Errorf("published %v", heard.published)
		}
		heard.prepare = nil
		outcomes, err := service.Transaction(t.Context(), b(), resources.TransactionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"CodeSystem/c": string(outcomes[1].Body), "ValueSet/v": string(outcomes[2].Body)}
		if diff := cmp.Diff(want, heard.published); diff != "" {
			t.Errorf("published (-want +got): %s", diff)
		}
	})
}

// TestTransactionReads checks that GETs come last and see the changes of the transaction, which
// nobody else sees before it ends.
func TestTransactionReads(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		if _, err := service.Update(t.Context(), "Patient", "a", patient("a", "1", "One"), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		var asked []int
		answer := func(ctx context.Context, i int, e *resources.BundleEntry) error {
			asked = append(asked, i)
			v, err := service.Read(ctx, "Patient", "a")
			if err != nil || v.VersionID != 2 {
				t.Errorf("Read: version %d, %v", v.VersionID, err)
			}
			if v, err := service.ReadVersion(ctx, "Patient", "a", 1); err != nil || v.VersionID != 1 || len(v.Body) == 0 {
				t.Errorf("ReadVersion: %+v, %v", v, err)
			}
			page, err := service.Search(ctx, resources.SearchRequest{Type: "Patient", Params: query(t, "family=two")})
			if err != nil || len(page.Matches) != 1 {
				t.Errorf("Search: %v, %v", page, err)
			}
			history, err := service.History(ctx, resources.HistoryRequest{Type: "Patient", ID: "a"})
			if err != nil || len(history.Versions) != 2 || *history.Total != 2 {
				t.Errorf("History: %v, %v", history, err)
			}
			return nil
		}
		_, err := service.Transaction(t.Context(), bundleOf(t,
			entry("", "GET", "Patient/a", ""),
			entry("", "PUT", "Patient/a", string(patient("a", "1", "Two"))),
			entry("", "GET", "Patient?family=two", "")), resources.TransactionOptions{Answer: answer})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(asked, []int{0, 2}) {
			t.Errorf("asked %v", asked)
		}
	})
}

// TestTransactionAfterDeletion checks that conditions are those of the state after the deletions, which
// is not the one that the transaction was prepared for.
func TestTransactionAfterDeletion(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		for _, e := range []string{
			entry("", "PUT", "Patient?identifier=1", string(patient("", "1", "New"))),
			entry("", "POST", "Patient", string(patient("", "1", "New")), `"ifNoneExist":"identifier=1"`),
		} {
			if _, err := service.Update(t.Context(), "Patient", "a", patient("a", "1", "Old"), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			outcomes, err := service.Transaction(t.Context(), bundleOf(t, e, entry("", "DELETE", "Patient/a", "")), resources.TransactionOptions{})
			if err != nil || outcomes[0].ID == "a" || outcomes[0].VersionID != 1 || len(found(t, service, "Patient", "identifier=1")) != 1 {
				t.Fatalf("%s: %v, %v", e, outcomes, err)
			}
			if _, err := service.Delete(t.Context(), "Patient", outcomes[0].ID, resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestTransactionPatch(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		if _, err := service.Update(t.Context(), "Patient", "a", patient("a", "1", "One"), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		fhirPath := `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},{"name":"path","valueString":"Patient.name[0].family"},{"name":"value","valueString":"Two"}]}]}`
		json := `{"resourceType":"Binary","contentType":"application/json-patch+json","data":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL2dlbmRlciIsInZhbHVlIjoiZmVtYWxlIn1d"}`
		for version, e := range []string{entry("", "PATCH", "Patient/a", fhirPath), entry("", "PATCH", "Patient?identifier=1", json)} {
			outcomes, err := service.Transaction(t.Context(), bundleOf(t, e), resources.TransactionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if outcomes[0].VersionID != int64(version+2) {
				t.Errorf("version %d", outcomes[0].VersionID)
			}
		}
		v, err := service.Read(t.Context(), "Patient", "a")
		if err != nil || !strings.Contains(string(v.Body), `"family":"Two"`) || !strings.Contains(string(v.Body), `"gender":"female"`) {
			t.Errorf("%s, %v", v.Body, err)
		}
	})
}

func TestParseBundle(t *testing.T) {
	b := bundleOf(t, `{"fullUrl":"urn:uuid:1","resource":{ "resourceType":"Patient" },"request":{"method":"PUT","url":"Patient/1","ifMatch":"W/\"2\"","ifNoneMatch":"*","ifNoneExist":"a=b","ifModifiedSince":"2020"}}`, `{}`)
	want := []resources.BundleEntry{{
		FullURL: "urn:uuid:1", Resource: []byte(`{ "resourceType":"Patient" }`), Method: "PUT", URL: "Patient/1",
		IfMatch: `W/"2"`, IfNoneMatch: "*", IfNoneExist: "a=b", IfModifiedSince: "2020",
	}, {}}
	if diff := cmp.Diff(want, b.Entries); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{`{"resourceType":"Patient"}`, `[]`, `{"resourceType":"Bundle","entry":{}}`, `{"resourceType":"Bundle","entry":[1]}`, `{"resourceType":"Bundle","entry":[{"resource":[]}]}`} {
		if _, err := resources.ParseBundle([]byte(bad)); !errors.Is(err, resources.ErrBundle) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
