package search_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/search/searchtest"
)

// TestMatchEndsWithItsContext checks that matching a resource, or a criterion, with many values
// ends with the context of the search.
func TestMatchEndsWithItsContext(t *testing.T) {
	r := searchtest.NewReader(definitions.R4())
	given := make([]string, 1000)
	asked := make([]string, 1000)
	for i := range given {
		given[i], asked[i] = fmt.Sprintf(`"n%d"`, i), fmt.Sprintf("x%d", i)
	}
	add := func(given string) index.Record {
		seq, err := r.Add([]byte(`{"resourceType":"Patient","id":"p","name":[{"given":[`+given+`]}]}`), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		records, err := r.Load(t.Context(), []index.Seq{seq}, index.WithValues)
		if err != nil {
			t.Fatal(err)
		}
		return records[0]
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct{ given, asked string }{
		{strings.Join(given, ","), "name:contains=x"},
		{`"n"`, "name:contains=" + strings.Join(asked, ",")},
	} {
		rec := add(row.given)
		q, err := search.Parse(definitions.R4(), "Patient", params(row.asked), search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		env := search.NewEnv(definitions.R4(), nil, r, r.At())
		_, err = q.Types[0].Criteria[0].Match(gone, &rec, index.NewView(rec.Values), env)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%.40s: %v", row.asked, err)
		}
	}
}

// TestSortNamesOnce checks that a repeated sort key is ignored.
func TestSortNamesOnce(t *testing.T) {
	q, err := search.Parse(definitions.R4(), "Patient", params("_sort="+strings.Repeat("name,-birthdate,", 500)+"-name"), search.Options{})
	if err != nil || len(q.Sort) != 2 || q.Sort[0].Desc || !q.Sort[1].Desc {
		t.Errorf("%+v %v", q, err)
	}
}
