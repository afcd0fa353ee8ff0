package main_test

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

// A program gives the command that runs roget with some arguments.
type program func(tb testing.TB, args ...string) *exec.Cmd

var built struct {
	once sync.Once
	path string
	err  error
}

// released is the program as it is released, built once: what is measured, and what
// works on real data.
func released(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	built.once.Do(func() {
		// Beside the test binary, in a folder that go test removes.
		built.path = filepath.Join(filepath.Dir(os.Args[0]), "roget")
		cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", built.path, ".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		tb.Fatal(built.err)
	}
	return exec.Command(built.path, args...)
}

// tested is this test binary, which doubles as roget (TestMain): the race detector
// watches it when it watches the tests.
func tested(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return &exec.Cmd{Path: exe, Args: append([]string{"roget"}, args...), Env: os.Environ()}
}

// run returns what the released program wrote and its exit code.
func run(tb testing.TB, args ...string) (stdout, stderr string, exit int) {
	tb.Helper()
	var out, errs strings.Builder
	cmd := released(tb, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Dir = tb.TempDir()
	var exited *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exited) {
		tb.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// server is a running `roget serve`.
type server struct {
	url string
	cmd *exec.Cmd
	log *journal
}

// journal keeps what a process writes, for messages.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// serve starts a server on a free port and waits for its first line, which tells where
// it listens. The server ends with the test.
func serve(tb testing.TB, roget program, args ...string) *server {
	tb.Helper()
	s := &server{cmd: roget(tb, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...), log: new(journal)}
	s.cmd.Dir, s.cmd.Stderr = tb.TempDir(), s.log
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.kill)
	first := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(stdout)
		line, _ := lines.ReadString('\n') // the server that ended has no line
		first <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, lines)
	}()
	select {
	case line := <-first:
		url, found := strings.CutPrefix(line, "roget: listening on ")
		if !found {
			s.kill()
			tb.Fatalf("first line %q\n%s", line, s.log)
		}
		s.url = url
	case <-time.After(2 * time.Minute):
		tb.Fatalf("the server did not start listening within two minutes\n%s", s.log)
	}
	return s
}

// kill ends the server without grace and waits for it.
func (s *server) kill() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}

// do makes a request and gives status and body.
func (s *server) do(tb testing.TB, method, path, body string) (status int, answer string) {
	tb.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
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
