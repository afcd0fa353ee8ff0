package cliadapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/closure"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// absent is a Backend with nothing behind it.
type absent struct {
	opened  Sources
	served  ServeOptions
	request LoadRequest
	store   StoreOptions
	mcp     MCPOptions
	backup  BackupRequest
	restore RestoreRequest
	audit   []string // lines of the audit log
	err     error
}

func (b *absent) Query(_ context.Context, src Sources, _ Observer, ask func(*engine.Engine) error) error {
	b.opened = src
	if b.err != nil {
		return b.err
	}
	return ask(engine.New())
}

func (b *absent) Load(_ context.Context, req LoadRequest, obs Observer) error {
	b.request = req
	obs.Progress(loader.Progress{Path: "one.json", BytesRead: 100, BytesTotal: 200})
	obs.Resource(Loaded{Kind: "CodeSystem", URL: "http://example.org/one", Version: "1", Concepts: 1234, Size: 2048, File: "one.json"})
	obs.Skipped(1)
	return b.err
}

func (b *absent) Resources(_ context.Context, o StoreOptions, _ Observer, use func(*resources.Service) error) error {
	b.store = o
	if b.err != nil {
		return b.err
	}
	return use(resources.NewService(memory.New(), nil))
}

func (b *absent) Closures(_ context.Context, o StoreOptions, _ Observer, use func(operation.Closures) error) error {
	b.store = o
	if b.err != nil {
		return b.err
	}
	return use(closure.New(engine.New(), memory.New(), closure.Limits{}, nil))
}

func (b *absent) Scopes(_ context.Context, src Sources, _ Observer, use func(*resources.Service) error) error {
	b.opened = src
	if b.err != nil {
		return b.err
	}
	return use(resources.NewService(memory.New(), engine.New()))
}

func (b *absent) CheckServe(context.Context, ServeOptions) error { return b.err }

func (b *absent) Verify(context.Context, VerifyRequest) (Verified, error) {
	return Verified{Packs: 2, Bytes: 3 << 20, Versions: 7, StoreBytes: 1 << 10}, b.err
}

func (b *absent) Backup(_ context.Context, req BackupRequest) (BackedUp, error) {
	b.backup = req
	return BackedUp{Folder: req.Target + "/roget-20260102T030405Z", Files: 3, Bytes: 3 << 20}, b.err
}

func (b *absent) Publish(_ context.Context, req BackupRequest) (BackedUp, error) {
	return BackedUp{Folder: req.Target, Files: 3, Bytes: 3 << 20}, b.err
}

func (b *absent) Restore(_ context.Context, req RestoreRequest) (BackedUp, error) {
	b.restore = req
	return BackedUp{Folder: req.Data, Files: 3, Bytes: 3 << 20}, b.err
}

func (b *absent) AuditLines(_ context.Context, _ []string, _ io.Reader, fn func(string, []byte) error) error {
	for _, line := range b.audit {
		if err := fn("absent", []byte(line)); err != nil {
			return err
		}
	}
	return b.err
}

func (b *absent) VerifyAudit(context.Context, AuditVerification) (AuditVerified, error) {
	return AuditVerified{}, b.err
}

func (b *absent) MCP(_ context.Context, o MCPOptions, _ Observer, ready func(string)) error {
	b.mcp = o
	ready("")
	return b.err
}

func (b *absent) Serve(_ context.Context, o ServeOptions, _ Observer, ready func(string)) error {
	b.served = o
	ready("http://127.0.0.1:1234")
	return b.err
}

// nowhere is a folder that is not there.
const nowhere = "/nowhere/at/all"

// run runs one command line without an environment.
func run(t *testing.T, b Backend, env map[string]string, line ...string) (code int, out, errs string) {
	t.Helper()
	return runWith(t, b, "", env, line...)
}

// runWith is run with a text on standard input.
func runWith(t *testing.T, b Backend, stdin string, env map[string]string, line ...string) (code int, out, errs string) {
	t.Helper()
	c := New(Config{
		Operations: operation.Terminal(), Backend: b,
		Version:  Version{Version: "v1.2.3", Revision: "0123456789abcdef", Go: "go1.26"},
		Getenv:   func(name string) string { return env[name] },
		Platform: Platform{Folder: nowhere, Home: nowhere},
	})
	var stdout, stderr bytes.Buffer
	code = c.Run(context.Background(), line, Streams{In: strings.NewReader(stdin), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// TestCommandsOfTable checks that each row with a command has it, with a flag for each parameter.
// testdata/help.txt lists all commands.
func TestCommandsOfTable(t *testing.T) {
	tree := terminal()
	for _, op := range operation.Terminal() {
		if op.Command == "" {
			continue
		}
		cmd := find(tree, op.Command)
		if cmd == nil {
			t.Errorf("there is no command %s", op.Command)
			continue
		}
		flags := flagNames(rowsOf(op.Command))
		for i := range op.In {
			p := &op.In[i]
			f := command.FindFlag(cmd.Flags, flags[p.Name])
			_, many := f.(*cli.StringSliceFlag)
			switch {
			case p.HTTPOnly:
			case f == nil:
				t.Errorf("%s has no flag for %s", cmd.Name, p.Name)
			case many != p.Many && len(rowsOf(op.Command)) == 1:
				t.Errorf("%s --%s: repeatable is %v, in the table %v", cmd.Name, f.Names()[0], many, p.Many)
			}
			if slices.Contains(commonOptions, flags[p.Name]) {
				t.Errorf("%s: parameter %s takes the name of a flag that every command has", cmd.Name, p.Name)
			}
		}
	}
}

func rowsOf(command string) []*operation.Operation {
	return slices.DeleteFunc(operation.Terminal(), func(op *operation.Operation) bool { return op.Command != command })
}

// terminal is the tree of the whole program.
func terminal() *command.Tree {
	return New(Config{Operations: operation.Terminal()}).program.Tree(Streams{})
}

// find returns the command of a path, or nil.
func find(tree *command.Tree, path string) *cli.Command {
	all := tree.Commands()
	i := slices.IndexFunc(all, func(cmd *cli.Command) bool { return tree.Path(cmd) == path })
	if i < 0 {
		return nil
	}
	return all[i]
}

// allNames returns all names of the flags of a command.
func allNames(cmd *cli.Command) []string {
	var list []string
	for _, f := range cmd.Flags {
		list = append(list, f.Names()...)
	}
	return list
}

// No command may have two flags of one name.
func TestFlagsAreUnique(t *testing.T) {
	tree := terminal()
	for _, cmd := range tree.Commands() {
		list := allNames(cmd)
		slices.Sort(list)
		if n := len(list); len(slices.Compact(list)) != n {
			t.Errorf("%s: flags repeat in %v", tree.Path(cmd), allNames(cmd))
		}
		for _, f := range cmd.Flags { // cli.App would read the environment of the process
			if own, ok := f.(*command.Flag); ok && len(own.EnvVars) > 0 {
				t.Errorf("%s --%s: give Env, not EnvVars", tree.Path(cmd), own.Name)
			}
		}
		for i, a := range tree.Details(cmd).Args {
			if a.Name == "" {
				t.Errorf("%s: argument %d is not described", tree.Path(cmd), i+1)
			}
		}
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	tree := terminal()
	for _, cmd := range tree.Commands() {
		path := tree.Path(cmd)
		code, out, errs := run(t, nil, nil, append(strings.Fields(path), "--help")...)
		if code != 0 || errs != "" {
			t.Errorf("%s --help: exit code %d, %s", path, code, errs)
		}
		for _, f := range cmd.Flags {
			if !strings.Contains(out, "--"+f.Names()[0]) {
				t.Errorf("%s --help does not tell of --%s", path, f.Names()[0])
			}
		}
		for _, line := range strings.Split(out, "\n") {
			if len(line) > 120 {
				t.Errorf("%s --help: a line of %d characters: %s", path, len(line), line)
			}
		}
		if _, same, _ := run(t, nil, nil, append([]string{"help"}, strings.Fields(path)...)...); same != out {
			t.Errorf("help %s differs from %s --help", path, path)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	tests := []struct{ line, want string }{
		{"lokup", `roget: unknown command "lokup"; did you mean lookup? (see roget --help)`},
		{"qqqqqq", `roget: unknown command "qqqqqq" (see roget --help)`},
		{"--load x lookup", `roget: unknown flag --load; flags of a command come after its name (see roget --help)`},
		{"load", `roget: load: PATH is missing (see roget load --help)`},
		{"lookup A B", `roget: lookup: unexpected argument "B" (see roget lookup --help)`},
		{"lookup A --code B", `roget: lookup: CODE is given twice: as argument "A" and as --code (see roget lookup --help)`},
		{"lookup A --sistem X", `roget: lookup: unknown flag --sistem; did you mean --system? (see roget lookup --help)`},
		{"expand http://x --count", `roget: expand: flag --count needs a value (see roget expand --help)`},
		{"serve now", `roget: serve: unexpected argument "now" (see roget serve --help)`},
		{"load https://h.example/a/x.zip", `roget: load: https://h.example/a/x.zip is a URL, but roget reads files and folders only: download it with curl -LO https://h.example/a/x.zip, then name the file x.zip (see roget load --help)`},
		{"expand http://x false", `roget: expand: unexpected argument "false" (a flag that is true or false takes its value after =, as in --flag=false) (see roget expand --help)`},
		{"serve --burst 5", `roget: serve: flag --burst needs --rate (see roget serve --help)`},
		{"serve --timeout soon", `roget: serve: flag --timeout must be a duration such as 30s or 2m, not "soon" (see roget serve --help)`},
		{"serve --max-body much", `roget: serve: flag --max-body must be a size such as 16MiB, not "much" (see roget serve --help)`},
		{"serve --expand-limit 0", `roget: serve: flag --expand-limit must be a whole number of at least 1, not "0" (see roget serve --help)`},
		{"serve --expand-limit 1000001", `roget: serve: flag --expand-limit may be at most 1000000, not 1000001 (see roget serve --help)`},
		{"mcp --server http://127.0.0.1:1 --rules ecosystem", `roget: mcp: --rules is for tools without --server; the base of a server states its rules, such as http://127.0.0.1:8080/r4 (see roget mcp --help)`},
		{"serve --expand-default-count -1", `roget: serve: flag --expand-default-count must be a whole number of at least 0, not "-1" (see roget serve --help)`},
		{"completion tcsh", `roget: completion: unknown command "tcsh" (see roget completion --help)`},
		{"completion install tcsh", `roget: completion install: no completion for "tcsh": name one of bash, zsh, fish (see roget completion install --help)`},
		{"expand http://x --active-only true", `roget: expand: unexpected argument "true" (a flag that is true or false takes its value after =, as in --flag=true) (see roget expand --help)`},
	}
	for _, tt := range tests {
		code, out, errs := run(t, &absent{}, nil, strings.Fields(tt.line)...)
		if code != operation.ExitUsage || out != "" {
			t.Errorf("%s: exit code %d, output %q", tt.line, code, out)
		}
		if errs != tt.want+"\n" {
			t.Errorf("%s:\n got %s want %s", tt.line, errs, tt.want)
		}
	}
}

func TestSources(t *testing.T) {
	stop := errors.New("stop")
	env := map[string]string{"ROGET_DATA": "/from/env"}
	tests := []struct {
		line string
		env  map[string]string
		want Sources
	}{
		{"list", nil, Sources{Data: defaultData, Optional: true, Samples: true}},
		{"list", env, Sources{Data: "/from/env"}},
		{"list --data d", env, Sources{Data: "d"}},
		{"list --load a,b --load c", nil, Sources{Load: []string{"a,b", "c"}}},
		{"list x --load a", env, Sources{Load: []string{"a", "x"}, Data: "/from/env"}},
		{"stats x y", nil, Sources{Load: []string{"x", "y"}}},
		{"lookup A --system s --data d --load l", nil, Sources{Load: []string{"l"}, Data: "d", Base: true}},
		{"lookup A --system s", nil, Sources{Data: defaultData, Optional: true, Samples: true, Base: true}},
		{"list --base x", nil, Sources{Load: []string{"x"}, Base: true}},
	}
	for _, tt := range tests {
		b := &absent{err: stop}
		code, _, errs := run(t, b, tt.env, strings.Fields(tt.line)...)
		if code != operation.ExitFailure || !strings.Contains(errs, "stop") {
			t.Errorf("%s: exit code %d, %s", tt.line, code, errs)
		}
		if fmt.Sprint(b.opened) != fmt.Sprint(tt.want) {
			t.Errorf("%s: opened %+v, want %+v", tt.line, b.opened, tt.want)
		}
	}
}

func TestLoadReport(t *testing.T) {
	b := &absent{}
	code, out, errs := run(t, b, nil, "load", "one.json", "two.txt", "-d", "dir", "-k")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if want := (LoadRequest{Paths: []string{"one.json", "two.txt"}, Data: "dir", KeepGoing: true}); fmt.Sprint(b.request) != fmt.Sprint(want) {
		t.Errorf("request %+v, want %+v", b.request, want)
	}
	for _, want := range []string{"one.json: 1 CodeSystem (1,234 concepts) in ", "skipped 1 resource of other types"} {
		if !strings.Contains(errs, want) {
			t.Errorf("standard error lacks %q:\n%s", want, errs)
		}
	}
	for _, want := range []string{"http://example.org/one", "1,234", "2.0 KiB"} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
	if _, out, errs = run(t, b, nil, "load", "one.json", "--quiet", "-o", "json"); errs != "" || !strings.HasPrefix(out, `[{"kind":"CodeSystem",`) {
		t.Errorf("--quiet -o json: %s%s", out, errs)
	}
}

// On a terminal there is a bar, and nothing is left of it.
func TestProgressBar(t *testing.T) {
	var errs bytes.Buffer
	o := &observer{err: &errs, lines: true, bars: true}
	for _, read := range []int64{0, 50, 100} {
		o.Progress(loader.Progress{Path: "dir/one.json\n", BytesRead: read, BytesTotal: 200, Concepts: 1})
	}
	o.Resource(Loaded{Kind: "ValueSet", URL: "http://example.org/v", File: "dir/one.json"})
	for _, concepts := range []int{1, 1, 2000} {
		o.Progress(loader.Progress{Path: "dir/two.json", BytesRead: 200, BytesTotal: 200, Concepts: concepts})
	}
	o.Warned("two.json: odd")
	(&observer{err: &errs, quiet: true}).Warned("unheard")
	o.Failed(errors.New("two.json: line 3: \x1b[31mbad"))
	o.finish()
	text := errs.String()
	for _, want := range []string{"one.json", "%", "\rindexing 2,000 concepts\r", "dir/one.json: 1 ValueSet in 0s\n", "roget: warning: two.json: odd\n", "roget: two.json: line 3:  [31mbad\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("standard error lacks %q:\n%q", want, text)
		}
	}
	if strings.Contains(text, "unheard") {
		t.Error("--quiet lets a warning through")
	}
	if !strings.HasSuffix(text, "\n") {
		t.Errorf("something is left on the last line: %q", text[strings.LastIndexByte(text, '\n'):])
	}
}

// A folder of many files does not flood the terminal.
func TestManyFiles(t *testing.T) {
	var errs bytes.Buffer
	o := &observer{err: &errs, lines: true}
	for i := range 200 {
		concepts := 1
		if i == 150 {
			concepts = 5000
		}
		o.Resource(Loaded{Kind: "CodeSystem", Concepts: concepts, File: fmt.Sprintf("%d.json", i)})
	}
	o.finish()
	o.finish() // what it summed up is not said again
	text := errs.String()
	if n := strings.Count(text, "\n"); n != maxLines+2 {
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(text, "150.json: 1 CodeSystem (5,000 concepts)") || !strings.HasSuffix(text, "and 149 more small files\n") {
		t.Errorf("lines:\n%s", text)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var errs bytes.Buffer
	c := New(Config{Operations: operation.Terminal(), Backend: &absent{err: fmt.Errorf("reading: %w", context.Canceled)}})
	if code := c.Run(ctx, []string{"list"}, Streams{Out: io.Discard, Err: &errs}); code != operation.ExitFailure || errs.String() != "roget: list: interrupted\n" {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

func TestServeOptions(t *testing.T) {
	b := &absent{}
	code, out, errs := run(t, b, map[string]string{"ROGET_STORE": "memory:"}, strings.Fields(
		"serve --addr :0 --validation relaxed --lifecycle=warn --delete-many --no-samples --no-base --cache-size 1MiB --cors-origin a --cors-origin b --timeout 5s --metrics")...)
	if code != 0 || out != "roget: listening on http://127.0.0.1:1234\n" || errs != "" {
		t.Fatalf("exit code %d, %q, %q", code, out, errs)
	}
	o := b.served
	if !o.Relaxed || o.Lifecycle != resources.WarnLifecycle || !o.DeleteMany {
		t.Errorf("options %+v", o)
	}
	if o.Addr != ":0" || o.Store != "memory:" || o.Samples || o.Base || o.CacheSize != 1<<20 || len(o.CORSOrigins) != 2 ||
		o.Timeout.Seconds() != 5 || !o.Metrics || o.AccessLog || o.Data != defaultData || o.MaxBody != 16<<20 || o.ExpandDefaultCount != 100 || o.ExpandLimit != 1999 {
		t.Errorf("options %+v", o)
	}
}

func TestVersion(t *testing.T) {
	_, out, _ := run(t, nil, nil, "version")
	if !strings.HasPrefix(out, "roget v1.2.3 (go1.26 ") || !strings.Contains(out, "\ncommit 0123456789ab\n") {
		t.Errorf("version: %s", out)
	}
	if _, same, _ := run(t, nil, nil, "--version"); same != out {
		t.Errorf("--version: %s", same)
	}
}

func TestComplete(t *testing.T) {
	tests := []struct {
		words []string
		want  []string // prefixes of the lines
	}{
		{[]string{"lo"}, []string{"load\t", "lookup\t"}},
		{[]string{"help", "ser"}, []string{"serve\t"}},
		{[]string{"explain", "--sys"}, []string{"--system\t"}},
		{[]string{"explain", "--system", "x", "--sys"}, nil},
		{[]string{"subsumes", "--sys"}, []string{"--system\t", "--system-column\t"}},
		{[]string{"lookup", "--output", ""}, []string{"csv", "json", "ndjson", "table", "tsv"}},
		{[]string{"lookup", "--output=j"}, []string{"--output=json"}},
		{[]string{"completion", ""}, []string{"bash\tPrint the script for bash", "zsh\tPrint the script for zsh", "fish\tPrint the script for fish", "install\tPut the script where the shell finds it"}},
		{[]string{"completion", "install", ""}, []string{"bash", "fish", "zsh"}},
		{[]string{"completion", "bash", ""}, nil},
		{[]string{"lookup", "--load", ""}, nil},
		{[]string{"lookup", "--load", "a", "--loa"}, []string{"--load\t"}},
		{[]string{"nothing", ""}, nil},
	}
	for _, tt := range tests {
		_, out, _ := run(t, nil, nil, append([]string{"__complete"}, tt.words...)...)
		var lines []string
		if out != "" {
			lines = strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		}
		if len(lines) != len(tt.want) {
			t.Errorf("%q: %q, want %q", tt.words, lines, tt.want)
			continue
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, tt.want[i]) {
				t.Errorf("%q: %q, want %q", tt.words, line, tt.want[i])
			}
		}
	}
}

func TestKebab(t *testing.T) {
	for in, want := range map[string]string{
		"url": "url", "valueSetUrl": "value-set-url", "codeA": "code-a", "exclude-system": "exclude-system",
		"excludeNotForUI": "exclude-not-for-ui", "system-version": "system-version",
	} {
		if got := kebab(in); got != want {
			t.Errorf("kebab(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestJSONEverywhere: --json before or after the name of a command is --output json where
// there is that, and changes nothing of others. mcp prints no answers.
func TestJSONEverywhere(t *testing.T) {
	tree := terminal()
	for _, cmd := range tree.Commands() {
		if tree.Path(cmd) != "mcp" && command.FindFlag(cmd.Flags, "profile") != nil && command.FindFlag(cmd.Flags, "json") == nil {
			t.Errorf("%s has no --json", tree.Path(cmd))
		}
	}
	_, want, _ := run(t, &absent{}, nil, "list", "--output", "json")
	if !strings.HasPrefix(want, "[") {
		t.Fatal(want)
	}
	for _, line := range []string{"list --json", "list -j", "--json list", "-j list", "list --json -o json"} {
		if code, out, errs := run(t, &absent{}, nil, strings.Fields(line)...); code != 0 || out != want {
			t.Errorf("%s: exit code %d: %s%s", line, code, out, errs)
		}
	}
	_, table, _ := run(t, &absent{}, nil, "list")
	if _, out, _ := run(t, &absent{}, nil, "--json", "list", "--output", "table"); out != table {
		t.Errorf("the form after the name goes first: %s", out)
	}
	if code, _, errs := run(t, &absent{}, nil, "list", "--output", "table", "--json"); code != 2 || !strings.Contains(errs, "ask for two forms") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	_, script, _ := run(t, nil, nil, "completion", "bash")
	if code, out, _ := run(t, nil, nil, "--json", "completion", "bash"); code != 0 || out != script {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// TestVersionTells: the version of the platform that is assumed offline.
func TestVersionTells(t *testing.T) {
	for env, want := range map[string]string{"": "v42", "43": "v43", "v41": "v41", "44": "v42"} {
		for _, line := range []string{"-V", "--version", "version"} {
			if _, out, _ := run(t, nil, map[string]string{"PLATFORM_VERSION": env}, line); !strings.HasSuffix(out, "\nplatform "+want+" is assumed when no server is asked\n") {
				t.Errorf("%s with %q: %s", line, env, out)
			}
		}
	}
	if _, out, _ := run(t, nil, map[string]string{"PLATFORM_VERSION": "41"}, "-V", "--json"); !strings.Contains(out, `"tree":"v41"`) {
		t.Errorf("%s", out)
	}
}

// TestHelpRepeatsNothing: no paragraph of the help of any command, and no text about a flag, has the
// same sentence twice.
func TestHelpRepeatsNothing(t *testing.T) {
	texts := 0
	for _, line := range helpLines() {
		_, help, _ := run(t, &absent{}, nil, strings.Fields(line)...)
		for _, text := range helpTexts(help) {
			texts++
			if twice := repeated(text); twice != "" {
				t.Errorf("roget %s repeats %q in:\n%s", line, twice, text)
			}
		}
	}
	if texts < 1000 {
		t.Errorf("found %d texts", texts)
	}
}

// helpTexts returns the texts of a page of help, each on one line: its paragraphs, and what it says about
// each flag, argument and command.
func helpTexts(page string) (texts []string) {
	for line := range strings.Lines(page) {
		text := strings.TrimSpace(line)
		entry := strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ")
		switch {
		case text == "":
			texts = append(texts, "")
		case entry || len(texts) == 0:
			texts = append(texts, text)
		default:
			texts[len(texts)-1] += " " + text
		}
	}
	return texts
}

// repeated returns a sentence that a text has twice, "" if there is none.
func repeated(text string) string {
	seen := map[string]bool{}
	for sentence := range strings.SplitSeq(text, ". ") {
		sentence = strings.TrimSuffix(strings.TrimSpace(sentence), ".")
		if strings.Contains(sentence, " ") && seen[sentence] { // a word alone is no sentence
			return sentence
		}
		seen[sentence] = true
	}
	return ""
}

func TestRepeated(t *testing.T) {
	for text, want := range map[string]string{
		"--role ROLE  Role for the policy. May be repeated. May be repeated.": "May be repeated",
		"It is so. It is not. It is so.":                                      "It is so",
		"It is so. It is not.":                                                "",
		"":                                                                    "",
	} {
		if got := repeated(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
