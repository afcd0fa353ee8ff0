package cliadapter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// stored is a Backend with the samples and a store that stays. It reports progress before it answers.
type stored struct {
	*samples
	svc *resources.Service
}

// newStored returns a Backend, and makes a new folder with files the current folder.
func newStored(t *testing.T) (b *stored, folder string) {
	t.Helper()
	at := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	b = &stored{newSamples(t), resources.NewService(memory.New(), nil, resources.WithClock(at))}
	if _, err := b.engine(); err != nil { // from the folder of the package
		t.Fatal(err)
	}
	folder = t.TempDir()
	t.Chdir(folder)
	for name, text := range map[string]string{
		"patients.ndjson": `{"resourceType":"Patient","id":"a","gender":"female"}` + "\n" + `{"resourceType":"Patient","id":"b"}` + "\n" + `{"resourceType":"Patient","id":"c"}`,
		"bad.ndjson":      strings.Repeat(`{"resourceType":"Patient","gender":"x"}`+"\n", 22),
		"bad.json":        `{"resourceType":"Patient","id":"d","gender":"x","born":1}`,
		"no.json":         `{"resourceType":"Patient"`,
		"empty.json":      "",
		"view.json":       `{"resourceType":"ViewDefinition","status":"active","resource":"Patient","select":[{"column":[{"name":"id","path":"id"},{"name":"gender","path":"gender"}]}]}`,
		"short.csv":       "x,code\n1,dog\n" + strings.Repeat("2\n", 21),
		"foreign/_roget":  "#compdef other\n",
		"man1/roget.1":    "",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return b, folder
}

// begin reports progress, and something that was skipped.
func begin(obs Observer) {
	obs.Progress(loader.Progress{Path: "some.json", BytesRead: 1, BytesTotal: 2})
	obs.Skipped(1)
}

func (b *stored) Query(ctx context.Context, src Sources, obs Observer, ask func(*engine.Engine) error) error {
	begin(obs)
	return b.samples.Query(ctx, src, obs, ask)
}

func (b *stored) Resources(_ context.Context, _ StoreOptions, obs Observer, use func(*resources.Service) error) error {
	begin(obs)
	return use(b.svc)
}

// Load loads a code system, two value sets and three concept maps from each path.
func (b *stored) Load(_ context.Context, req LoadRequest, obs Observer) error {
	for _, path := range req.Paths {
		begin(obs)
		for i, kind := range []int{0, 1, 1, 2, 2, 2} {
			obs.Resource(Loaded{Kind: kinds[kind], URL: "http://example.org/" + path, Concepts: i * 999, Size: 1 << (10 * i), File: path})
		}
	}
	return nil
}

func (b *stored) VerifyAudit(_ context.Context, v AuditVerification) (AuditVerified, error) {
	done := AuditVerified{Files: len(v.Sources), Lines: 2, Last: time.Unix(0, 0).UTC(), Sum: "s"}
	if v.Expected != "" {
		done.Problems, done.More = []string{"log: line 2: the sum is wrong"}, 3
	}
	return done, nil
}

// TestGoldenAnswers compares answers about samples, files and a store with the sums in testdata/answers.txt. To add
// a line, write it there, use -update, and look at the answer, which is logged.
func TestGoldenAnswers(t *testing.T) {
	rows, err := os.ReadFile("testdata/answers.txt")
	here, err2 := os.Getwd()
	own, err3 := os.Executable()
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	b, folder := newStored(t)
	t.Setenv("PATH", "nowhere")
	env := map[string]string{"ROGET_DATA": ".", "HOME": "home", "SHELL": "/bin/fish", "MANPATH": "."}
	var sums strings.Builder
	for row := range strings.Lines(string(rows)) {
		line, want, _ := strings.Cut(strings.TrimSpace(row), "\t")
		code, out, errs := run(t, b, env, strings.Fields(line)...)
		text := fmt.Sprintf("exit code %d\n%s%s", code, out, errs)
		text = strings.NewReplacer(folder, "/FOLDER", own, "ROGET", filepath.Dir(own), "PROGRAMS").Replace(text)
		text = regexp.MustCompile(` in [0-9.]+m?s\b|"milliseconds":[0-9]+`).ReplaceAllString(text, " in TIME")
		sum := fmt.Sprintf("%.2x", sha256.Sum256([]byte(text)))
		if strings.HasSuffix(line, "-o json") && !json.Valid([]byte(out)) {
			t.Errorf("%s: the answer is not one document", line)
		}
		if sums.WriteString(line + "\t" + sum + "\n"); sum != want {
			t.Logf("%s: %s", line, text)
		}
		if out != "" {
			checkStreams(t, b, env, line)
		}
	}
	t.Chdir(here)
	golden(t, "answers.txt", sums.String())
}

// checkStreams checks that what a command shows of progress is gone before it writes a line, and that it fails
// and says why if its answer cannot be written.
func checkStreams(t *testing.T, b Backend, env map[string]string, line string) {
	t.Helper()
	c := New(Config{Operations: operation.Terminal(), Backend: b, Getenv: func(name string) string { return env[name] }})
	var shown []byte
	progress := false // was written last
	text := func(p []byte) (int, error) {
		if progress && !bytes.HasSuffix(shown, []byte("\r")) {
			t.Errorf("%s writes %q after %q", line, p, shown)
		}
		progress, shown = false, append(shown, p...)
		return len(p), nil
	}
	errs := func(p []byte) (int, error) {
		if bytes.HasSuffix(p, []byte("\n")) {
			return text(p)
		}
		progress, shown = true, append(shown, p...)
		return len(p), nil
	}
	c.Run(t.Context(), strings.Fields(line), Streams{In: strings.NewReader(""), Out: writer(text), Err: writer(errs), OutTerminal: true, ErrTerminal: true})
	var said strings.Builder
	if code := c.Run(t.Context(), strings.Fields(line), Streams{In: strings.NewReader(""), Out: full{}, Err: &said}); code == 0 || !strings.Contains(said.String(), "no space left") {
		t.Errorf("%s: exit code %d, %q", line, code, said.String())
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
