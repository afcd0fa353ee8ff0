package grammar_test

import (
	"errors"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/codesystem/grammar/ucum"
	"github.com/roget-health/roget/resources/r4"
)

func TestSystems(t *testing.T) {
	for _, s := range grammar.Systems() {
		h := s.Header()
		if h.URL == "" || h.Status == "" || !h.Compositional || h.ResourceType != "CodeSystem" || h.ID == "" {
			t.Errorf("header %+v", h)
		}
		if c, err := s.Concept("no such thing"); c != nil || err == nil {
			t.Errorf("%s: %v, %v", h.URL, c, err)
		}
		list := s.Usual()
		x, err := grammar.Common(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if list == nil {
			if x.Len() != 0 {
				t.Errorf("%s: %d concepts without a list", h.URL, x.Len())
			}
			continue
		}
		vs := list.ValueSet(h.URL)
		if n := len(vs.Compose.Include[0].Concept); x.Len() != n || n != list.Len {
			t.Errorf("%s: %d of %d usual codes are of the grammar", h.URL, x.Len(), n)
		}
		for _, c := range vs.Compose.Include[0].Concept {
			if _, ok := x.Find(c.Code); !ok {
				t.Errorf("%s: usual code %q is not there", h.URL, c.Code)
			}
		}
	}
}

func TestView(t *testing.T) {
	x, err := grammar.View(t.Context(), grammar.Units{}, "kg{dry}", "nonsense", "m/s", "kg{dry}")
	if err != nil {
		t.Fatal(err)
	}
	if x.Len() != 2 {
		t.Fatalf("%d concepts", x.Len())
	}
	o, ok := x.Find("kg{dry}")
	if !ok || x.Display(o) != "kg{dry}" {
		t.Fatalf("concept %d %t, display %q", o, ok, x.Display(o))
	}
	var names []string
	for d := range x.Designations(o) {
		names = append(names, d.Value)
	}
	if len(names) != 1 || names[0] != "(kilogram) * 1" {
		t.Errorf("designations %q", names)
	}
	set, err := x.Filter(t.Context(), r4.Filter{Property: "canonical", Op: "=", Value: "m.s-1"})
	if err != nil || set.GetCardinality() != 1 {
		t.Fatalf("filter gives %v, %v", set, err)
	}
	if _, err := x.Filter(t.Context(), r4.Filter{Property: "colour", Op: "=", Value: "m"}); !errors.Is(err, codesystem.ErrUnknownProperty) {
		t.Errorf("filter by a property that is not there: %v", err)
	}
}

func TestCommonUnits(t *testing.T) {
	x, err := grammar.Common(t.Context(), grammar.Units{}, "t{silage}")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := x.Find("t{silage}"); !ok {
		t.Error("what was added is not there")
	}
	o, ok := x.Find("mmol/L")
	if !ok {
		t.Fatal("mmol/L is not a common unit")
	}
	var last r4.Designation
	for d := range x.Designations(o) {
		last = d
	}
	if last.Value != "millimole per liter" || last.Use == nil || last.Language != "en" {
		t.Errorf("name of mmol/L: %+v", last)
	}
}

func TestUnits(t *testing.T) {
	var u grammar.Units
	if _, err := u.Concept("kilo"); !errors.Is(err, ucum.ErrUnknownUnit) {
		t.Errorf("error %v", err)
	}
	f := r4.Filter{Property: "canonical", Op: "=", Value: "m"}
	if got, want := u.Mismatch("L", f), "Code L has canonical form m3, not m as required"; got != want {
		t.Errorf("mismatch %q, want %q", got, want)
	}
	for _, code := range []string{"km", "kilo"} {
		if got := u.Mismatch(code, f); got != "" {
			t.Errorf("mismatch of %s: %q", code, got)
		}
	}
}

func BenchmarkView(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := grammar.View(b.Context(), grammar.Units{}, "ug/kg{dry}"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCommon(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := grammar.Common(b.Context(), grammar.Units{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLanguages(t *testing.T) {
	x, err := grammar.View(t.Context(), grammar.Languages{}, "PT-br", "pt", "klingonese")
	if err != nil || x.Len() != 2 {
		t.Fatal(x, err)
	}
	o, ok := x.Find("pt-BR")
	if other, found := x.Find("PT-br"); !ok || !found || other != o {
		t.Fatal("case counts")
	}
	if x.Code(o) != "pt-BR" || x.Display(o) != "Portuguese (Brazil)" {
		t.Errorf("%s %s", x.Code(o), x.Display(o))
	}
	set, err := x.Filter(t.Context(), r4.Filter{Property: "region", Op: "exists", Value: "true"})
	if err != nil || set.GetCardinality() != 1 || !set.Contains(o) {
		t.Errorf("tags with a region: %v, %v", set, err)
	}
	for _, c := range []struct{ code, property, value, want string }{
		{"pt", "region", "true", "The language code pt does not contain a region, and it is required"},
		{"pt-BR", "region", "false", "The language code pt-BR contains a region, and it is not allowed"},
		{"pt-BR", "region", "true", ""},
		{"pt", "colour", "true", ""},
	} {
		if got := (grammar.Languages{}).Mismatch(c.code, r4.Filter{Property: c.property, Op: "exists", Value: c.value}); got != c.want {
			t.Errorf("%s: %q, want %q", c.code, got, c.want)
		}
	}
}

func TestMimeTypes(t *testing.T) {
	x, err := grammar.View(t.Context(), grammar.MimeTypes{}, "Text/CSV; header=present", "no such thing")
	if err != nil || x.Len() != 1 {
		t.Fatal(x, err)
	}
	o, ok := x.Find("text/csv; header=present")
	if !ok || x.Code(o) != "text/csv; header=present" {
		t.Errorf("%d %t", o, ok)
	}
	if _, ok := x.Find("text/csv"); ok {
		t.Error("parameters do not count")
	}
}

func TestKnown(t *testing.T) {
	for _, s := range grammar.Systems() {
		if !grammar.Known(s.URL()) {
			t.Errorf("%s is not known", s.URL())
		}
	}
	if grammar.Known("http://example.org/none") || grammar.Known("") {
		t.Error("what is no grammar is known")
	}
}
