package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
)

// must runs the program, which must succeed, and gives what it wrote.
func must(t *testing.T, args ...string) string {
	t.Helper()
	out, stderr, exit := run(t, args...)
	if exit != 0 {
		t.Fatalf("roget %s: exit %d\n%s", strings.Join(args, " "), exit, stderr)
	}
	return out
}

// packs lists the packs of a data folder, oldest first.
func packs(t *testing.T, data string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(data, "packs", "*.pack"))
	if err != nil || len(list) == 0 {
		t.Fatalf("packs %v, %v", list, err)
	}
	return list
}

// damage changes a pack where a text is.
func damage(t *testing.T, pack, text string) {
	t.Helper()
	content := read(t, pack)
	at := bytes.Index(content, []byte(text))
	if at < 0 {
		t.Fatalf("%s is not in %s", text, pack)
	}
	content[at] ^= 0x02
	if err := os.WriteFile(pack, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestDeltaOverLoaded applies a Delta to the release in the data folder, as it was read
// then: the answers are those of the later Snapshot. What a pack was compiled from, several
// packages with settings, makes the same pack again.
func TestDeltaOverLoaded(t *testing.T) {
	release := internationalEdition()
	before, after := release.Folder(t, rf2test.Snapshot, first, ""), release.Folder(t, rf2test.Snapshot, second, "")
	delta := release.Folder(t, rf2test.Delta, second, first)
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{"resourceType":"ValueSet","url":"http://example.org/vs","status":"active"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, exit := run(t, "load", delta, "--data", t.TempDir())
	if exit != 3 || !strings.Contains(stderr, "Delta without the release") {
		t.Errorf("a Delta alone: exit %d: %s", exit, stderr)
	}

	data, direct := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "direct")
	must(t, "load", other, before, "--language-refset", "en-gb", "--title", "Ours", "--data", data)
	must(t, "load", delta, "--data", data)
	must(t, "load", after, "--language-refset", "en-gb", "--title", "Ours", "--data", direct)
	for _, code := range []string{appendectomy, acuteAppendix, outdated} {
		question := []string{"lookup", code, "--system", sct, "--output", "json", "--data"}
		got, want := must(t, append(question, data)...), must(t, append(question, direct)...)
		if got != want {
			t.Errorf("%s by the Delta: %s\nwant %s", code, got, want)
		}
		if code == appendectomy && (!strings.Contains(got, second) || !strings.Contains(got, `"name":"display","valueString":"Appendicectomy"`)) {
			t.Errorf("not as it was read first, or of another version: %s", got)
		}
	}

	list := packs(t, data)
	last := list[len(list)-1]
	was := read(t, last)
	damage(t, last, "Acute appendicitis")
	must(t, "lookup", acuteAppendix, "--system", sct, "--data", data)
	if !bytes.Equal(read(t, last), was) {
		t.Error("compiled again, the pack is another one")
	}
}

// TestCompanions: a table and its mapping file are one source, by whichever of them it is
// named: neither is read twice, and a change of either is seen.
func TestCompanions(t *testing.T) {
	folder, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	table, mapping := filepath.Join(folder, "letters.csv"), filepath.Join(folder, "letters.mapping.json")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(table, "code,name\na,Alpha\nb,Beta\n")
	write(mapping, `{"url":"http://example.org/letters","code":"code","display":"name"}`)
	if out := must(t, "load", table, mapping, "--data", data, "--output", "json"); strings.Count(out, `"kind"`) != 1 {
		t.Errorf("read twice: %s", out)
	}
	lookup := []string{"lookup", "a", "--system", "http://example.org/letters", "--data", data}
	damage(t, packs(t, data)[0], "Alpha")
	if out := must(t, lookup...); !strings.Contains(out, "Alpha") {
		t.Errorf("compiled again: %s", out)
	}
	damage(t, packs(t, data)[0], "Alpha")
	write(mapping, `{"url":"http://example.org/letters","code":"code","display":"code"}`)
	_, stderr, exit := run(t, lookup...)
	if exit != 3 || !strings.Contains(stderr, "letters.csv has changed since it was loaded") {
		t.Errorf("the mapping has changed: exit %d: %s", exit, stderr)
	}
}
