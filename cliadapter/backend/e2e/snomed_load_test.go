package e2e_test

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// must runs the program, which must succeed, and returns what it wrote.
func must(t *testing.T, args ...string) string {
	t.Helper()
	out, stderr, exit := backendtest.Run(t, args...)
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
	_, stderr, exit := backendtest.Run(t, "load", delta, "--data", t.TempDir())
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
	_, stderr, exit := backendtest.Run(t, lookup...)
	if exit != 3 || !strings.Contains(stderr, "letters.csv has changed since it was loaded") {
		t.Errorf("the mapping has changed: exit %d: %s", exit, stderr)
	}
}

// TestLoadMistakes: mistakes in the flags of load, search and expand are wrong usage, with
// what there is instead; mistakes in files name file and line.
func TestLoadMistakes(t *testing.T) {
	release := internationalEdition()
	good, data := release.Folder(t, rf2test.Snapshot, second, ""), filepath.Join(t.TempDir(), "data")
	must(t, "load", good, "--data", data)
	files := release.At(rf2test.Snapshot, second, "").Files(rf2test.Snapshot, second)
	const relationships = "Snapshot/Terminology/sct2_Relationship_Snapshot_INT_" + second + ".txt"
	files[relationships] = strings.Replace(files[relationships], "\t"+rf2test.Root+"\t", "\t138875006\t", 1)
	bad := rf2test.Folder(t, files)
	circle := internationalEdition()
	circle.Add("relationship", rf2test.Relationship(9900), second, true, rf2test.Core, finding, acuteAppendix, "0", rf2test.IsA, rf2test.Inferred, rf2test.Some)
	extension := extensionOf().Folder(t, rf2test.Snapshot, third, "")
	for _, row := range []struct {
		args []string
		exit int
		text []string
	}{
		{[]string{"load", good, "--as-of", "2024"}, 2, []string{`"2024"`, "of the form 20240131", "--help"}},
		{[]string{"load", good, "--as-of", "20200101"}, 3, []string{"load the Full files"}},
		{[]string{"load", good, "--edition", "5"}, 2, []string{`edition "5"`, "identifier of a module"}},
		{[]string{"load", good, "--edition", finding}, 2, []string{finding, "the release has", rf2test.Core}},
		{[]string{"load", good, "--language-refset", "xx"}, 2, []string{`"xx"`, "such as en-gb"}},
		{[]string{"load", good, "--language-refset", finding}, 2, []string{finding, "has no rows", rf2test.BritishEnglish}},
		{[]string{"load", good, "--format", "rf"}, 2, []string{"rf2", "did you mean"}},
		{[]string{"load", good, "--format", "obo"}, 3, []string{"it is a folder"}},
		{[]string{"load", bad}, 3, []string{path.Base(relationships) + ": line 2: ", "138875006"}},
		{[]string{"load", bad, "--lax-identifiers"}, 3, []string{path.Base(relationships) + ": line 2: ", "138875006", "is not in the release"}},
		{[]string{"load", extension}, 3, []string{extModule, rf2test.Core, "load the packages that have them"}},
		{[]string{"load", extension, "--lax-dependencies"}, 3, []string{"is not in the release"}},
		{[]string{"load", circle.Folder(t, rf2test.Snapshot, second, "")}, 3, []string{finding, appendicitis, acuteAppendix}},
		{[]string{"search"}, 2, []string{"text"}},
		{[]string{"search", "appen", "--ecl", "< ("}, 3, []string{"position 3"}},
		{[]string{"expand", "--ecl", "<< 404684003 |Clinical"}, 3, []string{"| at the end of this term"}},
		{[]string{"expand", sct + "?fhir_vs", "--ecl", "*"}, 2, []string{"--ecl cannot be used with"}},
	} {
		out, stderr, exit := backendtest.Run(t, append(row.args, "--data", data)...)
		if exit != row.exit || out != "" {
			t.Errorf("roget %s: exit %d, want %d: %s", strings.Join(row.args, " "), exit, row.exit, out)
		}
		for _, text := range row.text {
			if !strings.Contains(stderr, text) {
				t.Errorf("roget %s does not say %q: %s", strings.Join(row.args, " "), text, stderr)
			}
		}
	}
	for args, want := range map[string]string{
		"search append acu":                          "Acute appendicitis",
		"search append --ecl <404684003 --count 1":   "Appendicitis",
		"expand --ecl <<404684003:116676008=4532008": "Acute appendicitis",
		"expand --ecl ^723264001":                    "2 of 2",
	} {
		if out := must(t, append(strings.Fields(args), "--data", data)...); !strings.Contains(out, want) {
			t.Errorf("roget %s: %s", args, out)
		}
	}
	if _, _, exit := backendtest.Run(t, "search", "nothing-like-it", "--data", data); exit != 1 {
		t.Errorf("no hits: exit %d, want 1", exit)
	}
}
