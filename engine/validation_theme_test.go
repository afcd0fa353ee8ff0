package engine_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

var updateThemes = flag.Bool("update-themes", false, "write the answers of the themes of validate-code to testdata")

// theme is a little world, and questions to it. Verdicts are in testdata/validate, each with a sum of
// the whole answer: every parameter, and every issue with its coding, expression and text. Compare
// the logs (go test -v) before and after a change to see the texts that it changes.
type theme struct {
	t      *testing.T
	engine *engine.Engine
	out    strings.Builder
}

// newTheme makes a world of resources as a request would bring them along.
func newTheme(t *testing.T, documents ...string) *theme {
	t.Helper()
	bodies := make([]json.RawMessage, len(documents))
	for i, d := range documents {
		bodies[i] = json.RawMessage(d)
	}
	e, err := engine.NewOverlays(engine.New(engine.WithRules(engine.Ecosystem)), engine.OverlayLimits{}).For("tx-resource", bodies)
	if err != nil {
		t.Fatal(err)
	}
	return &theme{t: t, engine: e}
}

// ask notes the answer to a question about a value set.
func (th *theme) ask(name string, req engine.ValidateCodeRequest) {
	th.t.Helper()
	r, err := th.engine.ValidateCode(context.Background(), &req)
	th.note(name, &r, err)
}

// askSystem notes the answer to a question about a code system.
func (th *theme) askSystem(name string, req engine.ValidateCodeInSystemRequest) {
	th.t.Helper()
	r, err := th.engine.ValidateCodeInSystem(context.Background(), &req)
	th.note(name, &r, err)
}

// note writes the verdict and a sum of the whole answer, and logs the answer.
func (th *theme) note(name string, r *engine.ValidateCodeResult, err error) {
	answer := fmt.Sprintf("fails: %v", err)
	if err == nil {
		answer = strings.Join(answerLines(r), "\n")
	}
	verdict, _, _ := strings.Cut(answer, ":")
	fmt.Fprintf(&th.out, "%s: %s %.3x\n", name, verdict, sha256.Sum256([]byte(answer)))
	th.t.Logf("%s\n%s", name, answer)
}

// check compares the answers with those of testdata.
func (th *theme) check() {
	th.t.Helper()
	file := filepath.Join("testdata", "validate", strings.TrimPrefix(th.t.Name(), "TestValidate")+".txt")
	if *updateThemes {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			th.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(th.out.String()), 0o644); err != nil {
			th.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		th.t.Fatal(err)
	}
	if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(th.out.String(), "\n")); diff != "" {
		th.t.Error(diff)
	}
}

// answerLines shows all of an answer: the concept in one line, then the other
// parameters, the message where it is not just the texts of the errors, and the issues.
func answerLines(r *engine.ValidateCodeResult) []string {
	first := map[bool]string{true: "yes", false: "no"}[r.Result] + ":"
	if r.System+r.Version+r.Code != "" {
		first += " " + r4.JoinCanonical(r.System, r.Version) + "#" + r.Code
	}
	if r.Display != "" {
		first += fmt.Sprintf(" %q", r.Display)
	}
	lines := []string{first}
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	add("inactive", map[bool]string{true: "true"}[r.Inactive])
	add("status", r.Status)
	add("normalized", r.NormalizedCode)
	if r.CodeableConcept != nil {
		var list []string
		for _, c := range r.CodeableConcept.Coding {
			list = append(list, r4.JoinCanonical(c.System, c.Version)+"#"+c.Code)
		}
		add("concept", strings.Join(list, " ")+" "+r.CodeableConcept.Text)
	}
	add(map[bool]string{true: "unknown, undecided", false: "unknown"}[r.Undecided], strings.Join(r.UnknownSystems, " "))
	var errors []string
	for _, i := range r.Issues {
		if i.Severity == "error" && !slices.Contains(errors, i.Details.Text) {
			errors = append(errors, i.Details.Text)
		}
	}
	slices.Sort(errors)
	if r.Message != strings.Join(errors, "; ") {
		add("message", cmp.Or(r.Message, "none"))
	}
	for _, i := range r.Issues {
		detail := ""
		if len(i.Details.Coding) > 0 {
			detail = i.Details.Coding[0].Code
		}
		lines = append(lines, fmt.Sprintf("  %s %s %s @%s %s: %s", i.Severity, i.Code, detail, strings.Join(i.Expression, ","), i.MessageID, i.Details.Text))
	}
	return lines
}

// paint is a version of a code system whose displays name it.
func paint(version string, codes ...string) string {
	var concepts []string
	for _, c := range codes {
		concepts = append(concepts, fmt.Sprintf(`{"code":%q,"display":%q}`, c, c+" of "+version))
	}
	return fmt.Sprintf(`{"resourceType":"CodeSystem","url":"http://example.org/paint","version":%q,"status":"active","content":"complete","concept":[%s]}`,
		version, strings.Join(concepts, ","))
}

// paints is a value set of all paints in a version; "" for any.
func paints(name, version string) string {
	return fmt.Sprintf(`{"resourceType":"ValueSet","url":"http://example.org/vs/%s","status":"active","compose":{"include":[{"system":"http://example.org/paint","version":%q}]}}`, name, version)
}

// TestValidateVersions: every version of a coding, in every version of an include, by
// every kind of rule.
func TestValidateVersions(t *testing.T) {
	const system = "http://example.org/paint"
	asked := []struct{ name, version string }{{"any", ""}, {"exact", "2.0.0"}, {"highest", "3.1.0"}, {"pattern", "2.x"}, {"middle", "2.x.0"}, {"open", "2.0?"}, {"absent", "9.9.9"}, {"partial", "2"}}
	docs := []string{paint("2.0.0", "red", "blue"), paint("2.5.0", "red"), paint("3.1.0", "red", "green")}
	for _, a := range asked {
		docs = append(docs, paints(a.name, a.version))
	}
	th := newTheme(t, docs...)
	rules := []struct {
		name  string
		rules engine.VersionRules
	}{
		{"", engine.VersionRules{}},
		{", default 2.0.0", engine.VersionRules{System: []string{system + "|2.0.0"}}},
		{", check 2.0.x", engine.VersionRules{Check: []string{system + "|2.0.x"}}},
		{", force 2.0.0", engine.VersionRules{Force: []string{system + "|2.0.0"}}},
		{", force 8.8.8", engine.VersionRules{Force: []string{system + "|8.8.8"}}},
	}
	for i, rule := range rules {
		for k, a := range asked {
			if i > 0 && k >= 4 {
				break
			}
			for _, version := range []string{"", "2.0.0", "7.7.7"} {
				th.ask(fmt.Sprintf("red of %q in %q%s", version, a.version, rule.name), engine.ValidateCodeRequest{
					URL: "http://example.org/vs/" + a.name, Coding: &r4.Coding{System: system, Version: version, Code: "red"}, Versions: rule.rules,
				})
			}
		}
	}
	for _, rule := range rules {
		th.ask("black of \"2.5.0\" in any"+rule.name, engine.ValidateCodeRequest{URL: "http://example.org/vs/any", System: system, SystemVersion: "2.5.0", Code: "black", Versions: rule.rules})
	}
	th.ask("two forced", engine.ValidateCodeRequest{URL: "http://example.org/vs/any", System: system, Code: "red", Versions: engine.VersionRules{Force: []string{system + "|2.0.0", system + "|2.5.0"}}})
	th.ask("two defaults", engine.ValidateCodeRequest{URL: "http://example.org/vs/any", System: system, Code: "red", Versions: engine.VersionRules{System: []string{system + "|2.0.0", system + "|2.x"}}})
	th.check()
}
