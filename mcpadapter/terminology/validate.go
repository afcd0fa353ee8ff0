package terminology

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter/answer"
	"github.com/roget-health/roget/resources/r4"
)

// ValidateInput is what validate is asked.
type ValidateInput struct {
	Code    string `json:"code"`
	Display string `json:"display,omitempty" jsonschema:"checked, too"`
	Scope
	ActiveOnly bool   `json:"active_only,omitempty" jsonschema:"an inactive code is not valid"`
	Language   string `json:"language,omitempty"`
}

// ValidateOutput is a verdict.
type ValidateOutput struct {
	Valid       bool          `json:"valid"`
	Code        string        `json:"code"`
	Display     string        `json:"display,omitempty" jsonschema:"the right display"`
	System      string        `json:"system,omitempty"`
	Version     string        `json:"version,omitempty"`
	Inactive    bool          `json:"inactive,omitempty"`
	Problems    []string      `json:"problems,omitempty"`
	ReplacedBy  []Replacement `json:"replaced_by,omitempty"`
	Suggestions []Concept     `json:"suggestions,omitempty" jsonschema:"codes that may be meant"`
	NextStep    string        `json:"next_step,omitempty"`
}

func (t *Tools) addValidate(s *mcp.Server) {
	add(s, tool("validate", "Validate a code",
		"Checks a code and its display against a code system, or against a value set, subtree or expression constraint. If it is not valid, says why and what to use instead."), t.validate)
}

func (t *Tools) validate(ctx context.Context, in ValidateInput) (ValidateOutput, error) {
	if err := checkCode(in.Code); err != nil {
		return ValidateOutput{}, err
	}
	a, system, err := t.checked(ctx, &in)
	if err != nil {
		return ValidateOutput{}, t.advise(ctx, err, in.Scope)
	}
	out := ValidateOutput{
		Valid: a.is("result"), Code: in.Code, Display: answer.Short(a.text("display"), maxDisplay),
		System: a.text("system"), Version: a.text("version"), Inactive: a.is("inactive"),
		Problems: problems(a),
	}
	if out.System == "" {
		out.System, _, _ = strings.Cut(system, "|")
	}
	if code := a.text("normalized-code"); code != "" {
		out.NextStep = "write the code as " + code
	}
	switch {
	case out.Inactive:
		out.ReplacedBy = t.successorsOf(ctx, out.System, in.Code)
	case !out.Valid && in.ValueSet+in.Below+in.ECL != "":
		out.Suggestions = t.inScope(ctx, &in, out.Display)
	case !out.Valid && out.Display == "":
		out.Suggestions = t.nearCodes(ctx, in.Code, in.Display, system)
	}
	out.advise(&in)
	return out, nil
}

// checked runs the operation that fits the scope. System is that of the code, if it is
// known.
func (t *Tools) checked(ctx context.Context, in *ValidateInput) (a *answered, system string, err error) {
	p := parameters{}.text("code", in.Code).text("display", in.Display).text("displayLanguage", in.Language)
	narrowed := in.ValueSet != "" || in.Below != "" || in.ECL != ""
	if !narrowed {
		if system, err = t.systemOf(ctx, in.Code, in.System); err != nil {
			return nil, "", err
		}
		plain, version, _ := strings.Cut(system, "|")
		if in.ActiveOnly {
			a, err = t.ask(ctx, "ValueSet", "validate-code", p.text("system", plain).text("systemVersion", version).resource("valueSet", all([]string{plain})).yes("activeOnly", true))
		} else {
			a, err = t.ask(ctx, "CodeSystem", "validate-code", p.text("url", plain).text("version", version))
		}
		return a, system, err
	}
	if in.ECL != "" && in.System == "" {
		in.System = snomed
	}
	if system, err = t.resolve(ctx, "CodeSystem", in.System); err != nil {
		return nil, "", err
	}
	plain, version, _ := strings.Cut(system, "|")
	p = p.text("system", plain).text("systemVersion", version).yes("activeOnly", in.ActiveOnly).yes("inferSystem", plain == "")
	if p, err = t.scoped(ctx, p, in.Scope); err != nil {
		return nil, "", err
	}
	a, err = t.ask(ctx, "ValueSet", "validate-code", p)
	return a, system, err
}

// scoped adds the value set of a scope: a value set alone by its canonical, so that messages
// name it. System is that of the code.
func (t *Tools) scoped(ctx context.Context, p parameters, s Scope) (parameters, error) {
	if s.Below == "" && s.ECL == "" {
		canonical, err := t.resolve(ctx, "ValueSet", s.ValueSet)
		if err != nil {
			return nil, err
		}
		url, version, _ := strings.Cut(canonical, "|")
		return p.text("url", url).text("valueSetVersion", version), nil
	}
	vs, err := t.set(ctx, s)
	if err != nil {
		return nil, err
	}
	return p.resource("valueSet", vs), nil
}

// maxProblems bounds the problems of an answer.
const maxProblems = 8

// problems returns the texts of the issues, errors first.
func problems(a *answered) []string {
	p := a.find("issues")
	if p == nil {
		if message := a.text("message"); message != "" && !a.is("result") {
			return []string{answer.Short(message, maxText)}
		}
		return nil
	}
	var errs, rest []string
	for _, is := range issuesOf(p.Resource) {
		text := answer.Short(issueText(&is), 500)
		switch {
		case is.Severity == "error" || is.Severity == "fatal":
			errs = append(errs, text)
		case !isStatus(&is):
			rest = append(rest, text)
		}
	}
	list := append(errs, rest...)
	return list[:min(len(list), maxProblems)]
}

// isStatus reports whether an issue is only about the status of a resource, such as draft.
func isStatus(is *r4.Issue) bool {
	return is.Severity == "information" && is.Details != nil && len(is.Details.Coding) > 0 && is.Details.Coding[0].Code == "status-check"
}

// successorsOf returns what replaced a code.
func (t *Tools) successorsOf(ctx context.Context, system, code string) []Replacement {
	a, err := t.ask(ctx, "CodeSystem", "lookup", parameters{}.text("system", system).text("code", code))
	if err != nil {
		return nil
	}
	return t.replacements(ctx, system, code, true, factsOf(a))
}

// advise sets the next step.
func (o *ValidateOutput) advise(in *ValidateInput) {
	switch {
	case o.NextStep != "":
	case len(o.ReplacedBy) > 0:
		o.NextStep = fmt.Sprintf("%s is inactive: use %s %s instead, if it means the same in your case", o.Code, o.ReplacedBy[0].Code, o.ReplacedBy[0].Display)
	case o.Inactive:
		o.NextStep = o.Code + " is inactive: find an active code by its meaning"
	case o.Valid:
	case len(o.Suggestions) > 0:
		o.NextStep = "use one of suggestions, or find to look for the code by its meaning"
	case o.Display == "" && in.ValueSet == "":
		o.NextStep = "the code does not exist there: use find to look for it by its meaning"
	case in.ValueSet != "" || in.ECL != "" || in.Below != "":
		o.NextStep = "explain says which part of the scope leaves the code out; find with the same scope looks for a code that is in it"
	case in.Display != "":
		o.NextStep = "use the display " + o.Display
	}
}

func (o *ValidateOutput) text() string {
	var b strings.Builder
	verdict := "not valid"
	if o.Valid {
		verdict = "valid"
	}
	fmt.Fprintf(&b, "%s: %s %s", verdict, answer.Cut(o.Code, 200), o.Display)
	if o.System != "" {
		b.WriteString("\n" + joined(o.System, o.Version))
	}
	for _, p := range o.Problems {
		b.WriteString("\n" + p)
	}
	for _, r := range o.ReplacedBy {
		fmt.Fprintf(&b, "\n%s: %s %s", r.Relation, r.Code, r.Display)
	}
	for i := range o.Suggestions {
		b.WriteString("\nperhaps: " + o.Suggestions[i].line())
	}
	if o.NextStep != "" {
		b.WriteString("\nnext: " + o.NextStep)
	}
	return b.String()
}
