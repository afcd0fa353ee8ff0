package rf2

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// sct makes an identifier: item, partition (two digits, or a namespace and two digits)
// and check digit.
func sct(item int, partition string) string {
	for c := '0'; c <= '9'; c++ {
		if id := fmt.Sprintf("%d%s%c", item, partition, c); verhoeff([]byte(id)) {
			return id
		}
	}
	panic("no check digit")
}

func conceptCode(item int) string      { return sct(item, "00") }
func descriptionCode(item int) string  { return sct(100_000+item, "01") }
func relationshipCode(item int) string { return sct(100_000+item, "02") }
func memberCode(item int) string       { return fmt.Sprintf("00000000-0000-4000-a000-%012x", item) }

// A row is a row of a release, in the file of its kind.
type row struct {
	file   string
	time   string
	fields []string // all, id first
}

// A release is rows: the history of components.
type release []row

// layouts are the files of a release: path, with %s for the release type and the date, and the
// names of columns.
var layouts = map[string]struct{ path, columns string }{
	"concept":     {"Terminology/sct2_Concept_%s_INT_%s.txt", "id effectiveTime active moduleId definitionStatusId"},
	"description": {"Terminology/sct2_Description_%s-en_INT_%s.txt", "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId"},
	"definition":  {"Terminology/sct2_TextDefinition_%s-en_INT_%s.txt", "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId"},
	"relationship": {
		"Terminology/sct2_Relationship_%s_INT_%s.txt",
		"id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId characteristicTypeId modifierId",
	},
	"value": {
		"Terminology/sct2_RelationshipConcreteValues_%s_INT_%s.txt",
		"id effectiveTime active moduleId sourceId value relationshipGroup typeId characteristicTypeId modifierId",
	},
	"language":    {"Refset/Language/der2_cRefset_Language%s-en_INT_%s.txt", "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId"},
	"simple":      {"Refset/Content/der2_Refset_Simple%s_INT_%s.txt", "id effectiveTime active moduleId refsetId referencedComponentId"},
	"association": {"Refset/Content/der2_cRefset_Association%s_INT_%s.txt", "id effectiveTime active moduleId refsetId referencedComponentId targetComponentId"},
	"map": {
		"Refset/Map/der2_iisssccRefset_ExtendedMap%s_INT_%s.txt",
		"id effectiveTime active moduleId refsetId referencedComponentId mapGroup mapPriority mapRule mapAdvice mapTarget correlationId mapCategoryId",
	},
	"dependency": {
		"Refset/Metadata/der2_ssRefset_ModuleDependency%s_INT_%s.txt",
		"id effectiveTime active moduleId refsetId referencedComponentId sourceEffectiveTime targetEffectiveTime",
	},
}

// Codes of the test releases.
var (
	root       = "138875005"
	core       = internationalCore.String()
	model      = "900000000000012004"
	typeFull   = fullySpecifiedName.String()
	typeName   = synonym.String()
	typeText   = textDefinition.String()
	primitive  = primitiveStatus.String()
	defined    = definedStatus.String()
	inferred   = inferredRelationship.String()
	stated     = "900000000000010007"
	some       = "900000000000451002"
	noCase     = "900000000000448009"
	enUS       = americanEnglish.String()
	enGB       = "900000000000508004"
	prefer     = preferred.String()
	accepted   = acceptable.String()
	replacedBy = "900000000000526001"
)

// add adds a row: identifier, time, active, module and what the kind of file has more.
func (h *release) add(file, id, time string, active bool, module string, more ...string) {
	flag := "0"
	if active {
		flag = "1"
	}
	*h = append(*h, row{file, time, append([]string{id, time, flag, module}, more...)})
}

// concept adds an active concept with its full name, a preferred synonym, and parents.
func (h *release) concept(item int, code, time, module, name string, parents ...string) {
	h.add("concept", code, time, true, module, primitive)
	h.name(2*item, code, time, module, typeFull, name+" (thing)")
	h.name(2*item+1, code, time, module, typeName, name)
	for i, p := range parents {
		h.add("relationship", relationshipCode(100*item+i), time, true, module, code, p, "0", isA.String(), inferred, some)
	}
}

// name adds a description that is preferred in American English.
func (h *release) name(item int, concept, time, module, kind, term string) {
	id := descriptionCode(1000 + item)
	h.add("description", id, time, true, module, concept, "en", kind, term, noCase)
	h.add("language", memberCode(item), time, true, module, enUS, id, prefer)
}

// international is a small International Edition of two releases.
func international() *release {
	h := &release{}
	for i, c := range []struct{ code, name string }{
		{root, "Root"},
		{isA.String(), "Is a"},
		{core, "Core module"},
		{model, "Model module"},
		{typeFull, "Full name"},
		{typeName, "Synonym"},
		{conceptCode(100), "Finding"},
		{conceptCode(101), "Fracture"},
		{conceptCode(102), "Site"},
	} {
		parents := []string{root}
		if i == 0 {
			parents = nil
		}
		h.concept(i+1, c.code, "20230731", core, c.name, parents...)
	}
	h.concept(20, conceptCode(103), "20240131", core, "Fracture of bone", conceptCode(101))
	h.add("dependency", memberCode(900), "20230731", true, core, moduleDependency.String(), model, "20230731", "20230731")
	h.add("dependency", memberCode(900), "20240131", true, core, moduleDependency.String(), model, "20240131", "20240131")
	h.add("concept", model, "20230731", true, model, primitive)
	return h
}

// rows gives the rows of a release type: of those up to a date, all, the latest ones, or
// those that are new since another date.
func (h release) of(t releaseType, date, since string) release {
	var list release
	at := map[string]int{}
	for _, r := range h {
		key := r.fields[0]
		switch {
		case r.time > date, t == delta && r.time <= since:
			continue
		case t == full:
			list = append(list, r)
			continue
		}
		if i, ok := at[key]; !ok {
			at[key] = len(list)
			list = append(list, r)
		} else if r.time >= list[i].time {
			list[i] = r
		}
	}
	return list
}

// files writes the rows as files, by path below the package.
func (h release) files(t releaseType, date string) map[string]string {
	files := map[string]string{}
	for kind, l := range layouts {
		var b strings.Builder
		b.WriteString(strings.ReplaceAll(l.columns, " ", "\t") + "\r\n")
		n := 0
		for _, r := range h {
			if r.file == kind {
				b.WriteString(strings.Join(r.fields, "\t") + "\r\n")
				n++
			}
		}
		if n > 0 || kind == "concept" {
			files[t.String()+"/"+fmt.Sprintf(l.path, t, date)] = b.String()
		}
	}
	return files
}

// folder writes files into a new folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	return writeFolder(t, dir, files)
}

func writeFolder(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// zipped writes files into a new archive.
func zipped(t testing.TB, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "release.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, data := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(data))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	return path
}

// pkg writes a package of one release type.
func pkg(t testing.TB, h *release, kind releaseType, date, since string) string {
	t.Helper()
	return folder(t, h.of(kind, date, since).files(kind, date))
}

// collector is a sink.
type collector struct {
	indexes []*codesystem.Index
	origins []loader.Origin
}

func (c *collector) CodeSystem(x *codesystem.Index, o loader.Origin) error {
	c.indexes, c.origins = append(c.indexes, x), append(c.origins, o)
	return nil
}

func (c *collector) Document(kind string, _ *r4.Header, _ []byte, _ loader.Origin) error {
	return fmt.Errorf("unexpected %s", kind)
}

// load loads packages, which must make one index.
func load(t testing.TB, opts Options, paths ...string) *codesystem.Index {
	t.Helper()
	c := &collector{}
	if err := Load(t.Context(), paths, opts, c); err != nil {
		t.Fatal(err)
	}
	if len(c.indexes) != 1 {
		t.Fatalf("%d indexes", len(c.indexes))
	}
	return c.indexes[0]
}

// ord finds a concept.
func ord(t testing.TB, x *codesystem.Index, code string) codesystem.Ord {
	t.Helper()
	o, ok := x.Find(code)
	if !ok {
		t.Fatalf("concept %s is missing", code)
	}
	return o
}

// dump writes down all there is in an index, in an order that does not depend on its own.
func dump(x *codesystem.Index) string {
	lines := []string{x.URL() + "|" + x.Version()}
	for o, code := range x.Codes() {
		lines = append(lines, fmt.Sprintf("%s %q %q", code, x.Display(o), x.Definition(o)))
		first, end := x.DesignationRange(o)
		for i := first; i < end; i++ {
			d, k := x.Designation(i), x.DesignationKindOf(i)
			lines = append(lines, fmt.Sprintf("%s description %s %s %s %q inactive=%v %s %s %s %v",
				code, x.DesignationID(i), d.Language, d.Use.Code, d.Value, k.Inactive, k.Module, k.EffectiveTime, k.CaseSignificance, k.Acceptability))
		}
		for _, p := range x.Parents(o) {
			lines = append(lines, fmt.Sprintf("%s < %s", code, x.Code(p)))
		}
		for a := range x.Attributes(o) {
			v := x.PairValue(a.Pair)
			lines = append(lines, fmt.Sprintf("%s %s=%s %s group %d", code, x.PropertyCode(a.Property), v.Type, v.Text, a.Group))
		}
	}
	for _, code := range x.Refsets() {
		set, _ := x.Refset(code)
		lines = append(lines, fmt.Sprintf("refset %s %s", code, columnNames(set.Columns())))
		for row := range set.Len() {
			line := fmt.Sprintf("refset %s %s active=%v %s %s", code, x.Code(set.Component(row)), set.Active(row), set.Module(row), set.EffectiveTime(row))
			for i := range set.Columns() {
				line += fmt.Sprintf(" %q", set.Value(row, i))
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// columnNames writes columns down.
func columnNames(columns []codesystem.RefsetColumn) string {
	var list []string
	for _, c := range columns {
		list = append(list, fmt.Sprintf("{%s %c}", c.Name, c.Type))
	}
	return fmt.Sprint(list)
}
