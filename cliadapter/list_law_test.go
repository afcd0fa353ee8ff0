package cliadapter

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
)

// Resources of the samples.
const (
	animals = "https://roget.health/fhir/CodeSystem/animals"
	colours = "https://roget.health/fhir/CodeSystem/triage-colours"
	pets    = "https://roget.health/fhir/ValueSet/pets"
	triage  = "https://roget.health/fhir/ConceptMap/triage-to-priority"
)

// samples is a Backend with the samples and the base content.
type samples struct {
	absent
	engine func() (*engine.Engine, error)
}

// newSamples returns a Backend that reads the samples once.
func newSamples(tb testing.TB) *samples {
	tb.Helper()
	return &samples{engine: sync.OnceValues(func() (*engine.Engine, error) {
		eng := engine.New()
		if err := eng.Publish(base.Entries()...); err != nil {
			return nil, err
		}
		clinic := filepath.Join(tb.TempDir(), "clinic.json")
		if err := os.WriteFile(clinic, synth.Clinic(), 0o600); err != nil {
			return nil, err
		}
		return eng, eng.Load(tb.Context(), filepath.Join("..", "examples", "samples"), clinic)
	})}
}

// Query asks the engine with the samples, whatever src says.
func (b *samples) Query(_ context.Context, _ Sources, _ Observer, ask func(*engine.Engine) error) error {
	eng, err := b.engine()
	if err != nil {
		return err
	}
	return ask(eng)
}

// A line is what a line of a list may have.
type line struct{ code, other, system, version, display string }

// randomLines returns lines with right and wrong codes, in other letter case, inactive ones, with
// right and wrong displays, of several code systems and versions, and without a code.
func randomLines(random *rand.Rand, n int) []line {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	code := func() string {
		return pick("cat", "dog", "sheepdog", "wolf", "dodo", "unicorn", "animal", "pet", "bird", "red", "RED", "orange", "blue", "Green", "gryphon", "no code", "a,\"b\"", "ÄÖ", "male", "stat")
	}
	lines := make([]line, n)
	for i := range lines {
		lines[i] = line{
			code: code(), other: code(), system: pick("", "", animals, animals, colours, "http://hl7.org/fhir/administrative-gender", "http://hl7.org/fhir/request-priority", "http://example.org/none"),
			version: pick("", "", "", "1.0.0", "9"), display: pick("", "", "Cat", "Katze", "cat", "Dog", "Red: at once", "no, \"display\""),
		}
		if random.IntN(20) == 0 {
			lines[i].code = ""
		}
	}
	return lines
}

// table writes lines as a table with a header.
func table(t *testing.T, delimiter rune, lines []line) string {
	t.Helper()
	var out strings.Builder
	w := csv.NewWriter(&out)
	w.Comma, w.UseCRLF = delimiter, true
	rows := [][]string{{"x", "code_b", "code", "system", "version", "display"}}
	for i, l := range lines {
		rows = append(rows, []string{fmt.Sprint(i), l.other, l.code, l.system, l.version, l.display})
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// records decodes lines of JSON.
func records(t *testing.T, text string) (list []map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	for d.More() {
		var r map[string]any
		if err := d.Decode(&r); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		list = append(list, r)
	}
	return list
}

// A listLaw is a command whose answers to a list are compared with those to its lines.
type listLaw struct {
	name   string
	args   []string // of the command, for the list and for a line
	list   []string // for the list only
	single func(line) []string
	// facts returns the rows that stand for an answer about a line.
	facts func(p *r4.Parameters) []map[string]any
}

// given returns a flag with a value, or nothing for an empty value.
func given(name, value, otherwise string) []string {
	if value == "" {
		value = otherwise
	}
	if value == "" {
		return nil
	}
	return []string{"--" + name, value}
}

// flatten returns the parameters of an answer as fields of a row.
func flatten(p *r4.Parameters, names map[string]string) map[string]any {
	row := map[string]any{}
	for i := range p.Parameter {
		q := &p.Parameter[i]
		name, found := names[q.Name]
		switch {
		case !found:
		case q.Value.Type == "Boolean":
			row[name] = q.Value.Text == "true"
		default:
			row[name] = q.Value.Text
		}
	}
	return row
}

func validationFacts(p *r4.Parameters) []map[string]any {
	return []map[string]any{flatten(p, map[string]string{
		"result": "result", "display": "display", "inactive": "inactive", "status": "status", "normalized-code": "normalized_code",
		"message": "message", "system": "system", "version": "version",
	})}
}

func lookupFacts(p *r4.Parameters) []map[string]any {
	row := flatten(p, map[string]string{"display": "display", "definition": "definition", "system": "system", "version": "version"})
	row["result"] = true
	for i := range p.Parameter {
		if q := &p.Parameter[i]; q.Name == "property" {
			switch value := q.Part[1].Value.Text; q.Part[0].Value.Text {
			case "parent":
				parents, _ := row["parent"].([]any)
				row["parent"] = append(parents, value)
			case "inactive":
				row["inactive"] = value == "true"
			}
		}
	}
	return []map[string]any{row}
}

func subsumesFacts(p *r4.Parameters) []map[string]any {
	row := flatten(p, map[string]string{"outcome": "outcome"})
	row["result"] = row["outcome"] != "not-subsumed"
	return []map[string]any{row}
}

func translationFacts(p *r4.Parameters) (rows []map[string]any) {
	of := flatten(p, map[string]string{"result": "result", "message": "message"})
	for i := range p.Parameter {
		q := &p.Parameter[i]
		if q.Name != "match" {
			continue
		}
		row := flatten(&r4.Parameters{Parameter: q.Part}, map[string]string{"equivalence": "equivalence", "source": "map", "comment": "comment"})
		for j := range q.Part {
			if c := q.Part[j].Value.Coding; q.Part[j].Name == "concept" && c != nil {
				row["target_code"], row["target_display"], row["target_system"] = c.Code, c.Display, c.System
			}
		}
		for name, value := range of {
			row[name] = value
		}
		rows = append(rows, row)
	}
	if rows == nil {
		rows = []map[string]any{of}
	}
	return rows
}

// listLaws returns the commands that answer lists, with their code systems in the line and as a
// flag.
func listLaws() []listLaw {
	full := []string{"--column", "code", "--system-column", "system", "--version-column", "version", "--display-column", "display"}
	return []listLaw{
		{
			"validate-code", nil, full, func(l line) []string {
				return join([]string{l.code}, given("system", l.system, ""), given("version", l.version, ""), given("display", l.display, ""))
			}, validationFacts,
		},
		{
			"validate-code", []string{"--url", pets, "--lenient-display-validation"}, full, func(l line) []string {
				return join([]string{l.code}, given("system", l.system, ""), given("systemVersion", l.version, ""), given("display", l.display, ""))
			}, validationFacts,
		},
		{
			"validate-code", []string{"--url", pets, "--rules", "ecosystem"}, append([]string{"--system", animals}, full...), func(l line) []string {
				return join([]string{l.code}, given("system", l.system, animals), given("systemVersion", l.version, ""), given("display", l.display, ""))
			}, validationFacts,
		},
		{
			"lookup", []string{"--display-language", "de"}, []string{"--system", animals, "--system-column", "4"}, func(l line) []string {
				return join([]string{l.code}, given("system", l.system, animals))
			}, lookupFacts,
		},
		{
			"lookup", nil, []string{"--version-column", "version", "--system", animals}, func(l line) []string {
				return join([]string{l.code}, given("system", animals, ""), given("version", l.version, ""))
			}, lookupFacts,
		},
		{
			"member-of", []string{"--value-set-url", pets}, []string{"--system-column", "system"}, func(l line) []string {
				return join([]string{l.code}, given("system", l.system, ""))
			}, func(p *r4.Parameters) []map[string]any {
				return []map[string]any{flatten(p, map[string]string{"result": "result", "display": "display"})}
			},
		},
		{
			"translate", []string{"--url", triage}, []string{"--system-column", "system"}, func(l line) []string {
				return join([]string{l.code}, given("system", l.system, ""))
			}, translationFacts,
		},
		{
			"translate", []string{"--reverse"}, nil, func(l line) []string { return []string{l.code} }, translationFacts,
		},
		{
			"subsumes", nil, []string{"--column-a", "code", "--system", animals, "--system-column", "system"}, func(l line) []string {
				return join([]string{l.code, l.other}, given("system", l.system, animals))
			}, subsumesFacts,
		},
		{
			"subsumes", []string{"--code-a", "pet"}, []string{"--column-b", "code", "--system", animals}, func(l line) []string {
				return []string{"--code-b", l.code, "--system", animals}
			}, subsumesFacts,
		},
	}
}

func join(lists ...[]string) (all []string) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// TestListsAnswerAsOneByOne: a list is answered as its lines are one by one: the same facts, yes
// and no, and errors.
func TestListsAnswerAsOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 4))
	b, count := newSamples(t), 60
	if testing.Short() { // which is for what runs at the same time
		count = 12
	}
	for _, law := range listLaws() {
		lines := randomLines(random, count)
		args := join([]string{law.name}, law.args, law.list, []string{"--input", "csv", "--from", "-", "--output", "ndjson"})
		code, out, errs := runWith(t, b, table(t, ',', lines), nil, args...)
		got := records(t, out)
		worst, asked := 0, 0
		for i, l := range lines {
			number := i + 2
			if l.code == "" {
				if len(got) == 0 || got[0]["message"] != "no code" || got[0]["line"] != float64(number) {
					t.Fatalf("%s: line %d has no code: %v", args, number, got)
				}
				got = got[1:]
				continue
			}
			asked++
			exit, answer, failure := run(t, b, nil, join([]string{law.name}, law.args, law.single(l), []string{"--output", "json"})...)
			worst = max(worst, exit)
			var want []map[string]any
			if strings.Contains(answer, `"OperationOutcome"`) && !strings.Contains(answer, `"Parameters"`) || answer == "" {
				message := strings.TrimPrefix(strings.TrimSpace(failure), "roget: "+law.name+": ")
				row := map[string]any{"message": message}
				if strings.Contains(message, " is missing: ") || strings.Contains(message, "missing parameter: system") {
					row["message"] = errNoSystem.Error()
				}
				if exit == operation.ExitNo {
					row["result"] = false
				}
				want = append(want, row)
			} else {
				p, err := r4.DecodeParameters([]byte(answer))
				if err != nil {
					t.Fatalf("%v: %s", err, answer)
				}
				want = law.facts(p)
			}
			if len(got) < len(want) {
				t.Fatalf("%s: %d rows are missing for line %d", args, len(want)-len(got), number)
			}
			for n, row := range want {
				if diff := differs(row, got[n], exit); diff != "" || got[n]["line"] != float64(number) {
					t.Errorf("%s: line %d, %+v: -one by one +list\n%s", args, number, l, diff)
				}
			}
			got = got[len(want):]
		}
		if worst == operation.ExitUsage { // of a line, not of the command line
			worst = operation.ExitFailure
		}
		if len(got) > 0 || code != worst {
			t.Errorf("%s: exit code %d, the worst of the lines is %d; %d rows too many\n%s", args, code, worst, len(got), errs)
		}
		if asked < 2*count/3 {
			t.Errorf("only %d lines", asked)
		}
	}
}

// differs compares a row that is wanted with the one of a list. What is not wanted may be there
// only where a line without an answer repeats its question; errors may have a hint on the command
// line.
func differs(want, got map[string]any, exit int) string {
	row := map[string]any{}
	for name, value := range got {
		asked := strings.HasPrefix(name, "code") || name == "line" || strings.HasPrefix(name, "display_")
		if _, wanted := want[name]; wanted || !asked && name != "system" && name != "version" {
			row[name] = value
		}
	}
	if text, ok := row["message"].(string); ok && exit >= operation.ExitUsage {
		if full, _ := want["message"].(string); strings.HasPrefix(full, text) {
			row["message"] = full
		}
	}
	for name, value := range want {
		if value == "" {
			delete(want, name)
		}
	}
	return cmp.Diff(want, row)
}

// TestFormsAgree: all forms have the same answers.
func TestFormsAgree(t *testing.T) {
	b := newSamples(t)
	text := table(t, '\t', randomLines(rand.New(rand.NewPCG(7, 7)), 1200))
	answer := func(form string) string {
		_, out, _ := runWith(t, b, text, nil, "lookup", "-", "--input", "tsv", "--column", "code", "--system", animals, "--output", form, "--quiet")
		return out
	}
	rows := records(t, answer("ndjson"))
	var array []map[string]any
	if err := json.Unmarshal([]byte(answer("json")), &array); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, array); diff != "" {
		t.Error(diff)
	}
	for form, delimiter := range map[string]rune{"csv": ',', "tsv": '\t'} {
		r := csv.NewReader(strings.NewReader(answer(form)))
		r.Comma = delimiter
		cells, err := r.ReadAll()
		if err != nil || len(cells) != len(rows)+1 {
			t.Fatalf("%s: %d rows, %v", form, len(cells), err)
		}
		for i, row := range rows {
			for column, name := range cells[0] {
				want := ""
				switch value := row[name].(type) {
				case nil:
				case []any:
					parts := make([]string, len(value))
					for j := range value {
						parts[j] = value[j].(string)
					}
					want = strings.Join(parts, "|")
				default:
					want = fmt.Sprint(value)
				}
				if got := cells[i+1][column]; got != want {
					t.Fatalf("%s, row %d: %s is %q, want %q", form, i, name, got, want)
				}
			}
		}
	}
	if lines := strings.Count(answer("table"), "\n"); lines != len(rows)+1 {
		t.Errorf("the table has %d lines for %d rows", lines, len(rows))
	}
}
