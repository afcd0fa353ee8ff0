package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

// permitCase is a world for a test of one matter.
func permitCase(t *testing.T) *permitWorld {
	t.Helper()
	return newPermitWorld(t, memory.New(), nil, nil)
}

// must sends a request without restriction and requires a status.
func (w *permitWorld) must(t *testing.T, status int, method, path, body string) permitAnswer {
	t.Helper()
	grant := w.grant
	w.grant = nil
	defer func() { w.grant = grant }()
	return w.asked(t, status, method, path, body)
}

// asked sends a request with the grant of the world and requires a status.
func (w *permitWorld) asked(t *testing.T, status int, method, path, body string) permitAnswer {
	t.Helper()
	w.at = w.at.Add(1e9)
	a := w.do(method, path, body)
	if a.status != status {
		t.Errorf("%s %s: status %d, want %d: %s", method, path, a.status, status, short(a.body))
	}
	return a
}

// permit sets the grant of the requests that follow. A scope after an exclamation mark is denied.
func (w *permitWorld) permit(t *testing.T, patient string, scopes ...string) {
	t.Helper()
	g := &permitGrant{patient: patient}
	for _, text := range scopes {
		if denied, is := strings.CutPrefix(text, "!"); is {
			g.deny = append(g.deny, permitScope{text: denied})
			continue
		}
		g.allow = append(g.allow, permitScope{text: text})
	}
	w.grant = grantOf(t, g)
}

func condition(id, patient, code string) string {
	return `{"resourceType":"Condition","id":"` + id + `","subject":{"reference":"Patient/` + patient + `"},"code":{"coding":[{"system":"` + permitSystem + `","code":"` + code + `"}]}}`
}

// TestPermissionHistory hides versions whose content is hidden, and all versions of a resource that is
// hidden now.
func TestPermissionHistory(t *testing.T) {
	w := permitCase(t)
	for id, codes := range map[string][]string{"worse": {"cold", "hiv"}, "better": {"hiv", "cold", "fracture"}, "gone": {"cold", ""}, "lost": {"hiv", ""}, "again": {"hiv", "", "cold"}} {
		for _, code := range codes {
			if code == "" {
				w.must(t, http.StatusNoContent, "DELETE", "/Condition/"+id, "")
			} else if a := w.do("PUT", "/Condition/"+id, condition(id, "a", code)); a.status > 201 {
				t.Fatal(a.body)
			}
		}
	}
	w.permit(t, "", "user/*.rs", "!user/Condition.rs?code:in=http://example.org/sensitive")
	for path, want := range map[string]int{
		"worse": 404, "worse/_history/1": 404, "worse/_history/2": 404, "worse/_history": 404,
		"better": 200, "better/_history/1": 404, "better/_history/2": 200, "better/_history/3": 200, "better/_history": 200,
		"gone": 410, "gone/_history/1": 200, "gone/_history/2": 410, "gone/_history": 200,
		"lost": 404, "lost/_history/1": 404, "lost/_history/2": 404, "lost/_history": 404,
		"again": 200, "again/_history/1": 404, "again/_history/2": 404, "again/_history/3": 200, "again/_history": 200,
	} {
		a := w.asked(t, want, "GET", "/Condition/"+path, "")
		if strings.Contains(a.body, `"hiv"`) {
			t.Errorf("%s shows a hidden version: %s", path, a.body)
		}
	}
	for path, total := range map[string]string{"better/_history": `"total":2`, "gone/_history": `"total":2`, "again/_history": `"total":1`} {
		if a := w.asked(t, 200, "GET", "/Condition/"+path, ""); !strings.Contains(a.body, total) {
			t.Errorf("%s: %s, want %s", path, short(a.body), total)
		}
	}
	for _, path := range []string{"/Condition/_history", "/_history"} {
		a := w.asked(t, 200, "GET", path, "")
		if n := strings.Count(a.body, `"fullUrl"`); n != 5 || strings.Contains(a.body, "hiv") || strings.Contains(a.body, "worse") || strings.Contains(a.body, "lost") {
			t.Errorf("%s has %d entries: %s", path, n, a.body)
		}
	}
}

// TestPermissionMeaning tries to change the value set of a denial, to see what it hides.
func TestPermissionMeaning(t *testing.T) {
	w := permitCase(t)
	w.must(t, http.StatusCreated, "PUT", "/Condition/h", condition("h", "a", "hiv"))
	set := `{"resourceType":"ValueSet","url":"http://example.org/sensitive","version":"9","status":"active","compose":{"include":[{"system":"http://other.example"}]}}`
	stored := strings.Replace(set, `{`, `{"id":"mine",`, 1)
	entry := `{"resourceType":"Bundle","type":"transaction","entry":[{"resource":` + set + `,"request":{"method":"POST","url":"ValueSet"}}]}`
	w.permit(t, "", "user/*.cruds", "!user/Condition.cruds?code:in=http://example.org/sensitive")
	w.asked(t, 404, "GET", "/Condition/h", "")
	w.asked(t, 403, "POST", "/ValueSet", set)
	w.asked(t, 403, "PUT", "/ValueSet/mine", stored)
	w.asked(t, 403, "PUT", "/ValueSet?url=http://example.org/sensitive", set)
	w.asked(t, 403, "POST", "/", entry)
	w.asked(t, 403, "POST", "/CodeSystem", `{"resourceType":"CodeSystem","url":"`+permitSystem+`","version":"9","status":"active","content":"complete"}`)
	w.asked(t, 404, "GET", "/Condition/h", "")
	w.must(t, 201, "PUT", "/ValueSet/other", `{"resourceType":"ValueSet","id":"other","url":"http://example.org/other","status":"active"}`)
	w.asked(t, 200, "GET", "/ValueSet/other", "")
	w.asked(t, 403, "DELETE", "/ValueSet/other", "")
	w.permit(t, "", "user/*.cruds", "!user/Condition.cruds?code=cold")
	w.asked(t, 204, "DELETE", "/ValueSet/other", "")
}

// TestPermissionCursor follows the link of a page with another grant, and after the resource was
// hidden: a cursor permits nothing, even of the state that it stands for.
func TestPermissionCursor(t *testing.T) {
	w := permitCase(t)
	for _, id := range []string{"c1", "c2", "c3", "c4"} {
		w.must(t, http.StatusCreated, "PUT", "/Condition/"+id, condition(id, "a", "cold"))
	}
	for _, path := range []string{"/Condition?_count=1", "/Condition/_history?_count=1", "/Condition?_count=1&_sort=code"} {
		w.permit(t, "", "user/*.rs", "!user/Condition.rs?code:in=http://example.org/sensitive")
		next := linkOf(w.asked(t, 200, "GET", path, "").raw, "next")
		w.must(t, http.StatusOK, "PUT", "/Condition/c3", condition("c3", "a", "hiv"))
		seen := ""
		for at := next; at != ""; {
			a := w.asked(t, 200, "GET", at, "")
			seen += a.body
			at = linkOf(a.raw, "next")
		}
		if strings.Contains(seen, `"c3"`) || !strings.Contains(seen, `"c2"`) {
			t.Errorf("the pages after %s: %s", path, seen)
		}
		w.permit(t, "b", "patient/*.rs")
		if a := w.asked(t, 200, "GET", next, ""); strings.Contains(a.body, "fullUrl") {
			t.Errorf("the cursor of another grant shows %s", short(a.body))
		}
		w.permit(t, "b", "user/Patient.rs")
		w.asked(t, 403, "GET", next, "")
		w.must(t, http.StatusOK, "PUT", "/Condition/c3", condition("c3", "a", "cold"))
	}
}

// TestPermissionUndecided refuses whatever depends on a scope or denial that cannot be decided, and
// nothing else.
func TestPermissionUndecided(t *testing.T) {
	w := permitCase(t)
	w.must(t, http.StatusCreated, "PUT", "/Condition/c1", condition("c1", "a", "cold"))
	w.must(t, http.StatusCreated, "PUT", "/Patient/a", `{"resourceType":"Patient","id":"a"}`)
	for _, query := range []string{
		"code:in=http://example.org/unknown", "code:not-in=http://example.org/unknown", "code:below=http://example.org/unknown|x",
		"code:ecl=<< (", "cdoe=x", "_count=5", "_include=*", "_content=hiv", "code", "code:in=", "subject:Patient.nme=x", "_sort=code", "_type=Patient",
		"encounter:Encounter.type:in=http://example.org/unknown", "_has:Provenance:target:activity:in=http://example.org/unknown",
	} {
		for _, scopes := range [][]string{{"user/*.cruds", "!user/Condition.cruds?" + query}, {"user/Patient.rs", "user/Condition.cruds?" + query}} {
			w.permit(t, "", scopes...)
			if err := w.service.CheckGrant(t.Context(), w.grant); err == nil {
				t.Errorf("%q is no error", scopes)
			}
			for _, r := range [][3]string{
				{"GET", "/Condition/c1", ""},
				{"GET", "/Condition", ""},
				{"GET", "/Condition?_summary=count", ""},
				{"GET", "/Condition/_history", ""},
				{"GET", "/Patient?_revinclude=Condition:subject", ""},
				{"GET", "/Patient?_has:Condition:subject:code=cold", ""},
				{"GET", "/?_type=Condition", ""},
				{"DELETE", "/Condition/c1", ""},
				{"PUT", "/Condition/c1", condition("c1", "a", "hiv")},
				{"POST", "/Condition", condition("c1", "a", "hiv")},
			} {
				a := w.asked(t, 403, r[0], r[1], r[2])
				if strings.Contains(a.body, "unknown") || strings.Contains(a.body, "c1") {
					t.Errorf("%s %s: the error repeats the policy: %s", r[0], r[1], a.body)
				}
			}
			w.asked(t, 200, "GET", "/Patient/a", "")
		}
	}
	w.permit(t, "", "user/*.rs", "!user/*.rs?cdoe:in=x")
	w.asked(t, 403, "GET", "/Patient/a", "")
}

// TestPermissionMeaningChanges changes the value set of a policy, which decides at once.
func TestPermissionMeaningChanges(t *testing.T) {
	w := permitCase(t)
	w.must(t, http.StatusCreated, "PUT", "/Condition/c1", condition("c1", "a", "cold"))
	set := func(code string) string {
		return `{"resourceType":"ValueSet","id":"own","url":"http://example.org/own","status":"active","compose":{"include":[{"system":"` + permitSystem + `","concept":[{"code":"` + code + `"}]}]}}`
	}
	w.must(t, http.StatusCreated, "PUT", "/ValueSet/own", set("fracture"))
	w.permit(t, "", "user/*.rs", "!user/*.rs?code:in=http://example.org/own")
	w.asked(t, 200, "GET", "/Condition/c1", "")
	w.must(t, http.StatusOK, "PUT", "/ValueSet/own", set("cold"))
	w.asked(t, 404, "GET", "/Condition/c1", "")
	w.must(t, http.StatusOK, "PUT", "/ValueSet/own", set("fracture"))
	w.asked(t, 200, "GET", "/Condition/c1", "")
	w.must(t, http.StatusNoContent, "DELETE", "/ValueSet/own", "")
	w.asked(t, 403, "GET", "/Condition/c1", "")
}

// TestPermissionTerminology permits operations of terminology to those who may use the type, and
// operations on a stored resource to those who may read it.
func TestPermissionTerminology(t *testing.T) {
	w := permitCase(t)
	w.must(t, http.StatusCreated, "PUT", "/ValueSet/own", `{"resourceType":"ValueSet","id":"own","url":"http://example.org/own","name":"Own","status":"draft","compose":{"include":[{"system":"`+permitSystem+`"}]}}`)
	expand := "/ValueSet/$expand?url=http://example.org/sensitive"
	w.permit(t, "a", "patient/Observation.rs")
	w.asked(t, 403, "GET", expand, "")
	w.asked(t, 403, "GET", "/CodeSystem/$lookup?system="+permitSystem+"&code=hiv", "")
	w.asked(t, 403, "POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"GET","url":"ValueSet/$expand?url=http://example.org/sensitive"}}]}`)
	w.permit(t, "a", "patient/*.rs")
	w.asked(t, 200, "GET", expand, "")
	w.asked(t, 200, "GET", "/ValueSet/own/$expand", "")
	w.permit(t, "", "user/ValueSet.rs?status=active")
	w.asked(t, 200, "GET", expand, "")
	w.asked(t, 404, "GET", "/ValueSet/own/$expand", "")
	w.asked(t, 404, "GET", "/ValueSet/own", "")
	if a := w.asked(t, 200, "GET", "/ValueSet?name=Own", ""); strings.Contains(a.body, "fullUrl") {
		t.Errorf("a search finds %s", a.body)
	}
	w.asked(t, 200, "GET", "/metadata", "")
}

// TestPermissionClosure keeps the closure tables of principals apart.
func TestPermissionClosure(t *testing.T) {
	w := permitCase(t)
	w.permit(t, "", "user/*.rs")
	table := func(name string) string {
		return `{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"problems"}` + name + `]}`
	}
	w.must(t, http.StatusOK, "POST", "/ConceptMap/$closure", table(""))
	w.asked(t, 404, "POST", "/ConceptMap/$closure", table(`,{"name":"version","valueString":"0"}`))
	w.asked(t, 200, "POST", "/ConceptMap/$closure", table(""))
	w.asked(t, 200, "POST", "/ConceptMap/$closure", table(`,{"name":"concept","valueCoding":{"system":"`+permitSystem+`","code":"hiv"}}`))
	if a := w.must(t, http.StatusOK, "POST", "/ConceptMap/$closure", table(`,{"name":"concept","valueCoding":{"system":"`+permitSystem+`","code":"hiv-1"}}`)); strings.Contains(a.body, `"group"`) {
		t.Errorf("the table of another client has codes: %s", a.body)
	}
	w.permit(t, "", "user/Observation.rs")
	w.asked(t, 403, "POST", "/ConceptMap/$closure", table(""))
}

// TestPermissionReferences resolves references of a transaction among what may be searched.
func TestPermissionReferences(t *testing.T) {
	w := permitCase(t)
	w.must(t, http.StatusCreated, "PUT", "/Patient/a", `{"resourceType":"Patient","id":"a","identifier":[{"value":"1"}]}`)
	w.must(t, http.StatusCreated, "PUT", "/Patient/b", `{"resourceType":"Patient","id":"b","identifier":[{"value":"1"}]}`)
	bundle := func(reference string) string {
		return `{"resourceType":"Bundle","type":"transaction","entry":[{"resource":{"resourceType":"Condition","subject":{"reference":"` + reference + `"}},"request":{"method":"POST","url":"Condition"}}]}`
	}
	w.must(t, 412, "POST", "/", bundle("Patient?identifier=1"))
	w.permit(t, "a", "patient/*.cruds")
	if a := w.asked(t, 200, "POST", "/", bundle("Patient?identifier=1")); !strings.Contains(a.body, `"Patient/a"`) {
		t.Errorf("the reference is resolved to %s", a.body)
	}
	w.asked(t, 412, "POST", "/", bundle("Patient?_id=b"))
	w.permit(t, "a", "patient/Condition.cruds", "patient/Patient.r")
	w.asked(t, 403, "POST", "/", bundle("Patient?identifier=1"))
}

// TestPermissionAlways refuses a grant on a store that cannot decide about it.
func TestPermissionAlways(t *testing.T) {
	service := resources.NewService(unsearchable{memory.New()}, nil)
	if _, err := service.Update(t.Context(), "Patient", "a", []byte(`{"resourceType":"Patient","id":"a"}`), resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx := access.WithGrant(t.Context(), &access.Grant{Allow: []access.Scope{{Level: access.System, Type: "*", Actions: access.All}}})
	if v, err := service.Read(ctx, "Patient", "a"); err == nil {
		t.Errorf("read %s", v)
	}
	if page, err := service.History(ctx, resources.HistoryRequest{Type: "Patient", ID: "a"}); err == nil {
		t.Errorf("the history has %d versions", len(page.Versions))
	}
	if _, err := service.Delete(ctx, "Patient", "a", resources.UpdateOptions{}); err == nil {
		t.Error("deleted")
	}
}

// unsearchable is a store without an index.
type unsearchable struct{ resources.Store }

// TestPermissionElsewhere decides anew when a resource has changed that a scope looks at besides the
// one that is read.
func TestPermissionElsewhere(t *testing.T) {
	w := permitCase(t)
	ward := func(status int, name, top string) {
		w.must(t, status, "PUT", "/Organization/ward", `{"resourceType":"Organization","id":"ward","name":"`+name+`","partOf":{"reference":"Organization/`+top+`"}}`)
	}
	ward(201, "Ward", "top")
	w.must(t, 201, "PUT", "/Patient/within", `{"resourceType":"Patient","id":"within","managingOrganization":{"reference":"Organization/ward"}}`)
	for _, scope := range []string{"organization:below=Organization/top", `_filter=organization.name eq "Ward" or gender eq male`} {
		ward(200, "Ward", "top")
		w.permit(t, "", "user/Patient.rs?"+scope)
		for range 2 {
			w.asked(t, 200, "GET", "/Patient/within", "")
			if a := w.asked(t, 200, "GET", "/Patient?_sort=_id", ""); !strings.Contains(a.body, `"entry"`) {
				t.Errorf("%s: %s", scope, short(a.body))
			}
		}
		ward(200, "Other", "elsewhere")
		w.asked(t, 404, "GET", "/Patient/within", "")
		if a := w.asked(t, 200, "GET", "/Patient?_sort=_id", ""); strings.Contains(a.body, `"entry"`) {
			t.Errorf("%s: %s", scope, short(a.body))
		}
	}
}
