package rf2

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/classify"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
)

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
