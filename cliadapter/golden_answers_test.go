package cliadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
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

// TestGoldenAnswers compares answers about samples, files and a store with testdata/answers.txt. To add a command
// line, write it there after "$ roget", use -update, and review the answer.
func TestGoldenAnswers(t *testing.T) {
	text, err := os.ReadFile("testdata/answers.txt")
	here, err2 := os.Getwd()
	own, err3 := os.Executable()
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	b, folder := newStored(t)
	t.Setenv("PATH", "nowhere")
	env := map[string]string{"ROGET_DATA": ".", "HOME": "home", "SHELL": "/bin/fish", "MANPATH": "."}
	var answers strings.Builder
	for row := range strings.Lines(string(text)) {
		line, is := strings.CutPrefix(strings.TrimSpace(row), "$ roget ")
		if !is {
			continue
		}
		code, out, errs := run(t, b, env, strings.Fields(line)...)
		if strings.HasSuffix(line, "-o json") && !json.Valid([]byte(out)) {
			t.Errorf("%s: the answer is not one document", line)
		}
		fmt.Fprintf(&answers, "$ roget %s\n%s", line, begun(out, 60))
		for text := range strings.Lines(begun(errs, 20)) {
			answers.WriteString("! " + text)
		}
		fmt.Fprintf(&answers, "exit code %d\n\n", code)
		if out != "" {
			checkStreams(t, b, env, line)
		}
	}
	t.Chdir(here)
	got := strings.NewReplacer(folder, "/FOLDER", own, "ROGET", filepath.Dir(own), "PROGRAMS").Replace(answers.String())
	golden(t, "answers.txt", regexp.MustCompile(` in [0-9.]+m?s\b|"milliseconds":[0-9]+`).ReplaceAllString(got, " in TIME"))
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

// TestAnnotateMap: codes that match are there once, and a broken line has none.
func TestAnnotateMap(t *testing.T) {
	path := writeFile(t, "map.json", `{"resourceType":"ConceptMap","url":"http://m","status":"active","group":[{"source":"s","target":"t","element":[{"code":"a","target":[{"code":"x","equivalence":"equal"},{"code":"y","equivalence":"disjoint"}]}]},{"source":"s","target":"u","element":[{"code":"a","target":[{"code":"x","equivalence":"wider"}]}]}]}`)
	b := newSamples(t)
	eng, err := b.engine()
	if err := errors.Join(err, eng.Load(t.Context(), path)); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"map": "code,s,map\na,s,x\n", "map,display": "code,s,map,display\na,s,,\n"} {
		if _, out, errs := runWith(t, b, "code,s\na,s\n", nil, "annotate", "-", "--map", "http://m", "--system-column", "s", "--add", args); out != want {
			t.Errorf("%s: %q: %s", args, out, errs)
		}
	}
}

// TestCounts: what an import prints of its result.
func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		report bulk.Report
		want   string
	}{
		{bulk.Report{Stored: 1000, Time: time.Second}, "1,000 stored, 0 unchanged, 0 refused in 1s"},
		{bulk.Report{Stored: 1001}, "1,001 stored, 0 unchanged, 0 refused in 0s"},
		{bulk.Report{Stored: 3000, Deleted: 1, Time: 2 * time.Second}, "3,000 stored, 0 unchanged, 0 refused in 2s, 1,500 per second; 1 deleted"},
		{bulk.Report{Unchanged: 1, Done: 1}, "0 stored, 1 unchanged, 0 refused in 0s; 1 file skipped, finished by an earlier import (--restart reads all)"},
	} {
		var out bytes.Buffer
		inv := &invocation{&command.Invocation{Streams: Streams{Out: &out}}, nil}
		if err := inv.writeStored(tt.report, "table", "from: "); err != nil || out.String() != "TYPE  RESOURCES\nfrom: "+tt.want+"\n" {
			t.Errorf("%+v: %v, %q", tt.report, err, out.String())
		}
	}
}

// TestProfileSources: an engine reads what validate loads, if it has more than definitions.
func TestProfileSources(t *testing.T) {
	const definition, set = `{"resourceType":"StructureDefinition","url":"http://p"}`, `{"resourceType":"ValueSet","url":"http://v"}`
	for text, want := range map[string]int{definition: 0, set: 1, definition + set: 1, `{"resourceType":"Patient"}`: 1} {
		path, b := writeFile(t, "x.ndjson", text), &absent{}
		if _, _, errs := run(t, b, nil, "validate", path, "--load", path); len(b.opened.Load) != want || !b.opened.Base {
			t.Errorf("%s: %+v: %s", text, b.opened, errs)
		}
	}
}

// TestNameless: what is loaded without a url has its id in an error.
func TestNameless(t *testing.T) {
	path := writeFile(t, "x.json", `{"resourceType":"CodeSystem","id":"i","status":"active","content":"complete","concept":[{"code":"a"}]}`)
	if code, _, errs := run(t, &reader{}, nil, "lookup", "a", "--system", "http://s", "--load", path); code != 3 || !strings.Contains(errs, "; what is loaded has no url: x.json (") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// TestDoctorFindings: which roget a shell starts, and whether it completes its commands.
func TestDoctorFindings(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for want, link := range map[string]string{"": own, "the shell starts": "/bin/sh"} {
		folder := t.TempDir()
		t.Setenv("PATH", folder)
		if err := os.Symlink(link, filepath.Join(folder, "roget")); err != nil {
			t.Fatal(err)
		}
		if f := checkProgram(&invocation{cli: New(Config{})}); (f.State == stateOK) != (want == "") || !strings.Contains(f.Text, want) {
			t.Errorf("%s: %+v", link, f)
		}
	}
	for _, tt := range []struct{ shell, file, variable, text, want string }{
		{"tcsh", ".tcshrc", "HOME", "", "note: the variable SHELL names none of bash, zsh, fish"},
		{"zsh", ".zshrc", "HOME", "source <(roget completion zsh)", "ok: FILE loads it"},
		{"zsh", ".zshrc", "ZDOTDIR", "source <(roget completion zsh)", "ok: FILE loads it"},
		{"fish", ".config/fish/completions/roget.fish", "HOME", "old", "note: FILE is of another version of roget"},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, tt.file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(tt.text), 0o600)); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"HOME": nowhere, "SHELL": "/bin/" + tt.shell, tt.variable: folder}
		if f := checkCompletion(func(name string) string { return env[name] }); f.State+": "+strings.Replace(f.Text, path, "FILE", 1) != tt.want {
			t.Errorf("%+v: %+v", tt, f)
		}
	}
}

// TestBrowser: the browser begins at what the command line names, in a code system that it would not list.
func TestBrowser(t *testing.T) {
	eng, err := newSamples(t).engine()
	if err != nil {
		t.Fatal(err)
	}
	c := builder{terminal(), New(Config{Getenv: func(string) string { return "" }})}
	for line, want := range map[string]string{
		"--system=triage-colours orange":        `(?s) triage-colours  .*\{  orange[^{]* 3\}`,
		"--system=administrative-gender female": `(?s) administrative-gender  .*\{  female[^{]* 3\}`,
	} {
		set, flags := flag.NewFlagSet("", flag.ContinueOnError), c.systemOptions()
		if err := errors.Join(flags[0].Apply(set), flags[1].Apply(set), set.Parse(strings.Fields(line))); err != nil {
			t.Fatal(err)
		}
		parsed := cli.NewContext(nil, set, nil)
		parsed.Command = &cli.Command{Flags: flags}
		m, err := (&invocation{&command.Invocation{Getenv: c.config.Getenv, Parsed: parsed}, c.CLI}).browser(eng)
		if err != nil {
			t.Fatal(err)
		}
		if view := fmt.Sprint(m.View(80, 9)); !regexp.MustCompile(want).MatchString(view) {
			t.Errorf("%s: %s", line, view)
		}
	}
}
