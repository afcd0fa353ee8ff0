package bulk_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/bulk"
)

// TestLines stores lines one by one: a broken one, one of another type and a Bundle do not concern the
// others.
func TestLines(t *testing.T) {
	lines := strings.Join([]string{
		resource("Patient/a"), `{"resourceType":"Patient","id":"b"`, "", resource("Observation/c"), `{"resourceType":"Patient"}`, `{"resourceType":"Patient","id":"no id"}`,
		`{"resourceType":"Patient","id":"d","needs":"Patient/z"}`,
		`{"resourceType":"Bundle","type":"transaction","entry":[{"resource":` + resource("Patient/e") + `,"request":{"method":"PUT","url":"Patient/e"}}]}`,
		resource("Patient/z"), `{"resourceType":"Patient","id":"` + strings.Repeat("x", 1000) + `"}`, resource("Patient/late"),
	}, "\n")
	want := []string{ // place and a part of the reason
		"line 2: ends too early", "line 4: type Observation", "line 5: no valid id", "line 6: no valid id", "line 7: Patient/z", "line 8: type Bundle", "line 10: more than 500 bytes",
	}
	to := newTarget()
	var refused []string
	report, err := bulk.Lines(t.Context(), to, "Patient", "https://example.org/p", bulk.Options{
		Limits: loader.Limits{MaxDocument: 500}, Workers: 1,
		Remote: func(context.Context, string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(lines)), nil
		},
		Refused: func(r bulk.Refusal) { refused = append(refused, r.Place+": "+r.Err.Error()) },
	})
	for _, line := range want {
		place, reason, _ := strings.Cut(line, ": ")
		if !slices.ContainsFunc(refused, func(r string) bool { return strings.HasPrefix(r, place+": ") && strings.Contains(r, reason) }) {
			t.Errorf("%s is missing", line)
		}
	}
	if err != nil || len(refused) != len(want) || report.Stored != 2 || to.have["Patient/a"] == "" || to.have["Patient/z"] == "" {
		t.Errorf("%v %+v %v %q", err, report, to.have, refused)
	}
	bundle := `{"resourceType":"Bundle","id":"b","type":"collection","entry":[{"resource":` + resource("Patient/e") + `}]}`
	to = newTarget()
	if _, err := bulk.Lines(t.Context(), to, "Bundle", "https://example.org/b", bulk.Options{
		Remote: func(context.Context, string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(bundle)), nil
		},
	}); err != nil || len(to.have) != 1 || to.have["Bundle/b"] != bundle {
		t.Errorf("a Bundle is a resource: %v %v", err, to.have)
	}
}
