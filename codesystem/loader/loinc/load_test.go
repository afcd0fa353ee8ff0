package loinc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
	"github.com/roget-health/roget/codesystem/loader/loinc"
	"github.com/roget-health/roget/resources/r4"
)

// find returns a concept that must be there.
func find(t rapid.TB, x *codesystem.Index, code string) codesystem.Ord {
	t.Helper()
	o, ok := x.Find(code)
	if !ok {
		t.Fatalf("no concept %s", code)
	}
	return o
}

// said lists the properties of a concept as text: code=value, a Coding as code|display.
func said(x *codesystem.Index, o codesystem.Ord) []string {
	var list []string
	for p := range x.Properties(o) {
		text := p.Value.Text
		if c := p.Value.Coding; c != nil {
			text = c.Code + "|" + c.Display
		}
		list = append(list, p.Code+"="+text)
	}
	return list
}

func TestTerm(t *testing.T) {
	x := loaded(t, writeRelease(t, releaseFiles())).index
	if h := x.Header(); h.URL != "http://loinc.org" || h.Version != "2.99" || h.ValueSet != "http://loinc.org/vs" || !strings.HasPrefix(h.Publisher, "Regenstrief") {
		t.Errorf("header %+v", h.Header)
	}
	o := find(t, x, glow)
	if x.Display(o) != "Glow [Level] of Lamp" || x.Definition(o) != "How much a lamp glows." || x.Inactive(o) {
		t.Errorf("%q, %q, inactive %v", x.Display(o), x.Definition(o), x.Inactive(o))
	}
	want := []string{
		"COMPONENT=" + light + "|Glow", "PROPERTY=" + level + "|Lvl", "TIME_ASPCT=" + point + "|Pt", "SYSTEM=" + lamp + "|Lamp", "SCALE_TYP=" + qn + "|Qn",
		"CLASS=LIGHT", "VersionLastChanged=2.99", "CHNG_TYPE=MIN", "STATUS=ACTIVE", "CLASSTYPE=1", "ORDER_OBS=Both", "COMMON_TEST_RANK=12", "VersionFirstReleased=2.9",
		"copyright=LOINC", "analyte=" + light + "|Glow", "category=" + substance + "|Substance",
		"member-of=" + form,
	}
	if got := said(x, o); !slices.Equal(got, want) {
		t.Errorf("properties\ngot  %q\nwant %q", got, want)
	}
	var names []string
	for d := range x.Designations(o) {
		if (d.Use.System == loinc.System) == (d.Use.Code == "display") {
			t.Errorf("use %v", d.Use)
		}
		names = append(names, d.Language+" "+d.Use.Code+" "+d.Value)
	}
	wantNames := []string{
		"en FullySpecifiedName Glow:Lvl:Pt:Lamp:Qn", "en SHORTNAME Glow Lamp", "en DisplayName Glow (Lamp)", "en RELATEDNAMES2 Lamp; Level; Shine",
		"en ConsumerName Glow, lamp", "fr-CA display Lueur de la lampe", "fr-CA LinguisticVariantDisplayName Lueur", "fr-CA FullySpecifiedName Lueur:Niveau:Temps ponctuel:Lampe:Quantitatif",
	}
	if !slices.Equal(names, wantNames) {
		t.Errorf("designations\ngot  %q\nwant %q", names, wantNames)
	}
}

func TestStatusAndCopyright(t *testing.T) {
	x := loaded(t, writeRelease(t, releaseFiles())).index
	for code, inactive := range map[string]bool{glow: false, oldGlow: true, haze: false, qn: true, lamp: false} {
		if got := x.Inactive(find(t, x, code)); got != inactive {
			t.Errorf("%s inactive: %v", code, got)
		}
	}
	if o := find(t, x, oldGlow); !x.HasProperty(o, "MAP_TO", glow) || !x.HasProperty(o, "copyright", "LOINC") {
		t.Errorf("%q", said(x, o))
	}
	o := find(t, x, haze)
	for _, f := range [][2]string{{"copyright", "3rdParty"}, {"STATUS", "TRIAL"}, {"answer-list", colours}, {"answer-list-normative", colours}, {"SYSTEM", lamp}, {"rad-modality-modality-type-x", lamp}} {
		if !x.HasProperty(o, f[0], f[1]) {
			t.Errorf("haze has not %s = %s: %q", f[0], f[1], said(x, o))
		}
	}
}

func TestHierarchy(t *testing.T) {
	x := loaded(t, writeRelease(t, releaseFiles())).index
	codes := func(ords []codesystem.Ord) string {
		var list []string
		for _, o := range ords {
			list = append(list, x.Code(o))
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	o := find(t, x, glow)
	want := []string{root, substance, light}
	slices.Sort(want)
	if got := codes(x.Ancestors(o)); got != strings.Join(want, " ") {
		t.Errorf("above glow: %s", got)
	}
	if got := codes(x.Parents(find(t, x, light))); got != codesSorted(root, substance) {
		t.Errorf("parents of light: %s", got)
	}
	if x.Display(find(t, x, root)) != "Everything" || x.Display(find(t, x, light)) != "Glow of light" {
		t.Error("displays of parts")
	}
}

// TestEmpty: a list that only a link names, and a file without terms.
func TestEmpty(t *testing.T) {
	files := releaseFiles()
	files["AccessoryFiles/AnswerFile/LoincAnswerListLink.csv"] += haze + ",," + coded("LL", 703) + ",Linked only,,\r\n"
	files["AccessoryFiles/Top2000Results/US/Top2000CommonLabResultsUs.csv"] = "LOINC #\r\n"
	c := loaded(t, writeRelease(t, files))
	if got := c.index.Display(find(t, c.index, coded("LL", 703))); got != "Linked only" || c.documents["http://loinc.org/vs/top-2000-lab-observations-us"] != "" {
		t.Errorf("%s, %v", got, c.documents)
	}
}

func codesSorted(codes ...string) string {
	slices.Sort(codes)
	return strings.Join(codes, " ")
}

func TestAnswers(t *testing.T) {
	x := loaded(t, writeRelease(t, releaseFiles())).index
	if o := find(t, x, colours); x.Display(o) != "Colours" || !x.HasProperty(o, "answers-for", haze) || !x.HasProperty(o, "AnswerListOID", "1.2.3") {
		t.Errorf("%q %q", x.Display(o), said(x, o))
	}
	if o := find(t, x, elsewhere); !x.HasProperty(o, "ExtDefinedAnswerListLink", "http://example.org/list") {
		t.Errorf("%q", said(x, o))
	}
	for code, want := range map[string]string{red: "en DisplayText Warm red", green: "", light: "en PartName Glow", lamp: "", form: "en FullySpecifiedName Lamp form:-:Pt:Lamp:-"} {
		got := ""
		for d := range x.Designations(find(t, x, code)) {
			got += d.Language + " " + d.Use.Code + " " + d.Value
		}
		if got != want {
			t.Errorf("designations of %s: %q", code, got)
		}
	}
	if x.Display(find(t, x, green)) != "Green" {
		t.Error("display of an answer")
	}
	if got := said(x, find(t, x, red)); !slices.Equal(got, []string{"ExtCodeId=X9|Crimson"}) || !x.HasProperty(find(t, x, green), "ExtCodeId", "no system") || len(said(x, find(t, x, blue))) > 0 {
		t.Errorf("codes in other systems: %q", got)
	}
}

// TestPanel: members come in their order, each with what is said of it in the panel.
func TestPanel(t *testing.T) {
	x := loaded(t, writeRelease(t, releaseFiles())).index
	var got []string
	for p := range x.Properties(find(t, x, form)) {
		if p.Group > 0 {
			text := p.Value.Text
			if c := p.Value.Coding; c != nil {
				text = c.Code + "|" + c.Display
			}
			got = append(got, fmt.Sprint(p.Group, " ", p.Code, "=", text))
		}
	}
	want := []string{
		"1 has-member=" + haze, "1 ObservationRequiredInPanel=O", "1 EntryType=Q", "1 AnswerSequenceOverride=REVERSE", "1 QuestionCardinality=0..1",
		"1 AnswerListIdOverride=" + elsewhere + "|Elsewhere", "1 AnswerListTypeOverride=EXAMPLE",
		"2 has-member=" + glow, "2 DisplayNameForForm=How bright?", "2 ObservationRequiredInPanel=R", "2 ObservationIdInForm=a1", "2 SkipLogicHelpText=Skip if dark",
		"2 EntryType=Q", "2 AnswerCardinality=1..1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("properties\ngot  %q\nwant %q", got, want)
	}
	types := map[string]string{}
	for _, p := range x.Header().Property {
		types[p.Code] = p.Type
	}
	for code, want := range map[string]string{"has-member": "code", "member-of": "code", "AnswerListIdOverride": "Coding", "EntryType": "string", "ExtCodeId": "Coding", "LoincName": "", "AnswerListOID": "string", "PartTypeName": "string", "copyright": "string", "COMPONENT": "Coding"} {
		if types[code] != want {
			t.Errorf("%s is declared as %q", code, types[code])
		}
	}
}

// TestPanelsAgree compares panels with a plain reading of the rows. A panel within others is listed
// again for each: its own list counts, or else its first; then come members of other lists.
func TestPanelsAgree(t *testing.T) {
	terms := []string{glow, oldGlow, haze, form}
	code := rapid.SampledFrom(append(terms, "1-8")) // which is unknown
	rapid.Check(t, func(t *rapid.T) {
		type row struct {
			list, panel, id, member string
			sequence                int
		}
		var rows []row
		var lines [][]string
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			list := rapid.SampledFrom([]string{"", "1", "2", "3"})
			r := row{list.Draw(t, "list"), code.Draw(t, "panel"), list.Draw(t, "id"), code.Draw(t, "member"), rapid.IntRange(0, 3).Draw(t, "sequence")}
			rows = append(rows, r)
			lines = append(lines, []string{r.list, r.panel, r.id, strings.TrimPrefix(strconv.Itoa(r.sequence), "0"), r.member})
		}
		var sink collected
		if err := loinc.LoadFiles(t.Context(), []loader.File{
			loader.InMemory("Loinc.csv", []byte(releaseFiles()["LoincTable/Loinc.csv"])),
			loader.InMemory("PanelsAndForms.csv", []byte(csvOf("ParentId,ParentLoinc,ID,SEQUENCE,Loinc", lines...))),
		}, &sink); err != nil {
			t.Fatal(err)
		}
		for _, panel := range terms {
			own, first := "", true
			for _, r := range rows {
				if r.panel == panel && r.member == panel && r.list == r.id {
					own = r.list
				}
			}
			for _, r := range rows {
				if r.panel == panel && r.member != panel && own == "" && first {
					own, first = r.list, false
				}
			}
			want := []string(nil)
			for _, others := range []bool{false, true} {
				for sequence := range 4 {
					for _, r := range rows {
						if r.panel == panel && r.member != panel && r.sequence == sequence && (r.list != own) == others && (!others || !slices.Contains(want, r.member)) {
							want = append(want, r.member)
						}
					}
				}
			}
			var got []string
			for p := range sink.index.Properties(find(t, sink.index, panel)) {
				if p.Code == "has-member" {
					got = append(got, p.Value.Text)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("members of %s: %q, want %q", panel, got, want)
			}
			for _, member := range terms {
				o := find(t, sink.index, member)
				if in := slices.Contains(want, member); sink.index.HasProperty(o, "member-of", panel) != in {
					t.Fatalf("%s is a member of %s: want %v", member, panel, in)
				}
			}
		}
	})
}

// TestLists: answers are in the order of their sequence numbers, with their scores; terms
// are in their group and the one above.
func TestLists(t *testing.T) {
	x := loaded(t, writeRelease(t, releaseFiles())).index
	list, ok := x.Refset(colours)
	if !ok || list.Len() != 3 {
		t.Fatalf("answer list %v", ok)
	}
	got := map[string]string{}
	for row := range list.Len() {
		if text := list.Value(row, loinc.ListText); text != "" {
			t.Errorf("a text that is the display: %q", text)
		}
		got[list.Value(row, loinc.ListSequence)] = x.Code(list.Component(row)) + " " + list.Value(row, loinc.ListScore)
	}
	if got["1"] != blue+" 0" || got["2"] != green+" 1.5" || got["3"] != red+" 2" {
		t.Errorf("%v", got)
	}
	if warm, ok := x.Refset(coded("LL", 702)); !ok || warm.Len() != 1 || warm.Value(0, loinc.ListText) != "Warm red" {
		t.Error("the text of an answer in one list is missing")
	}
	if list, ok := x.Refset(elsewhere); !ok || list.Len() != 0 {
		t.Error("a list that is defined elsewhere has answers")
	}
	for code, about := range map[string][3]string{glows: {"Glow|Lamp", "Light", "Same component"}, allGlows: {"All glows", "Light", ""}} {
		group, ok := x.Refset(code)
		if !ok || group.Members().GetCardinality() != 2 || !group.Members().Contains(find(t, x, glow)) {
			t.Fatalf("group %s: %v", code, ok)
		}
		for row := range group.Len() {
			if got := [3]string{group.Value(row, loinc.GroupName), group.Value(row, loinc.GroupCategory), group.Value(row, loinc.GroupArchetype)}; got != about {
				t.Errorf("group %s: %q", code, got)
			}
		}
	}
}

func TestDocuments(t *testing.T) {
	c := loaded(t, writeRelease(t, releaseFiles()))
	var top r4.ValueSet
	if err := json.Unmarshal([]byte(c.documents["http://loinc.org/vs/top-2000-lab-observations-si"]), &top); err != nil {
		t.Fatal(err)
	}
	if top.Version != "2.99" || len(top.Compose.Include[0].Concept) != 2 || top.Compose.Include[0].Concept[0].Code != glow {
		t.Errorf("%+v", top)
	}
	var m r4.ConceptMap
	if err := json.Unmarshal([]byte(c.documents["http://loinc.org/cm/loinc-parts-to-example-org-light"]), &m); err != nil {
		t.Fatal(err)
	}
	if g := m.Group[0]; g.Target != "http://example.org/Light" || g.TargetVersion != "7" || len(g.Element) != 1 || len(g.Element[0].Target) != 2 || g.Element[0].Code != light || g.Element[0].Display != "Glow" || g.Element[0].Target[1].Equivalence != "narrower" {
		t.Errorf("%+v", g)
	}
	var answers r4.ConceptMap
	if err := json.Unmarshal([]byte(c.documents["http://loinc.org/cm/loinc-answers-to-example-org-light"]), &answers); err != nil {
		t.Fatal(err)
	}
	if _, found := c.documents["http://loinc.org/cm/loinc-answers-to-"]; found {
		t.Error("a map to no system")
	}
	if g := answers.Group[0]; g.TargetVersion != "7" || len(g.Element) != 1 || len(g.Element[0].Target) != 1 || g.Element[0].Code != red || g.Element[0].Display != "Red" || g.Element[0].Target[0].Code != "X9" || g.Element[0].Target[0].Display != "Crimson" || g.Element[0].Target[0].Equivalence != "relatedto" {
		t.Errorf("%+v", g)
	}
	if s := c.documents["http://loinc.org/cm/loinc-parts-to-snomed-ct"]; !strings.Contains(s, `"relatedto"`) || strings.Contains(s, "targetVersion") {
		t.Errorf("documents: %v", c.documents)
	}
}

// TestZip: an archive says the same as the folder.
func TestZip(t *testing.T) {
	folder := loaded(t, writeRelease(t, releaseFiles())).index
	path := zipRelease(t, "Loinc_2.99.zip", releaseFiles())
	if !loinc.Detect(path) {
		t.Error("not detected")
	}
	packed := loaded(t, path).index
	if packed.Len() != folder.Len() || packed.Header().Version != "2.99" {
		t.Errorf("%d concepts, version %s", packed.Len(), packed.Header().Version)
	}
	for o := range codesystem.Ord(folder.Len()) {
		p, ok := packed.Find(folder.Code(o))
		if !ok || packed.Display(p) != folder.Display(o) || !slices.Equal(said(packed, p), said(folder, o)) {
			t.Errorf("%s differs", folder.Code(o))
		}
	}
}

// TestTableAlone: the table is enough; axes are texts then, the version is the latest one
// that a term was changed in.
func TestTableAlone(t *testing.T) {
	dir := writeRelease(t, map[string]string{"x/Loinc.csv": releaseFiles()["LoincTable/Loinc.csv"]})
	path := filepath.Join(t.TempDir(), "Loinc.csv")
	copyFile(t, filepath.Join(dir, "x", "Loinc.csv"), path)
	if !loinc.Detect(path) {
		t.Error("not detected")
	}
	x := loaded(t, path).index
	if x.Header().Version != "2.100" || x.Len() != 4 {
		t.Errorf("version %s, %d concepts", x.Header().Version, x.Len())
	}
	for _, p := range x.Header().Property {
		if p.Code == "PartTypeName" || p.Code == "AnswerListOID" || p.Code == "SYSTEM" && p.Type != "string" {
			t.Errorf("declares %s as %s", p.Code, p.Type)
		}
	}
	if o := find(t, x, glow); !x.HasProperty(o, "SYSTEM", "Lamp") {
		t.Errorf("%q", said(x, o))
	}
}

// TestCoreTable: the table with fewer columns is read without the full one only.
func TestCoreTable(t *testing.T) {
	files := map[string]string{"LoincTable/Loinc.csv": releaseFiles()["LoincTable/Loinc.csv"]}
	files["LoincTableCore/LoincTableCore.csv"] = csvOf("LOINC_NUM,STATUS,LONG_COMMON_NAME", []string{glow, "", "core"})
	if x := loaded(t, writeRelease(t, files)).index; x.Display(find(t, x, glow)) != "Glow [Level] of Lamp" {
		t.Error("the full table is not used")
	}
	delete(files, "LoincTable/Loinc.csv")
	if x := loaded(t, writeRelease(t, files)).index; x.Display(find(t, x, glow)) != "core" {
		t.Error("the table with fewer columns is not used")
	}
}

// TestColumns: a file without the columns that are needed is refused.
func TestColumns(t *testing.T) {
	unread := []string{"AccessoryFiles/PanelsAndForms/Loinc.csv", "AccessoryFiles/PanelsAndForms/AnswerList.csv", "AccessoryFiles/LinguisticVariants/LinguisticVariants.csv"}
	all := releaseFiles()
	for name := range all {
		files := []loader.File{loader.InMemory(name, []byte("X\ny\n"))}
		if name != "LoincTable/Loinc.csv" {
			files = append(files, loader.InMemory("Loinc.csv", []byte(all["LoincTable/Loinc.csv"])))
		}
		err := loinc.LoadFiles(t.Context(), files, &collected{})
		if slices.Contains(unread, name) {
			if err != nil {
				t.Error(err)
			}
		} else if !errors.Is(err, loader.ErrFormat) || !strings.Contains(err.Error(), "is missing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A refusing sink takes no documents.
type refusing struct{ collected }

var errRefused = errors.New("refused")

func (r *refusing) Document(string, *r4.Header, []byte, loader.Origin) error { return errRefused }

// TestOptions: progress counts concepts and resources, an identity overrides the header, and the error of the
// sink is told.
func TestOptions(t *testing.T) {
	path := writeRelease(t, releaseFiles())
	var c collected
	var last loader.Progress
	opts := loader.Options{Progress: func(p loader.Progress) { last = p }, Identity: loader.Identity{Publisher: "Nobody"}}
	err := loinc.Load(t.Context(), path, opts, &c)
	if err != nil || c.index.Header().Publisher != "Nobody" || last.Concepts != c.index.Len() || last.Resources != len(c.documents)+1 || last.Skipped > 0 {
		t.Errorf("%v, %+v, %d concepts, %d documents", err, last, c.index.Len(), len(c.documents))
	}
	for url, text := range c.documents {
		if !strings.Contains(text, `"publisher":"Nobody"`) {
			t.Errorf("the publisher of %s", url)
		}
	}
	if err := loinc.Load(t.Context(), path, loader.Options{}, &refusing{}); !errors.Is(err, errRefused) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, file, text, say string
		want                  error
	}{
		{"no table", "LoincTable/Loinc.csv", "", "Loinc.csv is missing", loader.ErrNothing},
		{"no column", "LoincTable/Loinc.csv", "LOINC_NUM,STATUS\n", "the column LONG_COMMON_NAME is missing", loader.ErrFormat},
		{"twice", "LoincTable/Loinc.csv", "LOINC_NUM,STATUS,LONG_COMMON_NAME\n1-8,,a\n1-8,,b\n", "Loinc.csv: line 3", codesystem.ErrDuplicateCode},
		{"no code", "LoincTable/Loinc.csv", "LOINC_NUM,STATUS,LONG_COMMON_NAME\n,,a\n", "Loinc.csv: line 2", codesystem.ErrEmptyCode},
		{"unknown parent", "AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv", "IMMEDIATE_PARENT,CODE,CODE_TEXT\nLP1-4,LP2-2,x\n", "LP1-4", codesystem.ErrUnknownParent},
		{"cycle", "AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv", "IMMEDIATE_PARENT,CODE,CODE_TEXT\nLP1-4,LP2-2,x\nLP2-2,LP1-4,x\n", "LP1-4", codesystem.ErrCycle},
		{"sequence", "AccessoryFiles/AnswerFile/AnswerList.csv", "AnswerListId,AnswerListName,AnswerStringId,SequenceNumber,DisplayText\nLL1-4,x,LA1-4,first,y\n", "AnswerList.csv: line 2", loader.ErrFormat},
		{"part twice", "AccessoryFiles/PartFile/Part.csv", "PartNumber,PartTypeName,PartName,PartDisplayName,Status\n" + glow + ",,x,,\n", glow, codesystem.ErrDuplicateCode},
		{"no list", "AccessoryFiles/AnswerFile/LoincAnswerListLink.csv", "LoincNumber,AnswerListId,AnswerListName\n1-8,,x\n", "LoincAnswerListLink.csv: line 2", loader.ErrFormat},
		{"list twice", "AccessoryFiles/AnswerFile/AnswerList.csv", "AnswerListId,AnswerListName,AnswerStringId,SequenceNumber,DisplayText\n" + glow + ",x,LA1-4,1,y\n", glow, codesystem.ErrDuplicateCode},
		{"panel sequence", "AccessoryFiles/PanelsAndForms/PanelsAndForms.csv", "ParentLoinc,SEQUENCE,Loinc\n1-8,,2-6\n1-8,first,2-6\n", "PanelsAndForms.csv: line 3", loader.ErrFormat},
		{"panel member", "AccessoryFiles/PanelsAndForms/PanelsAndForms.csv", "ParentLoinc,SEQUENCE,Loinc\n1-8,1,\n", "PanelsAndForms.csv: line 2", loader.ErrFormat},
		{"no panel", "AccessoryFiles/PanelsAndForms/PanelsAndForms.csv", "ParentLoinc,SEQUENCE,Loinc\n,1,2-6\n", "PanelsAndForms.csv: line 2", loader.ErrFormat},
		{"playbook", "AccessoryFiles/LoincRsnaRadiologyPlaybook/LoincRsnaRadiologyPlaybook.csv", "LoincNumber,PartNumber,PartName,PartTypeName\n1-8,1-8,x,Rad\n", "LoincRsnaRadiologyPlaybook.csv: line 2", loader.ErrFormat},
		{"no group", "AccessoryFiles/GroupFile/GroupLoincTerms.csv", "GroupId,LoincNumber\nLG1-4,\n", "GroupLoincTerms.csv: line 2", loader.ErrFormat},
		{"no code of a part", "AccessoryFiles/PartFile/PartRelatedCodeMapping.csv", "PartNumber,PartName,ExtCodeId,ExtCodeDisplayName,ExtCodeSystem,Equivalence\nLP1-4,x,,y,http://z,\n", "PartRelatedCodeMapping.csv: line 2", loader.ErrFormat},
		{"part link", "AccessoryFiles/PartFile/LoincPartLink_Primary.csv", "LoincNumber,PartNumber,PartName,PartTypeName\n1-8,1-8,x,COMPONENT\n", "LoincPartLink_Primary.csv: line 2", loader.ErrFormat},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := releaseFiles()
			files[c.file] = c.text
			if c.text == "" {
				delete(files, c.file)
			}
			var list []loader.File
			for _, name := range slices.Sorted(maps.Keys(files)) {
				list = append(list, loader.InMemory(name, []byte(files[name])))
			}
			err := loinc.LoadFiles(t.Context(), list, &collected{})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.say)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := loinc.Load(ctx, writeRelease(t, releaseFiles()), loader.Options{}, &collected{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestDetect(t *testing.T) {
	if dir := writeRelease(t, releaseFiles()); !loinc.Detect(dir) {
		t.Error("a release is not detected")
	}
	for name, files := range map[string]map[string]string{
		"other table": {"Loinc.csv": "a,b\n1,2\n"},
		"no table":    {"Part.csv": "PartNumber\nLP1-4\n"},
		"copy only":   {"PanelsAndForms/Loinc.csv": "LOINC_NUM,LONG_COMMON_NAME\n"},
	} {
		if loinc.Detect(writeRelease(t, files)) {
			t.Errorf("%s is detected", name)
		}
	}
	if loinc.Detect(filepath.Join(t.TempDir(), "absent")) {
		t.Error("what is not there is detected")
	}
}

// FuzzRelease: whatever one file of a release holds, Load neither panics nor hangs, and an
// index that it makes is sound.
func FuzzRelease(f *testing.F) { loadertest.FuzzRelease(f, releaseFiles(), loinc.LoadFiles) }
