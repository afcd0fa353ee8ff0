package rf2

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/classify"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
)

// TestContents loads a Snapshot with one of everything.
func TestContents(t *testing.T) {
	h := international()
	site, fracture, bone := rf2test.Concept(102), rf2test.Concept(101), rf2test.Concept(103)
	attribute, dose := rf2test.Concept(110), rf2test.Concept(111)
	h.Concept(30, attribute, "20240131", core, "Finding site", root)
	h.Concept(31, dose, "20240131", core, "Strength", root)
	h.Concept(32, rf2test.Concept(112), "20240131", core, "Old fracture")
	h.Add("concept", rf2test.Concept(112), "20240131", false, core, primitive)
	h.Add("concept", bone, "20240131", true, core, defined)
	rel := func(item int, active bool, target, group, kind, characteristic string) {
		h.Add("relationship", rf2test.Relationship(item), "20240131", active, core, bone, target, group, kind, characteristic, some)
	}
	rel(9001, true, site, "1", attribute, inferred)
	rel(9002, false, root, "1", attribute, inferred)
	rel(9003, true, root, "1", attribute, stated)
	rel(9004, true, site, "2", attribute, inferred)
	value := func(item int, text, group, kind string) {
		h.Add("value", rf2test.Relationship(item), "20240131", true, core, bone, text, group, kind, inferred, some)
	}
	value(9005, "#500", "2", dose)
	value(9006, "#0.5", "3", dose)
	value(9007, `"soft"`, "0", rf2test.Concept(100))
	h.Add("definition", rf2test.Description(5000), "20240131", true, core, bone, "en", typeText, "A broken bone, “complete” or not.", noCase)
	h.Add("description", rf2test.Description(5001), "20240131", false, core, bone, "en", typeName, "Bone fracture (old)", noCase)
	h.Add("description", rf2test.Description(5002), "20240131", true, core, bone, "en-GB", typeName, "Broken bone", noCase)
	h.Add("description", rf2test.Description(5003), "20240131", true, core, bone, "en", rf2test.Concept(102), "For patients", noCase)
	h.Add("language", rf2test.Member(5002), "20240131", true, core, enGB, rf2test.Description(5002), prefer)
	h.Add("language", rf2test.Member(5003), "20240131", true, core, enUS, rf2test.Description(5002), accepted)
	old := rf2test.Concept(112)
	h.Add("association", rf2test.Member(6000), "20240131", true, core, replacedBy, old, bone)
	h.Add("association", rf2test.Member(6001), "20240131", true, core, replacedBy, rf2test.Description(5001), rf2test.Description(5002))
	h.Add("simple", rf2test.Member(6002), "20240131", false, core, rf2test.Concept(114), bone)
	h.Add("map", rf2test.Member(6003), "20240131", true, core, rf2test.Concept(113), bone, "1", "2", "TRUE", "ALWAYS S02", "S02", rf2test.Concept(100), rf2test.Concept(101))
	path := h.Folder(t, rf2test.Snapshot, "20240131", "")

	x := load(t, Options{}, path)
	if got, want := x.URL()+"|"+x.Version(), "http://snomed.info/sct|http://snomed.info/sct/900000000000207008/version/20240131"; got != want {
		t.Errorf("version %s, want %s", got, want)
	}
	header := x.Header()
	if header.Title != "SNOMED CT: Core module" || header.Language != "en" || header.Date != "2024-01-31" || header.Content != "complete" ||
		header.HierarchyMeaning != "is-a" || header.ValueSet != "http://snomed.info/sct?fhir_vs" || *header.Count != x.Len() {
		t.Errorf("header %+v", header)
	}
	declared := map[string]string{}
	for _, p := range header.Property {
		declared[p.Code] = p.Type + " " + p.Description
	}
	for code, want := range map[string]string{
		attribute: "code Finding site", dose: "decimal Strength", rf2test.Concept(100): "string Finding",
		"inactive": "boolean The concept is no longer to be used",
	} {
		if declared[code] != want {
			t.Errorf("property %s declared as %q, want %q", code, declared[code], want)
		}
	}
	got := dump(x)
	for _, want := range []string{
		bone + ` "Fracture of bone" "A broken bone, “complete” or not."`,
		bone + " < " + fracture + "\n",
		bone + " sufficientlyDefined=Boolean true group 0",
		fracture + " sufficientlyDefined=Boolean false group 0",
		bone + " moduleId=Code " + core,
		bone + " effectiveTime=String 20240131",
		fracture + " effectiveTime=String 20230731",
		bone + " " + attribute + "=Code " + site + " group 1",
		bone + " " + attribute + "=Code " + site + " group 2",
		bone + " " + dose + "=Decimal 500 group 2",
		bone + " " + dose + "=Decimal 0.5 group 3",
		bone + " " + rf2test.Concept(100) + "=String soft group 0",
		rf2test.Concept(112) + " inactive=Boolean true group 0",
		bone + " description " + rf2test.Description(5001) + " en " + typeName + ` "Bone fracture (old)" inactive=true`,
		bone + " description " + rf2test.Description(5002) + " en-GB " + typeName + ` "Broken bone" inactive=false ` + core + " 20240131 " + noCase +
			" [{" + enGB + " true} {" + enUS + " false}]",
		bone + " description " + rf2test.Description(5000) + " en " + typeText,
		bone + " description " + rf2test.Description(5003) + " en " + site + ` "For patients"`,
		"refset " + replacedBy + " [{targetComponentId c}]\n",
		"refset " + replacedBy + " " + old + " active=true " + core + " 20240131 \"" + bone + "\"\n",
		"refset " + rf2test.Concept(114) + " []\n",
		"refset " + rf2test.Concept(114) + " " + bone + " active=false " + core + " 20240131\n",
		"refset " + rf2test.Concept(113) + " [{mapGroup i} {mapPriority i} {mapRule s} {mapAdvice s} {mapTarget s} {correlationId c} {mapCategoryId c}]\n",
		"refset " + rf2test.Concept(113) + " " + bone + " active=true " + core + ` 20240131 "1" "2" "TRUE" "ALWAYS S02" "S02" "` + rf2test.Concept(100) + `" "` + rf2test.Concept(101) + "\"\n",
		"refset " + moduleDependency.String() + " " + model + " active=true " + core + ` 20240131 "20240131" "20240131"`,
	} {
		if !strings.Contains(got+"\n", want) {
			t.Errorf("missing: %s", want)
		}
	}
	for _, unwanted := range []string{rf2test.Description(5001) + " active", attribute + "=Code " + root, bone + " inactive="} {
		if strings.Contains(got, unwanted) {
			t.Errorf("unwanted: %s", unwanted)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	if !x.Inactive(ord(t, x, rf2test.Concept(112))) || x.Inactive(ord(t, x, bone)) {
		t.Error("inactive flags")
	}
	for d := range x.Designations(ord(t, x, bone)) {
		if d.Use.System != systemURL || d.Use.Code == typeName && d.Use.Display != "Synonym" {
			t.Errorf("use %+v", d.Use)
		}
	}

	british := load(t, Options{LanguageRefset: "en-GB"}, path)
	if got := british.Display(ord(t, british, bone)); got != "Broken bone" || british.Header().Language != "en-GB" {
		t.Errorf("display %q, language %q", got, british.Header().Language)
	}
	british = load(t, Options{LanguageRefset: enGB}, path)
	if got := british.Display(ord(t, british, fracture)); got != "Fracture" {
		t.Errorf("display by fallback %q", got)
	}
}

// TestDisplays: the display if language reference sets do not decide it.
func TestDisplays(t *testing.T) {
	code := rf2test.Concept(200)
	french := rf2test.Concept(7700)
	for _, row := range []struct {
		name string
		add  func(h *release)
		want string
	}{
		{"nothing", func(h *release) {}, code},
		{"only a full name", func(h *release) {
			h.Add("description", rf2test.Description(1), "20240131", true, core, code, "en", typeFull, "Full (x)", noCase)
		}, "Full (x)"},
		{"only inactive ones", func(h *release) {
			h.Add("description", rf2test.Description(1), "20240131", false, core, code, "en", typeName, "Old", noCase)
		}, code},
		{"no language reference set: the first synonym", func(h *release) {
			h.Add("description", rf2test.Description(1), "20240131", true, core, code, "en", typeFull, "Full (x)", noCase)
			h.Add("description", rf2test.Description(3), "20240131", true, core, code, "en", typeName, "Second", noCase)
			h.Add("description", rf2test.Description(2), "20240131", true, core, code, "en", typeName, "First", noCase)
		}, "First"},
		{"preferred in some reference set", func(h *release) {
			h.Add("description", rf2test.Description(1), "20240131", true, core, code, "en", typeName, "First", noCase)
			h.Add("description", rf2test.Description(2), "20240131", true, core, code, "fr", typeName, "Deux", noCase)
			h.Add("language", rf2test.Member(1), "20240131", true, core, french, rf2test.Description(2), prefer)
			h.Add("language", rf2test.Member(2), "20240131", true, core, enUS, rf2test.Description(1), accepted)
		}, "Deux"},
		{"a member that is not active", func(h *release) {
			h.Add("description", rf2test.Description(1), "20240131", true, core, code, "en", typeName, "First", noCase)
			h.Add("description", rf2test.Description(2), "20240131", true, core, code, "en", typeName, "Second", noCase)
			h.Add("language", rf2test.Member(1), "20240131", false, core, enUS, rf2test.Description(2), prefer)
		}, "First"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := international()
			h.Add("concept", code, "20240131", true, core, primitive)
			row.add(h)
			x := load(t, Options{}, h.Folder(t, rf2test.Snapshot, "20240131", ""))
			if got := x.Display(ord(t, x, code)); got != row.want {
				t.Errorf("display %q, want %q", got, row.want)
			}
		})
	}
}

// TestWriting: what files may look like.
func TestWriting(t *testing.T) {
	h := international()
	files := h.At(rf2test.Snapshot, "20240131", "").Files(rf2test.Snapshot, "20240131")
	want := dump(load(t, Options{}, rf2test.Folder(t, files)))
	changed := func(change func(string) string) map[string]string {
		files := maps.Clone(files)
		for name := range files {
			files[name] = change(files[name])
		}
		return files
	}
	nest := func(prefix string) map[string]string {
		nested := map[string]string{prefix + "readme.txt": "hello", prefix + "Snapshot/Terminology/sct2_StatedRelationship_Snapshot_INT_20240131.txt": "no columns"}
		for name, data := range files {
			nested[prefix+name] = data
		}
		return nested
	}
	flat := map[string]string{}
	for name, data := range files {
		flat[name[strings.LastIndex(name, "/")+1:]] = data
	}
	for name, path := range map[string]string{
		"line feeds":             rf2test.Folder(t, changed(func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") })),
		"byte order mark":        rf2test.Folder(t, changed(func(s string) string { return "\ufeff" + s })),
		"empty columns":          rf2test.Folder(t, changed(func(s string) string { return strings.ReplaceAll(s, "\r\n", "\t\t\r\n") })),
		"no end of line":         rf2test.Folder(t, changed(func(s string) string { return strings.TrimSuffix(s, "\r\n") })),
		"empty lines at the end": rf2test.Folder(t, changed(func(s string) string { return s + "\r\n\r\n" })),
		"rows in another order": rf2test.Folder(t, changed(func(s string) string {
			lines := strings.SplitAfter(strings.TrimSuffix(s, "\r\n")+"\r\n", "\r\n")
			slices.Reverse(lines[1 : len(lines)-1])
			return strings.Join(lines, "")
		})),
		"capital letters":    rf2test.Folder(t, changed(func(s string) string { return strings.Replace(s, "effectiveTime", "EFFECTIVETIME", 1) })),
		"flat folder":        rf2test.Folder(t, flat),
		"zip":                rf2test.Zip(t, files),
		"zip with a folder":  rf2test.Zip(t, nest("SnomedCT_Release_20240131/")),
		"folder in a folder": rf2test.Folder(t, nest("a/b/")),
	} {
		if !Detect(path) {
			t.Errorf("%s: not detected", name)
		}
		if got := dump(load(t, Options{}, path)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	for name, path := range map[string]string{
		"another folder": rf2test.Folder(t, map[string]string{"sct2_Concept.txt": "", "a/Concept_Snapshot.txt": ""}),
		"nothing there":  "no-such-path",
	} {
		if Detect(path) {
			t.Errorf("%s: detected", name)
		}
	}
}

// TestUnpublished: names beginning with x make a version that is not published.
func TestUnpublished(t *testing.T) {
	files := map[string]string{}
	for name, data := range international().At(rf2test.Snapshot, "20240131", "").Files(rf2test.Snapshot, "20240131") {
		at := strings.LastIndex(name, "/") + 1
		files[name[:at]+"x"+name[at:]] = data
	}
	x := load(t, Options{}, rf2test.Folder(t, files))
	if want := "http://snomed.info/xsct/900000000000207008/version/20240131"; x.Version() != want || x.URL() != systemURL {
		t.Errorf("%s|%s, want %s", x.URL(), x.Version(), want)
	}
	if e := x.Header().Experimental; e == nil || !*e {
		t.Error("not marked as experimental")
	}
}

// TestSources: which files of a package are read, and packages that do not suffice.
func TestSources(t *testing.T) {
	h := international()
	both := h.At(rf2test.Snapshot, "20240131", "").Files(rf2test.Snapshot, "20240131")
	maps.Copy(both, h.At(rf2test.Full, "20240131", "").Files(rf2test.Full, "20240131"))
	maps.Copy(both, h.At(rf2test.Delta, "20240131", "20230731").Files(rf2test.Delta, "20240131"))
	all := rf2test.Folder(t, both)
	latest := dump(load(t, Options{}, h.Folder(t, rf2test.Snapshot, "20240131", "")))
	if got := dump(load(t, Options{}, all)); got != latest {
		t.Errorf("all types in one package: got\n%s\nwant\n%s", got, latest)
	}
	earlier := dump(load(t, Options{}, h.Folder(t, rf2test.Snapshot, "20230731", "")))
	for _, date := range []string{"20230731", "2023-12-31"} {
		if got := dump(load(t, Options{AsOf: date}, all)); got != earlier {
			t.Errorf("as of %s: got\n%s\nwant\n%s", date, got, earlier)
		}
	}

	snapshotOnly, deltaOnly := h.Folder(t, rf2test.Snapshot, "20240131", ""), h.Folder(t, rf2test.Delta, "20240131", "20230731")
	for _, row := range []struct {
		name  string
		opts  Options
		paths []string
		want  error
		text  []string
	}{
		{"only a delta", Options{}, []string{deltaOnly}, ErrNoBase, []string{"together with the Snapshot or Full files"}},
		{"a snapshot for an earlier date", Options{AsOf: "20230731"}, []string{snapshotOnly}, ErrDamaged, []string{"line ", "20240131", "load the Full files for an earlier date"}},
		{"before everything", Options{AsOf: "20000101"}, []string{all}, loader.ErrNothing, []string{"20000101"}},
		{"no release", Options{}, []string{t.TempDir()}, loader.ErrNothing, []string{"sct2_Concept_Snapshot_INT"}},
		{"no such path", Options{}, []string{"no-such-path"}, nil, []string{"no-such-path"}},
		{"not a date", Options{AsOf: "2024"}, []string{all}, ErrOptions, []string{"2024", "is not of the form 20240131"}},
		{"not an edition", Options{Edition: "12"}, []string{all}, ErrOptions, []string{`edition "12"`}},
		{"edition that is not there", Options{Edition: "731000124108"}, []string{all}, ErrOptions, []string{"731000124108", core, model}},
		{"not a language reference set", Options{LanguageRefset: "english"}, []string{all}, ErrOptions, []string{`"english"`}},
	} {
		err := Load(t.Context(), row.paths, row.opts, &collector{})
		if err == nil || row.want != nil && !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", row.name, err, row.want)
			continue
		}
		for _, text := range row.text {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v: does not say %q", row.name, err, text)
			}
		}
	}
}

// TestProgress: bytes and concepts add up, and the origin names what was read.
func TestProgress(t *testing.T) {
	h := international()
	var last loader.Progress
	calls := 0
	c := &collector{}
	opts := Options{Options: loader.Options{Progress: func(p loader.Progress) {
		if p.BytesRead < last.BytesRead || p.Concepts < last.Concepts {
			t.Errorf("progress goes back: %+v after %+v", p, last)
		}
		last = p
		calls++
	}}}
	paths := []string{h.Folder(t, rf2test.Snapshot, "20230731", ""), h.Folder(t, rf2test.Delta, "20240131", "20230731")}
	if err := Load(t.Context(), paths, opts, c); err != nil {
		t.Fatal(err)
	}
	if last.Concepts != c.indexes[0].Len() || last.BytesRead != last.BytesTotal || last.BytesTotal == 0 || last.Resources != 1 || calls < 8 {
		t.Errorf("%d calls, the last %+v", calls, last)
	}
	if o := c.origins[0]; !strings.Contains(o.Path, paths[0]) || !strings.Contains(o.Path, paths[1]) || o.Size == 0 || o.ModTime.IsZero() {
		t.Errorf("origin %+v", o)
	}
}

// TestSnapshotOpens: the bytes of the index are a valid snapshot.
func TestSnapshotOpens(t *testing.T) {
	x := load(t, Options{}, international().Folder(t, rf2test.Snapshot, "20240131", ""))
	y, err := codesystem.FromBytes(x.Bytes(), true)
	if err != nil {
		t.Fatal(err)
	}
	if dump(x) != dump(y) {
		t.Error("differs after opening")
	}
	if !slices.Equal(x.Bytes(), load(t, Options{}, international().Folder(t, rf2test.Full, "20240131", "")).Bytes()) {
		t.Error("the index depends on the release type")
	}
}

// TestStops: a context that is done and a sink in error end the reading.
func TestStops(t *testing.T) {
	path := international().Folder(t, rf2test.Full, "20240131", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Load(ctx, []string{path}, Options{}, &collector{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	// Canceled when the concepts are handed on, after all reading.
	ctx, cancel = context.WithCancel(t.Context())
	opts := Options{Options: loader.Options{Progress: func(p loader.Progress) {
		if p.Concepts > 0 {
			cancel()
		}
	}}}
	if err := Load(ctx, []string{path}, opts, &collector{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled late: %v", err)
	}
	if err := Load(t.Context(), []string{path}, Options{}, refusing{}); !errors.Is(err, errRefused) || !strings.Contains(err.Error(), path) {
		t.Errorf("sink: %v", err)
	}
}

var errRefused = errors.New("refused")

// refusing is a sink that wants nothing.
type refusing struct{ *collector }

func (refusing) CodeSystem(*codesystem.Index, loader.Origin) error { return errRefused }

const axiomRefset, ontologyRefset = "733073007", "762103008"

// stated returns a release with axioms, of which one changed and one became inactive.
func statedRelease() *release {
	h := international()
	for i, row := range []struct{ time, set, text string }{
		{"20230731", ontologyRefset, "Prefix(:=<http://snomed.info/id/>)"},
		{"20230731", ontologyRefset, "Ontology(<http://snomed.info/sct/900000000000207008>)"},
		{"20230731", axiomRefset, "EquivalentClasses(:1001 ObjectIntersectionOf(:1002 ObjectSomeValuesFrom(:609096000 ObjectSomeValuesFrom(:1003 :1004))))"},
		{"20230731", axiomRefset, "SubClassOf(:1005 :1006)"},
		{"20240131", axiomRefset, "SubClassOf(:1005 ObjectIntersectionOf(:1002 ObjectSomeValuesFrom(:609096000 ObjectSomeValuesFrom(:1003 :1004))))"},
	} {
		h.Add("owl", rf2test.Member(500+min(i, 3)), row.time, true, core, row.set, root, row.text)
	}
	h.Add("owl", rf2test.Member(510), "20230731", true, core, axiomRefset, root, "SubClassOf(:1005 :1007)")
	h.Add("owl", rf2test.Member(510), "20240131", false, core, axiomRefset, root, "SubClassOf(:1005 :1007)")
	return h
}

func parentsOf(t *testing.T, code string, paths ...string) (list string, err error) {
	t.Helper()
	o := classify.New()
	if err := Axioms(t.Context(), paths, loader.Options{}, o); err != nil {
		return "", err
	}
	x, err := o.Classify(t.Context(), classify.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range x.Parents(o.Class(code)) {
		list += " " + x.Name(p)
	}
	return list, nil
}

func TestAxioms(t *testing.T) {
	t.Parallel()
	h := statedRelease()
	old, both := h.Folder(t, rf2test.Snapshot, "20230731", ""), h.Folder(t, rf2test.Full, "20240131", "")
	for _, test := range []struct {
		want  string
		paths []string
	}{
		{" 1006 1007", []string{old}},
		{" 1001", []string{h.Folder(t, rf2test.Snapshot, "20240131", "")}},
		{" 1001", []string{both}},
		{" 1001", []string{old, h.Folder(t, rf2test.Delta, "20240131", "20230731")}},
	} {
		if got, err := parentsOf(t, "1005", test.paths...); err != nil || got != test.want {
			t.Errorf("%v: got %q, %v; want %q", test.paths, got, err, test.want)
		}
	}
	if _, err := parentsOf(t, "1005", international().Folder(t, rf2test.Full, "20240131", "")); !errors.Is(err, loader.ErrNothing) {
		t.Errorf("without axioms: %v", err)
	}
	h.Add("owl", rf2test.Member(511), "20230731", true, core, axiomRefset, root, "SubClassOf(:1005 :)1007)")
	_, err := parentsOf(t, "1005", h.Folder(t, rf2test.Snapshot, "20230731", ""))
	if want := `.txt: line 7: damaged release file: owlExpression, character 18: expected a name such as :73211009 or <http://example.org/a>, found ":)1007)"`; !errors.Is(err, ErrDamaged) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
