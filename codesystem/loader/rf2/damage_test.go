package rf2

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
)

// TestDamage: every kind of damage is an error that names file and line, what was found
// and what was expected.
func TestDamage(t *testing.T) {
	h := international()
	bone := rf2test.Concept(103)
	h.Add("value", rf2test.Relationship(7000), "20240131", true, core, bone, "#5", "1", rf2test.Concept(100), inferred, some)
	h.Add("association", rf2test.Member(7001), "20240131", true, core, replacedBy, bone, root)
	h.Add("map", rf2test.Member(7003), "20240131", true, core, rf2test.Concept(113), bone, "1", "2", "TRUE", "ALWAYS S02", "S02", rf2test.Concept(100), rf2test.Concept(101))
	files := h.At(rf2test.Snapshot, "20240131", "").Files(rf2test.Snapshot, "20240131")
	file := func(kind string) string {
		return "Snapshot/" + fmt.Sprintf(rf2test.Layouts[kind].Path, "Snapshot", "20240131")
	}
	otherDigit := bone[:len(bone)-1] + string('0'+('9'-bone[len(bone)-1]+1)%10)
	for _, row := range []struct {
		name, kind string
		old, new   string // in the file; old "" stands for all of it
		want       error
		text       []string
	}{
		{"empty file", "concept", "", "", ErrDamaged, []string{"line 1", "empty"}},
		{"other columns", "concept", "moduleId", "module", ErrDamaged, []string{"line 1", "module", `"moduleId"`}},
		{"a column too many", "relationship", "modifierId", "modifierId\tnote", ErrDamaged, []string{"line 1", `"note"`}},
		{"a column too few", "association", "\ttargetComponentId", "", ErrDamaged, []string{"line 1", "and 1 more"}},
		{"columns of another kind", "language", "acceptabilityId", "valueId", ErrDamaged, []string{"line 1", "acceptabilityId"}},
		{"a field too few", "concept", bone + "\t20240131\t", bone + "\t", ErrDamaged, []string{"line 11", "4 columns, expected 5"}},
		{"a field too many", "concept", bone + "\t20240131", bone + "\t20240131\t20240131", ErrDamaged, []string{"line 11", "6 columns, expected 5"}},
		{"an empty line", "concept", bone + "\t2024", "\r\n" + bone + "\t2024", ErrDamaged, []string{"line 11", "empty line"}},
		{"cut off", "concept", bone + "\t20240131\t1\t" + core, bone + "\t20240131\t1\t9000000000\x00", ErrDamaged, []string{"line 11", `moduleId is "9000000000\x00"`}},
		{"not a number", "concept", bone + "\t", "x" + bone + "\t", ErrDamaged, []string{"line 11", "id is", "6 to 18 digits"}},
		{"too short", "concept", bone + "\t", "12345\t", ErrDamaged, []string{"line 11", `id is "12345"`}},
		{"too long", "concept", bone + "\t", "1234567890123456789\t", ErrDamaged, []string{"line 11", "6 to 18 digits"}},
		{"check digit", "concept", bone + "\t", otherDigit + "\t", ErrDamaged, []string{"line 11", otherDigit, "another check digit"}},
		{"partition", "concept", bone + "\t", rf2test.Description(1) + "\t", ErrDamaged, []string{"line 11", "identifier of a concept", "partition 00 or 10"}},
		{"active", "concept", bone + "\t20240131\t1", bone + "\t20240131\t2", ErrDamaged, []string{"line 11", `active is "2"`, "0 or 1"}},
		{"date", "concept", bone + "\t20240131", bone + "\t2024013", ErrDamaged, []string{"line 11", `effectiveTime is "2024013"`, "a date like 20250131"}},
		{"month", "concept", bone + "\t20240131", bone + "\t20241331", ErrDamaged, []string{"line 11", "20241331"}},
		{"date with dashes", "concept", bone + "\t20240131", bone + "\t2024-01-31", ErrDamaged, []string{"2024-01-31"}},
		{"status", "concept", bone + "\t20240131\t1\t" + core + "\t" + primitive, bone + "\t20240131\t1\t" + core + "\t" + root, ErrDamaged, []string{"line 11", "definitionStatusId", primitive, defined}},
		{"twice", "concept", bone + "\t20240131", root + "\t20240131", ErrDamaged, []string{"line 11", "there twice"}},
		{"not UTF-8", "description", "Fracture of bone", "Fracture of b\xf4ne", ErrDamaged, []string{"line 20", "UTF-8"}},
		{"no term", "description", "Fracture of bone (thing)", "", ErrDamaged, []string{"line 20", `term is ""`}},
		{"type", "description", typeName, rf2test.Concept(999), ErrDamaged, []string{"typeId", typeName, typeFull}},
		{"language", "description", "\ten\t", "\te n\t", ErrDamaged, []string{"line 2", "languageCode", `"e n"`}},
		{"description twice", "description", rf2test.Description(1041), rf2test.Description(1040), ErrDamaged, []string{rf2test.Description(1040), "there twice"}},
		{"description of nothing", "description", "\t" + bone + "\t", "\t" + rf2test.Concept(999) + "\t", ErrUnknownConcept, []string{"line 20", "conceptId " + rf2test.Concept(999)}},
		{"member", "language", rf2test.Member(2), "0000000-0000-4000-a000-000000000002", ErrDamaged, []string{"line 2", "UUID"}},
		{"member with other letters", "language", rf2test.Member(2), "0000000g-0000-4000-a000-000000000002", ErrDamaged, []string{"line 2", "UUID"}},
		{"acceptability", "language", prefer, root, ErrDamaged, []string{"line 2", "acceptabilityId", prefer, accepted}},
		{"parent is not there", "relationship", "\t" + rf2test.Concept(101) + "\t0", "\t" + rf2test.Concept(999) + "\t0", ErrUnknownConcept, []string{"line 10", "destinationId " + rf2test.Concept(999)}},
		{"attribute is not there", "relationship", "\t0\t" + isA.String(), "\t0\t" + rf2test.Concept(999), ErrUnknownConcept, []string{"line 2", "typeId"}},
		{"group", "relationship", "\t0\t" + isA.String(), "\t-1\t" + isA.String(), ErrDamaged, []string{"line 2", "relationshipGroup", "-1"}},
		{"large group", "relationship", "\t0\t" + isA.String(), "\t70000\t" + isA.String(), ErrDamaged, []string{"line 2", "relationshipGroup", "70000"}},
		{"no group", "relationship", "\t0\t" + isA.String(), "\t\t" + isA.String(), ErrDamaged, []string{"line 2", "relationshipGroup"}},
		{"value", "value", "#5", "5", ErrDamaged, []string{"line 2", `value is "5"`, "#0.5"}},
		{"value with a point only", "value", "#5", "#5.", ErrDamaged, []string{"line 2", "concrete value"}},
		{"value with zeros", "value", "#5", "#005", ErrDamaged, []string{"line 2", "concrete value"}},
		{"target", "association", "\t" + root, "\tR51", ErrDamaged, []string{"line 2", "targetComponentId", "R51"}},
		{"number in a map", "map", "\t1\t2\t", "\tone\t2\t", ErrDamaged, []string{"line 2", "mapGroup", "one", "an integer"}},
		{"text in a map", "map", "ALWAYS S02", "ALWAYS \xff", ErrDamaged, []string{"line 2", "mapAdvice", "UTF-8"}},
		{"date of a dependency", "dependency", "20240131\t20240131", "20240131\t", ErrDamaged, []string{"line 2", "targetEffectiveTime"}},
		{"long line", "description", "Root (thing)", strings.Repeat("x", maxLine), ErrDamaged, []string{"line 2", "a line of more than"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := maps.Clone(files)
			name := file(row.kind)
			if row.old == "" {
				files[name] = row.new
			} else {
				if !strings.Contains(files[name], row.old) {
					t.Fatalf("%q is not in %s", row.old, files[name])
				}
				files[name] = strings.Replace(files[name], row.old, row.new, 1)
			}
			c := &collector{}
			dir := rf2test.Folder(t, files)
			err := Load(t.Context(), []string{dir}, Options{}, c)
			if !errors.Is(err, row.want) {
				t.Fatalf("got %v, want %v", err, row.want)
			}
			place := filepath.Join(dir, filepath.FromSlash(name))
			for _, text := range row.text {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%v: does not say %q", err, text)
				}
			}
			if row.name != "description twice" && !strings.Contains(err.Error(), place) {
				t.Errorf("%v: does not name %s", err, place)
			}
			if len(c.indexes) > 0 {
				t.Error("an index in spite of the error")
			}
		})
	}
}

// TestLax: options accept what real files at times have.
func TestLax(t *testing.T) {
	files := international().At(rf2test.Snapshot, "20240131", "").Files(rf2test.Snapshot, "20240131")
	bone := rf2test.Concept(103)
	other := bone[:len(bone)-1] + string('0'+('9'-bone[len(bone)-1]+1)%10)
	for name := range files {
		files[name] = strings.ReplaceAll(files[name], bone, other)
	}
	path := rf2test.Folder(t, files)
	if err := Load(t.Context(), []string{path}, Options{}, &collector{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("strict: %v", err)
	}
	x := load(t, Options{LaxIdentifiers: true}, path)
	if got := x.Display(ord(t, x, other)); got != "Fracture of bone" {
		t.Errorf("display %q", got)
	}
}

// TestHierarchy: a cycle and a bad tree are errors of the builder, with the place.
func TestHierarchy(t *testing.T) {
	h := international()
	h.Add("relationship", rf2test.Relationship(8000), "20240131", true, core, rf2test.Concept(101), rf2test.Concept(103), "0", isA.String(), inferred, some)
	path := h.Folder(t, rf2test.Snapshot, "20240131", "")
	err := Load(t.Context(), []string{path}, Options{}, &collector{})
	if !errors.Is(err, codesystem.ErrCycle) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), rf2test.Concept(103)) {
		t.Errorf("cycle: %v", err)
	}
}

// TestArchives: archives are trusted in nothing.
func TestArchives(t *testing.T) {
	files := international().At(rf2test.Snapshot, "20240131", "").Files(rf2test.Snapshot, "20240131")
	evil := maps.Clone(files)
	evil["../../sct2_Concept_Snapshot_INT_20240131.txt"] = "x"
	if err := Load(t.Context(), []string{rf2test.Zip(t, evil)}, Options{}, &collector{}); !errors.Is(err, loader.ErrUnsafeName) {
		t.Errorf("unsafe name: %v", err)
	}
	whole := rf2test.Zip(t, files)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{len(data) / 2, len(data) - 10} {
		path := filepath.Join(t.TempDir(), "cut.zip")
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Load(t.Context(), []string{path}, Options{}, &collector{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	small := Options{Options: loader.Options{Limits: loader.Limits{MaxBytes: 100}}}
	if err := Load(t.Context(), []string{whole}, small, &collector{}); !errors.Is(err, loader.ErrTooLarge) {
		t.Errorf("limit: %v", err)
	}
}

// TestManyRefsets: a release of 200 reference sets in as many files.
func TestManyRefsets(t *testing.T) {
	h := international()
	files := h.At(rf2test.Snapshot, "20240131", "").Files(rf2test.Snapshot, "20240131")
	const sets = 200
	for i := range sets {
		var one release
		for j := range i%3 + 1 {
			one.Add("simple", rf2test.Member(20_000+3*i+j), "20240131", true, core, rf2test.Concept(1000+i), rf2test.Concept(100+j))
		}
		for name, data := range one.Files(rf2test.Snapshot, "20240131") {
			if dir, base := path.Split(name); strings.Contains(base, "Simple") {
				files[dir+strings.Replace(base, "Simple", fmt.Sprintf("Simple%d", i), 1)] = data
			}
		}
	}
	x := load(t, Options{}, rf2test.Zip(t, files))
	for i := range sets {
		set, ok := x.Refset(rf2test.Concept(1000 + i))
		if !ok || set.Len() != i%3+1 || int(set.Members().GetCardinality()) != i%3+1 {
			t.Fatalf("reference set %d: %v", i, ok)
		}
	}
	if x.Code(1) != rf2test.Concept(100) { // the lowest below the root
		t.Error(x.Code(1))
	}
	if n := len(x.Refsets()); n != sets+1 { // and the module dependencies
		t.Errorf("%d reference sets", n)
	}
}

// TestLanguageRefsetMissing: displays by a language reference set that is not there.
func TestLanguageRefsetMissing(t *testing.T) {
	err := Load(t.Context(), []string{international().Folder(t, rf2test.Snapshot, "20240131", "")}, Options{LanguageRefset: "en-gb"}, &collector{})
	if !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), enGB) || !strings.Contains(err.Error(), "the release has "+enUS) {
		t.Errorf("%v", err)
	}
}
