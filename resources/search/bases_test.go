package search_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/search/searchtest"
)

// TestReferencesByOwnURL checks that absolute references are followed if, and only if, they begin
// with a base URL of this server.
func TestReferencesByOwnURL(t *testing.T) {
	ctx, s := context.Background(), search.New(definitions.R4())
	r := searchtest.NewReader(definitions.R4())
	for _, body := range []string{
		`{"resourceType":"Patient","id":"1","gender":"male"}`,
		`{"resourceType":"Condition","id":"relative","subject":{"reference":"Patient/1"}}`,
		`{"resourceType":"Condition","id":"absolute","subject":{"reference":"https://fhir.example/baseR4/Patient/1"}}`,
		`{"resourceType":"Condition","id":"elsewhere","subject":{"reference":"https://other.example/Patient/1"}}`,
	} {
		if _, err := r.Add([]byte(body), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	bases := []string{"https://fhir.example/baseR4", "https://fhir.example"}
	for _, c := range []struct {
		text     string
		want     []string
		included int
	}{
		{"Condition?subject=Patient/1", []string{"absolute", "relative"}, 0},
		{"Condition?patient=1", []string{"absolute", "relative"}, 0},
		{"Condition?subject=https://fhir.example/Patient/1", []string{"absolute", "relative"}, 0},
		{"Condition?subject=https://other.example/Patient/1", []string{"elsewhere"}, 0},
		{"Condition?subject:Patient.gender=male", []string{"absolute", "relative"}, 0},
		{"Condition?_id=absolute&_include=Condition:subject", []string{"absolute"}, 1},
		{"Condition?_id=elsewhere&_include=Condition:subject", []string{"elsewhere"}, 0},
		{"Patient?_has:Condition:subject:_id=absolute", []string{"1"}, 0},
		{"Patient?_has:Condition:subject:_id=elsewhere", nil, 0},
		{"Patient?_revinclude=Condition:subject", []string{"1"}, 2},
	} {
		q := query(t, s, c.text)
		q, err := s.Parse(q.Types[0].Type, q.Used, search.Options{Bases: bases})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		page, err := s.Search(ctx, r, q)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var got []string
		for _, rec := range page.Matches {
			got = append(got, rec.ID)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) || len(page.Included) != c.included {
			t.Errorf("%s: %v with %d included, want %v with %d", c.text, got, len(page.Included), c.want, c.included)
		}
		env := search.NewEnv(definitions.R4(), nil, r, r.At())
		if all, err := search.FullScan(ctx, q, env); err != nil || len(all) != len(c.want) {
			t.Errorf("%s: full scan finds %d, %v", c.text, len(all), err)
		}
	}
}
