package resources_test

import (
	"errors"
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
