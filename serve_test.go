package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A child is roget serve in a process of its own.
type child struct {
	cmd *exec.Cmd
	url string
	log *strings.Builder
}

// serve starts roget serve on a free port and waits until it listens.
func serve(t *testing.T, args ...string) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{log: new(strings.Builder)}
	c.cmd = &exec.Cmd{
		Path: exe, Args: append([]string{"roget", "serve", "--addr", "127.0.0.1:0"}, args...),
		Dir: t.TempDir(), Env: os.Environ(), Stderr: c.log,
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.cmd.Process.Kill(); c.cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "roget: listening on ")
	if err != nil || !found {
		c.cmd.Wait()
		t.Fatalf("first line %q, %v\n%s", line, err, c.log)
	}
	c.url = url
	return c
}

// do makes a request and gives status and body.
func (c *child) do(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/fhir+json")
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

const petsExpansion = "/ValueSet/$expand?url=https://roget.health/fhir/ValueSet/pets"

// The command of the README: with nothing else, serve answers from the samples.
func TestServeSamples(t *testing.T) {
	c := serve(t)
	status, body := c.do(t, "GET", petsExpansion, "")
	if status != http.StatusOK || !strings.Contains(body, `"code":"sheepdog"`) {
		t.Errorf("status %d: %s", status, body)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, c.log)
	}
}

func TestServeNoSamples(t *testing.T) {
	c := serve(t, "--no-samples", "--store", "memory:")
	if status, body := c.do(t, "GET", petsExpansion, ""); status != http.StatusNotFound {
		t.Errorf("status %d: %s", status, body)
	}
}

// What was put is there after a restart, and queries of the terminal see it.
func TestServeKeepsResources(t *testing.T) {
	data := t.TempDir()
	c := serve(t, "--data", data)
	status, body := c.do(t, "PUT", "/CodeSystem/moods", `{"resourceType":"CodeSystem","id":"moods","url":"http://example.org/moods",
		"status":"active","content":"complete","concept":[{"code":"glad","concept":[{"code":"merry","display":"Merry"}]}]}`)
	if status != http.StatusCreated {
		t.Fatalf("status %d: %s", status, body)
	}
	lookup := func() {
		t.Helper()
		exe, _ := os.Executable()
		cmd := &exec.Cmd{Path: exe, Args: []string{"roget", "lookup", "merry", "--system", "http://example.org/moods", "--data", data}}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Merry") {
			t.Errorf("lookup: %v\n%s", err, out)
		}
	}
	lookup() // beside the running server
	c.cmd.Process.Kill()
	c.cmd.Wait()
	lookup()
	c = serve(t, "--data", data)
	if status, body := c.do(t, "GET", "/CodeSystem/$subsumes?system=http://example.org/moods&codeA=glad&codeB=merry", ""); status != 200 || !strings.Contains(body, `"subsumes"`) {
		t.Errorf("status %d: %s", status, body)
	}
}

// A request that is under way when the signal comes is answered.
func TestServeDrains(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGTERM")
	}
	c := serve(t, "--store", "memory:")
	body, begin := io.Pipe()
	done := make(chan int, 1)
	go func() {
		req, _ := http.NewRequest(http.MethodPost, c.url+"/CodeSystem/$lookup", body)
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
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	io.WriteString(begin, `{"name":"code","valueCode":"cat"}]}`)
	begin.Close()
	if status := <-done; status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, c.log)
	}
}
