package icd10cm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
	"github.com/roget-health/roget/resources/sharedtest"
)

const (
	sharedTabular = "icd10cm/icd10cm_tabular_2021.xml.gz"
	sharedOrder   = "icd10cm/icd10cm-order-Jan-2021.txt.gz"
)

func load(t testing.TB, path string) *codesystem.Index {
	t.Helper()
	if !Detect(path) {
		t.Errorf("%s is not detected", path)
	}
	sink := &loadertest.Sink{}
	if err := Load(t.Context(), path, loader.Options{}, sink); err != nil {
		t.Fatal(err)
	}
	return sink.One(t)
}

// TestBoth compares with the CodeSystem made of the same two files. Meant to differ: the
// conversion leaves out the notes of the elements notes and sevenChrNote, names another
// system of uses, and has no inclusion terms of blocks.
func TestBoth(t *testing.T) {
	t.Parallel()
	loadertest.Large(t)
	x := load(t, sharedtest.Path(t, "data/"+sharedTabular))
	sink := &loadertest.Sink{}
	if err := fhir.Load(t.Context(), sharedtest.Path(t, "data/icd10cm/CodeSystem-icd-10-cm.json.gz"), loader.Options{}, sink); err != nil {
		t.Fatal(err)
	}
	loadertest.Compare(t, x, sink.One(t), func(ours bool, code, fact string) string {
		if strings.HasPrefix(fact, "property note ") || strings.HasPrefix(fact, "property sevenChrNote ") {
			return ""
		}
		if ours && len(code) == 7 && code[3] == '-' && strings.Contains(fact, "|inclusion ") {
			return ""
		}
		const system = "http://example.org/CodeSystem/icd-10-cm-designation-use|"
		return strings.NewReplacer(system+"inclusionTerm", loader.DesignationUse+"|inclusion", system+"shortDescription", loader.DesignationUse+"|short").Replace(fact)
	})
	s := x.Stats()
	if s.Concepts != 95676 || s.Active != 95676 || s.Edges != 95654 || s.Roots != 22 || s.MaxDepth != 8 || s.ClosurePairs != 517155 {
		t.Errorf("got %+v", s)
	}
	if h := x.Header(); h.URL != "http://hl7.org/fhir/sid/icd-10-cm" || h.Version != "2021" || h.Name != "ICD10CM" {
		t.Errorf("got %+v", h.Header)
	}
}

// alone copies a file of the test data to an empty folder.
func alone(t testing.TB, name string) string {
	t.Helper()
	loadertest.Large(t)
	data, err := os.ReadFile(sharedtest.Path(t, "data/"+name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAlone: the codes made from the definitions of seventh characters are those of the
// order file, and no others but 72 of S06, where a note says in words that two of the
// three characters do not apply to some codes. Titles agree but for letter case and the
// 134 that CMS shortens or words in another way.
func TestAlone(t *testing.T) {
	t.Parallel()
	x, order := load(t, alone(t, sharedTabular)), load(t, alone(t, sharedOrder))
	titles, extra := 0, 0
	for o, code := range order.Codes() {
		at, ok := x.Find(code)
		if !ok {
			t.Errorf("%s %s is missing", code, order.Display(o))
			continue
		}
		if !strings.EqualFold(x.Display(at), order.Display(o)) {
			titles++
		}
		if x.Leaf(at) != order.Leaf(o) {
			t.Errorf("%s: leaf %v", code, x.Leaf(at))
		}
	}
	for o, code := range x.Codes() {
		if _, ok := order.Find(code); ok || x.Abstract(o) {
			continue
		}
		if extra++; !strings.HasPrefix(code, "S06.") || !strings.ContainsAny(code[6:7], "78") || !strings.ContainsAny(code[7:], "DS") {
			t.Errorf("%s %s is too much", code, x.Display(o))
		}
	}
	if extra != 72 || titles != 134 || order.Len() != 95358 || order.Version() != "2021" {
		t.Errorf("%d too much, %d other titles, %d codes, version %s", extra, titles, order.Len(), order.Version())
	}
}

// BenchmarkLoad reads both files with everything that loading does.
func BenchmarkLoad(b *testing.B) {
	path := sharedtest.Path(b, "data/"+sharedTabular)
	b.ReportAllocs()
	for b.Loop() {
		if err := Load(b.Context(), path, loader.Options{}, &loadertest.Sink{}); err != nil {
			b.Fatal(err)
		}
	}
}
