package httpadapter

import (
	"strings"
	"testing"
)

// Resources of a clinic.
const (
	peter   = `{"resourceType":"Patient","id":"peter","identifier":[{"system":"http://ids.example","value":"1"}],"name":[{"family":"Chalmers","given":["Peter","James"]}],"gender":"male","birthDate":"1974-12-25","contact":[{"name":{"family":"Berg"}}]}`
	paula   = `{"resourceType":"Patient","id":"paula","identifier":[{"system":"http://ids.example","value":"2"}],"name":[{"family":"Chalmers"}],"gender":"female","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">Paula</div>"}}`
	pulse   = `{"resourceType":"Observation","id":"pulse","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4"}]},"subject":{"reference":"Patient/peter"},"effectiveDateTime":"2026-01-05","valueQuantity":{"value":70.50,"unit":"/min","system":"http://unitsofmeasure.org","code":"/min"}}`
	weight  = `{"resourceType":"Observation","id":"weight","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}]},"subject":{"reference":"Patient/peter"},"effectiveDateTime":"2026-01-06","valueQuantity":{"value":81,"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}}`
	fever   = `{"resourceType":"Condition","id":"fever","code":{"text":"fever"},"subject":{"reference":"Patient/peter"}}`
	visit   = `{"resourceType":"Encounter","id":"visit","status":"finished","class":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"AMB"},"subject":{"reference":"Patient/peter"}}`
	answers = `{"resourceType":"QuestionnaireResponse","id":"answers","status":"in-progress"}`
)

// clinic returns a client of a server with two patients, one of whom has further resources.
func clinic(t testing.TB, change ...func(*Config)) *client {
	t.Helper()
	c := newClient(t, change...)
	for _, body := range []string{peter, paula, pulse, weight, fever, visit, answers} {
		typ, id := named(body)
		c.do("PUT", "/"+typ+"/"+id, body).want(t, 201)
	}
	return c
}

// named returns type and id of a document of the tests.
func named(body string) (typ, id string) {
	fields := strings.Split(body, `"`)
	return fields[3], fields[7]
}

// nameless returns a document without its id, as for a create.
func nameless(body string) string {
	_, id := named(body)
	return strings.Replace(body, `"id":"`+id+`",`, "", 1)
}

// TestInteractions runs all interactions on a resource, under every base.
func TestInteractions(t *testing.T) {
	for _, prefix := range pathsR4() {
		c := newClient(t)
		root := "http://example.com" + prefix
		r := c.do("POST", prefix+"/Observation", nameless(pulse))
		doc := r.want(t, 201)
		id, _ := doc["id"].(string)
		if got, want := r.header.Get("Location"), root+"/Observation/"+id+"/_history/1"; got != want || r.header.Get("Etag") != `W/"1"` || r.header.Get("Last-Modified") == "" {
			t.Errorf("create: %v, want Location %s", r.header, want)
		}
		if !strings.Contains(r.body, `"value":70.50,`) {
			t.Errorf("the decimal has changed: %s", r.body)
		}
		path := prefix + "/Observation/" + id
		read := c.get(path)
		read.want(t, 200)
		if read.body != r.body {
			t.Errorf("read %s, created %s", read.body, r.body)
		}
		for _, headers := range [][]string{{"If-None-Match", `W/"1"`}, {"If-Modified-Since", read.header.Get("Last-Modified")}} {
			if r := c.get(path, headers...); r.status != 304 || r.body != "" {
				t.Errorf("%v: %d %s", headers, r.status, r.body)
			}
		}
		if head := c.do("HEAD", path, ""); head.status != 200 || head.body != "" || head.header.Get("Etag") != `W/"1"` || head.header.Get("Content-Length") == "" {
			t.Errorf("HEAD: %d %v", head.status, head.header)
		}

		changed := strings.Replace(read.body, "70.50", "71", 1)
		c.do("PUT", path, changed, "If-Match", `W/"7"`).wantIssue(t, 412, "conflict")
		r = c.do("PUT", path, changed, "If-Match", `W/"1"`)
		if r.want(t, 200); r.header.Get("Etag") != `W/"2"` || r.header.Get("Location") != "" {
			t.Errorf("update: %v", r.header)
		}
		r = c.do("PATCH", path, `[{"op":"replace","path":"/status","value":"amended"}]`, "Content-Type", "application/json-patch+json")
		if doc := r.want(t, 200); doc["status"] != "amended" || r.header.Get("Etag") != `W/"3"` {
			t.Errorf("patch: %v %s", r.header, r.body)
		}
		if doc := c.get(path+"/_history/1").want(t, 200); at(doc, "valueQuantity", "value") != 70.5 {
			t.Errorf("vread: %v", doc)
		}
		if r := c.do("DELETE", path, ""); r.status != 204 || r.header.Get("Etag") != `W/"4"` || r.body != "" {
			t.Errorf("delete: %d %v", r.status, r.header)
		}
		if r := c.do("DELETE", path, ""); r.status != 204 {
			t.Errorf("delete again: %d", r.status)
		}
		c.get(path).wantIssue(t, 410, "deleted")
		c.get(path+"/_history/4").wantIssue(t, 410, "deleted")
		c.do("PATCH", path, `[]`, "Content-Type", "application/json-patch+json").wantIssue(t, 410, "deleted")
		c.do("PUT", path, changed).want(t, 201)

		for _, level := range []string{path, prefix + "/Observation", prefix} {
			var methods, full []string
			next := level + "/_history?_count=2"
			for pages := 0; next != "" && pages < 10; pages++ {
				doc := c.get(next).want(t, 200)
				if doc["type"] != "history" {
					t.Fatalf("%s: %v", level, doc)
				}
				for i := 0; at(doc, "entry", i) != nil; i++ {
					if url, _ := at(doc, "entry", i, "fullUrl").(string); strings.HasPrefix(url, root+"/Observation/") {
						methods = append(methods, at(doc, "entry", i, "request", "method").(string)+at(doc, "entry", i, "response", "etag").(string))
						full = append(full, url)
					}
				}
				next = strings.TrimPrefix(links(doc)["next"], "http://example.com")
			}
			if got := strings.Join(methods, " "); got != `PUTW/"5" DELETEW/"4" PUTW/"3" PUTW/"2" PUTW/"1"` || full[0] != root+"/Observation/"+id {
				t.Errorf("history of %s: %s %v", level, got, full)
			}
		}
	}
}

// TestHistoryParameters checks the parameters of a history.
func TestHistoryParameters(t *testing.T) {
	c := clinic(t)
	for query, entries := range map[string]int{
		"":                               2,
		"?_since=2026-01-02T03:04:16Z":   1, // paula
		"?_since=2027-01-01T00:00:00Z":   0,
		"?_at=2026-01-02":                2,
		"?_at=2025":                      0,
		"?_count=1":                      1,
		"?_count=0":                      0,
		"?_format=json&_pretty=true&x=1": 2,
	} {
		doc := c.get("/Patient/_history"+query).want(t, 200)
		if list, _ := doc["entry"].([]any); len(list) != entries {
			t.Errorf("%s: %d entries, want %d", query, len(list), entries)
		}
		if self := links(doc)["self"]; strings.Contains(self, "x=1") || strings.HasPrefix(query, "?_s") != strings.Contains(self, "_since") {
			t.Errorf("%s: self %s", query, self)
		}
	}
}

// TestPrefer checks the response to a write for each preference.
func TestPrefer(t *testing.T) {
	c := clinic(t)
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/Patient", nameless(paula), 201},
		{"PUT", "/Patient/other", strings.Replace(paula, "paula", "other", 1), 201},
		{"PUT", "/Patient/peter", strings.Replace(peter, "male", "other", 1), 200},
		{"PATCH", "/Patient/peter", `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"delete"},{"name":"path","valueString":"Patient.birthDate"}]}]}`, 200},
	} {
		if r := c.do(tt.method, tt.path, tt.body, "Prefer", "return=minimal"); r.status != tt.status || r.body != "" || r.header.Get("Etag") == "" {
			t.Errorf("%s minimal: %d %s", tt.path, r.status, r.body)
		}
		if doc := c.do(tt.method, tt.path, tt.body, "Prefer", "handling=strict; return=representation").want(t, statusAgain(tt.method, tt.status)); doc["resourceType"] != "Patient" {
			t.Errorf("%s representation: %v", tt.path, doc)
		}
		c.do(tt.method, tt.path, tt.body, "Prefer", "return=OperationOutcome").wantIssue(t, statusAgain(tt.method, tt.status), "informational")
	}
}

// statusAgain is the status of a repeated write.
func statusAgain(method string, first int) int {
	if method == "POST" {
		return first
	}
	return 200
}

// TestConditions checks conditional creates, updates, patches and deletes.
func TestConditions(t *testing.T) {
	for _, prefix := range pathsR4() {
		c := clinic(t)
		one, both, none := "identifier=http://ids.example%7C1", "family=chalmers", "identifier=nobody"
		location := "http://example.com" + prefix + "/Patient/peter/_history/"

		r := c.do("POST", prefix+"/Patient", nameless(peter), "If-None-Exist", one)
		if doc := r.want(t, 200); doc["id"] != "peter" || r.header.Get("Location") != location+"1" {
			t.Errorf("create that is there: %v %s", r.header, r.body)
		}
		c.do("POST", prefix+"/Patient", nameless(peter), "If-None-Exist", both).wantIssue(t, 412, "multiple-matches")
		c.do("POST", prefix+"/Patient", nameless(peter), "If-None-Exist", "colour=red").wantIssue(t, 400, "not-supported")
		c.do("POST", prefix+"/Patient", nameless(peter), "If-None-Exist", "_format=json").wantIssue(t, 400, "value")

		for query, status := range map[string]int{one: 200, both: 412, one + "&_format=json": 200, "colour=red": 400, "_count=1": 400} {
			if r := c.do("POST", prefix+"/Patient?"+query, nameless(peter)); r.status != status || status == 200 && r.header.Get("Location") != location+"1" {
				t.Errorf("create with %s: %d %v", query, r.status, r.header)
			}
		}
		c.do("POST", prefix+"/Patient?"+one, nameless(peter), "If-None-Exist", one).wantIssue(t, 400, "invalid")
		if doc := c.do("POST", prefix+"/", transactionOf(`{"resource":`+nameless(peter)+`,"request":{"method":"POST","url":"Patient?`+one+`"}}`)).want(t, 200); at(doc, "entry", 0, "response", "status") != "200 OK" {
			t.Errorf("create with a query in a transaction: %v", doc)
		}
		changed := strings.Replace(nameless(peter), "male", "other", 1)
		r = c.do("PUT", prefix+"/Patient?"+one, changed)
		if r.want(t, 200); r.header.Get("Location") != location+"2" {
			t.Errorf("update: %v", r.header)
		}
		c.do("PUT", prefix+"/Patient?"+one, strings.Replace(changed, "1974", "1975", 1), "If-Match", `W/"1"`).wantIssue(t, 412, "conflict")
		c.do("PUT", prefix+"/Patient?"+one, changed, "If-None-Match", "*").wantIssue(t, 412, "conflict")
		c.do("PUT", prefix+"/Patient?"+one, strings.Replace(peter, `"id":"peter"`, `"id":"other"`, 1)).wantIssue(t, 400, "invalid")
		c.do("PUT", prefix+"/Patient?"+both, changed).wantIssue(t, 412, "multiple-matches")
		c.do("PUT", prefix+"/Patient?identifier=nobody", peter).wantIssue(t, 409, "conflict")
		r = c.do("PUT", prefix+"/Patient?"+none, nameless(paula))
		if doc := r.want(t, 201); doc["id"] == "" || r.header.Get("Location") == "" {
			t.Errorf("update of none: %v", doc)
		}

		female := `[{"op":"replace","path":"/gender","value":"female"}]`
		if doc := c.do("PATCH", prefix+"/Patient?"+one, female, "Content-Type", mediaJSONPatch).want(t, 200); doc["gender"] != "female" {
			t.Errorf("patch: %v", doc)
		}
		c.do("PATCH", prefix+"/Patient?"+both, female, "Content-Type", mediaJSONPatch).wantIssue(t, 412, "multiple-matches")
		c.do("PATCH", prefix+"/Patient?"+none, female, "Content-Type", mediaJSONPatch).wantIssue(t, 404, "not-found")

		c.do("DELETE", prefix+"/Patient?"+both, "").wantIssue(t, 412, "multiple-matches")
		c.do("DELETE", prefix+"/Patient?"+one, "", "If-Match", `W/"1"`).wantIssue(t, 412, "conflict")
		if r := c.do("DELETE", prefix+"/Patient?"+one, ""); r.status != 204 || r.header.Get("Etag") != `W/"4"` {
			t.Errorf("delete: %d %v", r.status, r.header)
		}
		if r := c.do("DELETE", prefix+"/Patient?"+one, ""); r.status != 204 {
			t.Errorf("delete of none: %d", r.status)
		}
		c.get(prefix+"/Patient/peter").wantIssue(t, 410, "deleted")
	}
	c := clinic(t, func(config *Config) { config.DeleteMany = true })
	if r := c.do("DELETE", "/Patient?family=chalmers", ""); r.status != 204 {
		t.Errorf("delete of many: %d %s", r.status, r.body)
	}
	if doc := c.get("/Patient?_summary=count").want(t, 200); doc["total"] != 0.0 {
		t.Errorf("left: %v", doc)
	}
}

// TestPatches sends each kind of patch.
func TestPatches(t *testing.T) {
	byPath := `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},{"name":"path","valueString":"Patient.gender"},{"name":"value","valueCode":"other"}]}]}`
	c := clinic(t)
	for _, tt := range []struct {
		media, body string
		status      int
		code        string
	}{
		{mediaJSONPatch, `[{"op":"replace","path":"/gender","value":"other"}]`, 200, ""},
		{mediaJSONPatch + "; charset=utf-8", `[{"op":"replace","path":"/gender","value":"other"}]`, 200, ""},
		{mediaMergePatch, `{"gender":"other"}`, 200, ""},
		{mediaFHIR, byPath, 200, ""},
		{mediaJSON, byPath, 200, ""},
		{mediaJSON, `[{"op":"replace","path":"/gender","value":"other"}]`, 200, ""},
		{mediaJSON, `{"resourceType":"Patient","gender":"other"}`, 200, ""},
		{mediaJSON, `{"resourceType":"Group"}`, 422, "processing"},
		{mediaJSON, `"x"`, 400, "structure"},
		{mediaJSONPatch, `[{"op":"test","path":"/gender","value":"unknown"}]`, 409, "conflict"},
		{mediaJSONPatch, `[{"op":"replace","path":"/photo/3","value":1}]`, 422, "processing"},
		{mediaJSONPatch, `[{"op":"replace","path":"/id","value":"x"}]`, 422, "processing"},
		{mediaJSONPatch, `[{"op":"replace","path":"/gender","value":"x"}]`, 422, "code-invalid"},
		{mediaJSONPatch, `[{"op":"add","path":"/colour","value":"x"}]`, 400, "structure"},
		{mediaJSONPatch, `[{"op":"dance"}]`, 400, "structure"},
		{mediaJSONPatch, `[`, 400, "structure"},
		{mediaMergePatch, `{"gender":3}`, 400, "structure"},
		{mediaFHIR, `{"resourceType":"Patient"}`, 400, "structure"},
		{mediaForm, `a=b`, 415, "not-supported"},
		{"text/plain", `x`, 415, "not-supported"},
		{"", `x`, 415, "not-supported"},
	} {
		r := c.do("PATCH", "/Patient/peter", tt.body, "Content-Type", tt.media)
		if tt.status == 200 {
			if doc := r.want(t, 200); doc["gender"] != "other" {
				t.Errorf("%s %s: %s", tt.media, tt.body, r.body)
			}
			c.do("PUT", "/Patient/peter", peter).want(t, 200)
			continue
		}
		r.wantIssue(t, tt.status, tt.code)
	}
	c.do("PATCH", "/Patient/nobody", `[]`, "Content-Type", mediaJSONPatch).wantIssue(t, 404, "not-found")
	c.do("PATCH", "/Patient/peter", `[]`, "Content-Type", mediaJSONPatch, "If-Match", `W/"77"`).wantIssue(t, 412, "conflict")
}

// TestLifecycle checks the states of a QuestionnaireResponse.
func TestLifecycle(t *testing.T) {
	c := clinic(t)
	text := c.do("PUT", "/QuestionnaireResponse/answers", strings.Replace(answers, "in-progress", "amended", 1)).wantIssue(t, 422, "business-rule")
	if !strings.Contains(text, "completed") || !strings.Contains(text, "stopped") {
		t.Errorf("the next states are missing: %s", text)
	}
	c.do("PATCH", "/QuestionnaireResponse/answers", `{"status":"entered-in-error"}`, "Content-Type", mediaMergePatch).wantIssue(t, 422, "business-rule")
	c.do("PUT", "/QuestionnaireResponse/answers", strings.Replace(answers, "in-progress", "completed", 1)).want(t, 200)
}

// TestValidate checks $validate on type and instance.
func TestValidate(t *testing.T) {
	c := clinic(t)
	parameters := func(resource, mode string) string {
		return `{"resourceType":"Parameters","parameter":[{"name":"resource","resource":` + resource + `},{"name":"mode","valueCode":"` + mode + `"}]}`
	}
	told := `{"resourceType":"Patient","id":"peter","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">x</div>"}}`
	wrong := `{"resourceType":"Patient","gender":"x","colour":1,"name":[{"given":[3]}]}`
	for _, tt := range []struct {
		method, path, body string
		status             int
		code               string
		expressions        []string
	}{
		{"POST", "/Patient/$validate", nameless(peter), 200, "invariant", []string{"Patient"}},
		{"POST", "/Patient/$validate", wrong, 200, "code-invalid", []string{"Patient.gender", "Patient.colour", "Patient.name[0].given[0]"}},
		{"POST", "/Patient/$validate", parameters(wrong, "create"), 200, "code-invalid", []string{"Patient.gender", "Patient.colour", "Patient.name[0].given[0]"}},
		{"POST", "/Patient/peter/$validate", peter, 200, "invariant", []string{"Patient"}},
		{"GET", "/Patient/peter/$validate", "", 200, "invariant", []string{"Patient"}},
		{"GET", "/Patient/peter/$validate?mode=delete", "", 200, "informational", nil},
		{"POST", "/QuestionnaireResponse/answers/$validate", strings.Replace(answers, "in-progress", "amended", 1), 200, "business-rule", []string{"QuestionnaireResponse.status"}},
		{"GET", "/Patient/nobody/$validate", "", 404, "not-found", nil},
		{"GET", "/Patient/$validate", "", 400, "invalid", nil},
		{"POST", "/Patient/$validate?mode=dance", nameless(peter), 400, "invalid", nil},
		{"POST", "/Patient/$validate?profile=http://x", told, 200, "not-found", []string{"Patient"}},
		{"POST", "/Patient/peter/$validate?profile=http://hl7.org/fhir/StructureDefinition/Patient", told, 200, "informational", nil},
		{"POST", "/Patient/peter/$validate?profile=http://hl7.org/fhir/StructureDefinition/Group", told, 200, "structure", []string{"Patient"}},
		{"POST", "/Patient/$validate", `{"resourceType":"Parameters","parameter":[{"name":"profile","valueUri":"http://x"},{"name":"resource","resource":` + told + `}]}`, 200, "not-found", []string{"Patient"}},
		{"POST", "/Patient/$validate", pulse, 400, "invalid", nil},
		{"POST", "/Patient/$validate", `{"resourceType":"Patient"`, 400, "structure", nil},
		{"DELETE", "/Patient/$validate", "", 405, "not-supported", nil},
	} {
		doc := c.do(tt.method, tt.path, tt.body).want(t, tt.status)
		if got := at(doc, "issue", 0, "code"); got != tt.code {
			t.Errorf("%s %s: %v, want %s", tt.method, tt.path, doc, tt.code)
		}
		for i, want := range tt.expressions {
			if got := at(doc, "issue", i, "expression", 0); got != want {
				t.Errorf("%s %s: expression %v, want %s", tt.method, tt.path, got, want)
			}
		}
	}
}

// TestEverything pages through the compartment of a patient.
func TestEverything(t *testing.T) {
	for _, prefix := range pathsR4() {
		c := clinic(t)
		for query, want := range map[string]string{
			"":                                         "peter visit fever weight pulse",
			"?_count=2":                                "peter visit fever weight pulse",
			"?_type=Observation,Condition":             "fever weight pulse",
			"?_type=Observation&_type=Condition":       "fever weight pulse",
			"?start=2026-01-06&_type=Observation":      "weight",
			"?end=2026-01-05&_type=Observation":        "pulse",
			"?_since=2026-01-02T03:04:23Z&_count=1000": "visit fever",
			"?_count=0":                                "",
		} {
			var got []string
			next := prefix + "/Patient/peter/$everything" + query
			for pages := 0; next != "" && pages < 10; pages++ {
				doc := c.get(next).want(t, 200)
				found, _ := ids(t, doc)
				got = append(got, found...)
				if len(found) > 0 && doc["total"] != float64(len(strings.Fields(want))) {
					t.Errorf("%s: total %v", query, doc["total"])
				}
				next = strings.TrimPrefix(links(doc)["next"], "http://example.com")
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %v, want %s", query, got, want)
			}
		}
		body := `{"resourceType":"Parameters","parameter":[{"name":"_count","valueInteger":1}]}`
		if found, _ := ids(t, c.do("POST", prefix+"/Patient/peter/$everything", body).want(t, 200)); len(found) != 1 {
			t.Errorf("POST: %v", found)
		}
		var every []string
		for next := prefix + "/Patient/$everything?_count=2"; next != ""; {
			doc := c.get(next).want(t, 200)
			found, _ := ids(t, doc)
			every = append(every, found...)
			next = strings.TrimPrefix(links(doc)["next"], "http://example.com")
		}
		if got := strings.Join(every, " "); got != "paula peter visit fever weight pulse" {
			t.Errorf("of all patients: %s", got)
		}
		if found, _ := ids(t, c.get(prefix+"/Encounter/visit/$everything").want(t, 200)); strings.Join(found, " ") != "visit peter" {
			t.Errorf("of an encounter: %v", found)
		}
		for query, status := range map[string]int{
			"nobody/$everything": 404, "a_b/$everything": 404, "peter/$everything?_count=-1": 400, "peter/$everything?_since=soon": 400,
			"peter/$everything?_type=Hound": 400, "peter/$everything?_cursor=x": 400, "peter/$everything?start=soon": 400, "$everything?_cursor=1.1": 400,
		} {
			if r := c.get(prefix + "/Patient/" + query); r.status != status || !strings.Contains(r.body, "OperationOutcome") {
				t.Errorf("%s: %d %s", query, r.status, r.body)
			}
		}
	}
}
