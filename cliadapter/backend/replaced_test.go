package backend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A load says what it replaces: a code system with its date and number of concepts, other
// resources by their number.
func TestReplaced(t *testing.T) {
	folder := t.TempDir()
	data, source := filepath.Join(folder, "data"), filepath.Join(folder, "letters.json")
	load := func(text string) string {
		t.Helper()
		if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := cli(t, "load", source, "--data", data)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		return errs
	}
	if errs := load(letters); strings.Contains(errs, "warning") {
		t.Errorf("the first load: %s", errs)
	}
	dated := strings.Replace(letters, `"status"`, `"date":"2024-01-01","status"`, 1)
	errs := load(strings.Replace(dated, `,{"code":"b"}`, "", 1))
	want := "roget: warning: CodeSystem http://example.org/letters replaces the one loaded from letters.json: 2 concepts, now 1 concept dated 2024-01-01\n"
	if !strings.Contains(errs, want) {
		t.Errorf("the second load lacks %q:\n%s", want, errs)
	}
	if code, _, errs := cli(t, "load", filepath.Join(folder, "nothing.json"), "--data", data); code == 0 || strings.Contains(errs, "replaces") {
		t.Errorf("a load that fails: exit code %d: %s", code, errs)
	}
	var b strings.Builder
	for n := range maxReplacedLines + 2 {
		fmt.Fprintln(&b, strings.ReplaceAll(strings.ReplaceAll(letters, "letters", fmt.Sprintf("letters%d", n)), "\n", ""))
	}
	b.WriteString(`{"resourceType":"ValueSet","id":"v","url":"http://example.org/v","status":"active","compose":{"include":[{"system":"http://example.org/letters"}]}}` + "\n")
	source = filepath.Join(folder, "many.ndjson")
	load(b.String())
	errs = load(b.String())
	if got := strings.Count(errs, " replaces the one "); got != maxReplacedLines {
		t.Errorf("%d lines, want %d", got, maxReplacedLines)
	}
	if want := "were replaced: 2 of type CodeSystem, 1 of type ValueSet\n"; !strings.Contains(errs, want) {
		t.Errorf("no %q in\n%s", want, errs)
	}
}

// A resource without url is loaded with a warning that names its file.
func TestWithoutURL(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "letters.json")
	if err := os.WriteFile(source, []byte(strings.Replace(letters, `"url":"http://example.org/letters",`, "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	want := source + `: the CodeSystem "letters" has no url`
	if code, _, errs := cli(t, "load", source, "--data", filepath.Join(folder, "data")); code != 0 || !strings.Contains(errs, want) {
		t.Errorf("load: exit code %d, no %q in\n%s", code, want, errs)
	}
	if code, _, errs := cli(t, "list", "--load", source); code != 0 || !strings.Contains(errs, want) {
		t.Errorf("list --load: exit code %d, no %q in\n%s", code, want, errs)
	}
}
