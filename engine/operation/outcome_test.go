package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
	"github.com/roget-health/roget/resources/validate"
	"github.com/roget-health/roget/valueset"
)

func TestOutcome(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("expand http://x: include[1]: %w", err) }
	for _, tt := range []struct {
		name       string
		err        error
		class      issue.Class
		exit       int
		code       string
		detail     string
		expression string
	}{
		{"missing", Missing("url", "of the value set"), issue.ClassInvalid, ExitUsage, "invalid", "", "Parameters.parameter.where(name='url')"},
		{"invalid", Invalid("count", "no"), issue.ClassInvalid, ExitUsage, "invalid", "", "Parameters.parameter.where(name='count')"},
		{"invalid, odd name", Invalid("a'b", "no"), issue.ClassInvalid, ExitUsage, "invalid", "", ""},
		{"not supported", &engine.ParameterError{Name: "context", Problem: engine.ErrNotSupported}, issue.ClassInvalid, ExitUsage, "not-supported", "", "Parameters.parameter.where(name='context')"},
		{"unknown system", wrap(engine.ErrUnknownSystem), issue.ClassNotFound, ExitFailure, "not-found", "not-found", ""},
		{"unknown value set", wrap(engine.ErrUnknownValueSet), issue.ClassNotFound, ExitFailure, "not-found", "not-found", ""},
		{"unknown version", wrap(valueset.ErrUnknownVersion), issue.ClassNotFound, ExitFailure, "not-found", "not-found", ""},
		{"unknown code", wrap(engine.ErrUnknownCode), issue.ClassNotFound, ExitNo, "not-found", "invalid-code", ""},
		{"unknown id", wrap(engine.ErrUnknownID), issue.ClassNotFound, ExitFailure, "not-found", "", ""},
		{"ambiguous", &valueset.AmbiguousSystemError{Code: "a"}, issue.ClassInvalid, ExitUsage, "invalid", "cannot-infer", ""},
		{"cycle of imports", wrap(valueset.ErrImportCycle), issue.ClassUnprocessable, ExitFailure, "processing", "vs-invalid", ""},
		{"filter", &valueset.Error{Expression: "ValueSet.compose.include[0].filter[1]", Err: codesystem.ErrUnknownProperty}, issue.ClassUnprocessable, ExitFailure, "invalid", "vs-invalid", "ValueSet.compose.include[0].filter[1]"},
		{"duplicate code", wrap(codesystem.ErrDuplicateCode), issue.ClassUnprocessable, ExitFailure, "duplicate", "", ""},
		{"cycle", wrap(codesystem.ErrCycle), issue.ClassUnprocessable, ExitFailure, "business-rule", "", ""},
		{"concept map", wrap(&conceptmap.Error{Expression: "ConceptMap.group[0].unmapped.url", Err: conceptmap.ErrInvalid}), issue.ClassUnprocessable, ExitFailure, "invalid", "", "ConceptMap.group[0].unmapped.url"},
		{"cycle of concept maps", wrap(conceptmap.ErrMapCycle), issue.ClassUnprocessable, ExitFailure, "processing", "", ""},
		{"syntax", wrap(&r4.SyntaxError{Line: 2, Column: 3, Expression: "CodeSystem.url", Msg: "no", Code: "structure"}), issue.ClassInvalid, ExitFailure, "structure", "", "CodeSystem.url"},
		{"too long", &r4.SyntaxError{Msg: "no", Code: "too-long"}, issue.ClassTooLarge, ExitFailure, "too-long", "", ""},
		{"syntax in a parameter", &engine.ParameterError{Name: "valueSet", Problem: engine.ErrInvalidParameter, Cause: &r4.SyntaxError{Msg: "no", Code: "structure", Expression: "ValueSet.url"}}, issue.ClassInvalid, ExitUsage, "structure", "", "Parameters.parameter.where(name='valueSet')"},
		{"content, with its place", fmt.Errorf("%w: %w", codesystem.ErrEmptyCode, &r4.SyntaxError{Msg: "no", Code: "invalid", Expression: "CodeSystem.concept[0]"}), issue.ClassUnprocessable, ExitFailure, "required", "", "CodeSystem.concept[0]"},
		{"invalid document", &r4.SyntaxError{Msg: "no", Code: "invalid", Expression: "Bundle"}, issue.ClassInvalid, ExitFailure, "invalid", "", "Bundle"},
		{"deadline", wrap(context.DeadlineExceeded), issue.ClassUnavailable, ExitFailure, "timeout", "", ""},
		{"problem", wrap(&Problem{Class: issue.ClassUnprocessable, Exit: 3, Code: "deleted", Text: "gone"}), issue.ClassUnprocessable, ExitFailure, "deleted", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			class, outcome := Outcome(tt.err)
			is := outcome.Issue[0]
			got := []any{class, ExitCode(tt.err), is.Code, "", ""}
			if len(is.Details.Coding) > 0 {
				got[3] = is.Details.Coding[0].Code
			}
			if is.Details.Text != is.Diagnostics {
				t.Errorf("details %q, diagnostics %q", is.Details.Text, is.Diagnostics)
			}
			if is.Expression != nil {
				got[4] = is.Expression[0]
			}
			if diff := cmp.Diff([]any{tt.class, tt.exit, tt.code, tt.detail, tt.expression}, got); diff != "" {
				t.Error(diff)
			}
			if is.Severity != "error" || is.Diagnostics == "" {
				t.Errorf("issue %+v", is)
			}
		})
	}
}

// TestPlainName tries every byte, and lengths at the bound.
func TestPlainName(t *testing.T) {
	for c := range 256 {
		name := string([]byte{byte(c)})
		if want := regexp.MustCompile(`^[a-zA-Z0-9_.-]$`).MatchString(name); plainName(name) != want || plainName("a"+name) != want {
			t.Errorf("%q: %v, want %v", name, !want, want)
		}
	}
	if plainName("") || !plainName(strings.Repeat("a", 64)) || plainName(strings.Repeat("a", 65)) {
		t.Error("a plain name has from 1 to 64 letters")
	}
}

// TestUnknownErrorIsOpaque checks that a client learns nothing of an error nobody foresaw.
func TestUnknownErrorIsOpaque(t *testing.T) {
	class, outcome := Outcome(errors.New("secret path /etc/x"))
	is := outcome.Issue[0]
	if class != issue.ClassInternal || is.Severity != "fatal" || is.Code != "exception" || strings.Contains(is.Diagnostics, "secret") {
		t.Errorf("class %d, %+v", class, is)
	}
	_, again := Outcome(errors.New("secret path /etc/x"))
	if again.Issue[0].Diagnostics == is.Diagnostics {
		t.Error("two failures share their id")
	}
	if ExitCode(errors.New("x")) != ExitFailure || ExitCode(nil) != ExitYes {
		t.Error("exit codes")
	}
}

// TestEverySentinelIsMapped checks that the errors of the packages below have a row.
func TestEverySentinelIsMapped(t *testing.T) {
	for _, err := range []error{
		engine.ErrUnknownSystem, engine.ErrUnknownVersion, engine.ErrUnknownValueSet, engine.ErrUnknownConceptMap,
		engine.ErrUnknownID, engine.ErrUnknownCode, engine.ErrNoContent, engine.ErrMissingParameter,
		engine.ErrInvalidParameter, engine.ErrNotSupported, engine.ErrSystemsDiffer, engine.ErrVersionCheck,
		engine.ErrInvalidResource, codesystem.ErrTooLarge,
		conceptmap.ErrInvalid, conceptmap.ErrMapCycle, conceptmap.ErrTooLarge, conceptmap.ErrUnknownMap,
		valueset.ErrUnknownSystem, valueset.ErrUnknownVersion, valueset.ErrUnknownValueSet, valueset.ErrNoContent,
		valueset.ErrImportCycle, valueset.ErrInvalidCompose, valueset.ErrAmbiguousSystem,
		codesystem.ErrDuplicateCode, codesystem.ErrEmptyCode, codesystem.ErrUnknownParent, codesystem.ErrCycle, codesystem.ErrBadProperty,
		codesystem.ErrUnknownProperty, codesystem.ErrUnknownOperator, codesystem.ErrBadFilterValue, codesystem.ErrUnknownCode,
		codesystem.ErrNotSubsumptive, r4.ErrCanonical, ErrUnknownParameter, ErrRepeatedParameter,
	} {
		if class, _ := Outcome(fmt.Errorf("wrapped: %w", err)); class == issue.ClassInternal || class == issue.ClassUnavailable {
			t.Errorf("%v: class %d", err, class)
		}
	}
}

// TestLongMessages checks that a message that quotes its input stays readable.
func TestLongMessages(t *testing.T) {
	long := fmt.Errorf("at the start: %w %s: at the end", codesystem.ErrBadFilterValue, strings.Repeat("(é", 50_000))
	_, outcome := Outcome(long)
	is := outcome.Issue[0]
	if text := is.Diagnostics; len(text) > 2100 || !strings.HasPrefix(text, "at the start: ") || !strings.HasSuffix(text, ": at the end") || !utf8.ValidString(text) {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	if is.Details.Text != is.Diagnostics {
		t.Error("details and diagnostics differ")
	}
}

// ownError says itself how it is seen.
type ownError struct{ issues []r4.Issue }

func (e *ownError) Error() string      { return "own" }
func (e *ownError) Issues() []r4.Issue { return e.issues }
func (e *ownError) Class() issue.Class { return issue.ClassUnprocessable }
func (e *ownError) Unwrap() error      { return engine.ErrUnknownCode }

// TestOwnIssues checks that an error with issues of its own is written as it says, while
// the exit code is that of what it wraps.
func TestOwnIssues(t *testing.T) {
	own := &ownError{issues: []r4.Issue{
		{Severity: "error", Code: "business-rule", MessageID: "A_B", Details: &r4.CodeableConcept{Text: "first"}},
		{Severity: "warning", Code: "informational", Details: &r4.CodeableConcept{Text: "second"}},
	}}
	err := fmt.Errorf("somewhere: %w", own)
	class, outcome := Outcome(err)
	if diff := cmp.Diff(own.issues, outcome.Issue); diff != "" || class != issue.ClassUnprocessable {
		t.Error(class, diff)
	}
	if code := ExitCode(err); code != ExitNo {
		t.Error("exit code", code)
	}
	const want = `{"resourceType":"OperationOutcome","issue":[{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/operationoutcome-message-id","valueString":"A_B"}],` +
		`"severity":"error","code":"business-rule","details":{"text":"first"}},{"severity":"warning","code":"informational","details":{"text":"second"}}]}`
	if got := string(outcome.AppendJSON(nil)); got != want {
		t.Error(got)
	}
}

// TestSettings checks what a POST may say more loosely than its types have it, and that
// strictness refuses just that.
func TestSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		entries string
		want    map[string][]string
	}{
		"as a string":  {`{"name":"activeOnly","valueString":"true"},{"name":"count","valueCode":"7"},{"name":"date","valueString":"2024"}`, map[string][]string{"activeOnly": {"true"}, "count": {"7"}, "date": {"2024"}}},
		"as a decimal": {`{"name":"count","valueDecimal":7}`, map[string][]string{"count": {"7"}}},
		"the last one": {`{"name":"count","valueInteger":7},{"name":"activeOnly","valueBoolean":true},{"name":"count","valueInteger":8}`, map[string][]string{"count": {"8"}, "activeOnly": {"true"}}},
		"a profile": {
			`{"name":"designation","valueString":"a"},{"name":"profile","resource":{"resourceType":"Parameters","parameter":[
				{"name":"count","valueInteger":9},{"name":"designation","valueString":"b"},{"name":"url","valueUri":"http://no"},
				{"name":"kount","valueInteger":9},{"name":"profile","resource":{"resourceType":"Parameters","parameter":[{"name":"count","valueInteger":1}]}}]}}`,
			map[string][]string{"count": {"9"}, "designation": {"a", "b"}, "url": nil},
		},
		"a profile of another type": {`{"name":"profile","resource":{"resourceType":"ExpansionProfile","parameter":3}}`, map[string][]string{"count": nil}},
		"a profile by its url":      {`{"name":"profile","valueUri":"http://p"},{"name":"count","valueInteger":2}`, map[string][]string{"count": {"2"}}},
	} {
		body := `{"resourceType":"Parameters","parameter":[` + tt.entries + `]}`
		in, err := decodeBody(t, body, false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for parameter, want := range tt.want {
			if d := cmp.Diff(want, in.Strings(parameter)); d != "" {
				t.Errorf("%s: %s: %s", name, parameter, d)
			}
		}
		if _, err := decodeBody(t, body, true); (err == nil) != strings.HasPrefix(name, "a profile") {
			t.Errorf("%s: strict: %v", name, err)
		}
	}
	for entry, says := range map[string]string{
		`{"name":"activeOnly","valueString":"yes"}`:                                                                                "true nor false",
		`{"name":"count","valueDecimal":1.5}`:                                                                                      "not an integer",
		`{"name":"url","valueBoolean":true}`:                                                                                       "where uri is expected",
		`{"name":"url","valueUri":"a"},{"name":"url","valueUri":"b"}`:                                                              "more than once",
		`{"name":"profile","resource":{"resourceType":"Parameters","parameter":3}}`:                                                "profile",
		`{"name":"profile","resource":{"resourceType":"Parameters","parameter":[{"name":"count","valueString":"x"}]}}`:             "count",
		`{"name":"profile","resource":{"resourceType":"Parameters","parameter":[{"name":"activeOnly","valueCoding":{"code":1}}]}}`: "profile",
	} {
		_, err := decodeBody(t, `{"resourceType":"Parameters","parameter":[`+entry+`]}`, false)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", entry, err, says)
		}
	}
}

// TestPassedOver checks that what clients send with every request is no mistake, even
// where a mistyped name is one.
func TestPassedOver(t *testing.T) {
	in, err := decodeQuery(t, "uuid=1&profile=http://x&_limit=10&limit=3&incomplete-ok=true&default-to-latest-version=true&count=2", true)
	if err != nil || in.String("count") != "2" {
		t.Error(err)
	}
	if _, err := decodeQuery(t, "limits=3", true); err == nil {
		t.Error("a mistyped name is taken")
	}
}

// TestGeneratedTooLarge ends what becomes too large.
func TestGeneratedTooLarge(t *testing.T) {
	g := &generated{bytes: maxGeneratedBytes - 2}
	if err := g.add(synth.Chunk{Bytes: []byte("{}")}); err != nil {
		t.Error(err)
	}
	err := g.add(synth.Chunk{Bytes: []byte("{}")})
	if status, outcome := Outcome(err); status != unprocessable || outcome.Issue[0].Code != "too-costly" {
		t.Errorf("%d %+v", status, outcome)
	}
}

// TestGeneratedRefused checks that the outcome names what the store refused.
func TestGeneratedRefused(t *testing.T) {
	g := &generated{bodies: [][]byte{[]byte(`{"resourceType":"Patient","id":"1"}`), []byte(`{"resourceType":"Patient","id":"2"}`)}, results: []resources.LoadResult{
		{Err: &validate.Invalid{Issues: []validate.Issue{{Code: "business-rule", Expression: "Patient.id", Text: "no"}}}},
		{Err: errors.New("secret")},
	}}
	body := g.AppendJSON(nil)
	text := string(body)
	if !json.Valid(body) || g.Yes() || strings.Contains(text, "secret") {
		t.Error(text)
	}
	for _, want := range []string{`"status":"422 Unprocessable Entity","outcome":`, `"code":"business-rule"`, `"expression":["Patient.id"]`, `"status":"500 Internal Server Error"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s has no %s", text, want)
		}
	}
}
