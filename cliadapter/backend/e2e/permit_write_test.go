package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

// permitWrites are the grants of the matrix of changes.
func permitWrites() []permitGrant {
	s := func(text string) permitScope { return permitScope{text: text} }
	list := func(scopes ...permitScope) []permitScope { return scopes }
	sensitive := codingIn(permitSensitive)
	return []permitGrant{
		{"all", "", list(s("system/*.cruds")), nil},
		{"patient", patientOne, list(s("patient/*.cruds")), nil},
		{"patient reads", patientOne, list(s("patient/*.rs")), nil},
		{"patient, version 1", patientOne, list(s("patient/*.write"), s("patient/Observation.read")), nil},
		{"only write", "", list(s("system/*.cud")), nil},
		{"only update", "", list(s("user/Observation.u"), s("user/Condition.u")), nil},
		{"no delete", "", list(s("user/*.crus")), nil},
		{"no search", patientOne, list(s("patient/*.crud")), nil},
		{"deny sensitive", "", list(s("user/*.cruds")), list(permitScope{"user/Condition.cruds?code:in=http://example.org/sensitive", sensitive})},
		{"deny changing sensitive", "", list(s("user/*.cruds")), list(permitScope{"user/Condition.cud?code:in=http://example.org/sensitive", sensitive})},
		{"deny seeing sensitive", "", list(s("user/*.cruds")), list(permitScope{"user/Condition.rs?code:in=http://example.org/sensitive", sensitive})},
		{"laboratory", patientOne, list(s("patient/*.rs"), permitScope{"patient/Observation.cruds?category=laboratory", hasToken("category.coding.code", "laboratory")}), nil},
	}
}

// permitWriter compares changes with what the oracle permits.
type permitWriter struct {
	t     *testing.T
	o     *permitOracle
	g     *permitGrant
	w     *permitWorld
	rows  int
	fresh int
}

// TestPermissionWrites changes resources with each grant, and compares the status with what the
// oracle says, and what is stored afterwards with what the status says.
func TestPermissionWrites(t *testing.T) {
	t.Parallel()
	if raceDetector {
		t.Skip("the matrix is long")
	}
	o := newPermitOracle(t)
	docs := slices.DeleteFunc(permitDocs(t, o), func(d permitDoc) bool {
		return !slices.Contains([]string{"Observation", "Condition", "Patient", "Practitioner", "Encounter", "Binary", "Device", "Task", "Goal", "Coverage"}, d.key.Type)
	})
	rows := 0
	for _, g := range permitWrites() {
		t.Run(g.name, func(t *testing.T) {
			m := &permitWriter{t: t, o: o, g: &g, w: newPermitWorld(t, memory.New(), docs, func(permitDoc) bool { return true })}
			grant := grantOf(t, &g)
			for _, d := range docs {
				for _, change := range []func(permitDoc) (string, permitAnswer, int, bool){
					m.put, m.move, m.patch, m.remove, m.removeWhere, m.updateWhere, m.putNew, m.create, m.createUnless, m.transaction,
				} {
					m.w.grant = grant
					what, got, want, changes := change(d)
					m.rows++
					if got.status != want {
						t.Errorf("%s %s: status %d, want %d: %s", what, d.key, got.status, want, short(got.body))
					}
					m.settle(d, what, changes)
				}
				m.w.grant = grant
				m.alike(d)
			}
			rows += m.rows
		})
	}
	t.Logf("%d rows", rows)
}

// settle compares what is stored with what a change was to do, and restores the document.
func (m *permitWriter) settle(d permitDoc, what string, changes bool) {
	m.t.Helper()
	m.w.grant = nil
	now := m.w.do("GET", "/"+d.key.String(), "")
	same := now.status == http.StatusOK && sameContent(now.raw, string(d.body))
	if same == changes {
		m.t.Errorf("%s %s: changed: %v, want %v", what, d.key, !same, changes)
	}
	if !same {
		if _, err := m.w.service.Update(m.t.Context(), d.key.Type, d.key.ID, d.body, resources.UpdateOptions{}); err != nil {
			m.t.Fatal(err)
		}
	}
}

// sameContent compares documents without meta.
func sameContent(a, b string) bool {
	var x, y map[string]any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	delete(x, "meta")
	delete(y, "meta")
	one, _ := json.Marshal(x)
	two, _ := json.Marshal(y)
	return string(one) == string(two)
}

// changed returns a document with other members.
func (d permitDoc) changed(members map[string]any) (string, map[string]any) {
	doc := map[string]any{}
	for name, v := range d.doc {
		doc[name] = v
	}
	for name, v := range members {
		doc[name] = v
	}
	text, _ := json.Marshal(doc)
	return string(text), doc
}

// seen reports whether the grant shows a document, and whether it covers showing the type.
func (m *permitWriter) seen(doc map[string]any) (this, some bool) {
	typ := doc["resourceType"].(string)
	return m.o.permits(m.g, 'r', doc) || m.o.permits(m.g, 's', doc), m.o.covered(m.g, typ, 'r') || m.o.covered(m.g, typ, 's')
}

// after returns the status of storing a document, and whether it is stored.
func (m *permitWriter) after(action byte, doc map[string]any, status int) (int, bool) {
	seen, some := m.seen(doc)
	if !m.o.permits(m.g, action, doc) || some && !seen {
		return http.StatusForbidden, false
	}
	return status, true
}

// before returns the status of changing a document, 0 if that is permitted.
func (m *permitWriter) before(action byte, doc map[string]any, hidden int) int {
	seen, _ := m.seen(doc)
	switch permitted := m.o.permits(m.g, action, doc); {
	case !m.o.covered(m.g, doc["resourceType"].(string), action):
		return http.StatusForbidden
	case !seen && !permitted:
		return hidden
	case !permitted:
		return http.StatusForbidden
	}
	return 0
}

// whole reports whether the grant shows, or lets change, all resources of a type.
func (m *permitWriter) whole(typ string) bool {
	for _, action := range []byte("rsu") {
		denied := slices.ContainsFunc(m.g.deny, func(s permitScope) bool { is, _ := s.about(typ, action); return is })
		all := slices.ContainsFunc(m.g.allow, func(s permitScope) bool {
			is, patient := s.about(typ, action)
			return is && s.matches == nil && (!patient || slices.Contains(permitShared, typ) && action != 'u')
		})
		if all && !denied {
			return true
		}
	}
	return false
}

func (m *permitWriter) replace(d permitDoc, members map[string]any) (answer permitAnswer, want int, changes bool) {
	body, doc := d.changed(members)
	answer = m.w.do("PUT", "/"+d.key.String(), body)
	if want = m.before('u', d.doc, http.StatusNotFound); want == 0 {
		want, changes = m.after('u', doc, http.StatusOK)
	}
	return answer, want, changes
}

func (m *permitWriter) put(d permitDoc) (string, permitAnswer, int, bool) {
	got, want, changes := m.replace(d, map[string]any{"language": "de"})
	return "PUT", got, want, changes
}

// move updates a document to be about another patient.
func (m *permitWriter) move(d permitDoc) (string, permitAnswer, int, bool) {
	to := patientOne
	if m.o.member(d.doc, patientOne) {
		to = patientTwo
	}
	ref := map[string]any{"reference": "Patient/" + to}
	members := map[string]any{"subject": ref, "language": "fr"}
	if d.key.Type == "Device" {
		members = map[string]any{"patient": ref, "language": "fr"}
	}
	got, want, changes := m.replace(d, members)
	return "PUT of another patient", got, want, changes
}

func (m *permitWriter) patch(d permitDoc) (string, permitAnswer, int, bool) {
	got := m.w.do("PATCH", "/"+d.key.String(), `[{"op":"add","path":"/language","value":"es"}]`)
	want, changes := m.before('u', d.doc, http.StatusNotFound), false
	if seen, _ := m.seen(d.doc); want == 0 && !seen {
		want = http.StatusForbidden
	}
	if want == 0 {
		_, doc := d.changed(map[string]any{"language": "es"})
		want, changes = m.after('u', doc, http.StatusOK)
	}
	return "PATCH", got, want, changes
}

func (m *permitWriter) remove(d permitDoc) (string, permitAnswer, int, bool) {
	got := m.w.do("DELETE", "/"+d.key.String(), "")
	want := m.before('d', d.doc, http.StatusNoContent)
	if want == 0 {
		return "DELETE", got, http.StatusNoContent, true
	}
	return "DELETE", got, want, false
}

func (m *permitWriter) removeWhere(d permitDoc) (string, permitAnswer, int, bool) {
	got := m.w.do("DELETE", "/"+d.key.Type+"?_id="+d.key.ID, "")
	want, changes := http.StatusNoContent, false
	switch {
	case !m.o.covered(m.g, d.key.Type, 'd') || !m.o.covered(m.g, d.key.Type, 's'):
		want = http.StatusForbidden
	case m.o.permits(m.g, 's', d.doc):
		if changes = m.o.permits(m.g, 'd', d.doc); !changes {
			want = http.StatusForbidden
		}
	}
	return "conditional DELETE", got, want, changes
}

func (m *permitWriter) updateWhere(d permitDoc) (string, permitAnswer, int, bool) {
	body, doc := d.changed(map[string]any{"language": "it"})
	got := m.w.do("PUT", "/"+d.key.Type+"?_id="+d.key.ID, body)
	want, changes := http.StatusNotFound, false
	switch {
	case !m.o.covered(m.g, d.key.Type, 'u') || !m.o.covered(m.g, d.key.Type, 's'):
		want = http.StatusForbidden
	case m.o.permits(m.g, 's', d.doc):
		if want = m.before('u', d.doc, 0); want == 0 {
			want, changes = m.after('u', doc, http.StatusOK)
		}
	case m.o.permits(m.g, 'u', d.doc): // it is no secret that the id of the body is taken
		want = http.StatusConflict
	}
	return "conditional PUT", got, want, changes
}

func (m *permitWriter) putNew(d permitDoc) (string, permitAnswer, int, bool) {
	m.fresh++
	id := fmt.Sprintf("new-%d", m.fresh)
	body, doc := d.changed(map[string]any{"id": id})
	got := m.w.do("PUT", "/"+d.key.Type+"/"+id, body)
	want := http.StatusForbidden
	if m.o.covered(m.g, d.key.Type, 'u') {
		if want = http.StatusNotFound; m.whole(d.key.Type) {
			want, _ = m.after('u', doc, http.StatusCreated)
		}
	}
	return "PUT of a new id for", got, want, false
}

func (m *permitWriter) create(d permitDoc) (string, permitAnswer, int, bool) {
	got := m.w.do("POST", "/"+d.key.Type, string(d.body))
	want := http.StatusForbidden
	if m.o.covered(m.g, d.key.Type, 'c') {
		_, doc := d.changed(map[string]any{"id": "assigned"})
		want, _ = m.after('c', doc, http.StatusCreated)
	}
	if _, some := m.seen(d.doc); !some && strings.Contains(got.body, "resourceType\":\""+d.key.Type) {
		m.t.Errorf("POST %s: the answer shows the resource", d.key)
	}
	return "POST", got, want, false
}

func (m *permitWriter) createUnless(d permitDoc) (string, permitAnswer, int, bool) {
	got := m.w.do("POST", "/"+d.key.Type, string(d.body), "If-None-Exist", "_id="+d.key.ID)
	want := http.StatusForbidden
	if m.o.covered(m.g, d.key.Type, 'c') && m.o.covered(m.g, d.key.Type, 's') {
		if want = http.StatusOK; !m.o.permits(m.g, 's', d.doc) {
			_, doc := d.changed(map[string]any{"id": "assigned"})
			want, _ = m.after('c', doc, http.StatusCreated)
		}
	}
	return "conditional POST", got, want, false
}

// transaction updates and deletes in one bundle: the document, and a patient of its own.
func (m *permitWriter) transaction(d permitDoc) (string, permitAnswer, int, bool) {
	body, doc := d.changed(map[string]any{"language": "pt"})
	got := m.w.do("POST", "/", fmt.Sprintf(`{"resourceType":"Bundle","type":"transaction","entry":[{"resource":%s,"request":{"method":"PUT","url":"%s"}}]}`, body, d.key))
	want, changes := m.before('u', d.doc, http.StatusPreconditionFailed), false
	if want == 0 {
		want, changes = m.after('u', doc, http.StatusOK)
	}
	return "transaction", got, want, changes
}

// alike compares the answers about a hidden resource with those about one that does not exist.
func (m *permitWriter) alike(d permitDoc) {
	m.t.Helper()
	if seen, _ := m.seen(d.doc); seen || m.o.permits(m.g, 'u', d.doc) || m.o.permits(m.g, 'd', d.doc) {
		return
	}
	missing := strings.Repeat("x", len(d.key.ID))
	for _, r := range []struct{ method, path, body, header, value string }{
		{"GET", "/T/ID", "", "", ""},
		{"HEAD", "/T/ID", "", "", ""},
		{"GET", "/T/ID/_history/1", "", "", ""},
		{"GET", "/T/ID/_history", "", "", ""},
		{"GET", "/T/ID/$validate", "", "", ""},
		{"POST", "/T/ID/$validate?mode=update", "DOC", "", ""},
		{"POST", "/T/ID/$validate?mode=delete", "", "", ""},
		{"PUT", "/T/ID", "DOC", "", ""},
		{"PUT", "/T/ID", "DOC", "If-Match", `W/"1"`},
		{"PUT", "/T/ID", "DOC", "If-Match", "*"},
		{"PUT", "/T/ID", "DOC", "If-None-Match", "*"},
		{"PATCH", "/T/ID", `[{"op":"test","path":"/id","value":"ID"}]`, "", ""},
		{"PATCH", "/T/ID", `[{"op":"remove","path":"/id"}]`, "If-Match", `W/"1"`},
		{"DELETE", "/T/ID", "", "", ""},
		{"DELETE", "/T/ID", "", "If-Match", `W/"1"`},
		{"DELETE", "/T?_id=ID", "", "", ""},
		{"PUT", "/T?_id=ID", "DOC", "", ""},
		{"PATCH", "/T?_id=ID", `[{"op":"add","path":"/language","value":"de"}]`, "", ""},
		{"GET", "/T?_id=ID", "", "", ""},
		{"GET", "/T?_id=ID&_summary=count", "", "", ""},
		{"POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"T/ID"}},{"request":{"method":"DELETE","url":"T/ID"}}]}`, "", ""},
		{"POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[{"resource":DOC,"request":{"method":"PUT","url":"T/ID"}}]}`, "", ""},
		{"POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"T/ID","ifMatch":"W/\"1\""}}]}`, "", ""},
	} {
		ask := func(id string) permitAnswer {
			doc, _ := d.changed(map[string]any{"id": id})
			fill := strings.NewReplacer("DOC", doc, "/T", "/"+d.key.Type, "T/", d.key.Type+"/", "ID", id)
			var header []string
			if r.header != "" {
				header = []string{r.header, r.value}
			}
			a := m.w.do(r.method, fill.Replace(r.path), fill.Replace(r.body), header...)
			a.body = strings.ReplaceAll(a.body, id, "ID")
			return a
		}
		m.rows++
		got, want := ask(d.key.ID), ask(missing)
		got.header.Del("X-Request-Id")
		want.header.Del("X-Request-Id")
		if got.status != want.status || got.body != want.body || fmt.Sprint(got.header) != fmt.Sprint(want.header) {
			m.t.Errorf("%s %s of %s %s: %d %v %s, of a missing one %d %v %s", r.method, r.path, d.key, r.value, got.status, got.header, short(got.body), want.status, want.header, short(want.body))
		}
	}
}
