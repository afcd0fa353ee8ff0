package httpadapter

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestBadRequests checks that every wrong request gets an OperationOutcome with the right status and
// code, and changes nothing.
func TestBadRequests(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Limits.MaxBody, config.Limits.MaxURL = 1<<20, 2048 })
	before := c.get("/CodeSystem?_count=1000").body + c.get("/ValueSet?_count=1000").body
	deep := `{"resourceType":"CodeSystem","id":"x","url":"http://x","status":"active","content":"complete","extension":` +
		strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`
	deepConcepts := `{"resourceType":"CodeSystem","id":"x","url":"http://x","status":"active","content":"complete","concept":` +
		strings.Repeat(`[{"code":"a","concept":`, 100_000)
	type bad struct {
		method, path, body string
		status             int
		code               string
	}
	for _, tt := range []bad{
		// Routes.
		{"GET", "/", "", 404, "not-found"},
		{"GET", "/nowhere", "", 404, "not-found"},
		{"GET", "/Hound", "", 404, "not-supported"},
		{"GET", "/Hound/1", "", 404, "not-supported"},
		{"POST", "/Hound", "{}", 404, "not-supported"},
		{"GET", "/Parameters/1", "", 404, "not-supported"},
		{"GET", "/Patient/1", "", 404, "not-found"},
		{"GET", "/codesystem/animals", "", 404, "not-found"},
		{"GET", "/CodeSystem/", "", 404, "not-found"},
		{"GET", "/CodeSystem//animals", "", 404, "not-found"},
		{"GET", "/CodeSystem/a%2Fb", "", 404, "not-found"},
		{"GET", "/CodeSystem/animals/concept", "", 404, "not-found"},
		{"GET", "/CodeSystem/animals/concept/1", "", 404, "not-found"},
		{"POST", "/CodeSystem/animals/concept", "{}", 404, "not-found"},
		{"GET", "/CodeSystem/$frobnicate", "", 404, "not-supported"},
		{"GET", "/CodeSystem/animals/$frobnicate", "", 404, "not-supported"},
		{"GET", "/ValueSet/$lookup", "", 404, "not-supported"},
		{"GET", "/$expand", "", 404, "not-supported"},
		{"GET", "/CodeSystem/$", "", 404, "not-supported"},
		{"PATCH", "/CodeSystem/animals", "{}", 400, "structure"},
		{"POST", "/CodeSystem/animals", "{}", 405, "not-supported"},
		{"DELETE", "/CodeSystem", "", 400, "required"},
		{"PUT", "/CodeSystem", colours, 400, "required"},
		{"PATCH", "/CodeSystem?_format=json", "{}", 400, "required"},
		{"BREW", "/CodeSystem", "", 405, "not-supported"},
		{"PUT", "/metadata", "{}", 405, "not-supported"},
		{"BREW", "/CodeSystem/$lookup", "", 405, "not-supported"},
		{"DELETE", "/CodeSystem/$lookup", "", 405, "not-supported"},
		{"PUT", "/CodeSystem/$lookup", "{}", 405, "not-supported"},
		{"DELETE", "/CodeSystem/$frobnicate", "", 404, "not-supported"},
		{"GET", "/CodeSystem/_search", "", 405, "not-supported"},
		{"DELETE", "/CodeSystem/_history", "", 405, "not-supported"},
		{"GET", "/CodeSystem/_history/1", "", 404, "not-found"},
		{"GET", "/CodeSystem/$lookup/1", "", 404, "not-found"},
		{"GET", "/CodeSystem/animals/_history/1/2", "", 404, "not-found"},
		{"GET", "/CodeSystem/animals/$lookup/1", "", 404, "not-found"},
		{"POST", "/CodeSystem/_all", "{}", 404, "not-found"},
		// Parameters.
		{"GET", "/CodeSystem/$lookup", "", 400, "invalid"},
		{"GET", "/CodeSystem/$lookup?system=http://t.example/animals", "", 400, "invalid"},
		{"GET", "/CodeSystem/$lookup?system=http://t.example/animals&code=unicorn", "", 404, "not-found"},
		{"GET", "/CodeSystem/$lookup?system=http://nowhere&code=dog", "", 404, "not-found"},
		{"GET", "/CodeSystem/$lookup?system=http://t.example/animals&version=9&code=dog", "", 404, "not-found"},
		{"GET", "/CodeSystem/$lookup?system=http://t.example/animals&code=dog&code=cat", "", 400, "invalid"},
		{"GET", "/CodeSystem/$lookup?system=%zz&code=dog", "", 400, "invalid"},
		{"GET", "/CodeSystem/$lookup?system=%ff&code=dog", "", 400, "invalid"},
		{"GET", "/CodeSystem/nowhere/$subsumes?codeA=a&codeB=b", "", 404, "not-found"},
		{"GET", "/CodeSystem/$subsumes?system=http://t.example/animals&codeA=dog&codeB=unicorn", "", 404, "not-found"},
		{"GET", "/ValueSet/$expand?url=http://nowhere", "", 404, "not-found"},
		{"GET", "/ValueSet/nowhere/$expand", "", 404, "not-found"},
		{"GET", "/ValueSet/$expand", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets&count=ten", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets&count=-1", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets&offset=-1", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets&activeOnly=maybe", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets&colour=red", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets&context=http://x", "", 400, "not-supported"},
		{"GET", "/ValueSet/$validate-code?url=http://nowhere&code=dog&system=http://t.example/animals", "", 404, "not-found"},
		{"GET", "/ValueSet/$validate-code?code=dog", "", 400, "invalid"},
		{"GET", "/terminology/memberOf?code=dog", "", 400, "invalid"},
		{"GET", "/terminology/memberOf?code=dog&system=http://t.example/animals&valueSetUrl=http://nowhere", "", 404, "not-found"},
		// Canonicals with | and # in odd places.
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets%7C", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets%7C2%7C3", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets%23", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=%7C2", "", 400, "invalid"},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets%7C99", "", 404, "not-found"},
		// Bodies.
		{"POST", "/ValueSet/$expand", `{"resourceType":"Parameters"`, 400, "structure"},
		{"POST", "/ValueSet/$expand", `{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":5}]}`, 400, "structure"},
		{"POST", "/ValueSet/$expand", `{"resourceType":"Parameters","parameter":{"name":"url"}}`, 400, "structure"},
		{"POST", "/ValueSet/$expand", `{"resourceType":"Parameters","parameter":[{"name":"count","valueString":"3"}]}`, 400, "invalid"},
		{"POST", "/ValueSet/$expand", `{"resourceType":"Patient"}`, 400, "invalid"},
		{"POST", "/ValueSet/$expand", `[]`, 400, "structure"},
		{"POST", "/ValueSet/$expand", "\xff\xfe", 400, "structure"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","url":"http://x","status":"act`, 400, "structure"},
		{"PUT", "/CodeSystem/x", "{\"resourceType\":\"CodeSystem\",\"id\":\"x\",\"name\":\"\xff\"}", 400, "structure"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","url":7,"status":"active"}`, 400, "structure"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","id":"x","status":"active"}`, 400, "structure"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"ValueSet","id":"x","status":"active"}`, 400, "invalid"},
		{"PUT", "/CodeSystem/x", `{"id":"x","status":"active"}`, 400, "invalid"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","url":"http://x","status":"active"}`, 400, "invalid"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"y","url":"http://x","status":"active"}`, 400, "invalid"},
		{"PUT", "/CodeSystem/a_b", `{"resourceType":"CodeSystem","id":"a_b","url":"http://x","status":"active"}`, 400, "value"},
		{"PUT", "/CodeSystem/x", `null`, 400, "structure"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","url":"http://x"}`, 422, "required"},
		{"PUT", "/ValueSet/x", `{"resourceType":"ValueSet","id":"x","url":"http://x","status":"Active"}`, 422, "code-invalid"},
		{"POST", "/ConceptMap", `{"resourceType":"ConceptMap","url":"http://x"}`, 422, "required"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","url":"http://x","status":"active","content":"whole"}`, 422, "code-invalid"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","url":"http://x","status":"active","property":[{"code":"n","type":"integer"}],"concept":[{"code":"a","property":[{"code":"n","valueString":"1"}]}]}`, 422, "value"},
		{"PUT", "/CodeSystem/x", deep, 413, "too-long"},
		{"PUT", "/CodeSystem/x", deepConcepts, 413, "too-long"},
		{"PUT", "/CodeSystem/x", strings.Repeat(" ", 5<<20), 413, "too-long"},
		{"PUT", "/CodeSystem/x", strings.Repeat(" ", 3<<20), 400, "structure"},
		{"PUT", "/Patient/x", strings.Repeat(" ", 2<<20), 413, "too-long"},
		{"POST", "/ValueSet/$expand", strings.Repeat(" ", 2<<20), 413, "too-long"},
		{"GET", "/ValueSet/$expand?url=" + strings.Repeat("x", 4096), "", 414, "too-long"},
		{"GET", "/nowhere?x=" + strings.Repeat("x", 4096), "", 414, "too-long"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","url":"http://x","status":"active","content":"complete","concept":[{"code":"a"},{"code":"a"}]}`, 422, "duplicate"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","url":"http://x","status":"active","content":"complete","concept":[{"display":"a"}]}`, 422, "required"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","url":"http://x","status":"active","content":"complete","property":[{"code":"parent","type":"code"}],"concept":[{"code":"a","property":[{"code":"parent","valueCode":"b"}]},{"code":"b","property":[{"code":"parent","valueCode":"a"}]}]}`, 422, "business-rule"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","url":"http://x","status":"active","content":"complete","property":[{"code":"parent","type":"code"}],"concept":[{"code":"a","property":[{"code":"parent","valueCode":"z"}]}]}`, 422, "code-invalid"},
		// Searches.
		{"GET", "/CodeSystem?_count=many", "", 400, "value"},
		{"GET", "/CodeSystem?_count=-1", "", 400, "value"},
		{"GET", "/CodeSystem?_offset=x", "", 400, "value"},
		{"GET", "/CodeSystem?_sort=colour", "", 400, "value"},
		{"GET", "/CodeSystem?_lastUpdated=soon", "", 400, "value"},
		{"GET", "/CodeSystem?name:below=x", "", 400, "value"},
		{"GET", "/CodeSystem?url:missing=x", "", 400, "value"},
		{"GET", "/CodeSystem?_summary=short", "", 400, "value"},
		{"GET", "/CodeSystem?_total=some", "", 400, "value"},
		{"GET", "/CodeSystem?name=%zz", "", 400, "value"},
		{"GET", "/CodeSystem?name=%ff", "", 400, "value"},
		{"POST", "/CodeSystem/_search", `{}`, 415, "not-supported"},
		{"GET", "/CodeSystem/animals?_summary=short", "", 400, "value"},
		{"GET", "/CodeSystem/animals?_format=%zz", "", 400, "value"},
		{"GET", "/metadata?mode=half", "", 400, "value"},
		{"GET", "/OperationDefinition/nowhere", "", 404, "not-found"},
		{"GET", "/CodeSystem/nowhere", "", 404, "not-found"},
		{"GET", "/CodeSystem/_all", "", 404, "not-found"},
		{"GET", "/CodeSystem/nowhere/_history", "", 404, "not-found"},
		{"GET", "/CodeSystem/animals/_history/99", "", 404, "not-found"},
		{"GET", "/CodeSystem/animals/_history/x", "", 404, "not-found"},
	} {
		for _, prefix := range pathsR4() {
			name := fmt.Sprintf("%s %.80s %.60s", tt.method, prefix+tt.path, tt.body)
			r := c.do(tt.method, prefix+tt.path, tt.body)
			want := tt.code
			if prefix == "/r4" && strings.HasSuffix(tt.path, "codeB=unicorn") {
				want = "code-invalid" // as HL7's cases have it
			}
			t.Run(name, func(t *testing.T) {
				text := r.wantIssue(t, tt.status, want)
				if text == "" {
					t.Error("no diagnostics")
				}
				if len(text) > 1000 {
					t.Errorf("%d bytes of diagnostics", len(text))
				}
				if tt.status == 405 && r.header.Get("Allow") == "" {
					t.Error("no Allow")
				}
			})
		}
	}
	if after := c.get("/CodeSystem?_count=1000").body + c.get("/ValueSet?_count=1000").body; after != before {
		t.Error("a refused request changed something")
	}
}

// TestMaxURL counts the bytes of path and query: as many as the limit are taken, one more is not.
func TestMaxURL(t *testing.T) {
	const limit = 100
	c := newClient(t, func(config *Config) { config.Limits.MaxURL = limit })
	for _, url := range []string{"/", "/nowhere?x=", "/nowhere/a?"} {
		url += strings.Repeat("x", limit-len(strings.Replace(url, "?", "", 1)))
		c.get(url).wantIssue(t, 404, "not-found")
		c.get(url+"x").wantIssue(t, 414, "too-long")
	}
}

// TestExpression checks that an error names the parameter or element at fault.
func TestExpression(t *testing.T) {
	c := newClient(t)
	for _, tt := range []struct{ method, path, body, expression string }{
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets&count=ten", "", "Parameters.parameter.where(name='count')"},
		{"PUT", "/ValueSet/x", `{"resourceType":"ValueSet","id":"x","status":"active","compose":{"include":[{"system":5}]}}`, "ValueSet.compose.include[0].system"},
		{"GET", "/CodeSystem?_count=x", "", "http._count"},
	} {
		doc := c.do(tt.method, tt.path, tt.body).want(t, 400)
		if got := at(doc, "issue", 0, "expression", 0); got != tt.expression {
			t.Errorf("%s %s: expression %v, want %s", tt.method, tt.path, got, tt.expression)
		}
	}
}

// TestUnknownSystemIsCoded checks the coded detail of terminology issues.
func TestUnknownSystemIsCoded(t *testing.T) {
	doc := newClient(t).get("/CodeSystem/$lookup?system=http://nowhere&code=a").want(t, 404)
	coding, _ := at(doc, "issue", 0, "details", "coding", 0).(map[string]any)
	if coding["system"] != "http://hl7.org/fhir/tools/CodeSystem/tx-issue-type" || coding["code"] != "not-found" {
		t.Errorf("details %v", coding)
	}
}

// TestRefusedBody checks that a client that sends all of a body before it looks for the response gets
// it, and can go on if the body had a length. A body far beyond the limit is not read to its end.
func TestRefusedBody(t *testing.T) {
	const limit = 1 << 20
	base := listen(t, newClient(t, func(config *Config) { config.Limits.MaxBody = limit }).handler)
	for _, row := range []struct {
		head, body string
		again      bool
	}{
		{fmt.Sprintf("Content-Length: %d\r\n", 7*limit), strings.Repeat(" ", 7*limit), true},
		{"Transfer-Encoding: chunked\r\n", strings.Repeat("100000\r\n"+strings.Repeat(" ", limit)+"\r\n", 7) + "0\r\n\r\n", false},
		{fmt.Sprintf("Content-Length: %d\r\nExpect: 100-continue\r\n", 7*limit), "", false},
		{fmt.Sprintf("Content-Length: %d\r\n", 100*limit), strings.Repeat(" ", 8*limit), false},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewReader(conn)
		send := func(text string, want int) {
			_, sent := io.WriteString(conn, text)
			answer, err := http.ReadResponse(answers, nil)
			if sent != nil || err != nil {
				t.Fatalf("%q: %v, %v", row.head, sent, err)
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			if answer.StatusCode != want || answer.Close == row.again {
				t.Errorf("%q: status %d, close %v", row.head, answer.StatusCode, answer.Close)
			}
		}
		send("PUT /CodeSystem/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/fhir+json\r\n"+row.head+"\r\n"+row.body, 413)
		if row.again {
			send("GET /metadata HTTP/1.1\r\nHost: localhost\r\n\r\n", 200)
		}
		_ = conn.Close()
	}
}

// TestAllow checks that Allow lists the methods of the requested path and not those of other paths
// with the same pattern.
func TestAllow(t *testing.T) {
	c := newClient(t)
	for _, tt := range []struct{ method, path, allow string }{
		{"POST", "/CodeSystem/animals", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"},
		{"BREW", "/CodeSystem", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"},
		{"PUT", "/CodeSystem/_history", "GET, HEAD, OPTIONS"},
		{"POST", "/CodeSystem/animals/_history", "GET, HEAD, OPTIONS"},
		{"PUT", "/CodeSystem/animals/_history/1", "GET, HEAD, OPTIONS"},
		{"PATCH", "/CodeSystem/animals/$subsumes", "GET, HEAD, POST, OPTIONS"},
		{"POST", "/Patient/1/Observation", "GET, HEAD, OPTIONS"},
		{"GET", "/Patient/1/Observation/_search", "POST, OPTIONS"},
		{"GET", "/_search", "POST, OPTIONS"},
		{"POST", "/_history", "GET, HEAD, OPTIONS"},
		{"PUT", "/", "GET, HEAD, POST, OPTIONS"},
		{"PATCH", "/CodeSystem/$lookup", "GET, HEAD, POST, OPTIONS"},
		{"PUT", "/CodeSystem/$lookup", "GET, HEAD, POST, OPTIONS"},
		{"PUT", "/CodeSystem/_search", "POST, OPTIONS"},
		{"PATCH", "/metadata", "GET, HEAD, OPTIONS"},
	} {
		for _, prefix := range pathsR4() {
			if got := c.do(tt.method, prefix+tt.path, "{}").header.Get("Allow"); got != tt.allow {
				t.Errorf("%s %s allows %q, want %q", tt.method, prefix+tt.path, got, tt.allow)
			}
		}
	}
}
