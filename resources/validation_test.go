package resources_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/validate"
)

// TestValidation checks that creates and updates are validated, and that a service without
// validation stores any document.
func TestValidation(t *testing.T) {
	for _, tt := range []struct{ name, typ, body, expression string }{
		{"status", "ValueSet", `{"resourceType":"ValueSet","id":"a","status":"draft"}`, ""},
		{"code system without content", "CodeSystem", `{"resourceType":"CodeSystem","id":"a","status":"active"}`, ""},
		{"absent", "CodeSystem", `{"resourceType":"CodeSystem","id":"a"}`, "CodeSystem.status"},
		{"of a part only", "ConceptMap", `{"resourceType":"ConceptMap","id":"a","contained":[{"resourceType":"ValueSet","id":"v","status":"active"}]}`, "ConceptMap.status"},
		{"other code", "ValueSet", `{"resourceType":"ValueSet","id":"a","status":"Active"}`, "ValueSet.status"},
		{"other content", "CodeSystem", `{"resourceType":"CodeSystem","id":"a","status":"active","content":"draft"}`, "CodeSystem.content"},
		{"unknown element", "Patient", `{"resourceType":"Patient","id":"a","colour":"red"}`, "Patient.colour"},
		{"two of a choice", "Patient", `{"resourceType":"Patient","id":"a","deceasedBoolean":true,"deceasedDateTime":"2020"}`, "Patient.deceased"},
		{"patient", "Patient", `{"resourceType":"Patient","id":"a","birthDate":"1980-02"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			strict := resources.NewService(memory.New(), nil)
			_, updated := strict.Update(t.Context(), tt.typ, "a", []byte(tt.body), resources.UpdateOptions{})
			_, created := strict.Create(t.Context(), tt.typ, []byte(tt.body), resources.CreateOptions{})
			for _, err := range []error{updated, created} {
				var invalid *validate.Invalid
				switch {
				case tt.expression == "" && err != nil:
					t.Errorf("refused: %v", err)
				case tt.expression == "":
				case !errors.As(err, &invalid) || !errors.Is(err, resources.ErrInvalid) || invalid.Issues[0].Expression != tt.expression:
					t.Errorf("got %v, want an error at %s", err, tt.expression)
				}
			}
			relaxed := resources.NewService(memory.New(), nil, resources.WithoutValidation())
			if _, err := relaxed.Update(t.Context(), tt.typ, "a", []byte(tt.body), resources.UpdateOptions{}); err != nil {
				t.Errorf("without validation: %v", err)
			}
		})
	}
}

// TestLifecycle covers every change of status of a QuestionnaireResponse, by update and by patch.
func TestLifecycle(t *testing.T) {
	states := []string{"in-progress", "completed", "amended", "entered-in-error", "stopped"}
	allowed := map[string]string{
		"in-progress": "in-progress completed stopped", "completed": "completed amended",
		"stopped": "stopped entered-in-error", "amended": "amended entered-in-error", "entered-in-error": "entered-in-error",
	}
	for mode, name := range map[resources.Lifecycle]string{
		resources.EnforceLifecycle: "enforce", resources.WarnLifecycle: "warn", resources.IgnoreLifecycle: "off",
	} {
		for _, from := range states {
			for _, to := range states {
				service := resources.NewService(memory.New(), nil, resources.WithLifecycle(mode))
				response := func(status string) []byte {
					return []byte(`{"resourceType":"QuestionnaireResponse","id":"a","status":"` + status + `"}`)
				}
				ok := mode != resources.EnforceLifecycle || containsWord(allowed[from], to)
				for what, change := range map[string]func() (resources.Outcome, error){
					"update": func() (resources.Outcome, error) {
						return service.Update(t.Context(), "QuestionnaireResponse", "a", response(to), resources.UpdateOptions{})
					},
					"patch": func() (resources.Outcome, error) {
						return service.Patch(t.Context(), "QuestionnaireResponse", "a", replaced(response(to)), resources.UpdateOptions{})
					},
				} {
					if _, err := service.Delete(t.Context(), "QuestionnaireResponse", "a", resources.UpdateOptions{}); err != nil {
						t.Fatal(err)
					}
					if _, err := service.Update(t.Context(), "QuestionnaireResponse", "a", response(from), resources.UpdateOptions{}); err != nil {
						t.Fatalf("any status may be created: %v", err)
					}
					o, err := change()
					var invalid *validate.Invalid
					switch {
					case ok && err != nil:
						t.Errorf("%s, %s from %s to %s: %v", name, what, from, to, err)
					case !ok && (!errors.As(err, &invalid) || invalid.Issues[0].Code != "business-rule"):
						t.Errorf("%s, %s from %s to %s: %v, want a business-rule", name, what, from, to, err)
					case mode == resources.WarnLifecycle && (len(o.Issues) == 2) == containsWord(allowed[from], to):
						t.Errorf("%s, %s from %s to %s: issues %v", name, what, from, to, o.Issues)
					}
				}
			}
		}
	}
}

// replaced is a patch that replaces the document.
type replaced []byte

func (r replaced) Apply([]byte) ([]byte, error) { return r, nil }

func containsWord(list, word string) bool { return slices.Contains(strings.Fields(list), word) }
