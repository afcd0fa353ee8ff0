package resources_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// TestLoad checks that documents are stored independently, and that later ones see earlier ones.
func TestLoad(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		heard := &listener{journal: &journal{}, published: map[string]string{}}
		heard.prepare = func(_ context.Context, _, id string, _ []byte) error {
			if id == "bad" {
				return errors.New("a cycle")
			}
			return nil
		}
		var n atomic.Int64
		service := resources.NewService(store, heard, resources.WithIDs(func() string { return fmt.Sprint("n", n.Add(1)) }))
		var syntax *r4.SyntaxError
		var tooHeavy bytes.Buffer
		for i := range index.MaxEntries {
			fmt.Fprintf(&tooHeavy, `%s{"value":"%d"}`, []string{`{"resourceType":"Patient","identifier":[`, ","}[min(i, 1)], i)
		}
		tooHeavy.WriteString("]}")
		rows := []struct {
			item  resources.LoadItem
			state string // key, version, created and changed
			is    func(error) bool
		}{
			{resources.LoadItem{Body: patient("a", "1", "One")}, "Patient/a 1 true true", nil},
			{resources.LoadItem{Body: []byte(`{"resourceType":"Patient"`)}, "", as(&syntax)},
			{resources.LoadItem{Body: []byte(`{"resourceType":"Patient","gender":"blue"}`)}, "", is(resources.ErrInvalid)},
			{resources.LoadItem{Body: []byte(`{"resourceType":"Cow"}`)}, "", is(resources.ErrUnknownType)},
			{resources.LoadItem{Body: []byte(`{"id":"a"}`)}, "", is(resources.ErrTypeMismatch)},
			{resources.LoadItem{Body: patient("a", "1", "Changed")}, "Patient/a 2 false true", nil},
			{resources.LoadItem{Body: patient("a", "1", "Changed")}, "Patient/a 2 false false", nil},
			{resources.LoadItem{Body: patient("a", "5", "New"), New: true}, "* 1 true true", nil},
			{resources.LoadItem{Body: patient("", "6", "New")}, "* 1 true true", nil},
			{resources.LoadItem{Body: patient("x", "6", "Again"), IfNoneExist: "identifier=6"}, "* 1 false false", nil},
			{resources.LoadItem{Body: patient("x", "7", "Seven"), IfNoneExist: "identifier=7"}, "* 1 true true", nil},
			{resources.LoadItem{Body: patient("x", "7", "Seven"), IfNoneExist: "family=New"}, "", is(resources.ErrMultipleMatches)},
			{resources.LoadItem{Body: tooHeavy.Bytes()}, "", is(index.ErrTooManyValues)},
			{resources.LoadItem{Body: []byte(`{"resourceType":"CodeSystem","id":"bad","status":"active"}`)}, "", func(err error) bool { return err != nil }},
			{resources.LoadItem{Body: []byte(`{"resourceType":"CodeSystem","id":"good","status":"active"}`)}, "CodeSystem/good 1 true true", nil},
		}
		var items []resources.LoadItem
		for _, row := range rows {
			items = append(items, row.item)
		}
		results, err := service.Load(t.Context(), items)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			switch row := rows[i]; {
			case row.is != nil:
				if !row.is(r.Err) {
					t.Errorf("%s: %v", row.item.Body, r.Err)
				}
			case r.Err != nil:
				t.Errorf("%s: %v", row.item.Body, r.Err)
			default:
				key := r.String()
				if row.state[0] == '*' {
					key = "*"
				}
				if got := fmt.Sprint(key, " ", r.VersionID, " ", r.Created, " ", r.Changed); got != row.state {
					t.Errorf("%s: %s, want %s", row.item.Body, got, row.state)
				}
			}
		}
		if len(heard.published) != 1 || heard.published["CodeSystem/good"] == "" {
			t.Errorf("published %v", heard.published)
		}
		if got := found(t, service, "Patient", "family=changed"); !cmp.Equal(got, []string{"Patient/a"}) {
			t.Errorf("found %v", got)
		}
	})
}

// TestValidate checks the issues of Validate, and that it stores nothing.
func TestValidate(t *testing.T) {
	service := resources.NewService(memory.New(), nil)
	if _, err := service.Update(t.Context(), "QuestionnaireResponse", "q", []byte(`{"resourceType":"QuestionnaireResponse","id":"q","status":"stopped"}`), resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, typ, id, mode, body string
		code                      string // of the first issue, "" none; invariant is dom-6
		err                       error
	}{
		{"good", "Patient", "", "", `{"resourceType":"Patient"}`, "invariant", nil},
		{"bad", "Patient", "", "create", `{"resourceType":"Patient","gender":"blue"}`, "code-invalid", nil},
		{"update of what is not there", "Patient", "a", "update", `{"resourceType":"Patient","id":"a"}`, "invariant", nil},
		{"other id", "Patient", "a", "update", `{"resourceType":"Patient","id":"b"}`, "invariant", resources.ErrIDMismatch},
		{"update without id", "Patient", "", "update", `{"resourceType":"Patient"}`, "invariant", resources.ErrIDMismatch},
		{"lifecycle", "QuestionnaireResponse", "q", "update", `{"resourceType":"QuestionnaireResponse","id":"q","status":"completed"}`, "business-rule", nil},
		{"of what is stored", "QuestionnaireResponse", "q", "", "", "invariant", nil},
		{"delete", "QuestionnaireResponse", "q", "delete", "", "", nil},
		{"delete of nothing", "QuestionnaireResponse", "none", "delete", "", "", resources.ErrNotFound},
		{"unknown type", "Cow", "", "", `{"resourceType":"Cow"}`, "", resources.ErrUnknownType},
		{"other type", "Patient", "", "", `{"resourceType":"Observation"}`, "", resources.ErrTypeMismatch},
	} {
		var body []byte
		if tt.body != "" {
			body = []byte(tt.body)
		}
		issues, err := service.Validate(t.Context(), tt.typ, tt.id, tt.mode, body)
		if !errors.Is(err, tt.err) || tt.err == nil && err != nil {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
		}
		if (len(issues) > 0) != (tt.code != "") || len(issues) > 0 && issues[0].Code != tt.code {
			t.Errorf("%s: issues %v", tt.name, issues)
		}
	}
	if _, err := service.Read(t.Context(), "Patient", "a"); !errors.Is(err, resources.ErrNotFound) {
		t.Errorf("stored: %v", err)
	}
}
