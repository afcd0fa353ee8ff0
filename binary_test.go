package main_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var built struct {
	once sync.Once
	path string
	err  error
}

// roget gives the path of the command, built once as it is released.
func roget(tb testing.TB) string {
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
	return built.path
}

// run gives what the command wrote and its exit code.
func run(tb testing.TB, args ...string) (stdout, stderr string, exit int) {
	tb.Helper()
	var out, errs strings.Builder
	cmd := exec.Command(roget(tb), args...)
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
}

// serve starts the server on a free port and waits until it listens.
func serve(tb testing.TB, args ...string) *server {
	tb.Helper()
	cmd := exec.Command(roget(tb), append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Dir = tb.TempDir()
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	s := &server{cmd: cmd}
	listening := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(pipe)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if _, url, found := strings.Cut(lines.Text(), "listening on "); found {
				listening <- strings.TrimSpace(url)
				break
			}
		}
		_, _ = io.Copy(io.Discard, pipe)
	}()
	tb.Cleanup(s.stop)
	select {
	case s.url = <-listening:
	case <-time.After(120 * time.Second):
		tb.Fatal("the server did not start listening within two minutes")
	}
	return s
}

// stop ends the server without grace and waits for it.
func (s *server) stop() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}
