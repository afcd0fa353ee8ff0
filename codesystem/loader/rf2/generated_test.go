package rf2

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/codesystem/loader/rf2/internal/checkdigit"
	"github.com/roget-health/roget/resources/sharedtest"
)

// generated runs the generator of the data folder beside the project, or skips the test.
func generated(t testing.TB, concepts int) string {
	t.Helper()
	script := sharedtest.Path(t, "data/tools/gen_hierarchy.py")
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("the generator of test data is written in Python: %v", err)
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), python, "-B", script, "--out", dir, "--concepts", fmt.Sprint(concepts), "--zip", "--level", "1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	return dir
}

// TestGenerated: a generated release holds what the CodeSystem of the same generator does.
func TestGenerated(t *testing.T) {
	dir := generated(t, 2000)
	x := load(t, Options{}, filepath.Join(dir, "Snapshot"))
	zips, err := filepath.Glob(filepath.Join(dir, "*.zip"))
	if err != nil || len(zips) != 1 {
		t.Fatalf("archives: %v, %v", zips, err)
	}
	if !slices.Equal(x.Bytes(), load(t, Options{}, zips[0]).Bytes()) {
		t.Error("folder and archive differ")
	}
	c := &collector{}
	if err := fhir.Load(t.Context(), filepath.Join(dir, "CodeSystem-synthetic-clinical.json.gz"), loader.Options{}, c); err != nil {
		t.Fatal(err)
	}
	want := c.indexes[0]
	if x.Len() != want.Len() {
		t.Fatalf("%d concepts, want %d", x.Len(), want.Len())
	}
	replaced := map[string]string{}
	if set, ok := x.Refset(replacedBy); ok {
		for row := range set.Len() {
			if target, ok := set.Target(row, 0); ok && set.Active(row) {
				replaced[x.Code(set.Component(row))] = x.Code(target)
			}
		}
	}
	wrong := 0
	for o, code := range want.Codes() {
		a, b := describe(x, ord(t, x, code), replaced), describe(want, o, nil)
		if a != b {
			if wrong++; wrong < 5 {
				t.Errorf("got\n%s\nwant\n%s", a, b)
			}
		}
	}
	if len(replaced) != 40 {
		t.Errorf("%d concepts are replaced", len(replaced))
	}
}

// describe returns the facts of a concept that both forms of the generated data have.
func describe(x *codesystem.Index, o codesystem.Ord, replaced map[string]string) string {
	code := x.Code(o)
	lines := []string{fmt.Sprintf("%s %q inactive=%v", code, x.Display(o), x.Inactive(o))}
	for d := range x.Designations(o) {
		lines = append(lines, "name "+d.Value)
	}
	for _, p := range x.Parents(o) {
		lines = append(lines, "parent "+x.Code(p))
	}
	for p := range x.Properties(o) {
		switch {
		case p.Code == "effectiveTime", p.Code == "sufficientlyDefined" && x.Inactive(o):
		default:
			lines = append(lines, p.Code+"="+p.Value.Text)
		}
	}
	if to, ok := replaced[code]; ok {
		lines = append(lines, "replacedBy="+to)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// BenchmarkLoad reads the release that ROGET_BENCH_RF2 names, or else a generated one.
func BenchmarkLoad(b *testing.B) {
	path := os.Getenv("ROGET_BENCH_RF2")
	if path == "" {
		path = filepath.Join(generated(b, 20_000), "Snapshot")
	}
	b.ReportAllocs()
	for b.Loop() {
		c := &collector{}
		if err := Load(b.Context(), []string{path}, Options{}, c); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(c.indexes[0].Len()), "concepts")
	}
}

// BenchmarkRead is loading without the building of the index.
func BenchmarkRead(b *testing.B) {
	path := os.Getenv("ROGET_BENCH_RF2")
	if path == "" {
		path = filepath.Join(generated(b, 20_000), "Snapshot")
	}
	b.ReportAllocs()
	for b.Loop() {
		r := loader.Begin(b.Context(), loader.Options{})
		e, err := newEdition(r, func(error) {}, &Options{})
		if err != nil {
			b.Fatal(err)
		}
		files, err := e.choose([]string{path})
		if err != nil {
			b.Fatal(err)
		}
		if err := e.read(files); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(originOf([]string{path}, files).Size)
		r.Close()
	}
}

// BenchmarkVerhoeff measures the cost of checking one identifier.
func BenchmarkVerhoeff(b *testing.B) {
	id := []byte("900000000000003001")
	for b.Loop() {
		if !checkdigit.Verhoeff(id) {
			b.Fatal("refused")
		}
	}
}

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "rf2")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	terminology := filepath.Join(dir, "Snapshot", "Terminology")
	os.MkdirAll(terminology, 0o755)
	os.WriteFile(filepath.Join(terminology, "sct2_Concept_Snapshot_INT_20250101.txt"), []byte(
		"id\teffectiveTime\tactive\tmoduleId\tdefinitionStatusId\n"+
			"138875005\t20250101\t1\t900000000000207008\t900000000000074008\n"), 0o644)
	os.WriteFile(filepath.Join(terminology, "sct2_Description_Snapshot-en_INT_20250101.txt"), []byte(
		"id\teffectiveTime\tactive\tmoduleId\tconceptId\tlanguageCode\ttypeId\tterm\tcaseSignificanceId\n"+
			"100001017\t20250101\t1\t900000000000207008\t138875005\ten\t900000000000013009\tTop\t900000000000448009\n"), 0o644)

	sink := &collector{}
	if err := Load(context.Background(), []string{dir}, Options{}, sink); err != nil {
		fmt.Println(err)
		return
	}
	x := sink.indexes[0]
	o, _ := x.Find("138875005")
	fmt.Println(x.Version(), x.Display(o))
	// Output: http://snomed.info/sct/900000000000207008/version/20250101 Top
}
