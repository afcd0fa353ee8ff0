package conceptmap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

const (
	sct      = "http://snomed.info/sct"
	icd10    = "http://hl7.org/fhir/sid/icd-10"
	icd10Map = "447562003"
)

// mapRow is a row of an extended map.
type mapRow struct {
	concept, target, correlation string
	active                       bool
}

// failing is a test, of rapid or not.
type failing interface {
	Helper()
	Fatal(args ...any)
}

// refsetOf makes the extended map of rows over concepts.
func refsetOf(t failing, concepts []string, rows []mapRow) *Refset {
	t.Helper()
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: sct, Status: "active"}, Content: "complete"})
	for _, code := range concepts {
		if _, err := b.Add(&codesystem.Concept{Code: code, Parent: -1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddRefset(icd10Map, []codesystem.RefsetColumn{
		{Name: "mapTarget", Type: codesystem.RefsetString}, {Name: "correlationId", Type: codesystem.RefsetConcept},
	}); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		m := codesystem.RefsetMember{Refset: icd10Map, Component: row.concept, Active: row.active, Values: []string{row.target, row.correlation}}
		if err := b.AddMember(&m); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	set, ok := x.Refset(icd10Map)
	if !ok {
		t.Fatal("no reference set")
	}
	m, ok := NewRefset(x, set, "http://map")
	if !ok {
		t.Fatal("no map")
	}
	return m
}

// TestRefsetLaw: a reference set answers as the ConceptMap of its active rows does.
func TestRefsetLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		concepts := []string{"c0", "c1", "c2", "c3", "c4"}
		relations := []fact{{"", string(RelatedTo)}}
		relations = append(relations, correlations[:]...)
		var rows []mapRow
		same := &r4.ConceptMap{Header: r4.Header{URL: "http://map"}, Group: []r4.ConceptMapGroup{{Source: sct, Target: icd10}}}
		for _, concept := range concepts {
			e := r4.ConceptMapElement{Code: concept}
			for range rapid.IntRange(0, 3).Draw(t, "rows") {
				relation := rapid.SampledFrom(relations).Draw(t, "correlation")
				row := mapRow{concept: concept, correlation: relation.code, active: rapid.IntRange(0, 3).Draw(t, "active") > 0}
				if target := rapid.IntRange(0, 4).Draw(t, "target"); target > 0 && relation.is != string(Unmatched) {
					row.target = "t" + strconv.Itoa(target)
				}
				rows = append(rows, row)
				if !row.active {
					continue
				}
				to := r4.ConceptMapTarget{Code: row.target, Equivalence: relation.is}
				if row.target == "" {
					to.Equivalence = string(Unmatched)
				}
				e.Target = append(e.Target, to)
			}
			if e.Target != nil {
				same.Group[0].Element = append(same.Group[0].Element, e)
			}
		}
		refset := refsetOf(t, concepts, rows)
		plain, err := New(same)
		if err != nil {
			t.Fatal(err)
		}
		for _, system := range []string{"", sct, icd10, "http://other"} {
			for _, reverse := range []bool{false, true} {
				for _, code := range append(slices.Clone(concepts), "", "t1", "t2", "t3", "t4", "t9") {
					q := Request{System: system, Code: code, Reverse: reverse, DependsOn: []r4.ConceptMapDependsOn{about(aboutAge + "=no rules ask for it")}}
					got, err := refset.Translate(context.Background(), q, nil)
					if err != nil {
						t.Fatal(err)
					}
					want, err := plain.Translate(context.Background(), q, nil)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(essence(want), essence(got)); diff != "" {
						t.Fatalf("%+v: (-map +reference set)\n%s", q, diff)
					}
				}
			}
		}
	})
}

// essence writes down what both kinds of maps say of a match, in an order of its own.
func essence(matches []Match) []string {
	list := []string{}
	for _, m := range matches {
		list = append(list, fmt.Sprint(m.Equivalence, " ", m.Source.Code, " ", m.Concept.System, " ", m.Concept.Code, " ", m.Map))
	}
	slices.Sort(list)
	return list
}

// TestRefsetKinds looks at what the columns of a reference set, and its code, say of a map.
func TestRefsetKinds(t *testing.T) {
	column := func(names ...string) (list []codesystem.RefsetColumn) {
		for _, name := range names {
			list = append(list, codesystem.RefsetColumn{Name: name, Type: codesystem.RefsetString})
		}
		return list
	}
	for _, c := range []struct {
		set     string
		columns []codesystem.RefsetColumn
		want    string // canonicals of both sides, equivalence and comment; "" for no map
	}{
		{"900000000000527005", column("targetComponentId"), sct + " " + sct + "|1 equal "},
		{"900000000000526001", column("targetComponentId"), sct + " " + sct + "|1 equivalent "},
		{"900000000000528000", column("targetComponentId"), sct + " " + sct + "|1 wider Name of 900000000000528000"},
		{"700043003", column("targetComponentId"), sct + " " + sct + "|1 relatedto Name of 700043003"},
		{"700043003", column("mapTarget"), sct + "  equivalent "},
		{icd10Map, column("mapTarget"), sct + " " + icd10 + " equivalent "},
		{icd10Map, column("mapGroup", "mapTarget"), sct + " " + icd10 + " relatedto Name of " + icd10Map},
		{icd10Map, column("mapAdvice", "mapTarget"), sct + " " + icd10 + " relatedto mapAdvice"},
		{"900000000000497000", column("mapSource"), "http://read.info/ctv3 " + sct + "|1 equivalent "},
		{icd10Map, column("mapGroup"), ""},
		{icd10Map, nil, ""},
	} {
		b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: sct, Version: "1", Status: "active"}, Content: "complete"})
		for _, code := range []string{"100001", "x", c.set} {
			if _, err := b.Add(&codesystem.Concept{Code: code, Display: "Name of " + code, Parent: -1}); err != nil {
				t.Fatal(err)
			}
		}
		member := codesystem.RefsetMember{Refset: c.set, Component: "100001", Active: true}
		for _, one := range c.columns {
			value := one.Name
			if value == "mapTarget" || value == "targetComponentId" || value == "mapSource" {
				value = "x"
			}
			member.Values = append(member.Values, value)
		}
		if err := b.AddRefset(c.set, c.columns); err != nil {
			t.Fatal(err)
		}
		if err := b.AddMember(&member); err != nil {
			t.Fatal(err)
		}
		x, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		set, _ := x.Refset(c.set)
		m, ok := NewRefset(x, set, "http://map")
		if ok != (c.want != "") {
			t.Errorf("%s %v: is a map: %v", c.set, c.columns, ok)
		}
		if !ok {
			continue
		}
		from, to := m.Ends()
		q, back := Request{System: from, Code: "100001"}, Request{System: to, Code: "x", Reverse: true}
		if from != sct {
			q.Code, back.Code = "x", "100001"
		}
		got, err := m.Translate(t.Context(), q, nil)
		if err != nil || len(got) != 1 {
			t.Errorf("%s %v: %v, %v", c.set, c.columns, got, err)
			continue
		}
		if is := got[0].Source.System + " " + r4.JoinCanonical(got[0].Concept.System, got[0].Concept.Version) + " " + string(got[0].Equivalence) + " " + got[0].Comment; is != c.want {
			t.Errorf("%s %v:\n got %s\nwant %s", c.set, c.columns, is, c.want)
		}
		again, err := m.Translate(t.Context(), back, nil)
		if err != nil || len(again) != 1 || again[0].Concept.Code != q.Code || again[0].Equivalence.Inverse() != got[0].Equivalence {
			t.Errorf("%s %v, back: %v, %v", c.set, c.columns, again, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Translate(ctx, q, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped: %v", err)
		}
	}
}

// BenchmarkRefset translates by a map of 100,000 rows, and back.
func BenchmarkRefset(b *testing.B) {
	const rows = 100_000
	concepts, list := make([]string, rows/2), make([]mapRow, rows)
	for i := range concepts {
		concepts[i] = strconv.Itoa(100_000 + i)
	}
	for i := range list {
		list[i] = mapRow{concept: concepts[i/2], target: "T" + strconv.Itoa(i%30_000), correlation: "447561005", active: true}
	}
	m := refsetOf(b, concepts, list)
	for name, q := range map[string]func(i int) Request{
		"forward": func(i int) Request { return Request{System: sct, Code: concepts[i%len(concepts)]} },
		"reverse": func(i int) Request { return Request{System: icd10, Code: list[i%rows].target, Reverse: true} },
	} {
		b.Run(name, func(b *testing.B) {
			if found, err := m.Translate(context.Background(), q(0), nil); err != nil || len(found) < 2 {
				b.Fatal(found, err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := m.Translate(context.Background(), q(i), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Rows has each target of the resource once, at its place, and elements without targets.
func TestRows(t *testing.T) {
	r := small()
	r.Group = append(r.Group, r4.ConceptMapGroup{Source: "http://t", Target: "http://u", Element: []r4.ConceptMapElement{
		{Code: "x", Target: []r4.ConceptMapTarget{{Code: "z", Equivalence: "equal"}}},
	}})
	var want, got []string
	for g, group := range r.Group {
		for e, element := range group.Element {
			if len(element.Target) == 0 {
				want = append(want, fmt.Sprintf("ConceptMap.group[%d].element[%d] %s", g, e, element.Code))
			}
			for n, target := range element.Target {
				want = append(want, fmt.Sprintf("ConceptMap.group[%d].element[%d].target[%d] %s %s %s", g, e, n, element.Code, target.Code, target.Equivalence))
			}
		}
	}
	m := index(t, r)
	for place, row := range m.Rows() {
		line := place.Expression() + " " + row.Source.Code
		if place.Target >= 0 {
			line += " " + row.Concept.Code + " " + string(row.Equivalence)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	n := 0
	for range m.Rows() {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("a loop that stops after three rows saw %d", n)
	}
	groups := m.Groups()
	if len(groups) != len(r.Group) || groups[0].Source != "http://s" || groups[0].SourceVersion != "2" || groups[len(groups)-1].Target != "http://u" {
		t.Errorf("groups %v", groups)
	}
}

// FuzzNew: whatever decodes either is refused with a place or translates its own
// codes both ways.
func FuzzNew(f *testing.F) {
	f.Add([]byte(`{"resourceType":"ConceptMap","status":"draft","group":[{"source":"s","target":"t","element":[{"code":"a","target":[{"code":"b","equivalence":"wider"}]}],"unmapped":{"mode":"fixed","code":"z"}}]}`))
	f.Add([]byte(`{"resourceType":"ConceptMap","url":"http://m","version":"1","group":[{"element":[{"target":[{"equivalence":"unmatched"}]},{"code":""}],"unmapped":{"mode":"other-map","url":"http://m"}}]}`))
	f.Add([]byte(`{"resourceType":"ConceptMap","group":[{"element":[{"code":"a","target":[{"code":"a","equivalence":"equal","dependsOn":[{"property":"p","value":"v"}]}]},{"code":"a"}],"unmapped":{"mode":"provided"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := r4.DecodeConceptMap(data)
		if err != nil {
			return
		}
		m, err := New(r)
		if err != nil {
			return
		}
		self := maps{r.URL: m, m.Canonical(): m}
		for _, g := range r.Group {
			for _, e := range g.Element {
				got, _ := m.Translate(context.Background(), Request{System: g.Source, Version: g.SourceVersion, Code: e.Code}, self)
				if e.Code != "" && len(got) < len(e.Target) {
					t.Fatalf("%q: %d targets, %d matches", e.Code, len(e.Target), len(got))
				}
				for _, to := range e.Target {
					back, _ := m.Translate(context.Background(), Request{System: g.Target, Code: to.Code, Reverse: true}, self)
					if to.Code != "" && e.Code != "" && len(back) == 0 {
						t.Fatalf("%q is not found in reverse", to.Code)
					}
				}
			}
		}
		_, _ = m.Translate(context.Background(), Request{System: "x", Code: "no such code"}, self)
		if m.Cost() <= 0 || m.Sources() < 0 {
			t.Fatal("cost")
		}
	})
}
