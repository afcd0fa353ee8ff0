package conceptmap

import (
	"context"
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
					q := Request{System: system, Code: code, Reverse: reverse}
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
