package bulk_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/validate"
)

// judge returns a Judge of R4 alone.
func judge() bulk.Judge {
	v := validate.New(definitions.R4())
	return func(_ context.Context, d *document.Document) ([]validate.Issue, error) { return v.Validate(d), nil }
}

func TestCheck(t *testing.T) {
	folder := write(t, map[string]string{
		"a.json":   resource("Patient/1", `"gender":"male"`),
		"b.ndjson": resource("Patient/2") + "\n" + resource("Patient/3", `"gender":"x","y":1`) + "\n{",
		"c.json":   `{"resourceType":"Bundle","type":"collection","entry":[{"resource":` + resource("Patient/4", `"active":"yes"`) + `}]}`,
		"d.json":   "nothing",
	})
	var told []string
	sum, err := bulk.Check(t.Context(), judge(), []string{folder}, bulk.Options{}, func(j bulk.Judgement) {
		line := fmt.Sprintf("%s %s %s/%s failed %v", strings.TrimPrefix(j.File, folder)[1:], j.Place, j.Type, j.ID, j.Failed())
		for _, i := range j.Issues {
			line += " " + i.Expression
		}
		told = append(told, line)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(told)
	want := []string{ // the expressions of the types are of dom-6
		"a.json  Patient/1 failed false Patient",
		"b.ndjson line 1 Patient/2 failed false Patient",
		"b.ndjson line 2 Patient/3 failed true Patient.gender Patient.y Patient",
		"b.ndjson line 3 / failed true",
		"c.json  Bundle/ failed true Bundle.entry[0].resource.active Bundle.entry[0].resource",
		"d.json  / failed true",
	}
	if !slices.Equal(told, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	if sum != (bulk.Checked{Files: 4, Resources: 6, Failed: 4}) {
		t.Errorf("%+v", sum)
	}
}
