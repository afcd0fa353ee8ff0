package cliadapter

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/synth"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a file of testdata, or writes the file with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("-testdata/%s +got; -update writes the file anew, then review its diff\n%s", name, diff)
	}
}

// begun cuts a text of more than most lines to its first one.
func begun(text string, most int) string {
	first, rest, _ := strings.Cut(text, "\n")
	if n := strings.Count(rest, "\n"); n >= most {
		return fmt.Sprintf("%s\n(and %d lines)\n", first, n)
	}
	return text
}

// transcript runs command lines and returns what a terminal would show of them. Answers of
// more than most lines are cut.
func transcript(t *testing.T, env map[string]string, most int, lines ...string) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("$ " + strings.TrimSpace("roget "+line) + "\n")
		var words []string
		for word := range strings.SplitSeq(line, " ") {
			if word == "''" {
				words = append(words, "")
			} else if word != "" {
				words = append(words, word)
			}
		}
		code, out, errs := run(t, &absent{}, env, words...)
		out = strings.ReplaceAll(out, runtime.GOOS+"/"+runtime.GOARCH, "OS/ARCH")
		b.WriteString(begun(out, most))
		errs = strings.ReplaceAll(errs, here+"/", "/FOLDER/")
		for text := range strings.Lines(begun(errs, most)) {
			b.WriteString("! " + text)
		}
		if code != 0 {
			fmt.Fprintf(&b, "exit code %d\n", code)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// commandPaths returns the names of all commands and groups, preceded by the names of their groups.
func commandPaths() []string {
	var paths []string
	tree := terminal()
	for _, cmd := range tree.Commands() {
		if path := tree.Path(cmd); !strings.HasPrefix(path, "generate ") { // which come last
			paths = append(paths, path)
		}
	}
	return paths
}

// helpLines returns the command lines that show the help of every command.
func helpLines() []string {
	lines := []string{"--help"}
	for _, path := range commandPaths() {
		lines = append(lines, path+" --help")
	}
	for _, name := range append(synth.TypeNames(), "population") {
		lines = append(lines, "generate "+name+" --help")
	}
	return lines
}

// TestGoldenHelp compares the help of every command with testdata/help.txt, which has the list of commands
// whole, a sum of each other page, and the examples. A change of any text changes a sum.
func TestGoldenHelp(t *testing.T) {
	text := transcript(t, nil, 1000, helpLines()...)
	for _, major := range []string{"41", "43"} {
		text += "PLATFORM_VERSION=" + major + "\n" + transcript(t, map[string]string{"PLATFORM_VERSION": major}, 1000, "apps --help", "route --help", "profile oauth2 client --help", "system --help")
	}
	pages := strings.Split(text, "\n\n$ roget ")
	var examples strings.Builder     // after the sums
	for i, page := range pages[1:] { // the first lists the commands
		title, rest, _ := strings.Cut(page, "\n")
		pages[i+1] = fmt.Sprintf("%s %.3x", strings.TrimSuffix(title, " --help"), sha256.Sum256([]byte(rest)))
		if _, shown, has := strings.Cut(rest, "\nExamples:\n"); has {
			fmt.Fprintf(&examples, "\n$ roget %s\n\nExamples:\n%s\n", title, strings.TrimSpace(shown))
		}
	}
	golden(t, "help.txt", strings.Join(pages, "\n")+"\n"+examples.String())
}

// TestGoldenCompletion compares the suggestions for words with testdata/completion.txt, which has the first
// two of each word, and a sum of the others.
func TestGoldenCompletion(t *testing.T) {
	var lines []string
	for _, words := range []string{
		"''", "l", "-", "--", "--p", "-p", "--json ''", "-j l", "help ''", "help pro", "help help ''", "nothing ''", "no",
		"lookup ''", "lookup -", "subsumes --column", "validate-code --inp", "annotate --", "annotate --add ''", "annotate --input ''", "lookup --sys", "lookup --system ''", "lookup --system x --", "lookup A --output ''", "lookup --output=", "lookup --output=j",
		"lookup -o ''", "lookup -o=t", "lookup --load ''", "lookup --load a --loa", "lookup -- --", "expand --", "search --", "search --output ''",
		"serve --log-", "serve --log-level ''", "serve --log-level=w", "serve --validation r", "load ''", "load --format ''", "load --format=o", "load x -",
		"generate ''", "generate P", "generate population ''", "generate population --", "generate Patient --", "generate Patient --co", "generate --count 3 Pat",
		"generate Patient --output ''", "generate Condition --clin", "generate Condition --clinical-status ''", "completion ''", "completion z", "completion bash ''",
		"version --", "import --valid", "import --validation ''", "score --instrument ''", "validate --output ''", "stats --",
		"profile ''", "profile --", "profile oauth2 ''", "profile oauth2 client ''", "profile oauth2 client add --", "profile add --auth ''", "profile add --auth=o", "profile ls ''",
		"profile show --", "-p x profile ''", "profile -p ''", "metadata ''", "metadata type ''", "metadata list dataEl", "metadata list --", "metadata get dashb", "metadata list --root-junction ''",
		"schema DataEl", "schema --source ''", "datastore ''", "datastore get --", "datastore get n k --", "route create --auth ''", "route run --method ''", "route run -X ''", "route run -X=P",
		"user ''", "user group ''", "user role ''", "system ''", "system settings ''", "security ''", "apps ''", "customize ''", "dev ''", "dev x ''",
		"datastore --bogus ''", "datastore list --bogus ''", "lookup --bogus=x ''", "lookup --bogus=",
	} {
		lines = append(lines, "__complete "+words)
	}
	pages := strings.SplitAfter(transcript(t, nil, 1000, lines...), "\n\n")
	for i, page := range pages {
		if shown := strings.SplitAfterN(page, "\n", 4); len(shown) == 4 && strings.Count(shown[3], "\n") > 2 {
			pages[i] = strings.Join(shown[:3], "") + fmt.Sprintf("(and %d lines, %.3x)\n\n", strings.Count(shown[3], "\n")-1, sha256.Sum256([]byte(shown[3])))
		}
	}
	golden(t, "completion.txt", strings.Join(pages, ""))
}

// TestGoldenUsage compares the output and exit codes of right and wrong command lines with
// testdata/usage.txt.
func TestGoldenUsage(t *testing.T) {
	golden(t, "usage.txt", transcript(t, map[string]string{"TERM": "dumb"}, 20,
		// Groups, help and the flags before a command.
		"help serve extra", "help nothing", "help -j completion", "help --bogus", "help help completion", "completion help", "version --help", "--help --version", "-h completion",
		"-V extra", "--version --bogus", "--json --version", "version -o json -j", "version --pretty --json", "-jh completion", "-jz", "--json=maybe list", "--json=true list", "-p", "-p ''", "-p= list",
		"lokup", "serv", "zzz", "--bogus", "--bogus list", "-x list", "-- list", "profile", "profile --bogus", "profile lst", "profile -- list", "profile oauth2", "profile oauth2 clinet",
		"metadata typ", "metadata type lits", "metadata lst", "user gruop list", "system setings get", "datastore --yes delete", "-j -j list", "--json -j list", "-p a -p b list",
		// Flags of a command.
		"lookup", "lookup A", "lookup A B", "lookup A --code B", "lookup --code A --system", "lookup A --system --output json", "lookup A --system -- x", "lookup A --system x --system y",
		"lookup A --sistem x", "lookup A --bogus", "lookup A --bogus=x", "lookup A -x", "lookup A -qz", "lookup A --output xml", "lookup A --output jsno", "lookup A --output=table --json", "lookup A -o table -j",
		"lookup A -o csv", "lookup A --column x", "lookup - --pretty", "lookup - A", "lookup -", "lookup --from", "lookup --from /nowhere/x.csv --system x", "subsumes A B --from x", "annotate", "annotate a b", "annotate x --add y", "annotate x --delimiter xx", "annotate /nowhere/x.csv --system x", "lookup A --pretty=maybe", "lookup A --quiet=yes", "lookup A --quiet true", "lookup A --displayLanguage de --display-language fr", "lookup A -q -q", "lookup A -q --quiet",
		"list --output json", "list --json", "-j list", "--json list -o table", "list -j -o json", "list -jo json", "list -oj", "list -o", "list -jq", "list --load", "list --load a --load b", "list --data x --data y",
		"load", "load -k", "load a.json --format nothing", "load a.json -d", "load a.json -q", "load a.json -kq -o json", "load -- -a.json -q", "load -3",
		"serve now", "serve --timeout soon", "serve --timeout -1s", "serve --max-body much", "serve --cache-size 1.5M", "serve --expand-default-count -1", "serve --patients many", "serve --log-level loud", "serve --log-level", "serve --addr", "serve --adr x", "serve --metrics=false",
		"verify", "verify x", "verify --data", "export Patent", "export --too x", "read", "read Patient", "read Patient/1 Patient/2", "read Patient/1", "validate", "score", "import", "import x --workers -1", "import x --max-resource y",
		"validate /nowhere/x.json", "score --instrument nothing x", "score QuestionnaireResponse/1", "search", "search a b", "search x --output ndjson", "search Patient?name=x --system y", "search Patient?nothing=x", "search Patent?name=x",
		"expand", "expand http://x --count", "expand http://x --count many", "expand http://x --active-only true", "expand http://x --active-only=1", "subsumes", "subsumes a", "subsumes a b", "translate", "validate-code", "member-of", "compare", "explain", "find-matches",
		"generate", "generate Patint", "generate --count 3", "generate --count 3 Patint", "generate --bogus Patient", "generate Patient --bogus", "generate Patient --count", "generate Patient --count many", "generate Patient extra", "generate Patient Condition",
		"generate Patient --count 1 --count 2", "generate --count 0 Patient", "generate Patient --output xml", "generate population --count 3", "generate population --patients x", "generate --clinical-status nothing", "generate -h", "generate --count 3 --json",
		"completion", "completion tcsh", "completion bash zsh", "completion bash -o x", "--json completion tcsh",
		// The platform, without a profile.
		"profile list", "profile list -j", "profile ls --all", "profile list extra", "profile show nothing", "profile show --secrets nothing", "profile add", "profile add x --auth oauth", "profile add x --url", "profile add x --global --local", "profile default", "profile remove x", "profile rm x -y", "profile rename x", "profile env", "profile verify",
		"datastore get", "datastore get n", "datastore get n k x", "datastore get n k", "-p nothing datastore get n k", "datastore get n k -p nothing", "datastore get n k -p ''", "datastore get n k --profile", "datastore get n k -jd", "datastore get n k -j -j", "datastore get n k --output json", "datastore delete n k",
		"metadata list", "metadata list x --page", "metadata list x --root-junction xor", "metadata list x --all --page 2", "metadata get dashboards", "metadata type list --json", "schema", "schema x --source nothing", "route create --auth nothing", "route create a --code b", "route run x -X post", "route run", "user invite",
		"system whoami", "system info --debug", "system settings get", "security settings extra", "apps hub-list --search", "apps hub-list -s", "customize show extra", "dev",
	))
}

// TestManualCommand: every command that does something has a page in the folder.
func TestManualCommand(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man", "man1")
	if code, out, errs := run(t, nil, nil, "manual", folder); code != 0 || !strings.HasSuffix(out, " pages in "+folder+"\n") {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	for path := range leaves(t) {
		name := "roget-" + strings.ReplaceAll(path, " ", "-")
		page, err := os.ReadFile(filepath.Join(folder, name+".1"))
		if err != nil || !strings.Contains(string(page), ".SH \"NAME\"\n"+strings.ReplaceAll(name, "-", `\-`)+` \- `) {
			t.Errorf("%s: %v:\n%s", path, err, begun(string(page), 5))
		}
	}
}

func TestWithoutCall(t *testing.T) {
	failed := &fs.PathError{Op: "stat", Path: "a/b.json", Err: fs.ErrNotExist}
	for want, err := range map[string]error{
		"a/b.json: file does not exist":       failed,
		"load: a/b.json: file does not exist": fmt.Errorf("load: %w", failed),
		"a/b.json: file does not exist, sad":  fmt.Errorf("a/b.json: %w, sad", failed),
		"something else":                      errors.New("something else"),
	} {
		got := withoutCall(err)
		if got.Error() != want || !errors.Is(got, err) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
