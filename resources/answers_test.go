package resources_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources"
)

// TestAnswersOfChanges checks that a response is compared with its Questionnaire however it is stored, whether that
// is stored before, in the same change, or replaced by it.
func TestAnswersOfChanges(t *testing.T) {
	questionnaire := func(id, version string, items ...string) string {
		for i, item := range items {
			items[i] = fmt.Sprintf(`{"linkId":%q,"type":"string"}`, item)
		}
		return fmt.Sprintf(`{"resourceType":"Questionnaire","id":%q,"url":"http://q.example/a","version":%q,"status":"active","item":[%s]}`, id, version, strings.Join(items, ","))
	}
	response := func(canonical, item string) string {
		return fmt.Sprintf(`{"resourceType":"QuestionnaireResponse","id":"r","questionnaire":%q,"status":"completed","item":[{"linkId":%q,"answer":[{"valueString":"x"}]}]}`, canonical, item)
	}
	const canonical = "http://q.example/a"
	for _, row := range []struct {
		name   string
		before []string // stored
		with   []string // in the same change, before the response
		at     string   // the canonical of the response
		items  map[string]bool
	}{
		{"unknown", nil, nil, canonical, map[string]bool{"one": true, "two": true}},
		{"stored", []string{questionnaire("q", "1", "one")}, nil, canonical, map[string]bool{"one": true, "two": false}},
		{"of a version", []string{questionnaire("q", "1", "one"), questionnaire("p", "2", "two")}, nil, canonical + "|2", map[string]bool{"one": false, "two": true}},
		{"of an unknown version", []string{questionnaire("q", "1", "one")}, nil, canonical + "|3", map[string]bool{"one": true, "two": true}},
		{"of any version", []string{questionnaire("q", "1", "one"), questionnaire("p", "2", "two")}, nil, canonical, map[string]bool{"one": true, "two": true}},
		{"in the change", nil, []string{questionnaire("q", "1", "one")}, canonical, map[string]bool{"one": true, "two": false}},
		{"replaced", []string{questionnaire("q", "1", "one")}, []string{questionnaire("q", "1", "two")}, canonical, map[string]bool{"one": false, "two": true}},
		{"another beside it", []string{questionnaire("q", "1", "one")}, []string{questionnaire("p", "2", "two")}, canonical, map[string]bool{"one": true, "two": true}},
		{"another version beside it", []string{questionnaire("q", "1", "one")}, []string{questionnaire("p", "2", "two")}, canonical + "|2", map[string]bool{"one": false, "two": true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, store resources.Store) {
				service := resources.NewService(store, nil)
				if _, err := service.Load(t.Context(), loadItems(row.before...)); err != nil {
					t.Fatal(err)
				}
				for item, want := range row.items {
					body := response(row.at, item)
					var entries []string
					for _, text := range append(row.with, body) {
						typ, id := "QuestionnaireResponse", "r"
						if text != body {
							typ, id = "Questionnaire", text[strings.Index(text, `"id":`)+6:][:1]
						}
						entries = append(entries, fmt.Sprintf(`{"resource":%s,"request":{"method":"PUT","url":"%s/%s"}}`, text, typ, id))
					}
					transact := func(entries ...string) error {
						_, err := service.Transaction(t.Context(), bundleOf(t, entries...), resources.TransactionOptions{})
						return err
					}
					ways := map[string]func() error{
						"Transaction": func() error { return transact(entries...) },
						"Transaction that deletes": func() error {
							return transact(append(entries, `{"request":{"method":"DELETE","url":"Patient/none"}}`)...)
						},
						"Load": func() error {
							results, err := service.Load(t.Context(), loadItems(append(row.with, body)...))
							if err != nil {
								t.Fatal(err)
							}
							return results[len(row.with)].Err
						},
					}
					if row.with == nil {
						ways["Update"] = func() error {
							_, err := service.Update(t.Context(), "QuestionnaireResponse", "r", []byte(body), resources.UpdateOptions{})
							return err
						}
						ways["Transaction with a patch"] = func() error {
							empty := `{"resourceType":"QuestionnaireResponse","id":"p","questionnaire":"` + row.at + `","status":"in-progress"}`
							if _, err := service.Update(t.Context(), "QuestionnaireResponse", "p", []byte(empty), resources.UpdateOptions{}); err != nil {
								t.Fatal(err)
							}
							patch := fmt.Sprintf(`[{"op":"add","path":"/item","value":[{"linkId":%q,"answer":[{"valueString":"x"}]}]}]`, item)
							return transact(fmt.Sprintf(`{"resource":{"resourceType":"Binary","contentType":"application/json-patch+json","data":%q},`+
								`"request":{"method":"PATCH","url":"QuestionnaireResponse/p"}}`, base64.StdEncoding.EncodeToString([]byte(patch))))
						}
					}
					for way, try := range ways {
						if err := try(); want != (err == nil) || err != nil && !errors.Is(err, resources.ErrInvalid) {
							t.Errorf("%s of an answer to %s: %v", way, item, err)
						}
					}
				}
			})
		})
	}
}

func loadItems(bodies ...string) []resources.LoadItem {
	items := make([]resources.LoadItem, len(bodies))
	for i, body := range bodies {
		items[i].Body = []byte(body)
	}
	return items
}
