package rf2

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
	"github.com/roget-health/roget/resources/r4"
)

type release = rf2test.Release

// Codes of the test releases.
const (
	root       = rf2test.Root
	core       = rf2test.Core
	model      = rf2test.Model
	typeFull   = rf2test.FullName
	typeName   = rf2test.Synonym
	typeText   = rf2test.Text
	primitive  = rf2test.Primitive
	defined    = rf2test.Defined
	inferred   = rf2test.Inferred
	stated     = rf2test.Stated
	some       = rf2test.Some
	noCase     = rf2test.NoCase
	enUS       = rf2test.AmericanEnglish
	enGB       = rf2test.BritishEnglish
	prefer     = rf2test.Preferred
	accepted   = rf2test.Acceptable
	replacedBy = rf2test.ReplacedBy
)

// international returns a small International Edition of two releases.
func international() *release {
	h := &release{}
	for i, c := range []struct{ code, name string }{
		{root, "Root"},
		{isA.String(), "Is a"},
		{core, "Core module"},
		{model, "Model module"},
		{typeFull, "Full name"},
		{typeName, "Synonym"},
		{rf2test.Concept(100), "Finding"},
		{rf2test.Concept(101), "Fracture"},
		{rf2test.Concept(102), "Site"},
	} {
		parents := []string{root}
		if i == 0 {
			parents = nil
		}
		h.Concept(i+1, c.code, "20230731", core, c.name, parents...)
	}
	h.Concept(20, rf2test.Concept(103), "20240131", core, "Fracture of bone", rf2test.Concept(101))
	h.Add("dependency", rf2test.Member(900), "20230731", true, core, moduleDependency.String(), model, "20230731", "20230731")
	h.Add("dependency", rf2test.Member(900), "20240131", true, core, moduleDependency.String(), model, "20240131", "20240131")
	h.Add("concept", model, "20230731", true, model, primitive)
	return h
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
