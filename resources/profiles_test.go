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

// narrative is the text of a resource without warnings, and a comma.
const narrative = `"text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">x</div>"},`

// TestProfiles checks stored profiles: given and claimed, after they change, on writes only if the
// service is set so, and for targets of references.
func TestProfiles(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		ctx, plain, strict := t.Context(), resources.NewService(store, nil), resources.NewService(store, nil, resources.WithProfiles())
		define := func(version, elements string) {
			t.Helper()
			body := `{"resourceType":"StructureDefinition","id":"p","url":"http://x.example/p,1","version":"` + version + `","name":"P","status":"active","kind":"resource","abstract":false,"type":"Patient","derivation":"constraint",` +
				`"baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","differential":{"element":[` + elements + `]}}`
			if _, err := plain.Update(ctx, "StructureDefinition", "p", []byte(body), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		check := func(s *resources.Service, claims string, want string, profiles ...string) {
			t.Helper()
			if claims != "" {
				claims = `"meta":{"profile":[` + claims + `]},`
			}
			body := `{"resourceType":"Patient",` + narrative + claims + `"link":[{"other":{"reference":"Patient/1"},"type":"refer"}]}`
			issues, err := s.Validate(ctx, "Patient", "", "", []byte(body), profiles...)
			var texts []string
			for _, i := range issues {
				texts = append(texts, i.Text)
			}
			if got := strings.Join(texts, "; "); err != nil || !strings.HasPrefix(got, want) || want == "" && got != "" || len(texts) > 1 {
				t.Errorf("%s %s: %s %v, want %s", claims, profiles, got, err, want)
			}
		}
		const url, claim = "http://x.example/p,1", `"http://x.example/p,1"`
		check(plain, claim, "the profile http://x.example/p,1 is not checked: the profile is not known")
		define("1", `{"id":"Patient.name","path":"Patient.name","min":1}`)
		missing := "the element must occur at least once, but occurs 0 times (profile http://x.example/p,1, element Patient.name)"
		for _, s := range []*resources.Service{plain, strict} {
			check(s, claim, missing)
			check(s, "", missing, url)
			check(s, "", missing, url+"|1")
			check(s, "", "the profile http://x.example/p,1|2 is not checked", url+"|2")
			check(s, "", "")
		}
		body := []byte(`{"resourceType":"Patient",` + narrative + `"id":"1","meta":{"profile":[` + claim + `]}}`)
		_, err := strict.Update(ctx, "Patient", "1", body, resources.UpdateOptions{})
		if invalid, is := errors.AsType[*validate.Invalid](err); !is || len(invalid.Issues) != 1 {
			t.Errorf("a write that is checked: %v", err)
		}
		bundle := &resources.Bundle{Type: "transaction", Entries: []resources.BundleEntry{{Method: "PUT", URL: "Patient/1", Resource: body}}}
		if _, err := strict.Transaction(ctx, bundle, resources.TransactionOptions{}); !errors.Is(err, resources.ErrInvalid) {
			t.Errorf("a transaction that is checked: %v", err)
		}
		if _, err := plain.Update(ctx, "Patient", "1", body, resources.UpdateOptions{}); err != nil {
			t.Errorf("a write that is not checked: %v", err)
		}
		if issues, err := plain.Validate(ctx, "Patient", "1", "", nil); err != nil || len(issues) != 1 {
			t.Errorf("what is stored: %v %v", issues, err)
		}
		if issues, err := plain.Validate(ctx, "Patient", "1", "delete", nil); err != nil || len(issues) != 0 {
			t.Errorf("a deletion: %v %v", issues, err)
		}
		define("2", `{"id":"Patient.link.other","path":"Patient.link.other","type":[{"code":"Reference","targetProfile":["http://x.example/p,1","http://hl7.org/fhir/StructureDefinition/RelatedPerson"]}]},{"id":"Patient.active","path":"Patient.active","min":1}`)
		body = []byte(`{"resourceType":"Patient",` + narrative + `"active":true,"link":[{"other":{"reference":"Patient/1"},"type":"refer"}]}`)
		if issues, err := plain.Validate(ctx, "Patient", "", "", body, url); err != nil || len(issues) != 1 || !strings.Contains(issues[0].Text, "Patient.active: the element must occur") {
			t.Errorf("the target of a reference: %v %v", issues, err)
		}
		if _, err := plain.Delete(ctx, "StructureDefinition", "p", resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		check(plain, claim, "the profile http://x.example/p,1 is not checked: the profile is not known")
	})
	unsearchable := resources.NewService(struct{ resources.Store }{memory.New()}, nil)
	issues, err := unsearchable.Validate(t.Context(), "Patient", "", "", []byte(`{"resourceType":"Patient",`+narrative+`"active":true}`), "urn:p")
	if err != nil || len(issues) != 1 || issues[0].Severity != validate.Warning {
		t.Errorf("a store that cannot be searched: %v %v", issues, err)
	}
}

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
