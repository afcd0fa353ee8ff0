package search_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/search/searchtest"
)

// TestStateOfASearch searches an earlier state: chains and _has see that state, too.
func TestStateOfASearch(t *testing.T) {
	r := searchtest.NewReader(definitions.R4())
	at := time.Date(2024, 5, 1, 12, 0, 0, 250e6, time.UTC)
	add := func(body string) index.Seq {
		at = at.Add(time.Second)
		seq, err := r.Add([]byte(body), at)
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	add(`{"resourceType":"Patient","id":"p","gender":"male"}`)
	then := add(`{"resourceType":"Condition","id":"c","subject":{"reference":"Patient/p"},"code":{"text":"x"}}`)
	add(`{"resourceType":"Patient","id":"p","gender":"female"}`)
	at = at.Add(time.Second)
	r.Delete(index.Key{Type: "Condition", ID: "c"}, at)
	for _, row := range []struct {
		query, typ string
		at         index.Seq
		want       int
	}{
		{"patient.gender=male", "Condition", then, 1},
		{"patient.gender=female", "Condition", then, 0},
		{"_has:Condition:patient:code:text=x", "Patient", then, 1},
		{"_has:Condition:patient:code:text=x", "Patient", r.At(), 0},
		{"gender=female", "Patient", r.At(), 1},
		{"gender=male", "Patient", r.At(), 0},
		{"_lastUpdated=2024-05-01T12:00:02Z", "Condition", then, 1},
		{"_lastUpdated=2024-05-01T12:00:02.250Z", "Condition", then, 1},
		{"_lastUpdated=2024-05-01T12:00:02.000Z", "Condition", then, 0},
		{"_lastUpdated=gt2024-05-01T12:00:02.249Z", "Condition", then, 1},
		{"_lastUpdated=lt2024-05-01T12:00:02.250Z", "Condition", then, 0},
	} {
		q, err := search.Parse(definitions.R4(), row.typ, params(row.query), search.Options{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		found, err := search.FullScan(t.Context(), q, search.NewEnv(definitions.R4(), nil, r, row.at))
		if err != nil || len(found) != row.want {
			t.Errorf("%s?%s at %d: %d found, %v; want %d", row.typ, row.query, row.at, len(found), err, row.want)
		}
	}
}

// TestNoTerminology checks that modifiers that need a terminology are refused with the name of the
// parameter.
func TestNoTerminology(t *testing.T) {
	r := searchtest.NewReader(definitions.R4())
	if _, err := r.Add([]byte(`{"resourceType":"Procedure","id":"p","status":"completed","code":{"coding":[{"system":"http://s","code":"1"}]},"subject":{"reference":"Patient/p"}}`), time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"code:below=http://s|1", "code:above=http://s|1", "code:in=http://vs", "code:not-in=http://vs", "code:ecl=<1", "part-of.code:in=http://vs", "_has:Procedure:part-of:code:in=http://vs", "_has:Observation:part-of:code:in=http://vs", "part-of:Observation.code:in=http://vs", "_filter=code in http://vs"} {
		q, err := search.Parse(definitions.R4(), "Procedure", params(query), search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		env := search.NewEnv(definitions.R4(), nil, r, r.At())
		_, err = search.FullScan(t.Context(), q, env)
		var problem *search.Error
		if ready := env.Ready(t.Context(), q.Types[0].Criteria); !errors.As(ready, &problem) {
			t.Errorf("%s is ready: %v", query, ready)
		}
		if follows := q.Types[0].Criteria[0].Follows(); !follows && (!errors.Is(err, search.ErrParameter) || !errors.As(err, &problem) || problem.Param.Value == "") {
			t.Errorf("%s: %v", query, err)
		}
		for _, columns := range []int64{-1, 1 << 20} {
			if columns > 0 { // then before anything is compared
				q, _ = search.Parse(definitions.R4(), "Procedure", params(query+"&status=none"), search.Options{})
			}
			_, err := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: columns})).Search(t.Context(), r, q)
			if !errors.As(err, &problem) || problem.Param.Value == "" {
				t.Errorf("%s, columns %d: %v", query, columns, err)
			}
		}
	}
}

// BenchmarkParse parses a search with two parameters.
func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	s := search.New(definitions.R4())
	asked := params("code=http://loinc.org|2339-0&date=ge2024-01-01&_count=50")
	for b.Loop() {
		if _, err := s.Parse("Observation", asked, search.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMatch matches two criteria with the values of an Observation.
func BenchmarkMatch(b *testing.B) {
	b.ReportAllocs()
	r := searchtest.NewReader(definitions.R4())
	for _, body := range searchtest.Resources() {
		if _, err := r.Add(body, time.Now()); err != nil {
			b.Fatal(err)
		}
	}
	found, err := r.Find(b.Context(), []index.Key{{Type: "Observation", ID: "o1"}}, index.WithValues)
	if err != nil {
		b.Fatal(err)
	}
	q, err := search.Parse(definitions.R4(), "Observation", params("code=http://loinc.org|2339-0&date=ge2024-01-01"), search.Options{})
	if err != nil {
		b.Fatal(err)
	}
	env := search.NewEnv(definitions.R4(), nil, r, r.At())
	for b.Loop() {
		if match, err := search.MatchAll(b.Context(), q.Types[0].Criteria, &found[0], index.NewView(found[0].Values), env); !match || err != nil {
			b.Fatal(match, err)
		}
	}
}

// ExampleParse parses a search string.
func ExampleParse() {
	q, err := search.Parse(definitions.R4(), "Condition", []search.Param{
		{Name: "subject:Patient.name", Value: "mull"},
		{Name: "colour", Value: "red"},
	}, search.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Types[0].Criteria[0])
	fmt.Println(q.Issues[0].Text)
	// Output:
	// subject:Patient.name → Patient(name string mull)
	// the search parameter colour was ignored: Condition has no search parameter "colour"
}

// TestErrorCause checks that an Error wraps its cause and mentions it once.
func TestErrorCause(t *testing.T) {
	err := error(&search.Error{Param: search.Param{Name: "code:in", Value: "http://x"}, Text: fs.ErrNotExist.Error(), Cause: fs.ErrNotExist})
	if !errors.Is(err, search.ErrParameter) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not what it is", err)
	}
	if want := "search parameter code:in=http://x: file does not exist"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
