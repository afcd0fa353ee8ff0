package e2e_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

const petsExpansion = "/ValueSet/$expand?url=https://roget.health/fhir/ValueSet/pets"

// The command in the README: without flags, serve answers from the samples.
func TestServeSamples(t *testing.T) {
	c := backendtest.Serve(t, backendtest.Tested)
	status, body := c.Do(t, "GET", petsExpansion, "")
	if status != http.StatusOK || !strings.Contains(body, `"code":"sheepdog"`) {
		t.Errorf("status %d: %s", status, body)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := c.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, c.Log)
	}
}

func TestServeNoSamples(t *testing.T) {
	c := backendtest.Serve(t, backendtest.Tested, "--no-samples", "--store", "memory:")
	if status, body := c.Do(t, "GET", petsExpansion, ""); status != http.StatusNotFound {
		t.Errorf("status %d: %s", status, body)
	}
}

// The base content is there to read, to search and to ask, unless it is left out, and
// what a client stores under its canonical answers in its place.
func TestServeBase(t *testing.T) {
	const url = "http://hl7.org/fhir/publication-status"
	questions := []string{
		"/CodeSystem/publication-status",
		"/CodeSystem/$validate-code?url=" + url + "&code=draft",
		"/ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/publication-status",
	}
	c := backendtest.Serve(t, backendtest.Tested, "--store", "memory:", "--data", t.TempDir())
	for _, q := range questions {
		if status, body := c.Do(t, "GET", q, ""); status != http.StatusOK || !strings.Contains(body, "Draft") {
			t.Errorf("%s: status %d: %s", q, status, body)
		}
	}
	if _, body := c.Do(t, "GET", "/CodeSystem?url="+url, ""); !strings.Contains(body, `"total":1,`) || !strings.Contains(body, "Retired") {
		t.Errorf("search: %s", body)
	}
	status, body := c.Do(t, "PUT", "/CodeSystem/publication-status", `{"resourceType":"CodeSystem","id":"publication-status","url":"`+url+`",
		"status":"active","content":"complete","concept":[{"code":"draft","display":"Draft of ours"}]}`)
	if status != http.StatusCreated {
		t.Fatalf("status %d: %s", status, body)
	}
	for _, q := range questions {
		if status, body := c.Do(t, "GET", q, ""); status != http.StatusOK || !strings.Contains(body, "Draft of ours") {
			t.Errorf("%s: status %d: %s", q, status, body)
		}
	}
	if status, body := c.Do(t, "DELETE", "/CodeSystem/publication-status", ""); status >= 300 {
		t.Fatalf("status %d: %s", status, body)
	}
	if _, body := c.Do(t, "GET", "/CodeSystem?url="+url, ""); !strings.Contains(body, "Retired") {
		t.Errorf("search: %s", body)
	}

	c = backendtest.Serve(t, backendtest.Tested, "--store", "memory:", "--data", t.TempDir(), "--no-base")
	if status, body := c.Do(t, "GET", questions[0], ""); status != http.StatusNotFound {
		t.Errorf("status %d: %s", status, body)
	}
}

// What was put is there after a restart, and queries of the terminal see it.
func TestServeKeepsResources(t *testing.T) {
	data := t.TempDir()
	c := backendtest.Serve(t, backendtest.Tested, "--data", data)
	status, body := c.Do(t, "PUT", "/CodeSystem/moods", `{"resourceType":"CodeSystem","id":"moods","url":"http://example.org/moods",
		"status":"active","content":"complete","concept":[{"code":"glad","concept":[{"code":"merry","display":"Merry"}]}]}`)
	if status != http.StatusCreated {
		t.Fatalf("status %d: %s", status, body)
	}
	lookup := func() {
		t.Helper()
		out, err := backendtest.Tested(t, "lookup", "merry", "--system", "http://example.org/moods", "--data", data).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Merry") {
			t.Errorf("lookup: %v\n%s", err, out)
		}
	}
	lookup() // beside the running server
	c.Kill()
	lookup()
	c = backendtest.Serve(t, backendtest.Tested, "--data", data)
	if status, body := c.Do(t, "GET", "/CodeSystem/$subsumes?system=http://example.org/moods&codeA=glad&codeB=merry", ""); status != 200 || !strings.Contains(body, `"subsumes"`) {
		t.Errorf("status %d: %s", status, body)
	}
}

// A request that is under way when the signal comes is answered.
func TestServeDrains(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGTERM")
	}
	c := backendtest.Serve(t, backendtest.Tested, "--store", "memory:")
	body, begin := io.Pipe()
	done := make(chan int, 1)
	go func() {
		req, _ := http.NewRequest(http.MethodPost, c.URL+"/CodeSystem/$lookup", body)
		req.Header.Set("Content-Type", "application/fhir+json")
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			done <- 0
			return
		}
		answer.Body.Close()
		done <- answer.StatusCode
	}()
	io.WriteString(begin, `{"resourceType":"Parameters","parameter":[{"name":"system","valueUri":"https://roget.health/fhir/CodeSystem/animals"},`)
	time.Sleep(100 * time.Millisecond) // the request has arrived
	if err := c.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	io.WriteString(begin, `{"name":"code","valueCode":"cat"}]}`)
	begin.Close()
	if status := <-done; status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if err := c.Cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, c.Log)
	}
}

// $generate is offered when it is asked for.
func TestServeGenerate(t *testing.T) {
	for _, args := range [][]string{nil, {"--generate"}} {
		c := backendtest.Serve(t, backendtest.Tested, append(args, "--store", "memory:", "--data", t.TempDir(), "--no-base")...)
		want := http.StatusNotFound
		if args != nil {
			want = http.StatusOK
		}
		if status, body := c.Do(t, "POST", "/Patient/$generate?seed=1", ""); status != want || args != nil && !strings.Contains(body, `/Patient/1-0","resource":{"resourceType":"Patient","id":"1-0"`) {
			t.Errorf("%v: status %d: %s", args, status, body)
		}
	}
}

// A server starts with patients; one that has them already does not get them twice.
func TestServePatients(t *testing.T) {
	data := t.TempDir()
	versions := func(c *backendtest.Server) string {
		t.Helper()
		if status, body := c.Do(t, "GET", "/Patient?_summary=count", ""); status != http.StatusOK || !strings.Contains(body, `"total":7`) {
			t.Errorf("status %d: %s", status, body)
		}
		status, body := c.Do(t, "GET", "/Patient/42-6/_history", "")
		if status != http.StatusOK || !strings.Contains(body, `"total":1,`) {
			t.Errorf("status %d: %s", status, body)
		}
		if status, body := c.Do(t, "GET", "/Encounter?patient=Patient/42-6&_count=1", ""); status != http.StatusOK || !strings.Contains(body, `"reference":"Patient/42-6"`) {
			t.Errorf("status %d: %s", status, body)
		}
		return body
	}
	args := []string{"--patients", "7", "--seed", "42", "--data", data}
	c := backendtest.Serve(t, backendtest.Tested, args...)
	first := versions(c)
	c.Kill()
	if again := versions(backendtest.Serve(t, backendtest.Tested, args...)); !strings.Contains(again, `"versionId":"1"`) || !strings.Contains(first, `"versionId":"1"`) {
		t.Errorf("%s\n%s", first, again)
	}
	versions(backendtest.Serve(t, backendtest.Tested, "--patients=7", "--seed=42", "--store", "memory:", "--data", t.TempDir()))
}
