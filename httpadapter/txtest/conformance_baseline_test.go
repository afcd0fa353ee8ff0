package txtest_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/httpadapter/txtest"
)

// baselineFile holds the number of cases that each suite must pass: a line "suite passed cases" for
// each suite, and one for the total at the end.
const baselineFile = "testdata/conformance-baseline.txt"

const raiseBaseline = "go test ./httpadapter/txtest -run TestConformance -update-conformance"

// score counts the cases of a suite and those that pass.
type score struct {
	suite         string
	passed, cases int
}

func sum(scores []score) score {
	total := score{suite: "total"}
	for _, s := range scores {
		total.passed += s.passed
		total.cases += s.cases
	}
	return total
}

// hold compares a run with the baseline, or raises the baseline. An incomplete run is compared for
// the suites that it covers.
func hold(t *testing.T, scores []score, whole bool, failing map[string][]string) {
	t.Helper()
	data, err := os.ReadFile(baselineFile)
	if err != nil && !*updateConformance {
		t.Fatal(err)
	}
	baseline, err := parseBaseline(data)
	if err != nil {
		t.Fatal(err)
	}
	worse, better := against(baseline, scores, failing)
	for _, line := range worse {
		t.Error(line)
	}
	switch {
	case *updateConformance && !whole:
		t.Error("the figures are raised by a run of all suites only")
	case *updateConformance && len(worse) == 0:
		writeFigures(t, scores)
	case *updateConformance:
		t.Error("the figures are only ever raised: nothing is written")
	case len(better) > 0 && whole:
		t.Logf("better than the baseline: %s; raise it with %s", strings.Join(better, ", "), raiseBaseline)
	}
}

// against returns what is worse and what is better than the baseline. A suite that is not in the
// baseline is neither.
func against(baseline, scores []score, failing map[string][]string) (worse, better []string) {
	known := map[string]score{}
	for _, s := range baseline {
		known[s.suite] = s
	}
	for _, s := range scores {
		least, found := known[s.suite]
		switch {
		case !found:
			better = append(better, s.suite)
		case s.passed < least.passed:
			worse = append(worse, fmt.Sprintf("%s passes %d cases of %d, the baseline is %d; not passed: %s",
				s.suite, s.passed, s.cases, least.passed, strings.Join(failing[s.suite], ", ")))
		case s.passed > least.passed:
			better = append(better, s.suite)
		}
	}
	return worse, better
}

// parseBaseline parses the lines of the baseline. It checks the total and leaves it out.
func parseBaseline(data []byte) ([]score, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var scores []score
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: %q is not suite, passed, cases", baselineFile, line)
		}
		passed, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", baselineFile, err)
		}
		cases, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", baselineFile, err)
		}
		scores = append(scores, score{fields[0], passed, cases})
	}
	last := len(scores) - 1
	if total := sum(scores[:last]); scores[last] != total {
		return nil, fmt.Errorf("%s: the last line is %v, the sum is %v", baselineFile, scores[last], total)
	}
	return scores[:last], nil
}

func formatBaseline(scores []score) []byte {
	var b bytes.Buffer
	for _, s := range append(slices.Clone(scores), sum(scores)) {
		fmt.Fprintln(&b, s.suite, s.passed, s.cases)
	}
	return b.Bytes()
}

// quotes are the texts that quote the baseline: between <!-- name --> and <!-- /name --> in a file.
func quotes(scores []score) []quote {
	total := sum(scores)
	return []quote{
		{"README.md", "conformance", fmt.Sprintf("%d of %d", total.passed, total.cases)},
		{"docs/conformance.md", "figures", figureTable(scores)},
		{"docs/conformance.md", "exceptions", exceptionTable()},
	}
}

type quote struct{ file, name, text string }

// path returns the path of the file, relative to the folder of this package.
func (q quote) path() string { return filepath.Join("..", "..", filepath.FromSlash(q.file)) }

func figureTable(scores []score) string {
	special := map[string]int{}
	for id := range exceptions {
		suite, _, _ := strings.Cut(id, "/")
		special[suite]++
		special["total"]++
	}
	var b strings.Builder
	b.WriteString("\n| Suite | Cases | Passed | Run with an exception |\n|---|---:|---:|---:|\n")
	for _, s := range append(slices.Clone(scores), sum(scores)) {
		extra := ""
		if n := special[s.suite]; n > 0 {
			extra = strconv.Itoa(n)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", s.suite, s.cases, s.passed, extra)
	}
	return b.String()
}

func exceptionTable() string {
	var b strings.Builder
	b.WriteString("\n| Case | Run with | Why |\n|---|---|---|\n")
	for _, id := range slices.Sorted(maps.Keys(exceptions)) {
		e := exceptions[id]
		var with []string
		if len(e.args) > 0 {
			with = append(with, "`roget serve "+strings.Join(e.args, " ")+"`")
		}
		if e.level != txtest.Normal {
			with = append(with, "the rules `--"+e.level.String()+"`")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", id, strings.Join(with, " and "), e.reason)
	}
	return b.String()
}

// replaced returns a text with the quote between its marks.
func (q quote) replaced(text string) (string, error) {
	begin, end := "<!-- "+q.name+" -->", "<!-- /"+q.name+" -->"
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("%s has no %s … %s", q.file, begin, end)
	}
	return before + begin + q.text + end + after, nil
}

// writeFigures writes the baseline and its quotes.
func writeFigures(t *testing.T, scores []score) {
	t.Helper()
	if err := os.WriteFile(baselineFile, formatBaseline(scores), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, q := range quotes(scores) {
		text, err := os.ReadFile(q.path())
		if err != nil {
			t.Fatal(err)
		}
		changed, err := q.replaced(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(q.path(), []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestQuotedFigures checks that README.md and docs/conformance.md quote the baseline correctly.
func TestQuotedFigures(t *testing.T) {
	data, err := os.ReadFile(baselineFile)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := parseBaseline(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range quotes(scores) {
		text, err := os.ReadFile(q.path())
		if err != nil {
			t.Fatal(err)
		}
		want, err := q.replaced(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if want != string(text) {
			t.Errorf("%s does not say what %s says (%s); %s writes it", q.file, baselineFile, q.name, raiseBaseline)
		}
	}
}

func TestBaselineOnlyRises(t *testing.T) {
	baseline := []score{{"a", 2, 3}, {"b", 5, 5}}
	again, err := parseBaseline(formatBaseline(baseline))
	if err != nil || !slices.Equal(again, baseline) {
		t.Errorf("%v, %v after writing and reading %v", again, err, baseline)
	}
	if _, err := parseBaseline([]byte("a 2 3\ntotal 3 3\n")); err == nil {
		t.Error("a wrong total is accepted")
	}
	worse, better := against(baseline, []score{{"a", 3, 3}, {"b", 4, 5}, {"new", 0, 1}}, map[string][]string{"b": {"lost"}})
	if len(worse) != 1 || !strings.Contains(worse[0], "lost") || !slices.Equal(better, []string{"a", "new"}) {
		t.Errorf("worse %q, better %q", worse, better)
	}
}
