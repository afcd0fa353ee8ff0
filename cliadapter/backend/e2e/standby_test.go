package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/roget-health/roget/adapters/postgres/pgtest"
	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestStandby checks a server whose database is a hot standby: it is ready, reads what the primary's
// server writes, declares nothing that writes and answers that with 405, and writes once the standby was
// promoted.
func TestStandby(t *testing.T) {
	primary := postgresServer.Schema(t)
	serve := func(store string, more ...string) *backendtest.Server {
		return backendtest.Serve(t, backendtest.Tested, append(more, "--data", t.TempDir(), "--store", store, "--no-samples", "--no-base", "--seq-wait", "2s")...)
	}
	writer := serve(primary)
	address, promote := pgtest.Standby(t, primary)
	reader := serve(address)
	if status, _ := writer.Do(t, "PUT", "/Patient/a", patientOf("a", "Ada")); status != http.StatusCreated {
		t.Fatalf("the primary: %d", status)
	}
	answers := func(want int, method, path, body string) (answer string) {
		t.Helper()
		status := 0
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if status, answer = reader.Do(t, method, path, body); status == want {
				return answer
			}
		}
		t.Fatalf("%s %s: %d, want %d: %s", method, path, status, want, answer)
		return ""
	}
	answers(http.StatusOK, "GET", "/Patient/a", "") // as soon as it has arrived
	answers(http.StatusOK, "GET", "/readyz", "")
	answers(http.StatusServiceUnavailable, "GET", "/readyz?writes=true", "")
	const transaction = `{"resourceType":"Bundle","type":"transaction","entry":[{"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"Patient"}}]}`
	for _, row := range [][3]string{
		{"PUT", "/Patient/a", patientOf("a", "Ada")},
		{"PUT", "/Patient/b", patientOf("b", "Bea")},
		{"POST", "/Patient", patientOf("b", "Bea")},
		{"PUT", "/Patient?name=Ada", patientOf("a", "Ada")},
		{"PATCH", "/Patient/a", `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"delete"},{"name":"path","valueString":"Patient.name"}]}]}`},
		{"DELETE", "/Patient/a", ""},
		{"DELETE", "/Patient?name=Ada", ""},
		{"POST", "/", transaction},
		{"PUT", "/CodeSystem/c", `{"resourceType":"CodeSystem","id":"c","url":"http://c","status":"active","content":"complete"}`},
	} {
		if status, answer := reader.Do(t, row[0], row[1], row[2]); status != http.StatusMethodNotAllowed || !strings.Contains(answer, "standby") {
			t.Errorf("%s %s: %d %s", row[0], row[1], status, answer)
		}
	}
	_, declared := reader.Do(t, "GET", "/metadata", "")
	for _, code := range []string{`"create"`, `"update"`, `"patch"`, `"delete"`, `"transaction"`, `"patchFormat"`} {
		if strings.Contains(declared, code) {
			t.Errorf("%s is declared", code)
		}
	}
	_, described := reader.Do(t, "GET", "/openapi.json", "")
	_, whole := writer.Do(t, "GET", "/openapi.json", "")
	for _, word := range []string{`"updatePatient"`, `"createPatient"`, `"deletePatient"`, "/$closure", "/$meta-add", "Send a batch or transaction"} {
		if strings.Contains(described, word) || !strings.Contains(whole, word) {
			t.Errorf("%s in the OpenAPI document: %t, of the writer %t", word, strings.Contains(described, word), strings.Contains(whole, word))
		}
	}
	for _, name := range []string{`"closure"`, `"meta-delete"`} {
		if strings.Contains(declared, name) {
			t.Errorf("%s is declared", name)
		}
	}
	forwards := serve(address, "--writer", writer.URL)
	if _, declared := forwards.Do(t, "GET", "/metadata", ""); !strings.Contains(declared, `"create"`) || !strings.Contains(declared, `"transaction"`) {
		t.Error("what is forwarded is not declared")
	}
	// A client that has written reads its own write, whoever did it and whoever reads.
	do := func(server *backendtest.Server, method, path, body, seq string) *http.Response {
		r, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/fhir+json")
		r.Header.Set("X-Roget-Seq", seq)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response
	}
	for i := range 30 {
		through := []*backendtest.Server{writer, forwards}[i%2]
		written := do(through, "PUT", "/Patient/seq", patientOf("seq", fmt.Sprint("Ada", i)), "")
		read := do(reader, "GET", "/Patient/seq", "", written.Header.Get("X-Roget-Seq"))
		if written.StatusCode >= 300 || read.StatusCode != http.StatusOK || written.Header.Get("ETag") != read.Header.Get("ETag") {
			t.Errorf("%d: written %d %s, read %d %s", i, written.StatusCode, written.Header.Get("ETag"), read.StatusCode, read.Header.Get("ETag"))
		}
		if location, want := written.Header.Get("Location"), through.URL; i < 2 && location != "" && !strings.HasPrefix(location, want) {
			t.Errorf("Location %s, want %s", location, want)
		}
	}
	if read := do(reader, "GET", "/Patient/seq", "", "9000000000000000000"); read.StatusCode != http.StatusServiceUnavailable || read.Header.Get("Retry-After") == "" {
		t.Errorf("a Seq that nobody has written: %d", read.StatusCode)
	}
	if read := do(reader, "GET", "/Patient/seq", "", "x"); read.StatusCode != http.StatusBadRequest {
		t.Errorf("no Seq: %d", read.StatusCode)
	}
	promote()
	answers(http.StatusOK, "GET", "/readyz?writes=true", "")
	answers(http.StatusCreated, "PUT", "/Patient/b", patientOf("b", "Bea"))
	if _, declared = reader.Do(t, "GET", "/metadata", ""); !strings.Contains(declared, `"create"`) {
		t.Error("create is not declared after the promotion")
	}
}

// floorBytes is the size of the constant response, about that of a $lookup.
const floorBytes = 2270

// floor parses the query and reads the body of every request, and responds with constant bytes. No
// HTTP server made of net/http and httprouter can be faster, so the difference is the cost of
// Roget.
func floor() http.Handler {
	body := bytes.Repeat([]byte("x"), floorBytes)
	answer := func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		_ = r.URL.Query()
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/fhir+json")
		w.Header().Set("Content-Length", strconv.Itoa(floorBytes))
		_, _ = w.Write(body)
	}
	router := httprouter.New()
	router.GET("/baseR4/:type/:op", answer)
	router.POST("/baseR4/:type/:op", answer)
	return router
}

// serveFloor is the command floor that this test binary is when it has that name:
//
//	go test -c -o floor ./cliadapter/backend/e2e && ./floor 127.0.0.1:8081
func serveFloor() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: floor ADDR")
		os.Exit(2)
	}
	if err := http.ListenAndServe(os.Args[1], floor()); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(3)
	}
}

func TestFloor(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		answer := httptest.NewRecorder()
		floor().ServeHTTP(answer, httptest.NewRequest(method, "/baseR4/CodeSystem/$lookup?system=s&code=c", strings.NewReader("{}")))
		if answer.Code != http.StatusOK || answer.Body.Len() != floorBytes {
			t.Errorf("%s: status %d, %d bytes", method, answer.Code, answer.Body.Len())
		}
	}
}
