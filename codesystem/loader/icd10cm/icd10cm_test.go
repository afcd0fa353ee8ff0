package icd10cm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
)

// garden is a tabular list of our own making.
const garden = `<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular>
  <version>2030</version>
  <introduction><introSection type="title"><title>Garden</title></introSection></introduction>
  <chapter>
    <name>1</name>
    <desc>Mishaps in the garden (G00-G99)</desc>
    <includes><note>accidents  among
      plants</note></includes>
    <sectionIndex><sectionRef first="G00" last="G09" id="G00-G09">Tools</sectionRef></sectionIndex>
    <section id="G00-G09">
      <desc>Mishaps with tools (G00-G09)</desc>
      <excludes1><note>kitchen (K00)</note><note>  </note></excludes1>
      <inclusionTerm><note>Tool trouble</note></inclusionTerm>
    </section>
    <section id="G05">
      <desc>Rakes (G05)</desc>
      <diag>
        <name>G05</name>
        <desc>Stepped on rake</desc>
        <notes><note>It hurts.</note></notes>
        <sevenChrNote><note>one of these</note></sevenChrNote>
        <sevenChrDef><extension char="A">first time</extension><extension char="D">again</extension><note>x</note></sevenChrDef>
        <diag><name>G05.0</name><desc>Rake, left foot</desc><inclusionTerm><note>Left rake</note></inclusionTerm></diag>
        <diag><name>G05.123</name><desc>Rake, right foot</desc><codeFirst><note>the foot</note></codeFirst></diag>
      </diag>
    </section>
    <section id="G00-G04">
      <desc>Others (G00-G04)</desc>
      <diag><name>G01</name><desc>Lost gloves</desc></diag>
    </section>
  </chapter>
  <chapter><name>2</name><desc>Weeds</desc></chapter>
</ICD10CM.tabular>
`

const gardenOrder = "00001 G01     1 Lost glove                                                   Lost gloves\r\n" +
	"00002 G05     0 Rake                                                         Stepped on rake\r\n" +
	"00003 G050    0 Rake, left                                                   Rake, left foot\r\n" +
	"00004 G050XXA 1 Rake, left, first                                            Rake, left foot, first time\r\n" +
	"00005 G07     1 Hose\r\n" +
	"00006 G98     1 Gnome                                                        Garden gnome\r\n"

func codes(x *codesystem.Index) string {
	var list []string
	for _, code := range x.Codes() {
		list = append(list, code)
	}
	return strings.Join(list, " ")
}

// TestOneBlock: a chapter of one block has its codes once.
func TestOneBlock(t *testing.T) {
	x := load(t, loadertest.Folder(t, "x.xml", `<ICD10CM.tabular><chapter><desc>G (G00-G99)</desc><section id="G00-G99"><diag><name>G01</name></diag></section></chapter></ICD10CM.tabular>`,
		"icd10cm_order_2030.txt", "00001 G01     1 Glove\n"))
	if got := codes(x); got != "G00-G99 G01" || isRaw("g01") {
		t.Error(got)
	}
}

func TestTabular(t *testing.T) {
	x := load(t, loadertest.Folder(t, "icd10cm_tabular_2030.xml", garden))
	if got, want := codes(x), "2 G00-G99 G00-G09 G00-G04 G01 G05-G05 G05 G05.0 G05.0XXA G05.0XXD G05.123 G05.123A G05.123D"; got != want || x.Version() != "2030" {
		t.Errorf("got %s, want %s; version %s", got, want, x.Version())
	}
	loadertest.WantFacts(t, x, "G00-G99", "display Mishaps in the garden", "definition ", "property kind Code chapter",
		"property notSelectable Boolean true", "property includes String accidents among plants")
	loadertest.WantFacts(t, x, "G00-G09", "display Mishaps with tools", "definition ", "parent G00-G99", "property kind Code block", "property notSelectable Boolean true",
		"property excludes1 String kitchen (K00)", "designation en "+loader.DesignationUse+"|inclusion Tool trouble")
	loadertest.WantFacts(t, x, "G05", "display Stepped on rake", "definition ", "parent G05-G05", "property kind Code category", "property billable Boolean false",
		"property note String It hurts.", "property sevenChrNote String one of these")
	loadertest.WantFacts(t, x, "G05.0XXD", "display Rake, left foot, again", "definition ", "parent G05.0", "property kind Code code", "property billable Boolean true")
}

func TestOrder(t *testing.T) {
	for _, files := range [][]string{
		{"icd10cm_tabular_2030.xml", garden, "icd10cm_order_2030.txt", gardenOrder, "icd10cm_order_2029.txt", gardenOrder, "icd10cm_order_2030_notes.pdf", "x"},
		{"icd10cm-order-Jan-2030.txt", gardenOrder, "icd10cm_tabular_2030.xml", garden, "other_tabular.xml", "<x/>"},
	} {
		x := load(t, loadertest.Folder(t, files...))
		if got, want := codes(x), "2 G00-G99 G00-G09 G00-G04 G01 G05-G05 G05 G05.0 G05.0XXA G07 G98"; got != want || x.Version() != "2030" {
			t.Errorf("got %s, want %s; version %s", got, want, x.Version())
		}
		loadertest.WantFacts(t, x, "G05.0", "display Rake, left foot", "definition ", "parent G05", "property kind Code subcategory", "property billable Boolean false",
			"designation en "+loader.DesignationUse+"|short Rake, left", "designation en "+loader.DesignationUse+"|inclusion Left rake")
		loadertest.WantFacts(t, x, "G07", "display Hose", "definition ", "parent G00-G09", "property kind Code category", "property billable Boolean true")
	}
	x := load(t, loadertest.Folder(t, "icd10cm_order_2031.txt", gardenOrder))
	if got, want := codes(x), "G01 G05 G05.0 G05.0XXA G07 G98"; got != want || x.Version() != "2031" {
		t.Errorf("got %s, want %s; version %s", got, want, x.Version())
	}
}

// TestInferred reads the XML without the order file: the codes that it does not list are counted.
func TestInferred(t *testing.T) {
	for _, test := range []struct {
		files []string
		want  string // the warning, "" for none
	}{
		{[]string{"icd10cm_tabular_2030.xml", garden}, "4 of 8 codes were inferred from the rules for the seventh character"},
		{[]string{"icd10cm_tabular_2030.xml", garden, "icd10cm_order_2030.txt", gardenOrder}, ""},
		{[]string{"icd10cm_order_2030.txt", gardenOrder}, ""},
	} {
		path := loadertest.Folder(t, test.files...)
		var warnings []string
		opts := loader.Options{Warn: func(text string) { warnings = append(warnings, text) }}
		if err := Load(t.Context(), path, opts, &loadertest.Sink{}); err != nil {
			t.Fatal(err)
		}
		switch got := strings.Join(warnings, "\n"); {
		case test.want == "" && got != "":
			t.Errorf("%s: %s", path, got)
		case test.want != "" && !strings.HasPrefix(got, path+": "+test.want):
			t.Errorf("%s: got %q, want %q", path, got, test.want)
		case test.want != "" && !strings.Contains(got, "icd10cm_order_2030.txt"):
			t.Errorf("%s: %q does not name the file that is missing", path, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string
		is    error
		says  string
	}{
		{"other XML", []string{"x.xml", "<x/>"}, loader.ErrFormat, "neither the tabular list"},
		{"truncated", []string{"x.xml", garden[:len(garden)-300]}, loader.ErrFormat, "line "},
		{"no codes", []string{"x.xml", "<ICD10CM.tabular></ICD10CM.tabular>"}, loader.ErrNothing, "no codes"},
		{"twice", []string{"x.xml", strings.Replace(garden, "G05.123<", "G05.0<", 1)}, loader.ErrFormat, `line 25: not of a format that is read: the code "G05.0" is defined twice, first on line 24`},
		{"section without id", []string{"x.xml", strings.Replace(garden, `section id="G05"`, "section", 1)}, loader.ErrFormat, "line 16: "},
		{"diag without name", []string{"x.xml", strings.Replace(garden, `<name>G01</name>`, "", 1)}, loader.ErrFormat, "a diag has no name"},
		{"entities", []string{"x.xml", "<?xml version=\"1.0\"?>\n<!DOCTYPE x [<!ENTITY a \"b\">]>\n" + garden[39:]}, loader.ErrFormat, "line 2: not of a format that is read: it declares entities"},
		{"deep", []string{"x.xml", "<ICD10CM.tabular>" + strings.Repeat("<a>", 300)}, loader.ErrTooLarge, "nest deeper"},
		{"order row", []string{"icd10cm_order_2030.txt", gardenOrder + "junk\n"}, loader.ErrFormat, `line 7: not of a format that is read: "junk" is not number`},
		{"order twice", []string{"icd10cm_order_2030.txt", gardenOrder + gardenOrder}, loader.ErrFormat, "line 7: "},
		{"several orders", []string{"icd10cm_tabular_2030.xml", garden, "icd10cm_order_2030.txt", gardenOrder, "icd10cm_order_April_2030.txt", gardenOrder}, loader.ErrFormat, "keep one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sink := &loadertest.Sink{}
			err := Load(t.Context(), loadertest.Folder(t, test.files...), loader.Options{}, sink)
			if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) || len(sink.Indexes) > 0 {
				t.Errorf("got %v, want %v with %q", err, test.is, test.says)
			}
		})
	}
	if err := Load(t.Context(), filepath.Join(t.TempDir(), "nowhere.xml"), loader.Options{}, &loadertest.Sink{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		file, content string
		want          bool
	}{
		{"a.xml", garden, true},
		{"icd10cm_order_2030.txt", gardenOrder, true},
		{"icd10cm_order_2030.txt", "hello", false},
		{"order.txt", gardenOrder, false},
		{"a.xml", "<x/>", false},
	} {
		if got := Detect(loadertest.Write(t, test.file, test.content)); got != test.want {
			t.Errorf("%s: got %v", test.file, got)
		}
	}
}

// FuzzLoad: no input makes Load panic or hang, and its results are valid.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(garden), []byte(gardenOrder))
	f.Add([]byte(garden), []byte{})
	f.Add([]byte{}, []byte(gardenOrder))
	f.Fuzz(func(t *testing.T, tabular, order []byte) {
		dir := t.TempDir()
		path := ""
		for name, data := range map[string][]byte{"icd10cm_order_2030.txt": order, "icd10cm_tabular_2030.xml": tabular} {
			if len(data) == 0 {
				continue
			}
			path = filepath.Join(dir, name)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		sink := &loadertest.Sink{}
		err := Load(t.Context(), path, loader.Options{Limits: loader.Limits{MaxBytes: 1 << 20}}, sink)
		if err == nil && len(sink.Indexes) != 1 {
			t.Fatal("neither an error nor a code system")
		}
		for _, x := range sink.Indexes {
			if _, err := codesystem.FromBytes(x.Bytes(), true); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "icd10cm")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "icd10cm_tabular_2030.xml")
	if err := os.WriteFile(path, []byte(garden), 0o600); err != nil {
		panic(err)
	}
	sink := &loadertest.Sink{}
	if err := Load(context.Background(), path, loader.Options{}, sink); err != nil {
		panic(err)
	}
	x := sink.Indexes[0]
	o, _ := x.Find("G05.0XXA")
	fmt.Println(x.URL()+"|"+x.Version(), x.Display(o))
	// Output: http://hl7.org/fhir/sid/icd-10-cm|2030 Rake, left foot, first time
}
