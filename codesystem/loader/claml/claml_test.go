package claml

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
)

// garden is a classification of our own making.
const garden = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ClaML SYSTEM "ClaML.dtd">
<ClaML version="2.0.0">
  <Meta name="lang" value="en"/>
  <Identifier authority="us" uid="1.2.3.4"/>
  <Title name="Garden-1" version="2030" date="2030-01-01">Mishaps in the garden</Title>
  <Authors><Author name="us">Us</Author></Authors>
  <ClassKinds><ClassKind name="chapter"/><ClassKind name="category"/></ClassKinds>
  <Modifier code="PLACE"><SubClass code=".0"/><Rubric kind="text"><Label xml:lang="en">Places</Label></Rubric></Modifier>
  <ModifierClass modifier="PLACE" code=".0"><SuperClass code="PLACE"/>
    <Rubric kind="preferred"><Label xml:lang="en">in a bed</Label><Label xml:lang="de">im Beet</Label></Rubric></ModifierClass>
  <ModifierClass modifier="PLACE" code=".1"><SuperClass code="PLACE"/>
    <Rubric kind="preferred"><Label xml:lang="en">on the lawn</Label></Rubric>
    <Rubric kind="inclusion"><Label xml:lang="en">on grass</Label></Rubric></ModifierClass>
  <ModifierClass modifier="PLACE" code=".9"><SuperClass code="PLACE"/><Rubric kind="preferred"><Label xml:lang="en">elsewhere</Label></Rubric></ModifierClass>
  <ModifierClass modifier="SEASON" code="5"><SuperClass code="SEASON"/><Rubric kind="preferred"><Label xml:lang="en">in spring</Label></Rubric></ModifierClass>
  <ModifierClass modifier="SEASON" code="51"><SuperClass code="5"/><Rubric kind="preferred"><Label xml:lang="en">in May</Label></Rubric></ModifierClass>
  <Class kind="chapter" code="I">
    <SubClass code="G00-G09"/>
    <Rubric kind="preferred"><Label xml:lang="en">Mishaps</Label><Label xml:lang="de">Missgeschicke</Label></Rubric>
    <Rubric kind="text"><Label xml:lang="en"><Para>First.</Para><Para>Second.</Para></Label></Rubric>
  </Class>
  <Class kind="block" code="G00-G09">
    <SuperClass code="I"/>
    <ModifiedBy code="PLACE"/>
    <Rubric kind="preferred"><Label xml:lang="en">With tools</Label></Rubric>
  </Class>
  <Class kind="category" code="G00" usage="dagger">
    <Meta name="deaths" value="0"/><Meta name="status" value="odd"/>
    <SuperClass code="G00-G09"/>
    <Rubric kind="preferred"><Label xml:lang="en" xml:space="default">Stepped on
      rake</Label></Rubric>
    <Rubric kind="preferredLong"><Label xml:lang="en">Stepped on a rake with a foot</Label></Rubric>
    <Rubric kind="definition"><Label xml:lang="en">It hurts.</Label></Rubric>
    <Rubric kind="exclusion"><Label xml:lang="en">hoes (<Reference code="G01">G01</Reference>)</Label></Rubric>
  </Class>
  <Class kind="category" code="G00.9"><SuperClass code="G00"/><Rubric kind="preferred"><Label xml:lang="en">Rake, listed</Label></Rubric></Class>
  <Class kind="category" code="G01"><SuperClass code="G00-G09"/><ExcludeModifier code="PLACE"/><Rubric kind="preferredLong"><Label xml:lang="en">Hoes</Label></Rubric></Class>
  <Class kind="category" code="G02"><SuperClass code="G00-G09"/>
    <ModifiedBy code="PLACE" all="false"><ValidModifierClass code=".0"/><ValidModifierClass code=".1"/></ModifiedBy><ModifiedBy code="SEASON"/>
    <Rubric kind="preferred"><Label xml:lang="en">Cut</Label><Label xml:lang="de">Schnitt</Label></Rubric></Class>
</ClaML>
`

func load1(t testing.TB, content string) *codesystem.Index {
	t.Helper()
	path := loadertest.Write(t, "garden.xml", content)
	if !Detect(path) {
		t.Error("not detected")
	}
	sink := &loadertest.Sink{}
	if err := Load(t.Context(), path, loader.Options{}, sink); err != nil {
		t.Fatal(err)
	}
	return sink.One(t)
}

func TestLoad(t *testing.T) {
	use := loader.DesignationUse + "|"
	for name, content := range map[string]string{"2.0": garden, "3.0": strings.Replace(garden, `version="2.0.0"`, `version="3.0.0"`, 1)} {
		t.Run(name, func(t *testing.T) {
			x := load1(t, content)
			h := x.Header()
			if h.URL != "urn:oid:1.2.3.4" || h.Version != "2030" || h.Date != "2030-01-01" || h.Title != "Mishaps in the garden" || h.Name != "Garden1" || h.Language != "en" {
				t.Errorf("got %+v", h.Header)
			}
			var codes []string
			for _, code := range x.Codes() {
				codes = append(codes, code)
			}
			want := "I G00-G09 G00 G00.9 G00.9.0 G00.9.1 G00.9.9 G01 G02 G02.0 G02.05 G02.051 G02.1 G02.15 G02.151"
			if got := strings.Join(codes, " "); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			loadertest.WantFacts(t, x, "I", "display Mishaps", "definition ", "designation de "+loader.DisplayUse+"|display Missgeschicke",
				"property kind Code chapter", "property notSelectable Boolean true", "property text String First. Second.")
			loadertest.WantFacts(t, x, "G00", "display Stepped on rake", "definition It hurts.", "parent G00-G09",
				"designation en "+use+"preferredLong Stepped on a rake with a foot", "property kind Code category", "property usage Code dagger",
				"property deaths String 0", "property claml-status String odd", "property exclusion String hoes (G01)")
			loadertest.WantFacts(t, x, "G01", "display Hoes", "definition ", "parent G00-G09", "property kind Code category")
			loadertest.WantFacts(t, x, "G02.0", "display Cut: in a bed", "definition ", "parent G02",
				"designation de "+loader.DisplayUse+"|display Schnitt: im Beet", "property kind Code category")
			loadertest.WantFacts(t, x, "G02.151", "display Cut: on the lawn: in May", "definition ", "parent G02.15", "property kind Code category")
			loadertest.WantFacts(t, x, "G02.1", "display Cut: on the lawn", "definition ", "parent G02", "designation en "+use+"inclusion on grass", "property kind Code category")
		})
	}
}

// TestModifiers: classes that are not valid are not made, nor above others.
func TestModifiers(t *testing.T) {
	x := load1(t, strings.NewReplacer(`lang" value="en"`, `lang" value="de"`, `<ValidModifierClass code=".0"/><ValidModifierClass code=".1"/>`, `<ValidModifierClass code=".2"/>`,
		`<ModifiedBy code="SEASON"/>`, `<ModifiedBy code="SEASON" all="false"><ValidModifierClass code="51"/></ModifiedBy>`).Replace(garden))
	loadertest.WantFacts(t, x, "G0251", "display ", "definition ", "parent G02", "designation en "+loader.DisplayUse+"|display Cut: in May", "property kind Code category")
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name, content string
		is            error
		says          string
	}{
		{"other root", "<x/>", loader.ErrFormat, `the root element is "x", not ClaML`},
		{"truncated", garden[:len(garden)-20], loader.ErrFormat, "line "},
		{"nothing", "<ClaML></ClaML>", loader.ErrNothing, "no Class"},
		{"no code", strings.Replace(garden, ` code="G01"><SuperClass`, `><SuperClass`, 1), loader.ErrFormat, "Class without code"},
		{"twice", strings.Replace(garden, `code="G01"><SuperClass`, `code="G02"><SuperClass`, 1), loader.ErrFormat, `the class "G02" is defined twice, first on line `},
		{"no url", strings.Replace(garden, "1.2.3.4", "garden", 1), loader.ErrFormat, "name the url with --url"},
		{"parent", strings.Replace(garden, `<SuperClass code="I"/>`, `<SuperClass code="II"/>`, 1), codesystem.ErrUnknownParent, `"II"`},
		{"modifier", strings.Replace(garden, `<ModifiedBy code="SEASON"/>`, `<ModifiedBy code="MOON"/>`, 1), loader.ErrFormat, `class "G02" is modified by "MOON"`},
		{"entities", strings.Replace(garden, `"ClaML.dtd"`, `"ClaML.dtd" [<!ENTITY a "b">]`, 1), loader.ErrFormat, "line 2: "},
		{"too many", manyModifiers(), loader.ErrTooLarge, "modifiers generate more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sink := &loadertest.Sink{}
			err := Load(t.Context(), loadertest.Write(t, "garden.xml", test.content), loader.Options{}, sink)
			if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "garden.xml") || len(sink.Indexes) > 0 {
				t.Errorf("got %v, want %v with %q", err, test.is, test.says)
			}
		})
	}
	sink := &loadertest.Sink{}
	path := loadertest.Write(t, "garden.xml", strings.Replace(garden, "1.2.3.4", "garden", 1))
	if err := Load(t.Context(), path, loader.Options{Identity: loader.Identity{URL: "http://example.org/garden"}}, sink); err != nil || sink.One(t).URL() != "http://example.org/garden" {
		t.Errorf("got %v", err)
	}
	if Detect(loadertest.Write(t, "x.xml", "<x/>")) || Detect("nowhere.xml") {
		t.Error("something else is detected")
	}
}

// manyModifiers returns a class with modifiers that would make 300 to the power of 5 classes.
func manyModifiers() string {
	var b strings.Builder
	b.WriteString(`<ClaML><Identifier uid="1.2"/>`)
	for i := range 300 {
		fmt.Fprintf(&b, `<ModifierClass modifier="M" code=".%d"><SuperClass code="M"/></ModifierClass>`, i)
	}
	b.WriteString(`<Class code="A">` + strings.Repeat(`<ModifiedBy code="M"/>`, 5) + `</Class></ClaML>`)
	return b.String()
}

// FuzzLoad: no input makes Load panic or hang, and its results are valid.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(garden))
	f.Add([]byte(`<ClaML><Identifier uid="1.2"/><Class code="A"><SuperClass code="A"/><SubClass code="A"/></Class></ClaML>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := loader.Begin(t.Context(), loader.Options{Limits: loader.Limits{MaxBytes: 1 << 20}})
		file := loader.InMemory("x.xml", data)
		in, err := r.Open(&file)
		if err != nil {
			return
		}
		defer in.Close()
		b, err := load(r, in, loader.Identity{})
		if err != nil {
			return
		}
		sink := &loadertest.Sink{}
		if err := r.Deliver(b, in.Origin(), sink); err != nil {
			return
		}
		if _, err := codesystem.FromBytes(sink.One(t).Bytes(), true); err != nil {
			t.Fatal(err)
		}
	})
}

// BenchmarkLoad reads 20,000 classes with everything that loading does.
func BenchmarkLoad(b *testing.B) {
	var doc strings.Builder
	doc.WriteString(`<ClaML><Identifier uid="1.2"/><Class code="A" kind="chapter"/>`)
	for i := range 20_000 {
		fmt.Fprintf(&doc, `<Class code="A%d" kind="category"><SuperClass code="A"/><Rubric kind="preferred"><Label xml:lang="en">Class number %d</Label></Rubric></Class>`, i, i)
	}
	doc.WriteString(`</ClaML>`)
	b.ReportAllocs()
	for b.Loop() {
		load1(b, doc.String())
	}
}

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "claml")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "garden.xml")
	if err := os.WriteFile(path, []byte(garden), 0o600); err != nil {
		panic(err)
	}
	sink := &loadertest.Sink{}
	if err := Load(context.Background(), path, loader.Options{}, sink); err != nil {
		panic(err)
	}
	x := sink.Indexes[0]
	o, _ := x.Find("G02.0")
	fmt.Println(x.URL()+"|"+x.Version(), x.Display(o))
	// Output: urn:oid:1.2.3.4|2030 Cut: in a bed
}
