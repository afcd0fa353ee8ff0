package main_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/cliadapter/backend"
	"github.com/roget-health/roget/engine/operation"
)

// runnable are the commands whose examples run on the samples and the files of exampleFiles. Those of
// others change something, or need a server or a platform.
var runnable = []string{
	"lookup", "validate-code", "subsumes", "expand", "member-of", "translate", "find-matches", "explain", "compare", "search", "annotate", "tree", "ancestors", "diff",
	"list", "stats", "doctor", "convert", "validate", "completion install",
}

// lacking is what a command says if an example needs content that is not there.
var lacking = regexp.MustCompile(`use --load or --data to add others|its codes are not loaded|no code system that is loaded has the code|no such file or directory|does not exist|cannot find the (file|path)`)

// exampleFiles are files that examples name.
func exampleFiles() map[string]string {
	const animals, colours = `"system":"https://roget.health/fhir/CodeSystem/animals"`, `"system":"https://roget.health/fhir/CodeSystem/triage-colours"`
	return map[string]string{
		"visits.csv":     "id,animal,text\n1,dog,Dog\n2,wolf,Wolf\n",
		"codes.txt":      "dog\nwolf\n",
		"pairs.txt":      "pet dog\ndog sheepdog\n",
		"colours.ndjson": `{"code":"red",` + colours + "}\n",
		"my.json":        `{"resourceType":"ValueSet","id":"my","url":"http://example.org/my-genders","status":"active","compose":{"include":[{"system":"http://hl7.org/fhir/administrative-gender","concept":[{"code":"male"}]}]}}`,
		"patient.json":   `{"resourceType":"Patient","id":"p","gender":"female"}`,
		"patient.xml":    `<Patient xmlns="http://hl7.org/fhir"><id value="p"/></Patient>`,
		"bundle.json":    `{"resourceType":"Bundle","type":"collection"}`,
		"my-valuesets/infections.json": `{"resourceType":"ValueSet","id":"infections","url":"https://example.org/ValueSet/infections","status":"active","compose":{"include":[{` +
			animals + `}]}}`,
	}
}

// helpExamples returns the examples of each command from the help that golden files pin.
func helpExamples(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, section := range strings.Split(readText(t, "cliadapter/testdata/help.txt"), "\n$ roget ")[1:] {
		name, text, _ := strings.Cut(section, " --help\n")
		if _, text, has := strings.Cut(text, "\nExamples:\n"); has {
			for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
				if line = strings.TrimSpace(line); line != "" {
					found[name] = append(found[name], line)
				}
			}
		}
	}
	return found
}

// TestHelpExamples checks that the examples of every command can be read, and that those of runnable
// commands run: to an answer, or to an error about content that nobody has loaded. Each of these
// commands has an example that answers.
func TestHelpExamples(t *testing.T) {
	examples := helpExamples(t)
	t.Chdir(t.TempDir())
	for path, text := range exampleFiles() {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var zipped bytes.Buffer
	archive := gzip.NewWriter(&zipped)
	if _, err := archive.Write([]byte(`{"resourceType":"CodeSystem","url":"http://example.org/one","status":"active","content":"complete","concept":[{"code":"a"}]}`)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("CodeSystem.json.gz", zipped.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	program := cliadapter.New(cliadapter.Config{
		Operations: operation.Terminal(), Backend: backend.Backend{},
		Getenv:   func(name string) string { return map[string]string{"HOME": home, "SHELL": "/bin/bash"}[name] },
		Platform: cliadapter.Platform{Folder: home, Home: home},
	})
	run := func(stdin string, args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = program.Run(t.Context(), args, cliadapter.Streams{In: strings.NewReader(stdin), Out: &o, Err: &e})
		return code, o.String(), e.String()
	}
	read := 0
	answered := map[string]int{}
	for name, lines := range examples {
		for _, line := range lines {
			args := rogetWords(line)
			if args == nil {
				continue // another program, such as man
			}
			read++
			check := args
			if end := slices.Index(args, "--"); end >= 0 {
				check = args[:end]
			}
			if code, _, errs := run("", append(slices.Clone(check), "--help")...); code != 0 {
				t.Errorf("%s: %s: %s", name, line, errs)
				continue
			}
			if !slices.Contains(runnable, name) {
				continue
			}
			stdin := exampleInput(line)
			switch code, out, errs := run(stdin, args...); {
			case code <= 1 && out != "":
				answered[name]++
			case !lacking.MatchString(errs):
				t.Errorf("%s: %s: exit code %d: %s%s", name, line, code, out, errs)
			}
		}
	}
	for _, name := range runnable {
		if answered[name] == 0 {
			t.Errorf("no example of %s answers: %q", name, examples[name])
		}
	}
	if read < 150 {
		t.Errorf("only %d examples were read", read)
	}
}

// rogetWords returns the arguments of the command of roget in a line of a shell, nil if there is none.
func rogetWords(line string) []string {
	for _, words := range shellCommands(line) {
		for len(words) > 0 && assignment.MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 && words[0] == "roget" {
			return words[1:]
		}
	}
	return nil
}

// exampleInput returns what a line of a shell feeds to the program.
func exampleInput(line string) string {
	files := exampleFiles()
	if _, path, found := strings.Cut(line, "< "); found && !strings.Contains(line, "'") {
		return files[strings.TrimSpace(path)]
	}
	if path, found := strings.CutPrefix(line, "cat "); found {
		path, _, _ = strings.Cut(path, " ")
		return files[path]
	}
	return files["patient.json"]
}
