package cliadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/synth"
)

// The flags for each type are the options of its generator, none twice, all in its help.
func TestGenerateOptions(t *testing.T) {
	tree := terminal()
	for _, typ := range synth.Types() {
		cmd := find(tree, "generate "+typ.Name)
		for _, o := range typ.Options {
			f, _ := command.FindFlag(cmd.Flags, o.Name).(*command.Flag)
			if f == nil || f != command.FindFlag(cmd.Flags, strings.ReplaceAll(o.Name, "_", "-")) || !slices.Equal(f.Choices, o.Choices) || f.Value != o.Default {
				t.Errorf("%s: %s is %+v", typ.Name, o.Name, f)
			}
		}
	}
	for _, name := range generated() {
		cmd := find(tree, "generate "+name)
		code, help, errs := run(t, nil, nil, "generate", name, "--help")
		for _, f := range cmd.Flags {
			if !strings.Contains(help, "--"+f.Names()[0]) {
				t.Errorf("%s: help does not tell of --%s", name, f.Names()[0])
			}
		}
		if _, same, _ := run(t, nil, nil, "help", "generate", name); code != 0 || errs != "" || same != help {
			t.Errorf("%s: help ends with %d, %s", name, code, errs)
		}
		if _, overview, _ := run(t, nil, nil, "generate", "--help"); !strings.Contains(overview, "\n  "+name+" ") {
			t.Errorf("generate --help does not tell of %s", name)
		}
		first, last := []string{"--seed", "1", name, "--workers=1"}, []string{name, "--seed=1", "--workers", "1"}
		if name != population {
			first, last = append(first, "--count=2"), append(last, "--count=2")
		}
		_, want, _ := run(t, nil, nil, append([]string{"generate"}, last...)...)
		if code, out, errs := run(t, nil, nil, append([]string{"generate"}, first...)...); code != 0 || out != want {
			t.Errorf("%s: with flags before the type: exit code %d, %s", name, code, errs)
		}
	}
}

// What is printed is what the generators make, in either form.
func TestGenerate(t *testing.T) {
	g, err := synth.New("Condition", synth.Options{Seed: 7, Values: map[string]string{"patient_ref": "Patient/17"}})
	if err != nil {
		t.Fatal(err)
	}
	want := string(g.Append(nil, 5)) + "\n" + string(g.Append(nil, 6)) + "\n"
	for _, flag := range []string{"--patient-ref", "--patient_ref"} {
		code, out, errs := run(t, nil, nil, "generate", "Condition", "--seed", "7", "--first", "5", "--count", "2", flag, "Patient/17")
		if code != 0 || errs != "" || out != want {
			t.Errorf("%s: exit code %d, %s\n%s", flag, code, errs, out)
		}
	}
	_, out, _ := run(t, nil, nil, "generate", "--output", "bundle", "Condition", "--count", "3", "--with-references")
	var b struct {
		Type  string
		Entry []json.RawMessage
	}
	if err := json.Unmarshal([]byte(out), &b); err != nil || b.Type != "transaction" || len(b.Entry) < 6 || strings.Count(out, "\n") != 1 {
		t.Errorf("%v, %s", err, out)
	}
	code, out, errs := run(t, nil, nil, "generate", "population", "--patients", "3", "--first", "40", "-o", "bundle")
	if code != 0 || errs != "" || strings.Count(out, "\n") != 3 || !strings.Contains(out, `"url":"Patient/0-41"`) {
		t.Errorf("exit code %d, %s\n%s", code, errs, out)
	}
}

// Codes of --codes come from loaded terminology.
func TestGenerateCodes(t *testing.T) {
	b := &absent{}
	code, out, errs := run(t, b, nil, "generate", "Condition", "--codes", "Condition.code=valueset:http://example.org/none", "--load", "here")
	if code == 0 || out != "" || !strings.Contains(errs, "http://example.org/none") || !slices.Equal(b.opened.Load, []string{"here"}) || !b.opened.Base {
		t.Errorf("exit code %d, %s%s, %+v", code, out, errs, b.opened)
	}
}

// --output store stores the resources once and prints their number.
func TestGenerateStore(t *testing.T) {
	b := &absent{}
	code, out, errs := run(t, b, nil, "generate", "Patient", "--count", "1200", "--output", "store", "--data", "here", "--summary", "json")
	if code != 0 || errs != "" || !strings.Contains(out, `"stored":1200,"unchanged":0,"deleted":0,"refused":0,"types":{"Patient":1200}`) {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	if !b.store.Write || !b.store.Terminology || b.store.Data != "here" {
		t.Errorf("%+v", b.store)
	}
	code, out, errs = run(t, b, nil, "generate", "population", "--patients", "5", "--output", "store")
	if code != 0 || errs != "" || !strings.Contains(out, "\nEncounter ") || !strings.Contains(out, " stored, 0 unchanged, 0 refused in ") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	b.err = errors.New("no room")
	if code, _, errs := run(t, b, nil, "generate", "Patient", "-o", "store"); code != operation.ExitFailure || errs != "roget: generate Patient: no room\n" {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

func TestGenerateMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"generate":                                                     `roget: generate: TYPE is missing (see roget generate --help)`,
		"generate Patiet --count 5":                                    `roget: generate: cannot generate resources of type "Patiet"; did you mean Patient? (see roget generate --help)`,
		"generate Qestionnaire --patient-ref x":                        `roget: generate: cannot generate resources of type "Qestionnaire"; did you mean Questionnaire? (see roget generate --help)`,
		"generate Condition --count many":                              `roget: generate Condition: flag --count must be a whole number of at least 0, not "many" (see roget generate Condition --help)`,
		"generate Condition --patient-reff x":                          `roget: generate Condition: unknown flag --patient-reff; did you mean --patient-ref? (see roget generate Condition --help)`,
		"generate Condition --patients 5":                              `roget: generate Condition: unknown flag --patients (see roget generate Condition --help)`,
		"generate population --patients 9999999999999":                 `roget: generate population: invalid option: the number of patients must be at most 1099511627776 (see roget generate population --help)`,
		"generate QuestionnaireResponse --questionnaire-template phq9": `roget: generate QuestionnaireResponse: flag --questionnaire-template must be one of phq-9, gad-7, pain-assessment, covid-screening, health-intake, not "phq9"; did you mean phq-9? (see roget generate QuestionnaireResponse --help)`,
		"generate Condition Patient":                                   `roget: generate Condition: unexpected argument "Patient" (see roget generate Condition --help)`,
	} {
		code, out, errs := run(t, &absent{}, nil, strings.Fields(line)...)
		if code != operation.ExitUsage || out != "" || errs != want+"\n" {
			t.Errorf("%s: exit code %d, %s\n got %s want %s", line, code, out, errs, want)
		}
	}
}

// closed is a stream that somebody reads only the beginning of.
type closed struct{ bytes.Buffer }

func (c *closed) Write(p []byte) (int, error) {
	if c.Len() > 0 {
		return 0, fmt.Errorf("write: %w", syscall.EPIPE)
	}
	return c.Buffer.Write(p)
}

// When nobody reads on, the work ends without a word.
func TestGenerateClosed(t *testing.T) {
	c := New(Config{Operations: operation.Terminal()})
	var errs bytes.Buffer
	code := c.Run(context.Background(), []string{"generate", "population", "--patients", "1000000000"}, Streams{Out: new(closed), Err: &errs})
	if code != 0 || errs.Len() > 0 {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
}

// On a terminal, progress is shown on standard error only.
func TestGenerateProgress(t *testing.T) {
	c := New(Config{Operations: operation.Terminal()})
	for _, terminal := range []bool{false, true} {
		var out, errs bytes.Buffer
		c.Run(context.Background(), []string{"generate", "population", "--patients", "100"}, Streams{Out: &out, Err: &errs, ErrTerminal: true, OutTerminal: terminal})
		if told := strings.Contains(errs.String(), "of 100 patients"); told == terminal {
			t.Errorf("%v: %q", terminal, errs.String())
		}
	}
}

// Types, flags and their values are completed.
func TestGenerateCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"generate Quest":            "Questionnaire\nQuestionnaireResponse\n",
		"generate pop":              "population\n",
		"generate population --pat": "--patients\tNumber of patients to make\n",
		"generate Condition --pat":  "--patient-ref\tThe patient\n",
		"generate QuestionnaireResponse --questionnaire-template p": "pain-assessment\nphq-9\n",
		"generate Condition Pat":                                    "",
	} {
		_, out, _ := run(t, nil, nil, append([]string{"__complete"}, strings.Fields(line)...)...)
		if out != want {
			t.Errorf("%s: %q", line, out)
		}
	}
}
