package cliadapter

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/engine"
)

// reader is a Backend that reads CodeSystems and ValueSets.
type reader struct{ absent }

func (*reader) Query(ctx context.Context, src Sources, _ Observer, ask func(*engine.Engine) error) error {
	eng := engine.New()
	for _, path := range src.Load {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		typ := "CodeSystem"
		if strings.Contains(string(text), "ValueSet") {
			typ = "ValueSet"
		}
		done, err := eng.Prepare(ctx, typ, filepath.Base(path), text)
		if err != nil {
			return err
		}
		done()
	}
	return ask(eng)
}

// coded draws an object, a list or a Coding of a resource, and notes its codes of the system s that are
// inactive or gone.
func coded(t *rapid.T, depth int, codes map[string]bool) any {
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0, 1:
		if depth > 0 {
			return map[string]any{"a": coded(t, depth-1, codes), "contained": []any{coded(t, depth-1, codes), coded(t, depth-1, codes)}}
		}
	case 2:
		return "gone"
	}
	system, code := rapid.SampledFrom([]string{"s", "S", "s|1"}).Draw(t, "system"), rapid.SampledFrom([]string{"kept", "old", "gone", "never", "Gone"}).Draw(t, "code")
	if system == "s" && (code == "old" || code == "gone") {
		codes[code] = true
	}
	return map[string]any{"system": system, "code": code}
}

// TestImpactOfFiles compares what roget impact finds in files with a walk through the resources.
func TestImpactOfFiles(t *testing.T) {
	outer, folder := t, t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	system := func(version, concepts string) string {
		return file(version+".json", `{"resourceType":"CodeSystem","url":"s","version":"`+version+`","status":"active","content":"complete","caseSensitive":true,"concept":[{"code":"kept"},`+concepts+`]}`)
	}
	old, current := system("1", `{"code":"old"},{"code":"gone"}`), system("2", `{"code":"old","property":[{"code":"inactive","valueBoolean":true}]}`)
	set := func(code string) string {
		return file(code+".json", `{"resourceType":"ValueSet","url":"`+code+`","status":"active","compose":{"include":[{"system":"s","filter":[{"property":"concept","op":"is-a","value":"`+code+`"}]}]}}`)
	}
	for want, code := range []string{"kept", "gone"} { // the second one fails with the new version
		if exit, out, errs := run(t, &reader{}, nil, "impact", old, current, "--value-sets", set(code)); exit != want {
			t.Fatalf("%s: exit code %d, want %d\n%s%s", code, exit, want, out, errs)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		of := map[string][]string{}
		var lines []string
		for i := range rapid.IntRange(1, 4).Draw(t, "resources") {
			codes := map[string]bool{}
			resource := map[string]any{"resourceType": "Basic", "id": fmt.Sprint(i), "extension": coded(t, 2, codes), "code": coded(t, 1, codes)}
			for code := range codes {
				of[code] = append(of[code], fmt.Sprint("Basic/", i))
			}
			if rapid.Bool().Draw(t, "bundle") {
				resource = map[string]any{"resourceType": "Bundle", "type": "collection", "entry": []any{map[string]any{"resource": resource}}}
			}
			text, err := json.Marshal(resource)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(text))
		}
		path := filepath.Join(folder, "resources.ndjson")
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		exit, out, errs := run(outer, &reader{}, nil, "impact", old, current, "--resources", path, "--output", "ndjson", "--quiet")
		if errs != "" || exit != min(1, len(of)) {
			t.Fatalf("exit code %d: %s", exit, errs)
		}
		got := map[string][]string{}
		for line := range strings.Lines(out) {
			var r engine.ImpactRow
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			if r.About != "resource" {
				continue
			}
			if change := map[string]string{"old": "inactive", "gone": "removed"}[r.Name]; r.Change != change || r.Count != len(r.First) || r.Types["Basic"] != r.Count {
				t.Errorf("%+v", r)
			}
			got[r.Name] = r.First
		}
		if diff := cmp.Diff(of, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}
