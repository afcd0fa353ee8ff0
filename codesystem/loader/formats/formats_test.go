package formats

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
)

const (
	loincTable = "\ufeff\"LOINC_NUM\",\"LONG_COMMON_NAME\",\"STATUS\"\r\n\"1-8\",\"Glow of lamp\",\"ACTIVE\"\r\n"
	rxnormName = "17|ENG||||||1||||RXNORM|BN|17|Lampol||N||\n"
	ontology   = "format-version: 1.4\nontology: lamps\n\n[Term]\nid: L:1\nname: lamp\n"
	graphs     = `{"graphs":[{"id":"http://example.org/lamps","nodes":[{"id":"http://example.org/l1","lbl":"lamp","type":"CLASS"}]}]}`
	markup     = `<?xml version="1.0"?><!DOCTYPE ClaML SYSTEM "ClaML.dtd"><ClaML version="2.0.0"><Identifier uid="1.2"/><Class code="A" kind="category"/></ClaML>`
	tabular    = `<?xml version="1.0"?><ICD10CM.tabular><version>2030</version><chapter><name>1</name><desc>Lamps (L00-L09)</desc><section id="L00-L09"><desc>Lamps (L00-L09)</desc><diag><name>L01</name><desc>Burn</desc></diag></section></chapter></ICD10CM.tabular>`
	order      = "00001 L01     1 Burn                                                         Burn of lamp\n"
	mapping    = `{"url":"http://example.org/lamps","code":"code"}`
	resource   = `{"resourceType":"CodeSystem","url":"http://example.org/lamps","status":"active","content":"complete","concept":[{"code":"a"}]}`
	concepts   = "id\teffectiveTime\tactive\tmoduleId\tdefinitionStatusId\r\n"
)

// write puts files in a new folder and returns the path of name in it; a name that ends in
// .zip is an archive of all files.
func write(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if strings.HasSuffix(name, ".zip") {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for entry, text := range files {
			w, err := z.Create(entry)
			if err == nil {
				_, err = io.WriteString(w, text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	for file, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

type files = map[string]string

func TestDetect(t *testing.T) {
	snapshot := "SnomedCT_Lamps/Snapshot/Terminology/sct2_Concept_Snapshot_INT_20300101.txt"
	for _, test := range []struct {
		name  string
		files files
		want  string
		loads bool // the sample is whole
	}{
		{"Loinc.csv", files{"Loinc.csv": loincTable}, "loinc", true},
		{"Loinc_2.99", files{"Loinc_2.99/LoincTable/Loinc.csv": loincTable}, "loinc", true},
		{"Loinc_2.99.zip", files{"LoincTable/Loinc.csv": loincTable}, "loinc", true},
		{"RXNCONSO.RRF", files{"RXNCONSO.RRF": rxnormName}, "rxnorm", true},
		{"release", files{"release/rrf/RXNCONSO.RRF": rxnormName}, "rxnorm", true},
		{"RxNorm_full_01022030.zip", files{"rrf/RXNCONSO.RRF": rxnormName}, "rxnorm", true},
		{"lamps.obo", files{"lamps.obo": ontology}, "obo", true},
		{"lamps.txt", files{"lamps.txt": ontology}, "obo", true},
		{"lamps.json", files{"lamps.json": graphs}, "obo", true},
		{"lamps.xml", files{"lamps.xml": markup}, "claml", true},
		{"icd10cm_tabular_2030.xml", files{"icd10cm_tabular_2030.xml": tabular}, "icd10cm", true},
		{"icd10cm_order_2030.txt", files{"icd10cm_order_2030.txt": order}, "icd10cm", true},
		{"lamps.csv", files{"lamps.csv": "code\na\n", "lamps.mapping.json": mapping}, "csv", true},
		{"lamps.mapping.json", files{"lamps.csv": "code\na\n", "lamps.mapping.json": mapping}, "csv", true},
		{"lamps.txt", files{"lamps.txt": "code\na\n", "lamps.mapping.json": mapping}, "csv", true},
		{"lonely.csv", files{"lonely.csv": "code\na\n"}, "csv", false},
		{"SnomedCT_Lamps", files{snapshot: concepts}, "rf2", false},
		{"SnomedCT_Lamps.zip", files{snapshot: concepts}, "rf2", false},
		{"lamps.json", files{"lamps.json": resource}, "fhir", true},
		{"folder", files{"folder/a.json": resource}, "fhir", true},
		{"empty.json", files{"empty.json": ""}, "fhir", false},
		{"lamps.pdf", files{"lamps.pdf": "%PDF-1.4"}, "fhir", false},
		{"html.xml", files{"html.xml": "<html/>"}, "fhir", false},
	} {
		path := write(t, test.name, test.files)
		if got := Detect(path).Name; got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		sink := &loadertest.Sink{}
		err := Load(t.Context(), []string{path}, Options{}, sink)
		if (err == nil) != test.loads || test.loads && len(sink.Indexes) != 1 {
			t.Errorf("%s: %d indexes, %v", test.name, len(sink.Indexes), err)
		}
	}
}

// The error about a file that no format accepts names the most likely format.
func TestUnknown(t *testing.T) {
	for name, test := range map[string]struct{ text, says string }{
		"lonely.csv": {"code\na\n", "lonely.csv: not of a format that is read: no mapping file lies beside it; things.csv needs things.mapping.json"},
		"html.xml":   {"<html/>", "html.xml: not FHIR JSON or XML: it looks like XML"},
		"lamps.pdf":  {"%PDF-1.4", "lamps.pdf: not FHIR JSON or XML: it starts with \"%PDF-1.4\""},
		"empty":      {"", "empty: not FHIR JSON or XML: it is empty"},
	} {
		err := Load(t.Context(), []string{write(t, name, files{name: test.text})}, Options{}, &loadertest.Sink{})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %q", name, err, test.says)
		}
	}
}

func TestGroups(t *testing.T) {
	lamps := write(t, "lamps.json", files{"lamps.json": resource})
	const name = "Release/Snapshot/Terminology/sct2_Concept_Snapshot_INT_20300101.txt"
	first, second := write(t, "Release", files{name: concepts}), write(t, "Release", files{name: concepts})
	groups, err := Groups([]string{first, lamps, second, lamps}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range groups {
		got = append(got, g.Format.Name+" "+strings.Join(g.Paths, " "))
		if g.Changes() {
			t.Errorf("%s: only changes", g.Paths)
		}
	}
	if want := []string{"rf2 " + first + " " + second, "fhir " + lamps, "fhir " + lamps}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := Groups([]string{lamps, filepath.Join(t.TempDir(), "nowhere")}, Settings{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path that is not there: %v", err)
	}
	_, err = Groups([]string{lamps}, Settings{Format: "owl"})
	if !errors.Is(err, loader.ErrFormat) || !strings.Contains(err.Error(), `"owl"; the formats are `+strings.Join(Names(), ", ")) {
		t.Errorf("a format that is not known: %v", err)
	}
	if groups, err := Groups([]string{lamps}, Settings{Format: "obo"}); err != nil || groups[0].Format.Name != "obo" {
		t.Errorf("a format that is given: %v, %v", groups, err)
	}
}

// The identity of the settings goes before what a source says.
func TestIdentity(t *testing.T) {
	path := write(t, "lamps.obo", files{"lamps.obo": ontology})
	sink := &loadertest.Sink{}
	opts := Options{Settings: Settings{Identity: loader.Identity{URL: "http://example.org/mine", Version: "7"}}}
	if err := Load(t.Context(), []string{path}, opts, sink); err != nil {
		t.Fatal(err)
	}
	if x := sink.One(t); x.URL() != "http://example.org/mine" || x.Version() != "7" {
		t.Errorf("%s|%s", x.URL(), x.Version())
	}
}

// Names lists All, FHIR last.
func TestNames(t *testing.T) {
	var names []string
	for _, f := range All() {
		names = append(names, f.Name)
		if f.Title == "" {
			t.Errorf("%s has no title", f.Name)
		}
	}
	if !slices.Equal(names, Names()) || names[len(names)-1] != "fhir" {
		t.Errorf("%q and %q", names, Names())
	}
}
