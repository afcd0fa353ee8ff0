package resources_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

// TestMinimum checks what R4 requires of every document, on create and on update.
func TestMinimum(t *testing.T) {
	for _, tt := range []struct {
		name, typ, body string
		want            error
		expression      string
	}{
		{"status", "ValueSet", `{"resourceType":"ValueSet","id":"a","status":"draft"}`, nil, ""},
		{"status elsewhere", "ValueSet", `{"status":"retired","resourceType":"ValueSet","id":"a"}`, nil, ""},
		{"code system without content", "CodeSystem", `{"resourceType":"CodeSystem","id":"a","status":"active"}`, nil, ""},
		{"absent", "CodeSystem", `{"resourceType":"CodeSystem","id":"a"}`, resources.ErrRequired, "CodeSystem.status"},
		{"of a part only", "ConceptMap", `{"resourceType":"ConceptMap","id":"a","contained":[{"status":"active"}]}`, resources.ErrRequired, "ConceptMap.status"},
		{"empty", "ValueSet", `{"resourceType":"ValueSet","id":"a","status":""}`, resources.ErrRequired, "ValueSet.status"},
		{"null", "ValueSet", `{"resourceType":"ValueSet","id":"a","status":null}`, resources.ErrRequired, "ValueSet.status"},
		{"other code", "ValueSet", `{"resourceType":"ValueSet","id":"a","status":"Active"}`, resources.ErrBadCode, "ValueSet.status"},
		{"content", "CodeSystem", `{"resourceType":"CodeSystem","id":"a","status":"active","content":"fragment","hierarchyMeaning":"part-of"}`, nil, ""},
		{"other content", "CodeSystem", `{"resourceType":"CodeSystem","id":"a","status":"active","content":"draft"}`, resources.ErrBadCode, "CodeSystem.content"},
		{"other meaning", "CodeSystem", `{"resourceType":"CodeSystem","id":"a","status":"active","hierarchyMeaning":"isa"}`, resources.ErrBadCode, "CodeSystem.hierarchyMeaning"},
		{"content of another type", "ValueSet", `{"resourceType":"ValueSet","id":"a","status":"active","content":"draft"}`, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			strict := resources.NewService(memory.New(), nil)
			_, updated := strict.Update(t.Context(), tt.typ, "a", []byte(tt.body), resources.UpdateOptions{})
			_, created := strict.Create(t.Context(), tt.typ, []byte(tt.body), resources.CreateOptions{})
			for _, err := range []error{updated, created} {
				if !errors.Is(err, tt.want) {
					t.Fatalf("got %v, want %v", err, tt.want)
				}
				var element *resources.ElementError
				if tt.want != nil && (!errors.As(err, &element) || element.Expression != tt.expression || !strings.Contains(err.Error(), "complete") && !strings.Contains(err.Error(), "active") && !strings.Contains(err.Error(), "is-a")) {
					t.Errorf("got %v", err)
				}
			}
			relaxed := resources.NewService(memory.New(), nil, resources.WithoutMinimum())
			if _, err := relaxed.Update(t.Context(), tt.typ, "a", []byte(tt.body), resources.UpdateOptions{}); err != nil {
				t.Errorf("without minimum: %v", err)
			}
		})
	}
}
