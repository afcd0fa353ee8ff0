// Package backendtest runs the program for tests, either as a handler within the process of the
// test or as a separate process.
package backendtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Program returns the command that runs roget with the given arguments.
type Program func(tb testing.TB, args ...string) *exec.Cmd

// build builds the program as it is released, once in a test binary. The file lies beside the
// test binary, in a folder that go test removes.
var build = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(filepath.Dir(os.Args[0]), "roget")
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, "github.com/roget-health/roget")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// Released is the program as it is released, for measurements and for real data.
func Released(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	path, err := build()
	if err != nil {
		tb.Fatal(err)
	}
	return exec.Command(path, args...)
}

// Tested is the running test binary, whose TestMain must make it double as roget. The race
// detector watches it when it watches the tests.
func Tested(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return &exec.Cmd{Path: exe, Args: append([]string{"roget"}, args...), Env: os.Environ()}
}

// Run runs the released program in an empty folder and returns its output and exit code.
func Run(tb testing.TB, args ...string) (stdout, stderr string, exit int) {
	tb.Helper()
	var out, errs strings.Builder
	cmd := Released(tb, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Dir = tb.TempDir()
	var exited *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exited) {
		tb.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A Server is a running `roget serve`.
type Server struct {
	URL string
	Cmd *exec.Cmd
	Log *Log // standard error
}

// A Log keeps the output of a process for error messages. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write appends to the log.
func (j *Log) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// String returns the whole log.
func (j *Log) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// Serve starts a server on a free port of 127.0.0.1 and waits until it listens. The server is
// killed when the test ends.
func Serve(tb testing.TB, roget Program, args ...string) *Server {
	tb.Helper()
	s := &Server{Cmd: roget(tb, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...), Log: new(Log)}
	s.Cmd.Dir, s.Cmd.Stderr = tb.TempDir(), s.Log
	stdout, err := s.Cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Kill)
	first := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(stdout)
		line, _ := lines.ReadString('\n') // a server that ended early has no line
		first <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, lines)
	}()
	select {
	case line := <-first:
		url, found := strings.CutPrefix(line, "roget: listening on ")
		if !found {
			s.Kill()
			tb.Fatalf("first line %q\n%s", line, s.Log)
		}
		s.URL = url
	case <-time.After(2 * time.Minute):
		tb.Fatalf("the server did not start listening within two minutes\n%s", s.Log)
	}
	return s
}

// Kill ends the server with SIGKILL and waits for it.
func (s *Server) Kill() {
	if s.Cmd.ProcessState == nil {
		_ = s.Cmd.Process.Kill()
		_ = s.Cmd.Wait()
	}
}

// Do sends a request and returns the status and body of the response.
func (s *Server) Do(tb testing.TB, method, path, body string) (status int, answer string) {
	tb.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/fhir+json")
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return response.StatusCode, string(data)
}
