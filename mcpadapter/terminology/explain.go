package terminology

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter/answer"
)

// ExplainInput is what explain is asked.
type ExplainInput struct {
	Code string `json:"code"`
	Scope
	Cursor string `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

// ExplainOutput is why a code is or is not in a scope.
type ExplainOutput struct {
	Member   bool   `json:"member"`
	Code     string `json:"code"`
	Display  string `json:"display,omitempty"`
	Reason   string `json:"reason"`
	Steps    []Step `json:"steps" jsonschema:"the elements of the definition, parents before children"`
	Total    int    `json:"total"`
	NextStep string `json:"next_step,omitempty"`
	Next     string `json:"next,omitempty" jsonschema:"cursor for more"`
}

// A Step is an element of a value set.
type Step struct {
	Depth   int    `json:"depth"`
	Element string `json:"element"`
	Selects bool   `json:"selects" jsonschema:"for an exclude: whether it removes the code"`
	Reason  string `json:"reason,omitempty"`
}

func (t *Tools) addExplain(s *mcp.Server) {
	add(s, tool("explain", "Explain membership",
		"Says why a code is or is not in a value set, subtree or expression constraint: which include, filter or exclude decides. With system only: why a code is refused."), t.explain)
}

func (t *Tools) explain(ctx context.Context, in ExplainInput) (ExplainOutput, error) {
	if err := checkCode(in.Code); err != nil {
		return ExplainOutput{}, err
	}
	same := in
	same.Cursor = ""
	_, offset, arguments, err := page(0, 1, in.Cursor, call{"explain", same})
	if err != nil {
		return ExplainOutput{}, err
	}
	if in.ValueSet == "" && in.Below == "" && in.ECL == "" {
		return t.refusedBy(ctx, &in)
	}
	p, err := t.explained(ctx, &in)
	if err != nil {
		return ExplainOutput{}, err
	}
	a, err := t.ask(ctx, "ValueSet", "explain", p)
	if err != nil {
		return ExplainOutput{}, t.advise(ctx, err, in.Scope)
	}
	out := ExplainOutput{
		Member: a.is("result"), Code: in.Code, Display: answer.Short(a.text("display"), maxDisplay),
		Reason: answer.Short(a.text("message"), maxText),
	}
	if !out.Member {
		out.NextStep = "find with the same scope looks for a code that is in it"
		if out.Display == "" {
			out.NextStep = "validate with system says whether the code exists at all and what is spelled nearly so"
		}
	}
	return out.fill(steps(a, 0), offset, arguments), nil
}

// explained returns the parameters of $explain.
func (t *Tools) explained(ctx context.Context, in *ExplainInput) (parameters, error) {
	system, err := t.resolve(ctx, "CodeSystem", in.System)
	if err != nil {
		return nil, err
	}
	plain, version, _ := strings.Cut(system, "|")
	p := parameters{}.text("code", in.Code).text("system", plain).text("version", version)
	return t.scoped(ctx, p, in.Scope)
}

// refusedBy explains a code in its code system.
func (t *Tools) refusedBy(ctx context.Context, in *ExplainInput) (ExplainOutput, error) {
	v, err := t.validate(ctx, ValidateInput{Code: in.Code, Scope: in.Scope})
	if err != nil {
		return ExplainOutput{}, err
	}
	out := ExplainOutput{Member: v.Valid, Code: v.Code, Display: v.Display, Steps: []Step{}, NextStep: v.NextStep, Reason: strings.Join(v.Problems, "; ")}
	if out.Reason == "" {
		out.Reason = "the code is in " + joined(v.System, v.Version)
	}
	if v.Inactive {
		out.Reason += "; it is inactive"
	}
	if len(v.Suggestions) > 0 {
		var lines []string
		for i := range v.Suggestions {
			lines = append(lines, v.Suggestions[i].line())
		}
		out.NextStep = "codes that may be meant: " + strings.Join(lines, "; ")
	}
	return out, nil
}

// maxDepth bounds the depth of an explanation.
const maxDepth = 40

// steps returns the elements below a node of the tree.
func steps(a *answered, depth int) []Step {
	var list []Step
	if depth > maxDepth {
		return nil
	}
	for _, node := range a.all("explanation") {
		list = append(list, Step{
			Depth: depth, Element: answer.Short(node.text("label"), 300),
			Selects: node.is("verdict"), Reason: answer.Short(node.text("reason"), 400),
		})
		list = append(list, steps(&node, depth+1)...)
	}
	return list
}

// fill adds steps from offset on: as many as the answer has room for.
func (o ExplainOutput) fill(all []Step, offset int, arguments any) ExplainOutput {
	o.Total = len(all)
	rest := all[min(offset, len(all)):]
	with := func(n int) ExplainOutput {
		out := o
		out.Steps = append([]Step{}, rest[:n]...)
		if n < len(rest) {
			out.Next = answer.Cursor(offset+n, arguments)
		}
		return out
	}
	return with(answer.Fit(len(rest), budget, func(n int) (any, string) { out := with(n); return out, out.text() }))
}

func (o *ExplainOutput) text() string {
	var b strings.Builder
	verdict := "is not in"
	if o.Member {
		verdict = "is in"
	}
	fmt.Fprintf(&b, "%s %s %s the scope: %s", answer.Cut(o.Code, 200), o.Display, verdict, o.Reason)
	for _, s := range o.Steps {
		mark := "no"
		if s.Selects {
			mark = "yes"
		}
		fmt.Fprintf(&b, "\n%s%s: %s", strings.Repeat(" ", min(s.Depth, 12)), mark, s.Element)
		if s.Reason != "" {
			b.WriteString(" (" + s.Reason + ")")
		}
	}
	if o.NextStep != "" {
		b.WriteString("\nnext: " + o.NextStep)
	}
	if o.Next != "" {
		b.WriteString("\nmore: cursor " + o.Next)
	}
	return b.String()
}
