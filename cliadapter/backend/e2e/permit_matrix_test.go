package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/resources"
)

// permitGrants are the grants of the matrix.
func permitGrants() []permitGrant {
	s := func(text string) permitScope { return permitScope{text: text} }
	when := func(text string, matches func(map[string]any) bool) permitScope { return permitScope{text, matches} }
	laboratory, vitals := hasToken("category.coding.code", "laboratory"), hasToken("category.coding.code", "vital-signs")
	sensitive := codingIn(permitSensitive)
	list := func(scopes ...permitScope) []permitScope { return scopes }
	return []permitGrant{
		{"all", "", list(s("system/*.cruds")), nil},
		{"nothing", patientOne, nil, nil},
		{"read and search", "", list(s("system/*.rs")), nil},
		{"only read", "", list(s("system/*.r")), nil},
		{"only search", "", list(s("system/*.s")), nil},
		{"only write", "", list(s("system/*.cud")), nil},
		{"one type", "", list(s("system/Observation.rs")), nil},
		{"one type, read", "", list(s("user/Observation.r"), s("user/Patient.s")), nil},
		{"patient", patientOne, list(s("patient/*.rs")), nil},
		{"patient, all", patientOne, list(s("patient/*.cruds")), nil},
		{"other patient, version 1", patientTwo, list(s("patient/*.read")), nil},
		{"patient without a patient", "", list(s("patient/*.rs")), nil},
		{"patient, some types", patientOne, list(s("patient/Observation.rs"), s("patient/Condition.rs"), s("patient/Patient.r"), s("patient/Practitioner.rs"), s("patient/Binary.rs")), nil},
		{"category", patientOne, list(when("patient/Observation.rs?category=laboratory", laboratory)), nil},
		{"categories", patientTwo, list(when("patient/Observation.rs?category=laboratory", laboratory), when("patient/Observation.rs?category=vital-signs", vitals), s("patient/Patient.rs")), nil},
		{"category and status", "", list(when("user/Observation.rs?category=vital-signs&status=final", both(vitals, hasToken("status", "final"))), s("user/Patient.rs")), nil},
		{"patient and user", patientOne, list(s("patient/*.rs"), s("user/Organization.cruds"), when("user/Patient.rs?gender=female", hasToken("gender", "female"))), nil},
		{"not sensitive", "", list(when("user/Condition.rs?code:not-in=http://example.org/sensitive", not(sensitive)), s("user/Patient.rs"), s("user/Encounter.rs")), nil},
		{"deny sensitive", "", list(s("user/*.rs")), list(when("user/Condition.cruds?code:in=http://example.org/sensitive", sensitive))},
		{"deny sensitive of every type", patientOne, list(s("patient/*.rs")), list(when("system/*.cruds?code:in=http://example.org/sensitive", sensitive))},
		{"below", "", list(when("user/Condition.rs?code:below="+permitSystem+"|hiv", codingIn(permitBelow)), s("user/Patient.rs")), nil},
		{"deny ecl", "", list(s("user/*.rs")), list(when("system/Condition.rs?code:ecl="+permitSystem+"|"+url.QueryEscape("<< code#hiv"), codingIn(permitBelow)))},
		{"deny label", patientTwo, list(s("patient/*.rs"), s("user/Condition.rs")), list(when("system/*.rs?_security=R", hasToken("meta.security.code", "R")))},
		{"deny patients", "", list(s("system/*.rs")), list(s("system/Patient.rs"))},
		{"deny a patient", patientTwo, list(s("system/*.rs")), list(s("patient/*.rs"))},
		{"chain", "", list(when("user/Observation.rs?subject:Patient._id="+patientTwo, func(d map[string]any) bool {
			return slices.Contains(values(d, "subject", "reference"), any("Patient/"+patientTwo))
		})), nil},
	}
}

// permitStores are the stores of the matrix, with the grants that they see unless ROGET_MATRIX=whole.
var permitStores = []struct {
	name   string
	grants []string // nil for all
	open   func(t *testing.T) (resources.Store, error)
}{
	{"memory", nil, func(*testing.T) (resources.Store, error) { return memory.New(), nil }},
	{"sqlite", []string{"patient, all", "deny sensitive"}, func(t *testing.T) (resources.Store, error) {
		return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "roget.db"))
	}},
	{"postgres", []string{"not sensitive", "patient, some types"}, func(t *testing.T) (resources.Store, error) {
		return postgres.Open(t.Context(), postgresServer.Schema(t))
	}},
}

// TestPermissionMatrix sends requests of every kind about every type with each grant, and compares the
// answers with those of a server without permissions that has only what the oracle says is visible.
// A type that a grant does not cover at all is a 403.
func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	if raceDetector {
		t.Skip("the matrix is long")
	}
	o := newPermitOracle(t)
	docs := permitDocs(t, o)
	var rows atomic.Int64
	for _, at := range permitStores {
		t.Run(at.name, func(t *testing.T) {
			for _, g := range permitGrants() {
				if at.grants != nil && os.Getenv("ROGET_MATRIX") != "whole" && !slices.Contains(at.grants, g.name) {
					continue
				}
				t.Run(g.name, func(t *testing.T) {
					t.Parallel()
					store, err := at.open(t)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = store.Close() })
					guarded := newPermitWorld(t, store, docs, func(permitDoc) bool { return true })
					m := newPermitMatrix(t, o, docs, guarded, &g)
					for _, typ := range m.types {
						m.aboutType(t, typ)
					}
					m.acrossTypes(t)
					for _, form := range []string{"xml", "history", "include", "/r5", "/r5 search", "/r5 xml", "/baseR4", "/baseR4 search", "/r4", "/r4 search"} {
						if g.name == "all" && m.shown[form] == 0 {
							t.Errorf("no answer of %s shows anything: %v", form, m.shown)
						}
					}
					rows.Add(int64(m.rows))
				})
			}
		})
	}
	t.Logf("%d rows", rows.Load())
	if rows.Load() < 5_000 && !t.Failed() {
		t.Errorf("the matrix has only those")
	}
}

// permitMatrix compares the answers with one grant.
type permitMatrix struct {
	o       *permitOracle
	g       *permitGrant
	docs    []permitDoc
	types   []string
	guarded *permitWorld
	// read and search are the servers that have what the grant lets read and search. They are the
	// same if it makes no difference.
	read, search *permitWorld
	same         bool
	rows, failed int
	shown        map[string]int // answers that showed something, by format and base
}

func newPermitMatrix(t *testing.T, o *permitOracle, docs []permitDoc, guarded *permitWorld, g *permitGrant) *permitMatrix {
	t.Helper()
	m := &permitMatrix{o: o, g: g, docs: docs, guarded: guarded, same: true, shown: map[string]int{}}
	guarded.grant = grantOf(t, g)
	for _, d := range docs {
		if !slices.Contains(m.types, d.key.Type) {
			m.types = append(m.types, d.key.Type)
		}
		m.same = m.same && o.permits(g, 'r', d.doc) == o.permits(g, 's', d.doc)
	}
	m.read = newPermitWorld(t, memory.New(), docs, func(d permitDoc) bool { return o.permits(g, 'r', d.doc) })
	if m.search = m.read; !m.same {
		m.search = newPermitWorld(t, memory.New(), docs, func(d permitDoc) bool { return o.permits(g, 's', d.doc) })
	}
	return m
}

// compare sends a request to the server with permissions, and to the one that has what is visible.
func (m *permitMatrix) compare(t *testing.T, plain *permitWorld, covered bool, method, path, body string, header ...string) (got, want permitAnswer) {
	t.Helper()
	m.rows++
	got = m.guarded.do(method, path, body, header...)
	if !covered {
		if got.status != http.StatusForbidden || !strings.Contains(got.body, `"forbidden"`) {
			m.fail(t, "%s %s: status %d, want 403: %s", method, path, got.status, short(got.body))
		}
		return got, got
	}
	want = plain.do(method, path, body, header...)
	if got.status != want.status || got.body != want.body || got.header.Get("Etag") != want.header.Get("Etag") {
		m.fail(t, "%s %s %s:\n got %d %s\nwant %d %s", method, path, body, got.status, differ(got.body, want.body), want.status, differ(want.body, got.body))
	}
	return got, want
}

// fail reports the first failures of a grant.
func (m *permitMatrix) fail(t *testing.T, format string, args ...any) {
	t.Helper()
	if m.failed++; m.failed <= 8 {
		t.Errorf(format, args...)
	} else {
		t.Fail()
	}
}

// differ returns the part of a text that begins shortly before the first difference.
func differ(text, other string) string {
	at := 0
	for at < min(len(text), len(other)) && text[at] == other[at] {
		at++
	}
	from := max(0, at-120)
	return "…" + text[from:min(len(text), at+200)]
}

// aboutType sends the requests about one type.
func (m *permitMatrix) aboutType(t *testing.T, typ string) {
	t.Helper()
	reads, searches := m.o.covered(m.g, typ, 'r'), m.o.covered(m.g, typ, 's')
	var ids []string
	for _, d := range m.docs {
		if d.key.Type == typ {
			ids = append(ids, d.key.ID)
		}
	}
	for _, id := range append(slices.Clone(ids), "missing") {
		m.compare(t, m.read, reads, "GET", "/"+typ+"/"+id, "")
		m.compare(t, m.read, reads, "GET", "/"+typ+"/"+id+"/_history/1", "")
		m.compare(t, m.read, reads, "GET", "/"+typ+"/"+id+"/_history", "")
		m.compare(t, m.read, reads, "GET", "/"+typ+"/"+id, "", "If-None-Match", `W/"1"`)
	}
	m.compare(t, m.read, reads, "GET", "/"+typ+"/"+ids[0]+"/_history/2", "")
	m.compare(t, m.read, reads, "GET", "/"+typ+"/"+ids[0]+"?_summary=text", "")
	m.compare(t, m.read, reads, "GET", "/"+typ+"/"+ids[0]+"/$validate", "")
	all := strings.Join(ids, ",")
	for _, query := range []string{
		"", "?_summary=count", "?_total=accurate&_elements=id", "?_id=" + all, "?_sort=_lastUpdated&_count=500",
		"?_sort=_id&_total=accurate", "?_id:missing=false&_summary=true", "?_lastUpdated=gt2026-01-01", "?_include=*", "?_include:iterate=*",
	} {
		m.compare(t, m.search, searches, "GET", "/"+typ+query, "")
	}
	m.compare(t, m.search, searches, "POST", "/"+typ+"/_search", "_id="+url.QueryEscape(all))
	m.compare(t, m.search, searches, "GET", "/"+typ+"/_history", "")
	m.compare(t, m.search, searches, "GET", "/"+typ+"/_history?_count=1", "")
	if len(m.o.paths[typ]) > 0 || typ == "Patient" {
		m.compartment(t, typ, searches)
	}
	m.pages(t, typ, searches)
	m.batch(t, typ, ids)
	m.formats(t, typ, ids, reads, searches)
}

// permitR5 are types that /r5 serves from the store; see loaded for those that are loaded from files.
var permitR5 = []string{"ConceptMap", "NamingSystem"}

// formats asks for XML, by header and by parameter, and asks the other bases of the server.
func (m *permitMatrix) formats(t *testing.T, typ string, ids []string, reads, searches bool) {
	t.Helper()
	var bases []string
	if slices.Contains(permitR5, typ) {
		bases = append(bases, "/r5")
	}
	if os.Getenv("ROGET_MATRIX") == "whole" || typ == "Condition" {
		bases = append(bases, "/baseR4", "/r4")
	}
	ask := func(form string, covered bool, plain *permitWorld, path string, header ...string) {
		if got, _ := m.compare(t, plain, covered, "GET", path, "", header...); got.status == http.StatusOK {
			if is := strings.Contains(got.header.Get("Content-Type"), "xml"); is != (len(header) > 0 || strings.Contains(path, "xml")) {
				m.fail(t, "GET %s: %s", path, got.header.Get("Content-Type"))
			}
			m.shown[form]++
		}
	}
	xml := []string{"Accept", "application/fhir+xml"}
	for _, id := range append(slices.Clone(ids), "missing") {
		ask("xml", reads, m.read, "/"+typ+"/"+id, xml...)
		for _, base := range bases {
			ask(base, reads, m.read, base+"/"+typ+"/"+id)
		}
	}
	ask("history", reads, m.read, "/"+typ+"/"+ids[0]+"/_history?_format=xml")
	ask("include", searches, m.search, "/"+typ+"?_include=*&_total=accurate", xml...)
	for _, base := range bases {
		ask(base+" search", searches, m.search, base+"/"+typ+"?_total=accurate")
		ask(base+" xml", searches, m.search, base+"/"+typ+"?_count=2", xml...)
		m.compare(t, m.search, searches, "POST", base+"/"+typ+"/_search", "_count=3")
	}
}

// compartment searches in the compartments of patients.
func (m *permitMatrix) compartment(t *testing.T, typ string, searches bool) {
	t.Helper()
	if !m.same {
		return // the patient is read, and the rest is searched
	}
	covered := searches && m.o.covered(m.g, "Patient", 'r')
	for _, patient := range []string{patientOne, patientTwo, "missing"} {
		path := "/Patient/" + patient + "/" + typ
		if !searches && m.o.covered(m.g, "Patient", 'r') {
			// Whether the patient is hidden decides between 404 and 403.
			if got := m.guarded.do("GET", path, ""); got.status != http.StatusForbidden && got.status != http.StatusNotFound {
				m.fail(t, "GET %s: status %d", path, got.status)
			}
			continue
		}
		m.compare(t, m.search, covered, "GET", path, "")
		m.compare(t, m.search, covered, "GET", path+"?_summary=count", "")
		m.compare(t, m.search, covered, "POST", path+"/_search", "")
	}
}

// pages follows the links of pages of one resource, forward and back.
func (m *permitMatrix) pages(t *testing.T, typ string, searches bool) {
	t.Helper()
	if !searches {
		return
	}
	for _, query := range []string{"?_count=1", "?_count=1&_sort=_id", "?_count=1&_sort=-_lastUpdated&_total=accurate"} {
		got, want := m.compare(t, m.search, true, "GET", "/"+typ+query, "")
		for range 4 {
			next, plain := linkOf(got.raw, "next"), linkOf(want.raw, "next")
			if (next == "") != (plain == "") {
				m.fail(t, "%s%s: next %q, want %q", typ, query, next, plain)
			}
			if next == "" || plain == "" {
				break
			}
			m.rows++
			got, want = m.guarded.do("GET", next, ""), m.search.do("GET", plain, "")
			if got.status != want.status || got.body != want.body {
				m.fail(t, "GET %s: %d %s\nwant %d %s", next, got.status, differ(got.body, want.body), want.status, differ(want.body, got.body))
			}
		}
	}
}

// linkOf returns the path of a link of a Bundle, "" if it has none.
func linkOf(body, relation string) string {
	var b struct {
		Link []struct{ Relation, URL string }
	}
	_ = json.Unmarshal([]byte(body), &b)
	for _, l := range b.Link {
		if l.Relation == relation {
			return strings.TrimPrefix(l.URL, "http://roget.test")
		}
	}
	return ""
}

// batch sends the requests as entries.
func (m *permitMatrix) batch(t *testing.T, typ string, ids []string) {
	t.Helper()
	if !m.same || !m.o.covered(m.g, typ, 'r') || !m.o.covered(m.g, typ, 's') {
		return
	}
	for _, kind := range []string{"batch", "transaction"} {
		var entries []string
		for _, id := range ids {
			if kind == "transaction" && m.read.do("GET", "/"+typ+"/"+id, "").status != http.StatusOK {
				continue // it would fail the transaction
			}
			entries = append(entries, fmt.Sprintf(`{"request":{"method":"GET","url":"%s/%s"}}`, typ, id))
		}
		entries = append(entries, fmt.Sprintf(`{"request":{"method":"GET","url":"%s?_total=accurate"}}`, typ))
		m.compare(t, m.read, true, "POST", "/", `{"resourceType":"Bundle","type":"`+kind+`","entry":[`+strings.Join(entries, ",")+`]}`)
	}
}

// acrossTypes sends requests whose answers depend on several types.
func (m *permitMatrix) acrossTypes(t *testing.T) {
	t.Helper()
	for _, query := range []string{
		"Observation?subject:Patient.gender=male", "Observation?subject:Patient._id=" + patientOne, "Observation?patient.name=v",
		"Observation?subject=Patient/" + patientTwo + "&_include=Observation:subject", "Observation?_include=Observation:performer&_include:iterate=*",
		"Observation?status=final&_sort=date", "Observation?category=vital-signs&_sort=-date&_total=accurate", "Observation?_has:DiagnosticReport:result:status=final",
		"Observation?code:in=http://example.org/sensitive", "Observation?encounter:Encounter.status=finished", "Observation?subject:Patient._has:Condition:subject:_id=c0",
		"Patient?_has:Observation:subject:status=final", "Patient?_has:Condition:subject:code=" + permitSystem + "|hiv", "Patient?_has:Condition:subject:code:in=http://example.org/sensitive",
		"Patient?_revinclude=Observation:subject", "Patient?_revinclude=Condition:subject&_revinclude=Encounter:subject", "Patient?_revinclude:iterate=Provenance:target&_revinclude=Observation:subject",
		"Patient?organization:Organization._id=f001", "Patient?_has:Observation:patient:_has:Provenance:target:recorded=gt1900", "Patient?_sort=family,-birthdate", "Patient?gender=male&_summary=count",
		"Condition?code:in=http://example.org/sensitive", "Condition?code:not-in=http://example.org/sensitive", "Condition?code:below=" + permitSystem + "|infection&_total=accurate",
		"Condition?code=" + permitSystem + "|hiv&_summary=count", "Condition?subject:Patient.gender=male", "Condition?_text=hiv", "Condition?_content=hiv", "Condition?_security=R",
		"Encounter?_has:Condition:encounter:_id=c1", "Encounter?_include=*&_revinclude=Observation:encounter", "Practitioner?_has:Encounter:practitioner:status=finished",
		"Organization?_revinclude=Patient:organization", "Provenance?target:Patient._id=" + patientOne, "DiagnosticReport?result.status=final&_include=DiagnosticReport:result&_include:iterate=Observation:subject",
		"MedicationRequest?_include=MedicationRequest:medication&_include=MedicationRequest:subject", "Group?_include=Group:member", "List?_include=List:item", "CodeSystem?url=http://nowhere.example",
	} {
		typ, _, _ := strings.Cut(query, "?")
		m.compare(t, m.search, m.o.covered(m.g, typ, 's'), "GET", "/"+query, "")
	}
	m.loaded(t)
	some := slices.ContainsFunc(m.types, func(typ string) bool { return m.o.covered(m.g, typ, 's') })
	for _, path := range []string{"/?_total=accurate", "/?_summary=count", "/_history", "/_history?_count=3", "/?_lastUpdated=gt2026-01-01&_sort=_lastUpdated&_count=7"} {
		m.compare(t, m.search, some, "GET", path, "")
	}
	someOf := m.o.covered(m.g, "Observation", 's') || m.o.covered(m.g, "Patient", 's')
	m.compare(t, m.search, someOf, "GET", "/?_type=Observation,Patient&_total=accurate", "")
	m.compare(t, m.search, someOf, "POST", "/_search", "_type=Observation,Patient")
	for _, patient := range []string{patientOne, patientTwo, "missing"} {
		for _, rest := range []string{"", "?_type=Observation,Condition", "?_count=3", "?_count=0"} {
			m.compare(t, m.read, m.o.covered(m.g, "Patient", 'r'), "GET", "/Patient/"+patient+"/$everything"+rest, "")
		}
	}
	for _, d := range m.docs {
		if d.key.Type == "QuestionnaireResponse" {
			m.compare(t, m.read, m.o.covered(m.g, d.key.Type, 'r'), "GET", "/"+d.key.String()+"/$score", "")
		}
	}
}

// loaded searches and reads what the engine has loaded from files. A grant shows all of that or
// nothing: nothing if a scope or denial depends on what is in a value set.
func (m *permitMatrix) loaded(t *testing.T) {
	t.Helper()
	conditional := slices.ContainsFunc(m.g.deny, func(s permitScope) bool {
		is, _ := s.about("ValueSet", 's')
		return is && s.matches != nil
	})
	searches, reads := m.o.covered(m.g, "ValueSet", 's'), m.o.covered(m.g, "ValueSet", 'r')
	for _, base := range []string{"", "/r5"} {
		if !conditional {
			m.compare(t, m.search, searches, "GET", base+"/ValueSet?_sort=url", "")
			m.compare(t, m.read, reads, "GET", base+"/ValueSet/sensitive", "")
			m.compare(t, m.read, reads, "GET", base+"/ValueSet/sensitive", "", "Accept", "application/fhir+xml")
			continue
		}
		m.rows += 2
		if got := m.guarded.do("GET", base+"/ValueSet?url=http://example.org/sensitive", ""); got.status != http.StatusOK || strings.Contains(got.body, "fullUrl") {
			m.fail(t, "search of a loaded value set: %d %s", got.status, short(got.body))
		}
		got, missing := m.guarded.do("GET", base+"/ValueSet/sensitive", ""), m.guarded.do("GET", base+"/ValueSet/missing00", "")
		if got.status != missing.status || strings.ReplaceAll(got.body, "sensitive", "missing00") != missing.body {
			m.fail(t, "read of a loaded value set: %d %s", got.status, short(got.body))
		}
	}
}
