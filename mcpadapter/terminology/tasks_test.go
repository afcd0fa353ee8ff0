package terminology_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/mcpadapter/terminology"
)

// A task is a question of a user, the calls of an assistant, and the fact that the last
// answer must have.
type task struct {
	Ask   string
	Calls []struct {
		Tool      string
		Arguments map[string]any
	}
	Want want
}

// want is the fact, by an oracle on the files.
type want struct {
	Oracle, System, Code, Map, Language, Property, A, B, Root, ValueSet, Suggest string

	Words, Contains []string
}

// TestTasks runs the tasks of an assistant, on an engine in the process and on a server. The
// expected facts come from the files, not from the engine. No task takes more than four calls.
func TestTasks(t *testing.T) {
	doc, err := os.ReadFile("testdata/tasks.json")
	if err != nil {
		t.Fatal(err)
	}
	var tasks []task
	if err := json.Unmarshal(doc, &tasks); err != nil {
		t.Fatal(err)
	}
	if len(tasks) < 60 {
		t.Fatalf("%d tasks only", len(tasks))
	}
	know := newOracle(t)
	eng := loaded(t, files(t)...)
	for name, source := range map[string]terminology.Source{"local": local(eng), "remote": remote(t, eng)} {
		t.Run(name, func(t *testing.T) {
			a := meet(t, source)
			for i := range tasks {
				t.Run(tasks[i].Ask, func(t *testing.T) { perform(t, a, know, &tasks[i]) })
			}
		})
	}
}

// perform runs one task.
func perform(t *testing.T, a *assistant, know *oracle, job *task) {
	if len(job.Calls) == 0 || len(job.Calls) > 4 {
		t.Fatalf("%d calls", len(job.Calls))
	}
	plain := *a
	plain.t = t
	var answers []toolAnswer
	for _, call := range job.Calls {
		arguments := maps.Clone(call.Arguments)
		for key, value := range arguments {
			switch value {
			case "$next":
				arguments[key] = answers[len(answers)-1].value["next"]
			case "$replacement":
				first := answers[len(answers)-1].value["replaced_by"].([]any)[0].(map[string]any)
				arguments[key] = first["code"]
			}
		}
		answers = append(answers, plain.call(call.Tool, arguments))
	}
	for _, s := range answers {
		known(t, know, s)
	}
	if err := job.Want.holds(know, answers); err != nil {
		t.Errorf("%v\n%s", err, answers[len(answers)-1].text)
	}
}

// known fails if an answer has a code that its code system does not have.
func known(t *testing.T, know *oracle, s toolAnswer) {
	t.Helper()
	system, _ := s.value["system"].(string)
	for _, list := range []string{"codes", "suggestions", "replaced_by", "matches"} {
		items, _ := s.value[list].([]any)
		for _, item := range items {
			c := item.(map[string]any)
			of := system
			if own, ok := c["system"].(string); ok {
				of = own
			}
			code, _ := c["code"].(string)
			if files := know.systems[of]; files != nil && files.codes[code] == nil && code != soAdded && code != "" {
				t.Errorf("%s of %s does not exist: %s", code, of, s.doc)
			}
		}
	}
}

// codes returns the codes of lists of answers.
func codes(answers []toolAnswer, list string) map[string]string {
	all := map[string]string{}
	for _, s := range answers {
		items, _ := s.value[list].([]any)
		for _, item := range items {
			c := item.(map[string]any)
			display, _ := c["display"].(string)
			code, _ := c["code"].(string)
			all[code] = display
		}
	}
	return all
}

func sameSet(what string, got map[string]string, want map[string]bool) error {
	g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))
	if !slices.Equal(g, w) || len(w) == 0 {
		return fmt.Errorf("%s: got %v, the file has %v", what, g, w)
	}
	return nil
}

// holds checks the fact on the answers, the last one above all.
func (w *want) holds(know *oracle, answers []toolAnswer) error {
	last := answers[len(answers)-1]
	if last.fails != (w.Oracle == "refusal") {
		return fmt.Errorf("fails: %v", last.fails)
	}
	files := know.systems[w.System]
	var e *entry
	if files != nil {
		e = files.codes[w.Code]
	}
	switch w.Oracle {
	case "refusal", "contains":
		for _, part := range w.Contains {
			if !strings.Contains(last.text, part) && !strings.Contains(string(last.doc), part) {
				return fmt.Errorf("the answer lacks %q", part)
			}
		}
		return nil
	case "code":
		if got, ok := codes(answers[len(answers)-1:], "codes")[w.Code]; !ok || e == nil || got != e.display {
			return fmt.Errorf("%s %q is not among the codes", w.Code, got)
		}
		return nil
	case "display":
		if e == nil || last.value["display"] != e.display {
			return fmt.Errorf("the display is %v, not %v", last.value["display"], e)
		}
		return nil
	case "designation":
		shown := fmt.Sprint(last.value["display"])
		if list := codes(answers[len(answers)-1:], "codes"); len(list) > 0 {
			shown = list[w.Code]
		}
		if e == nil || !slices.Contains(e.designations[w.Language], shown) {
			return fmt.Errorf("the display is %q, the file has %v", shown, e.designations[w.Language])
		}
		return nil
	case "words":
		if n := files.withWords(w.Words); n == 0 || last.value["total"] != float64(n) {
			return fmt.Errorf("the total is %v, the file has %d", last.value["total"], n)
		}
		return nil
	case "below":
		if n := len(files.below(w.Code)); n < 2 || last.value["total"] != float64(n) {
			return fmt.Errorf("the total is %v, the file has %d", last.value["total"], n)
		}
		return nil
	case "children":
		return sameSet("children", codes(answers, "codes"), files.children(w.Code))
	case "descendants":
		return sameSet("descendants", codes(answers, "codes"), files.below(w.Code))
	case "members":
		return sameSet("members", codes(answers, "codes"), know.valueSets[w.ValueSet])
	case "relation":
		return w.relation(files, last)
	case "property":
		return w.property(e, last)
	case "map":
		targets := map[string]bool{}
		for _, code := range know.maps[w.Map][w.Code] {
			targets[code] = true
		}
		return sameSet("translations", codes(answers, "matches"), targets)
	case "sources":
		sources := map[string]bool{}
		for code, targets := range know.maps[w.Map] {
			if slices.Contains(targets, w.Code) {
				sources[code] = true
			}
		}
		return sameSet("sources", codes(answers, "matches"), sources)
	case "changes":
		return w.changes(last)
	}
	return w.verdict(know, files, e, last)
}

// verdict checks what validate and lookup say of a code.
func (w *want) verdict(know *oracle, files *classification, e *entry, last toolAnswer) error {
	suggested := codes([]toolAnswer{last}, "suggestions")
	if _, ok := suggested[w.Suggest]; w.Suggest != "" && !ok {
		return fmt.Errorf("%s is not suggested: %v", w.Suggest, suggested)
	}
	switch w.Oracle {
	case "valid":
		if e == nil || last.value["valid"] != true || last.value["display"] != e.display {
			return fmt.Errorf("valid is %v", last.value["valid"])
		}
	case "invalid":
		if e != nil || last.value["valid"] != false || last.value["next_step"] == "" {
			return fmt.Errorf("valid is %v, the file has it: %v", last.value["valid"], e != nil)
		}
	case "notmember":
		if know.valueSets[w.ValueSet][w.Code] || last.value["valid"] != false {
			return fmt.Errorf("valid is %v", last.value["valid"])
		}
	case "outside":
		if e == nil || files.below(w.Root)[w.Code] || last.value["valid"] != false {
			return fmt.Errorf("valid is %v", last.value["valid"])
		}
	case "inactive":
		if e == nil || !e.inactive || last.value["inactive"] != true {
			return fmt.Errorf("inactive is %v, in the file %v", last.value["inactive"], e)
		}
	case "replaced":
		replacement := e.properties["replacedBy"][0]
		if got := codes([]toolAnswer{last}, "replaced_by")[replacement]; got == "" || got != files.codes[replacement].display {
			return fmt.Errorf("replaced_by lacks %s", replacement)
		}
	default:
		return fmt.Errorf("there is no oracle %q", w.Oracle)
	}
	return nil
}

func (w *want) relation(files *classification, last toolAnswer) error {
	expected := "not-subsumed"
	switch {
	case w.A == w.B:
		expected = "equivalent"
	case files.ancestors(w.B)[w.A]:
		expected = "subsumes"
	case files.ancestors(w.A)[w.B]:
		expected = "subsumed-by"
	}
	if files.codes[w.A] == nil || files.codes[w.B] == nil || last.value["relation"] != expected {
		return fmt.Errorf("the relation is %v, in the file %s", last.value["relation"], expected)
	}
	return nil
}

func (w *want) property(e *entry, last toolAnswer) error {
	want := e.properties[w.Property]
	if w.Property == "parent" {
		want = e.parents
	}
	var got []string
	for _, item := range last.value["facts"].([]any) {
		if fact := item.(map[string]any); fact["name"] == w.Property {
			got = append(got, fact["value"].(string))
		}
	}
	slices.Sort(got)
	if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) || len(want) == 0 {
		return fmt.Errorf("%s is %v, in the file %v", w.Property, got, want)
	}
	return nil
}

// changes checks the changes that revise made.
func (w *want) changes(last toolAnswer) error {
	got := map[string]string{}
	for _, item := range last.value["changes"].([]any) {
		c := item.(map[string]any)
		got[c["code"].(string)] = c["kind"].(string)
	}
	want := map[string]string{soAdded: "added", soRemoved: "removed", soRenamed: "renamed", soEnded: "inactivated"}
	if !maps.Equal(got, want) {
		return fmt.Errorf("the changes are %v, not %v", got, want)
	}
	return nil
}
