package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/closure"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/sharedtest"
)

// permitDoc is a resource of the matrix.
type permitDoc struct {
	key  resources.Key
	body []byte
	doc  map[string]any
}

// Two patients of the examples of R4, whose records the grants of the matrix are about.
const patientOne, patientTwo = "example", "f001"

// permitDocs returns examples of R4 of all types, a few of each, and some conditions.
func permitDocs(t testing.TB, o *permitOracle) []permitDoc {
	t.Helper()
	const perType = 2 // of each: in the one compartment, in the other, in none
	kept := map[string]int{}
	var docs []permitDoc
	add := func(line []byte) {
		var doc map[string]any
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatal(err)
		}
		typ := doc["resourceType"].(string)
		if typ == "Parameters" || len(line) > 30_000 {
			return
		}
		group := fmt.Sprint(typ, o.member(doc, patientOne), o.member(doc, patientTwo))
		if kept[group]++; kept[group] > perType {
			return
		}
		docs = append(docs, permitDoc{resources.Key{Type: typ, ID: doc["id"].(string)}, line, doc})
	}
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		add(slices.Clone(line))
	}
	perGroup := kept
	for _, more := range permitConditions() {
		clear(perGroup)
		add([]byte(more))
	}
	for i := range 2 { // resources that /r5 serves, too
		add(fmt.Appendf(nil, `{"resourceType":"ConceptMap","id":"map%d","url":"http://example.org/map%d","status":"active","sourceUri":"http://example.org/s","targetUri":"http://example.org/t","group":[`+
			`{"source":"http://example.org/a","target":"http://example.org/b","element":[{"code":"a","target":[{"code":"b","equivalence":"equal"}]}]}]}`, i, i))
		add(fmt.Appendf(nil, `{"resourceType":"NamingSystem","id":"name%d","name":"n%d","status":"active","kind":"codesystem","date":"2026","uniqueId":[{"type":"uri","value":"http://example.org/n%d"}]}`, i, i, i))
	}
	for _, patient := range []string{patientOne, patientTwo} {
		if !slices.ContainsFunc(docs, func(d permitDoc) bool { return d.key == resources.Key{Type: "Patient", ID: patient} }) {
			t.Fatalf("the examples have no Patient/%s", patient)
		}
	}
	return docs
}

const permitSystem = "http://example.org/conditions"

// permitSensitive are the codes of the value set of the policies.
var permitSensitive = map[string]bool{permitSystem + "|hiv": true, permitSystem + "|hiv-1": true, permitSystem + "|abuse": true, "http://snomed.info/sct|39065001": true}

// permitBelow are hiv and what is below it.
var permitBelow = map[string]bool{permitSystem + "|hiv": true, permitSystem + "|hiv-1": true}

// permitTerminology are the code system and the value set of the policies.
var permitTerminology = []string{
	`{"resourceType":"CodeSystem","id":"conditions","url":"` + permitSystem + `","status":"active","content":"complete","hierarchyMeaning":"is-a","concept":[` +
		`{"code":"infection","concept":[{"code":"hiv","concept":[{"code":"hiv-1"}]},{"code":"cold"}]},{"code":"abuse"},{"code":"fracture"}]}`,
	`{"resourceType":"ValueSet","id":"sensitive","url":"http://example.org/sensitive","status":"active","compose":{"include":[` +
		`{"system":"` + permitSystem + `","filter":[{"property":"concept","op":"is-a","value":"hiv"}]},` +
		`{"system":"` + permitSystem + `","concept":[{"code":"abuse"}]},{"system":"http://snomed.info/sct","concept":[{"code":"39065001"}]}]}}`,
}

// permitConditions are conditions with no code, one code and several, sensitive ones first, last and
// of another system.
func permitConditions() []string {
	var list []string
	for i, code := range []string{
		"hiv", "hiv-1", "cold", "fracture", "cold,abuse", "abuse,cold", "other:hiv", ":hiv", "text", "",
	} {
		var codings []string
		for c := range strings.SplitSeq(code, ",") {
			if system, bare, other := strings.Cut(c, ":"); other {
				if system != "" {
					system = `"system":"http://other.example",`
				}
				codings = append(codings, `{`+system+`"code":"`+bare+`"}`)
				continue
			}
			codings = append(codings, `{"system":"`+permitSystem+`","code":"`+c+`"}`)
		}
		element := `"code":{"coding":[` + strings.Join(codings, ",") + `]},`
		switch code {
		case "text":
			element = `"code":{"text":"hiv"},`
		case "":
			element = ""
		}
		patient := []string{patientOne, patientTwo, "nobody"}[i%3]
		security := ""
		if i%4 == 1 {
			security = `"meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-Confidentiality","code":"R"}]},`
		}
		list = append(list, fmt.Sprintf(`{"resourceType":"Condition","id":"c%d",%s%s"subject":{"reference":"Patient/%s"}}`, i, security, element, patient))
	}
	return list
}

// permitStart is the time of the first resource of a world.
var permitStart = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// permitWorld is a server with some of the documents. All worlds store a document at the same time,
// so that they order and date them alike.
type permitWorld struct {
	handler http.Handler
	service *resources.Service
	engine  *engine.Engine
	at      time.Time
	grant   *access.Grant // of all requests; nil for no restriction
}

// Authenticate implements httpadapter.Authenticator.
func (w *permitWorld) Authenticate(*http.Request) (*access.Principal, error) {
	return &access.Principal{Subject: "tester", Issuer: "test"}, nil
}

// Authorize implements httpadapter.Authorizer.
func (w *permitWorld) Authorize(context.Context, *access.Principal) (*access.Grant, error) {
	return w.grant, nil
}

func newPermitWorld(t testing.TB, store resources.Store, docs []permitDoc, wanted func(permitDoc) bool) *permitWorld {
	t.Helper()
	w := &permitWorld{engine: engine.New()}
	w.service = resources.NewService(store, w.engine, resources.WithTerminology(w.engine), resources.WithoutValidation(),
		resources.WithClock(func() time.Time { return w.at }))
	folder := t.TempDir()
	for i, body := range permitTerminology {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.json", i)), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.engine.Load(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	for i, d := range docs {
		if !wanted(d) {
			continue
		}
		w.at = permitStart.Add(time.Duration(i) * time.Second)
		if _, err := w.service.Update(t.Context(), d.key.Type, d.key.ID, d.body, resources.UpdateOptions{}); err != nil {
			t.Fatalf("%s: %v", d.key, err)
		}
	}
	w.at = permitStart.Add(time.Hour)
	config := httpadapter.Config{
		Engine: w.engine, Resources: w.service, Version: "1", Closures: closure.New(w.engine, store.(resources.Journaler), closure.Limits{}, nil),
		Limits: httpadapter.Limits{PageSize: 500},
	}
	open, err := httpadapter.New(config)
	if err != nil {
		t.Fatal(err)
	}
	config.Authenticators, config.Authorizer = []httpadapter.Authenticator{w}, w
	guarded, err := httpadapter.New(config)
	if err != nil {
		t.Fatal(err)
	}
	w.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.grant == nil {
			open.ServeHTTP(rw, r)
			return
		}
		guarded.ServeHTTP(rw, r)
	})
	return w
}

// permitAnswer is the answer to a request, without what may differ between worlds.
type permitAnswer struct {
	status int
	body   string
	raw    string
	header http.Header
}

var permitVolatile = regexp.MustCompile(`_cursor=[^"&]*`)

func (w *permitWorld) do(method, path, body string, header ...string) permitAnswer {
	r := httptest.NewRequest(method, "http://roget.test"+path, strings.NewReader(body))
	switch {
	case strings.HasSuffix(path, "/_search"):
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	case method == http.MethodPatch:
		r.Header.Set("Content-Type", "application/json-patch+json")
	case body != "":
		r.Header.Set("Content-Type", "application/fhir+json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	text := rec.Body.String()
	return permitAnswer{rec.Code, permitVolatile.ReplaceAllString(text, "_cursor=*"), text, rec.Header()}
}

// grantOf returns the grant as the server knows it.
func grantOf(t testing.TB, g *permitGrant) *access.Grant {
	t.Helper()
	out := &access.Grant{Patient: g.patient}
	for _, side := range []struct {
		from []permitScope
		to   *[]access.Scope
	}{{g.allow, &out.Allow}, {g.deny, &out.Deny}} {
		for _, s := range side.from {
			parsed, err := access.ParseScope(s.text)
			if err != nil {
				t.Fatal(err)
			}
			*side.to = append(*side.to, parsed)
		}
	}
	return out
}
