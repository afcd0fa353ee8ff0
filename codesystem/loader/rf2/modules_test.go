package rf2

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
)

// extension returns a release of two concepts that needs the International Edition.
func extension(module, namespaceCode, date string, needs string) *release {
	h := &release{}
	h.Concept(300, module, date, module, "Extension module", root)
	h.Concept(301, namespaceCode, date, module, "Local fracture", rf2test.Concept(101))
	h.Add("dependency", rf2test.Member(950), date, true, module, moduleDependency.String(), core, date, needs)
	h.Add("dependency", rf2test.Member(951), date, true, module, moduleDependency.String(), model, date, needs)
	return h
}

// TestEditions: extensions with what they need and without.
func TestEditions(t *testing.T) {
	module, other := rf2test.Identifier(1, "123456710"), rf2test.Identifier(2, "765432110")
	local := rf2test.Identifier(5, "123456710")
	ext := extension(module, local, "20240301", "20240131")
	extPath := ext.Folder(t, rf2test.Snapshot, "20240301", "")
	intPath, oldPath := international().Folder(t, rf2test.Snapshot, "20240131", ""), international().Folder(t, rf2test.Snapshot, "20230731", "")
	second := &release{}
	for _, r := range *extension(other, rf2test.Identifier(6, "765432110"), "20240401", "20240131") {
		r.Fields = append([]string{}, r.Fields...)
		r.Fields[0] = strings.ReplaceAll(strings.ReplaceAll(r.Fields[0], rf2test.Member(950), rf2test.Member(960)), rf2test.Member(951), rf2test.Member(961))
		switch r.File {
		case "description", "relationship", "language":
			continue
		}
		*second = append(*second, r)
	}
	secondPath := second.Folder(t, rf2test.Snapshot, "20240401", "")

	for _, row := range []struct {
		name, version string
		opts          Options
		paths         []string
		err           error
		text          []string
	}{
		{name: "with International", version: module + "/version/20240301", paths: []string{intPath, extPath}},
		{name: "in another order", version: module + "/version/20240301", paths: []string{extPath, intPath}},
		{name: "International alone", version: core + "/version/20240131", paths: []string{intPath}},
		{name: "edition named", version: core + "/version/20240131", opts: Options{Edition: core}, paths: []string{extPath, intPath}},
		{name: "without International", paths: []string{extPath}, err: ErrModule, text: []string{
			"module " + module + " needs module " + model + " of 20240131, which is not among the files; module " + module + " needs module " + core + " of 20240131, which",
			"load the packages that have them as well", "first needed", "line ",
		}},
		{name: "International too old", paths: []string{extPath, oldPath}, err: ErrModule, text: []string{module, core, "20240131", "20230731"}},
		{name: "too old but accepted", version: module + "/version/20240301", opts: Options{LaxDependencies: true}, paths: []string{extPath, oldPath}},
		{name: "two extensions", paths: []string{extPath, intPath, secondPath}, err: ErrEdition, text: []string{module, other}},
		{name: "two extensions, one named", version: other + "/version/20240401", opts: Options{Edition: other}, paths: []string{extPath, intPath, secondPath}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := &collector{}
			err := Load(t.Context(), row.paths, row.opts, c)
			if row.err != nil {
				if !errors.Is(err, row.err) {
					t.Fatalf("got %v, want %v", err, row.err)
				}
				for _, text := range row.text {
					if !strings.Contains(err.Error(), text) {
						t.Errorf("%v: does not say %q", err, text)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			x := c.indexes[0]
			if want := "http://snomed.info/sct/" + row.version; x.Version() != want {
				t.Errorf("version %s, want %s", x.Version(), want)
			}
		})
	}

	x := load(t, Options{}, intPath, extPath)
	o := ord(t, x, local)
	if got := x.Display(o); got != "Local fracture" || x.Code(x.Parents(o)[0]) != rf2test.Concept(101) {
		t.Errorf("display %q, parents %v", got, x.Parents(o))
	}
	if x.Header().Title != "SNOMED CT: Extension module" {
		t.Errorf("title %q", x.Header().Title)
	}
}

// TestRefsetPackage: a package of a reference set only adds members to what it is loaded
// with, and the later row of a member counts.
func TestRefsetPackage(t *testing.T) {
	h := international()
	set := rf2test.Concept(500)
	h.Add("simple", rf2test.Member(7000), "20240131", true, core, set, root)
	var more release
	more.Add("simple", rf2test.Member(7000), "20240201", false, core, set, root)
	more.Add("simple", rf2test.Member(7001), "20240201", true, core, set, core)
	files := more.Files(rf2test.Snapshot, "20240201")
	for name := range files {
		if strings.Contains(name, "Concept") {
			delete(files, name)
		}
	}
	path := rf2test.Folder(t, files)
	if !Detect(path) {
		t.Error("not detected")
	}
	x := load(t, Options{}, path, h.Folder(t, rf2test.Snapshot, "20240131", ""))
	members, ok := x.Refset(set)
	if !ok || members.Len() != 2 {
		t.Fatalf("reference set of %d rows, want 2", members.Len())
	}
	for row := range members.Len() {
		if want := members.Component(row) == ord(t, x, core); members.Active(row) != want {
			t.Errorf("member %s active %v", x.Code(members.Component(row)), members.Active(row))
		}
	}
}

// TestEditionModule: which of several modules names the edition.
func TestEditionModule(t *testing.T) {
	const (
		us, usMap    sctid = 731000124108, 5991000124107
		spanish      sctid = 449081005
		intMap       sctid = 449080006
		modelModule  sctid = 900000000000012004
		local, small sctid = 11000123102, 21000123107
	)
	all := func(ids ...sctid) map[sctid]uint32 {
		read := map[sctid]uint32{}
		for _, id := range ids {
			read[id] = 20240101
		}
		return read
	}
	needs := func(pairs ...sctid) (links []dependency) {
		for i := 0; i < len(pairs); i += 2 {
			links = append(links, dependency{source: pairs[i], target: pairs[i+1], active: true})
		}
		return links
	}
	for _, row := range []struct {
		name  string
		read  map[sctid]uint32
		links []dependency
		want  sctid
	}{
		{"International with a module of maps", all(internationalCore, modelModule, intMap), needs(internationalCore, modelModule, intMap, internationalCore), internationalCore},
		{"Spanish", all(internationalCore, modelModule, spanish), needs(internationalCore, modelModule, spanish, internationalCore), spanish},
		{"United States with a module of maps", all(internationalCore, modelModule, us, usMap), needs(us, internationalCore, usMap, us, usMap, internationalCore), us},
		{"a local module on the United States", all(internationalCore, us, local), needs(us, internationalCore, local, us, local, internationalCore), local},
		{"two local modules", all(internationalCore, small, local), needs(small, local, local, internationalCore), small},
		{"nothing said", all(modelModule, internationalCore), nil, modelModule}, // equally many concepts: the lower identifier
	} {
		e := &edition{}
		e.dependencies.rows = row.links
		got, err := e.editionModule(row.read)
		if err != nil || got != row.want {
			t.Errorf("%s: %d, %v, want %d", row.name, got, err, row.want)
		}
	}
	e := &edition{}
	e.dependencies.rows = needs(local, us, us, local)
	if _, err := e.editionModule(all(local, us)); !errors.Is(err, ErrEdition) {
		t.Errorf("in a circle: %v", err)
	}
}
