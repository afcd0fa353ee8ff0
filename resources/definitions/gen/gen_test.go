package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/packed"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/sharedtest"
)

// TestSameBytes checks that generating again yields the files of the package.
func TestSameBytes(t *testing.T) {
	out := t.TempDir()
	if err := generate(sharedtest.Path(t, "data/r4-core"), out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"headers.tsv.lzma", "documents.ndjson.lzma", "tables.tsv.lzma"} {
		want, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, which are not the %d of the package", name, len(got), len(want))
		}
	}
}

// TestParity checks that the package contains what the R4 core package does: codes, displays,
// parents, and the composition of value sets.
func TestParity(t *testing.T) {
	original := map[string]map[string]any{}
	for _, name := range []string{"codesystems.ndjson.gz", "valuesets.ndjson.gz"} {
		for _, r := range lines(t, filepath.Join(sharedtest.Path(t, "data/r4-core"), name)) {
			original[fmt.Sprint(r["resourceType"], r["url"], r["version"])] = r
		}
	}
	for _, got := range documents(t) {
		want := original[fmt.Sprint(got["resourceType"], got["url"], got["version"])]
		for _, name := range []string{"id", "name", "status", "experimental", "caseSensitive", "hierarchyMeaning", "content", "valueSet"} {
			if got[name] != want[name] {
				t.Errorf("%s: %s is %v, want %v", got["url"], name, got[name], want[name])
			}
		}
		if g, w := flat(got["concept"], ""), flat(want["concept"], ""); !slices.Equal(g, w) {
			t.Errorf("%s: concepts %q, want %q", got["url"], g, w)
		}
		if g, w := composed(got), unnamed(composed(want)); !slices.Equal(g, w) {
			t.Errorf("%s: composed of %q, want %q", got["url"], g, w)
		}
	}
}

// unnamed removes the names of countries from the lines of composed: the list of countries has none.
func unnamed(composed []string) []string {
	if len(composed) == 0 || !strings.HasPrefix(composed[0], "includeurn:iso:std:iso:3166<") {
		return composed
	}
	for i, l := range composed {
		if code, _, found := strings.Cut(l, ": "); found && strings.HasPrefix(code, "include > ") {
			composed[i] = code + ": <nil>"
		}
	}
	return composed
}

func lines(t *testing.T, path string) (list []map[string]any) {
	t.Helper()
	for line := range sharedtest.Lines(t, path) {
		var r map[string]any
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// documents returns the documents of the package.
func documents(t *testing.T) (list []map[string]any) {
	t.Helper()
	for _, d := range definitions.All() {
		text, err := d.Document()
		if err != nil {
			t.Fatal(err)
		}
		var r map[string]any
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// flat lists concepts as parent, code and display, with their properties.
func flat(concepts any, parent string) (list []string) {
	all, _ := concepts.([]any)
	for _, c := range all {
		c := c.(map[string]any)
		line := fmt.Sprintf("%s > %s: %v", parent, c["code"], c["display"])
		properties, _ := c["property"].([]any)
		for _, p := range properties {
			if p := p.(map[string]any); len(p) > 1 {
				line += fmt.Sprint(" ", p)
			}
		}
		list = append(list, line)
		list = append(list, flat(c["concept"], c["code"].(string))...)
	}
	return list
}

// composed lists the includes and excludes of a value set.
func composed(vs map[string]any) (list []string) {
	compose, _ := vs["compose"].(map[string]any)
	for _, part := range []string{"include", "exclude"} {
		includes, _ := compose[part].([]any)
		for _, inc := range includes {
			inc := inc.(map[string]any)
			list = append(list, fmt.Sprint(part, inc["system"], inc["version"], inc["filter"], inc["valueSet"]))
			list = append(list, flat(inc["concept"], part)...)
		}
	}
	return list
}

func TestChoose(t *testing.T) {
	system := func(url, copyright string) *resource {
		return &resource{ResourceType: "CodeSystem", URL: url, Copyright: copyright, Content: "complete"}
	}
	lists := func(url, system string, codes ...listed) *resource {
		return &resource{ResourceType: "ValueSet", URL: url, Copyright: "of somebody", body: body{Compose: &compose{Include: []include{{System: system, Concept: codes}}}}}
	}
	supplement := system("supplement", "")
	supplement.Content = "supplement"
	excluding := lists("excludes theirs", "ours")
	excluding.Compose.Exclude = []include{{System: "theirs", Concept: []listed{{Code: "a", Display: "A"}}}}
	var urls []string
	for _, r := range choose([]*resource{
		system("ours", "HL7 Inc."), system("theirs", "© Somebody"), supplement,
		lists("all of theirs", "theirs"),
		lists("codes of theirs", "theirs", listed{Code: "a"}),
		lists("displays of theirs", "theirs", listed{Code: "a"}, listed{Code: "b", Display: "B"}),
		lists("designations of theirs", "theirs", listed{Code: "a", Designation: []designation{{Value: "A"}}}),
		lists("displays of ours", "ours", listed{Code: "a", Display: "A"}),
		lists("displays of a registry", "urn:ietf:bcp:47", listed{Code: "a", Display: "A"}),
		excluding,
	}) {
		urls = append(urls, r.URL)
	}
	want := []string{"ours", "all of theirs", "codes of theirs", "displays of ours", "displays of a registry"}
	if !slices.Equal(urls, want) {
		t.Errorf("chosen %q, want %q", urls, want)
	}
}

// TestTidy checks that prose is removed.
func TestTidy(t *testing.T) {
	var r resource
	if err := json.Unmarshal([]byte(`{"resourceType":"CodeSystem","url":"u","title":"a\n b","description":"prose","purpose":"prose","text":{"div":"prose"},
		"extension":[{"url":"http://example.org/note","valueString":"prose"}],
		"concept":[{"code":"a","definition":"prose","designation":[{"use":{"code":"definition"},"value":"prose"},{"language":"nl","value":"naam"}],
		"property":[{"code":"comment","valueString":"prose"},{"code":"status","valueCode":"retired"}]}]}`), &r); err != nil {
		t.Fatal(err)
	}
	r.tidy()
	text, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "prose") || !strings.Contains(string(text), "naam") || !strings.Contains(string(text), "retired") || r.Title != "a b" {
		t.Errorf("%s", text)
	}
}

// TestPack checks that every row has its document in the same line.
func TestPack(t *testing.T) {
	for _, n := range []int{1, 7, 100} {
		var list []*resource
		for i := range n {
			list = append(list, &resource{ResourceType: "ValueSet", ID: fmt.Sprint(i), URL: fmt.Sprint("u", i), body: body{HierarchyMeaning: fmt.Sprint(i)}})
		}
		headers, documents, err := packAll(list)
		if err != nil {
			t.Fatal(err)
		}
		table, err := packed.Table(string(headers))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := packed.Lines(string(documents))
		if err != nil {
			t.Fatal(err)
		}
		rows, bodies := strings.Split(string(table), "\n"), strings.Split(string(lines), "\n")
		if len(rows) != n+1 || len(bodies) != n+1 {
			t.Fatalf("%d rows, %d bodies, want %d", len(rows), len(bodies), n)
		}
		for i, row := range rows[:n] {
			if id := strings.Split(row, "\t")[1]; !strings.Contains(bodies[i], `"`+id+`"`) {
				t.Errorf("row of %s: %s", id, bodies[i])
			}
		}
	}
}

func TestPackRefusesTabs(t *testing.T) {
	if _, _, err := packAll([]*resource{{URL: "a\tb"}}); err == nil {
		t.Error("no error")
	}
}
