package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

func TestReadForms(t *testing.T) {
	bundle := `{"resourceType":"Bundle","type":"collection","entry":[{"fullUrl":"urn:a","resource":` + csA + `},{"resource":` + pat + `},{"resource":` + vsA + `}]}`
	late := `{"entry":[{"resource":` + csA + `}],"id":"x","resourceType":"Bundle"}`
	tests := []struct {
		name string
		data string
		want []string
	}{
		{"code system", csA, []string{lineA}},
		{"value set", vsA, []string{"ValueSet http://v| "}},
		{"concept map", cmA, []string{"ConceptMap http://m| "}},
		{"byte order mark", "\ufeff" + csA, []string{lineA}},
		{"space around", "\r\n\t " + csA + "\n\n ", []string{lineA}},
		{"ndjson", csA + "\n" + pat + "\n\n" + csB + "\r\n" + vsA + "\n" + cmA, []string{
			"CodeSystem http://a|1 line 1 a1 a2 a3<a2", "CodeSystem http://b| line 4 b1", "ValueSet http://v| line 5", "ConceptMap http://m| line 6",
		}},
		{"bundle", bundle, []string{"CodeSystem http://a|1 Bundle.entry[0] a1 a2 a3<a2", "ValueSet http://v| Bundle.entry[2]"}},
		{"bundle with its type last", late, []string{"CodeSystem http://a|1 Bundle.entry[0] a1 a2 a3<a2"}},
		{"bundles in ndjson", late + "\n" + bundle, []string{
			"CodeSystem http://a|1 Bundle.entry[0] a1 a2 a3<a2",
			"CodeSystem http://a|1 line 2: Bundle.entry[0] a1 a2 a3<a2", "ValueSet http://v| line 2: Bundle.entry[2]",
		}},
		{
			"sorted members", `{"caseSensitive":true,"concept":[{"code":"x","concept":[{"code":"y","display":"Y"}],"display":"X"}],"content":"complete","resourceType":"CodeSystem","url":"http://s","version":"2"}`,
			[]string{"CodeSystem http://s|2  x y<x"},
		},
		{"value set with its type last", `{"compose":{"include":[{"system":"s"}]},"resourceType":"ValueSet","url":"http://v"}`, []string{"ValueSet http://v| "}},
		{"nested bundle", `{"resourceType":"Bundle","entry":[{"resource":` + late + `}]}`, []string{"CodeSystem http://a|1 Bundle.entry[0]: Bundle.entry[0].resource.entry[0] a1 a2 a3<a2"}},
		{"no concepts", `{"resourceType":"CodeSystem","url":"http://n","content":"not-present"}`, []string{"CodeSystem http://n| "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for way, data := range map[string][]byte{"plain": []byte(test.data), "gzip": gzipped([]byte(test.data))} {
				r, err := read(t, data, Options{})
				if err != nil {
					t.Fatalf("%s: %v", way, err)
				}
				wantLines(t, r, test.want...)
				slow := &recorder{}
				if err := Read(t.Context(), iotest.OneByteReader(bytes.NewReader(data)), "input", Options{}, slow); err != nil {
					t.Fatalf("%s by bytes: %v", way, err)
				}
				wantLines(t, slow, test.want...)
			}
		})
	}
}

func TestConceptElements(t *testing.T) {
	data := `{"resourceType":"CodeSystem","url":"http://x","content":"complete",
	"concept":[
	 {"code":"a","display":"Ä \"quoted\"","definition":"What\nit is","extension":[{"url":"u","valueString":"s"}],
	  "designation":[{"language":"de","use":{"system":"s","code":"c","display":"d"},"value":"Ah"},{"value":"plain"},{"language":"fr"}],
	  "property":[{"code":"c","valueCode":"x"},{"code":"s","valueString":"str"},{"code":"i","valueInteger":-3},{"code":"b","valueBoolean":true},
	    {"code":"d","valueDateTime":"2020-01"},{"code":"n","valueDecimal":1.50},{"code":"k","valueCoding":{"system":"http://x","code":"b","display":"B"}},
	    {"code":"gone","_valueString":{"extension":[]}}]},
	 {"code":"b","concept":[{"code":"b2"}],"display":"B"}],
	"property":[{"code":"c","type":"code"},{"code":"s","type":"string"},{"code":"i","type":"integer"},{"code":"b","type":"boolean"},
	  {"code":"d","type":"dateTime"},{"code":"n","type":"decimal"},{"code":"k","type":"Coding"}],
	"version":"7","caseSensitive":true}`
	r, err := read(t, []byte(data), Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := r.indexes[0]
	a, _ := x.Find("a")
	if x.Display(a) != `Ä "quoted"` || x.Definition(a) != "What\nit is" || x.Version() != "7" {
		t.Errorf("texts: %q %q %q", x.Display(a), x.Definition(a), x.Version())
	}
	var designations, properties []string
	for d := range x.Designations(a) {
		use := ""
		if d.Use != nil {
			use = d.Use.System + "|" + d.Use.Code + "|" + d.Use.Display
		}
		designations = append(designations, d.Language+" "+use+" "+d.Value)
	}
	for p := range x.Properties(a) {
		text := p.Value.Text
		if p.Value.Coding != nil {
			text = p.Value.Coding.Code
		}
		properties = append(properties, p.Code+" "+p.Value.Type+" "+text)
	}
	if got, want := strings.Join(designations, "; "), "de s|c|d Ah;   plain"; got != want {
		t.Errorf("designations %q, want %q", got, want)
	}
	if got, want := strings.Join(properties, "; "), "c Code x; s String str; i Integer -3; b Boolean true; d DateTime 2020-01; n Decimal 1.50; k Coding b"; got != want {
		t.Errorf("properties %q, want %q", got, want)
	}
	b, _ := x.Find("b")
	b2, _ := x.Find("b2")
	if x.Display(b) != "B" || !x.IsAncestor(b, b2) {
		t.Errorf("an element after the nested concepts is lost: %q %v", x.Display(b), x.IsAncestor(b, b2))
	}
}

func TestLoadFolder(t *testing.T) {
	root := folder(t,
		entry{"z.json", csB}, entry{"sub/a.json", csA}, entry{"sub/deeper/v.ndjson.gz", string(gzipped([]byte(vsA)))},
		entry{".hidden.json", "junk"}, entry{".git/x.json", "junk"}, entry{"README.md", "junk"}, entry{"original.txt.gz", "junk"},
		entry{"list.json", "[1,2]"}, entry{"other.json", `{"name":"x"}`}, entry{"p.json", pat}, entry{"m.JSON", cmA},
		entry{"pack.tgz", string(gzipped(tarred(entry{"package/package.json", `{"name":"p"}`}, entry{"package/b.json", csB})))},
	)
	if err := os.Symlink(filepath.Join(root, "z.json"), filepath.Join(root, "link.json")); err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	var last Progress
	err := Load(t.Context(), root, Options{Progress: func(p Progress) { last = p }}, r)
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, r, lineB, "ConceptMap http://m| ", "CodeSystem http://b| package/b.json b1", lineA, "ValueSet http://v| ", lineB)
	if last.BytesTotal == 0 || last.BytesRead != last.BytesTotal || last.Resources != 6 || last.Skipped != 1 || last.Concepts != 6 {
		t.Errorf("last progress %+v", last)
	}
	if filepath.Base(last.Path) != "z.json" {
		t.Errorf("last path %s", last.Path)
	}
}

// TestOtherJSONInFolder: JSON files that are not resources do not stop a load.
func TestOtherJSONInFolder(t *testing.T) {
	root := folder(t,
		entry{"a.json", `{"x":"` + strings.Repeat("x", 10_000) + `"}`}, entry{"b.json", `{"x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}"},
		entry{"c.json", `{"concept":7,"entry":{}}`}, entry{"d.json", csA})
	r := &recorder{}
	if err := Load(t.Context(), root, Options{Limits: Limits{MaxDocument: 5000}}, r); err != nil {
		t.Fatal(err)
	}
	wantLines(t, r, lineA)
	r = &recorder{}
	if err := Load(t.Context(), folder(t, entry{"v.json", vsA[:len(vsA)-1] + `,"x":"` + strings.Repeat("x", 10_000) + `"}`}), Options{Limits: Limits{MaxDocument: 5000}}, r); err == nil || !strings.Contains(err.Error(), "larger than 5000 bytes") {
		t.Errorf("a value set too large: %v", err)
	}
}

func TestLoadOrigin(t *testing.T) {
	root := folder(t, entry{"a.json", csA})
	var got Origin
	if err := Load(t.Context(), filepath.Join(root, "a.json"), Options{}, originSink{&got}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(root, "a.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Path != filepath.Join(root, "a.json") || got.Size != int64(len(csA)) || !got.ModTime.Equal(info.ModTime()) || got.Entry != "" {
		t.Errorf("got %+v", got)
	}
}

type originSink struct{ got *Origin }

func (s originSink) CodeSystem(_ *codesystem.Index, o Origin) error {
	*s.got = o
	return nil
}

func (s originSink) Document(_ string, _ *r4.Header, _ []byte, o Origin) error {
	*s.got = o
	return nil
}

func TestLoadMissing(t *testing.T) {
	err := Load(t.Context(), filepath.Join(t.TempDir(), "absent.json"), Options{}, &recorder{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := Load(t.Context(), t.TempDir(), Options{}, &recorder{}); !errors.Is(err, ErrNothing) {
		t.Errorf("empty folder: %v", err)
	}
}

func TestUnpackedPackage(t *testing.T) {
	root := folder(t,
		entry{"package/package.json", `{"name":"p"}`}, entry{"package/.index.json", `x`}, entry{"package/a.json", csA},
		entry{"package/example/x.json", csB}, entry{"other/x.json", csB},
	)
	for _, path := range []string{root, filepath.Join(root, "package")} {
		r := &recorder{}
		if err := Load(t.Context(), path, Options{}, r); err != nil {
			t.Fatal(err)
		}
		wantLines(t, r, lineA)
	}
}

func TestSinkError(t *testing.T) {
	full := errors.New("disk full")
	r := &recorder{fail: full}
	err := Read(t.Context(), strings.NewReader(csA+"\n"+csB+"\n"), "input", Options{KeepGoing: true}, r)
	if !errors.Is(err, full) || len(r.lines) != 1 {
		t.Errorf("got %v after %v", err, r.lines)
	}
}

func TestReaderError(t *testing.T) {
	broken := errors.New("cable pulled")
	r := &recorder{}
	err := Read(t.Context(), io.MultiReader(strings.NewReader(csA), iotest.ErrReader(broken)), "body", Options{}, r)
	if !errors.Is(err, broken) || len(r.lines) > 0 {
		t.Errorf("got %v after %v", err, r.lines)
	}
	err = Read(t.Context(), io.MultiReader(bytes.NewReader(gzipped([]byte(csA))[:40]), iotest.ErrReader(broken)), "body", Options{}, r)
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Extensions of concepts and designations are kept, wherever they stand.
func TestReadExtensions(t *testing.T) {
	doc := `{"resourceType":"CodeSystem","url":"http://x","content":"complete","concept":[
		{"extension":[{"url":"http://e/1","valueString":"a"},{"url":"http://e/2","extension":[{"url":"in","valueCode":"b"}]}],"code":"x",
			"concept":[{"code":"y","designation":[{"value":"Y","extension":[{"url":"http://e/3","valueBoolean":true}]},{"value":"Why"}]}]},
		{"code":"z","extension":[{"url":"http://e/4","valueDecimal":1.50}]}]}`
	for range 2 {
		r, err := read(t, []byte(doc), Options{})
		if err != nil {
			t.Fatal(err)
		}
		x := r.indexes[0]
		got := func(o codesystem.Ord) string { return fmt.Sprint(x.Code(o), x.Extensions(o)) }
		for o, want := range []string{
			"x[{http://e/1 {String a <nil> <nil> []} []} {http://e/2 { } [{in {Code b <nil> <nil> []} []}]}]", "y[]", "z[{http://e/4 {Decimal 1.50 <nil> <nil> []} []}]",
		} {
			if have := strings.ReplaceAll(got(codesystem.Ord(o)), "{  <nil> <nil> []}", "{ }"); have != want {
				t.Errorf("got  %s\nwant %s", have, want)
			}
		}
		var extended []bool
		for d := range x.Designations(1) {
			extended = append(extended, d.Extension.Text("http://e/3") == "true")
		}
		if fmt.Sprint(extended) != "[true false]" {
			t.Error(extended)
		}
		var again bytes.Buffer // what is written is read alike
		if err := x.WriteJSON(&again); err != nil {
			t.Fatal(err)
		}
		doc = again.String()
	}
}

const (
	xmlSystem = `<?xml version="1.0" encoding="UTF-8"?>
<CodeSystem xmlns="http://hl7.org/fhir">
  <url value="http://a"/>
  <version value="1"/>
  <status value="active"/>
  <content value="complete"/>
  <concept><code value="a1"/></concept>
  <concept><code value="a2"/><concept><code value="a3"/></concept></concept>
</CodeSystem>`
	xmlSet   = `<ValueSet xmlns="http://hl7.org/fhir"><url value="http://v"/><status value="active"/><compose><include><system value="http://a"/></include></compose></ValueSet>`
	xmlOther = `<ClaML version="2.0.0"/>`
)

// TestXML reads resources in XML: alone, compressed, in a Bundle, and in a folder with other XML.
func TestXML(t *testing.T) {
	system := "CodeSystem http://a|1  a1 a2 a3<a2"
	for name, data := range map[string][]byte{
		"plain": []byte(xmlSystem), "gzip": gzipped([]byte(xmlSystem)), "byte order mark": []byte("\xef\xbb\xbf" + xmlSystem),
	} {
		r, err := read(t, data, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantLines(t, r, system)
	}
	bundle := `<Bundle xmlns="http://hl7.org/fhir"><type value="collection"/><entry><resource>` +
		strings.NewReplacer(` xmlns="http://hl7.org/fhir"`, "", `<?xml version="1.0" encoding="UTF-8"?>`, "").Replace(xmlSystem) +
		`</resource></entry></Bundle>`
	r, err := read(t, []byte(bundle), Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, r, "CodeSystem http://a|1 Bundle.entry[0] a1 a2 a3<a2")

	folder := t.TempDir()
	for name, text := range map[string]string{"a.xml": xmlSystem, "v.XML": xmlSet, "other.xml": xmlOther, ".hidden.xml": xmlSystem} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var c counts
	if err := Load(t.Context(), folder, Options{}, &c); err != nil || c.systems != 1 || c.concepts != 3 || c.valueSets != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestXMLErrors reads what is not a resource in XML.
func TestXMLErrors(t *testing.T) {
	for _, row := range []struct {
		text, want string
		limits     Limits
	}{
		{xmlOther, "does not have the namespace of FHIR", Limits{}},
		{strings.Replace(xmlSystem, "<version", "<versio", 1), "line 4, column 3: CodeSystem.versio: unknown element", Limits{}},
		{strings.Replace(xmlSystem, "a3", "a1", 1), `"a1"`, Limits{}},
		{xmlSystem, "more than 100 bytes", Limits{MaxDocument: 100}},
		{`<Patient xmlns="http://hl7.org/fhir"/>`, "", Limits{}},
	} {
		_, err := read(t, []byte(row.text), Options{Limits: row.limits})
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "line 1, column") || row.want == "" && !errors.Is(err, ErrNothing) {
			t.Errorf("%.60s: %v, want %s", row.text, err, row.want)
		}
	}
}

// TestSharedFolder loads the whole folder, which also has files that are not resources.
func TestSharedFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds more than a thousand indexes")
	}
	c := &counts{indexes: map[string]*codesystem.Index{}}
	var last Progress
	if err := Load(t.Context(), sharedtest.Path(t, "data"), Options{Progress: func(p Progress) { last = p }}, c); err != nil {
		t.Fatal(err)
	}
	if c.systems < 1062+8 || c.valueSets < 1316 || c.conceptMaps < 80+2 {
		t.Errorf("%d code systems, %d value sets, %d concept maps", c.systems, c.valueSets, c.conceptMaps)
	}
	for url, concepts := range map[string]int{
		"http://hl7.org/fhir/sid/icd-10-cm":                95_676,
		"http://purl.obolibrary.org/obo/chebi.owl":         41_136,
		"http://human-phenotype-ontology.org":              18_961,
		"http://purl.obolibrary.org/obo/so.owl":            2_151,
		"http://hl7.org/fhir/sid/icd-9-cm":                 14_567,
		"http://hl7.org/fhir/administrative-gender":        4,
		"http://terminology.hl7.org/CodeSystem/v3-ActCode": 0,
	} {
		x := c.indexes[url]
		if x == nil {
			t.Errorf("%s is missing", url)
		} else if concepts > 0 && x.Len() != concepts {
			t.Errorf("%s has %d concepts, want %d", url, x.Len(), concepts)
		}
	}
	if last.Concepts != c.concepts || last.Resources != c.systems+c.valueSets+c.conceptMaps || last.BytesRead != last.BytesTotal {
		t.Errorf("last progress %+v, sink %+v", last, c)
	}
	t.Logf("%+v", last)
}

// TestSharedFiles loads single files and compares with the count in the header.
func TestSharedFiles(t *testing.T) {
	for _, name := range []string{
		"so/CodeSystem-so.json.gz", "iso-codes/CodeSystem-iso-3166-1.json.gz", "iso-codes/CodeSystem-iso-3166-2.json.gz",
		"iso-codes/CodeSystem-iso-639-3.json.gz", "icd-gem/CodeSystem-icd-9-cm.json.gz",
	} {
		c := &counts{indexes: map[string]*codesystem.Index{}}
		if err := Load(t.Context(), sharedtest.Path(t, "data/"+name), Options{}, c); err != nil {
			t.Fatal(err)
		}
		for url, x := range c.indexes {
			if count := x.Header().Count; count != nil && *count != x.Len() {
				t.Errorf("%s: %d concepts, its count is %d", url, x.Len(), *count)
			}
		}
	}
}
