package formats

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
)

const (
	snapshotFile = "Snapshot/Terminology/sct2_Concept_Snapshot_INT_20300101.txt"
	deltaFile    = "Delta/Terminology/sct2_Concept_Delta_INT_20300101.txt"
)

// groupsOf writes the groups of paths, relative to a folder: format, paths, and "?" where
// nothing need be found.
func groupsOf(t *testing.T, root string, settings Settings, paths ...string) (list, unrecognized []string) {
	t.Helper()
	groups, err := Groups(paths, settings)
	if err != nil {
		t.Fatal(err)
	}
	below := func(path string) string {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(name)
	}
	for _, g := range groups {
		text := g.Format.Name
		for _, path := range g.Paths {
			text += " " + below(path)
		}
		if g.optional {
			text += "?"
		}
		list = append(list, text)
		for _, path := range g.unrecognized {
			unrecognized = append(unrecognized, below(path))
		}
	}
	return list, unrecognized
}

func TestFolder(t *testing.T) {
	for name, test := range map[string]struct {
		files        files
		settings     Settings
		want         []string
		unrecognized []string
	}{
		"mixed": {
			files: files{
				"a/lamps.obo": ontology, "a/b/lamps.xml": markup, "icd/icd10cm_tabular_2030.xml": tabular, "icd/icd10cm_order_2030.txt": order,
				"t/lamps.tsv": "code\na\n", "t/lamps.mapping.json": mapping, "lonely.csv": "code\na\n", "lamps.json": resource, "graphs.json": graphs,
				"lamps.pdf": "%PDF-1.4", ".hidden/x.obo": ontology, "__MACOSX/x.obo": ontology, "html.xml": "<html/>",
			},
			want:         []string{"claml a/b/lamps.xml", "obo a/lamps.obo", "obo graphs.json", "icd10cm icd/icd10cm_order_2030.txt", "csv t/lamps.mapping.json", "fhir .?"},
			unrecognized: []string{"html.xml", "lamps.pdf", "lonely.csv"},
		},
		"one format": {
			files:    files{"a.obo": ontology, "b.json": resource, "c.pdf": "%PDF"},
			settings: Settings{Format: "obo"},
			want:     []string{"obo a.obo"},
		},
		"FHIR alone":       {files: files{"a/b.json": resource, "readme.txt": "x"}, want: []string{"fhir ."}, unrecognized: []string{"readme.txt"}},
		"nothing":          {files: files{"readme.txt": "x"}, want: []string{"fhir ."}, unrecognized: []string{"readme.txt"}},
		"LOINC":            {files: files{"LoincTable/Loinc.csv": loincTable, "AccessoryFiles/PartFile/Part.csv": "x", "License.pdf": "x"}, want: []string{"loinc ."}},
		"table of LOINC":   {files: files{"Loinc.csv": loincTable, "readme.txt": "x"}, want: []string{"loinc ."}},
		"RxNorm":           {files: files{"rrf/RXNCONSO.RRF": rxnormName, "prescribe/rrf/RXNCONSO.RRF": rxnormName, "Readme_full_01022030.txt": "x"}, want: []string{"rxnorm ."}},
		"RF2":              {files: files{snapshotFile: concepts, deltaFile: concepts, "release_package_information.json": "{}", "Readme.txt": "x"}, want: []string{"rf2 ."}},
		"RF2 without tree": {files: files{"c/sct2_Concept_Snapshot_INT_20300101.txt": concepts, "d/sct2_Description_Snapshot_INT_20300101.txt": concepts}, want: []string{"rf2 ."}},
		"releases side by side": {
			files: files{
				"Loinc_2.98/LoincTable/Loinc.csv": loincTable, "Loinc_2.99/LoincTable/Loinc.csv": loincTable, "Loinc_2.99/notes.txt": "x",
				"Lamps/" + snapshotFile: concepts, "Shades/" + snapshotFile: concepts, "Shades/more.json": resource,
				"rx/rrf/RXNCONSO.RRF": rxnormName, "lamps.obo": ontology, "notes.txt": "x",
			},
			want:         []string{"loinc Loinc_2.98", "loinc Loinc_2.99", "rxnorm rx", "rf2 .", "obo lamps.obo", "fhir .?"},
			unrecognized: []string{"notes.txt"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := write(t, ".", test.files)
			groups, unrecognized := groupsOf(t, root, test.settings, root)
			slices.Sort(groups)
			slices.Sort(test.want)
			if !slices.Equal(groups, test.want) || !slices.Equal(unrecognized, test.unrecognized) {
				t.Errorf("got %q and %q,\nwant %q and %q", groups, unrecognized, test.want, test.unrecognized)
			}
		})
	}
}

// Archives of releases are sources of a folder, as other files are.
func TestFolderOfArchives(t *testing.T) {
	root := t.TempDir()
	for name, entry := range map[string][2]string{
		"Loinc.zip": {"LoincTable/Loinc.csv", loincTable}, "Lamps.zip": {snapshotFile, concepts}, "other.zip": {"x.txt", "x"},
	} {
		if err := os.Rename(write(t, name, files{entry[0]: entry[1]}), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	groups, unrecognized := groupsOf(t, root, Settings{}, root)
	slices.Sort(groups)
	if want := []string{"loinc Loinc.zip", "rf2 Lamps.zip"}; !slices.Equal(groups, want) || !slices.Equal(unrecognized, []string{"other.zip"}) {
		t.Errorf("got %q and %q, want %q", groups, unrecognized, want)
	}
}

// What was found in a folder is not found again, so that recorded paths can be read again.
func TestFolderAgain(t *testing.T) {
	root := write(t, ".", files{"a.obo": ontology, "b.json": resource, "Lamps/" + snapshotFile: concepts})
	first, _ := groupsOf(t, root, Settings{}, root)
	for _, paths := range [][]string{
		{root, root},
		{filepath.Join(root, "a.obo"), root},
		{root, filepath.Join(root, ".")},
		{root, filepath.Join(root, "a.obo"), root},
	} {
		again, _ := groupsOf(t, root, Settings{}, paths...)
		slices.Sort(again)
		want := slices.Clone(first)
		slices.Sort(want)
		if !slices.Equal(again, want) {
			t.Errorf("%q: got %q, want %q", paths, again, want)
		}
	}
}

func TestLoadFolder(t *testing.T) {
	root := write(t, ".", files{"a.obo": ontology, "lamps.xml": markup, "b.json": resource, "c.pdf": "x", "d.pdf": "x"})
	var warnings []string
	opts := Options{Options: loader.Options{Warn: func(text string) { warnings = append(warnings, text) }}}
	sink := &loadertest.Sink{}
	if err := Load(t.Context(), []string{root}, opts, sink); err != nil {
		t.Fatal(err)
	}
	if len(sink.Indexes) != 3 {
		t.Errorf("%d code systems, want 3", len(sink.Indexes))
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], filepath.Join(root, "c.pdf")+", "+filepath.Join(root, "d.pdf")) {
		t.Errorf("warnings: %q", warnings)
	}
	// JSON that is not a resource is an error only if it is the only source.
	other := files{"a.obo": ontology, "x.json": `{"a":1}`}
	if err := Load(t.Context(), []string{write(t, ".", other)}, Options{}, &loadertest.Sink{}); err != nil {
		t.Error(err)
	}
	delete(other, "a.obo")
	if err := Load(t.Context(), []string{write(t, ".", other)}, Options{}, &loadertest.Sink{}); !errors.Is(err, loader.ErrNothing) {
		t.Errorf("got %v", err)
	}
	// A source in error is one in a folder too.
	broken := files{"a.obo": "format-version: 1.4\n[Term]\nname: x\n", "b.json": resource}
	if err := Load(t.Context(), []string{write(t, ".", broken)}, Options{}, &loadertest.Sink{}); err == nil {
		t.Error("an error in a file of a folder is lost")
	}
	// The list of names is bounded.
	many := files{"a.obo": ontology}
	for _, c := range "abcdefghijklmn" {
		many["x"+string(c)+".pdf"] = "x"
	}
	warnings = nil
	if err := Load(t.Context(), []string{write(t, ".", many)}, opts, &loadertest.Sink{}); err != nil || len(warnings) != 1 || !strings.HasSuffix(warnings[0], " and 4 more") {
		t.Errorf("%v, %q", err, warnings)
	}
}

// A release that was loaded as part of a folder is the base of a delta.
func TestTakesFolder(t *testing.T) {
	root := write(t, ".", files{"Loinc/LoincTable/Loinc.csv": loincTable, "Lamps/" + snapshotFile: concepts, "a.obo": ontology})
	for name, want := range map[string]bool{"rf2": true, "loinc": true, "rxnorm": false} {
		for _, f := range All() {
			if f.Name == name && f.Takes(root, Settings{}) != want {
				t.Errorf("%s takes the folder: %v", name, !want)
			}
		}
	}
}
