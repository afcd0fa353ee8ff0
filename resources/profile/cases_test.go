package profile_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/profile"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

const example = "http://example.org/fhir/StructureDefinition/"

// A testCase is a resource of testdata/cases.txt: a base resource with edits.
type testCase struct {
	name, body string
	want       []string // severity and expression of each issue
	differs    bool     // HL7's validator has another verdict, for a reason in docs/profiles.md
}

// cases reads testdata/cases.txt. "= NAME" names a profile, and the next line is a resource. Each
// line after that has edits of it, separated by " ; ", and after => the issues, E for an error and W
// for a warning. An edit is a JSON pointer with a new value, or with a hyphen before it to remove.
func cases(t testing.TB) []testCase {
	t.Helper()
	text, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []testCase
	var name, body string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if named, is := strings.CutPrefix(line, "= "); is {
			name = named
			continue
		}
		edits, want, is := strings.Cut(line, "=>")
		if !is {
			body = strings.Replace(line, `,`, `,"meta":{"profile":["`+example+name+`"]},`, 1)
			if strings.Contains(line, `"meta":{`) {
				body = strings.Replace(line, `"meta":{`, `"meta":{"profile":["`+example+name+`"],`, 1)
			}
			continue
		}
		c := testCase{body: body}
		edits, c.differs = strings.CutSuffix(edits, "!")
		c.name = strings.TrimSpace(name + " " + edits)
		if c.body, err = edited(body, edits); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if want = strings.TrimSpace(want); want != "" {
			c.want = strings.Split(want, ", ")
		}
		list = append(list, c)
	}
	return list
}

func edited(body, edits string) (string, error) {
	var operations []string
	for edit := range strings.SplitSeq(edits, " ; ") {
		edit = strings.TrimSpace(edit)
		path, value, _ := strings.Cut(edit, "=")
		switch {
		case edit == "":
		case edit[0] == '-':
			operations = append(operations, fmt.Sprintf(`{"op":"remove","path":%q}`, edit[1:]))
		default:
			op := "add"
			if last := path[strings.LastIndexByte(path, '/')+1:]; last >= "0" && last <= "9" {
				op = "replace"
			}
			operations = append(operations, fmt.Sprintf(`{"op":%q,"path":%q,"value":%s}`, op, path, value))
		}
	}
	p, err := patch.JSONPatch([]byte("[" + strings.Join(operations, ",") + "]"))
	if err != nil {
		return "", err
	}
	result, err := p.Apply([]byte(body))
	return string(result), err
}

// checker returns a Checker with the package in testdata and the engine as terminology.
func checker(t testing.TB) *profile.Checker {
	t.Helper()
	eng := engine.New()
	if err := eng.Publish(base.Entries()...); err != nil {
		t.Fatal(err)
	}
	if err := eng.Load(t.Context(), "testdata/package.ndjson"); err != nil {
		t.Fatal(err)
	}
	return profile.New(definitions.R4(), library(t), eng)
}

func library(t testing.TB) *profile.Library {
	t.Helper()
	text, err := os.ReadFile("testdata/package.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	var l profile.Library
	for line := range bytes.Lines(text) {
		l.Add(parsed(t, string(line)))
	}
	return &l
}

func parsed(t testing.TB, body string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(body), r4.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return d
}

func TestCases(t *testing.T) {
	c, v := checker(t), validate.New(definitions.R4())
	for _, test := range cases(t) {
		d := parsed(t, test.body)
		if issues := v.Validate(d); validate.Failed(issues) {
			t.Errorf("%s: not valid R4: %v", test.name, issues)
		}
		issues, err := c.Check(t.Context(), d, profile.Request{})
		if err != nil {
			t.Fatal(err)
		}
		got := shown(issues)
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q\n%v", test.name, got, test.want, issues)
		}
	}
}

func shown(issues []validate.Issue) []string {
	var list []string
	for _, i := range issues {
		list = append(list, strings.ToUpper(i.Severity.String()[:1])+" "+i.Expression)
	}
	return list
}
