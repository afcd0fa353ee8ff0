package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/engine/validation"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// ExplainRequest is the request of Explain (ValueSet/$explain).
type ExplainRequest struct {
	ID                    string
	URL, ValueSetVersion  string
	ValueSet              *r4.ValueSet // given with the request
	Code, System, Version string       // an empty system or version matches any
	Coding                *r4.Coding
	DisplayLanguage       string
	Versions              VersionRules
}

// ExplainResult is the result of Explain.
type ExplainResult struct {
	Code, System, Version string
	Display               string // of the code, if its code system has it
	// Tree has the value set at its root, then the includes and excludes, then their conditions.
	Tree *valueset.Explanation
}

// Explain returns why a code is or is not in a value set. An element of the value set that cannot
// be evaluated is no error: the tree has the reason. Errors: those of finding the value set,
// ErrMissingParameter, ErrInvalidParameter.
func (e *Engine) Explain(ctx context.Context, req *ExplainRequest) (*ExplainResult, error) {
	ctx, span := e.observe(ctx, "explain", req.URL)
	r, err := e.explain(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) explain(ctx context.Context, req *ExplainRequest) (*ExplainResult, error) {
	if err := validation.OneOf(req.Code, req.Coding, nil); err != nil {
		return nil, err
	}
	system, version, err := e.source().State.SplitSystem("system", req.System, req.Version)
	if err != nil {
		return nil, err
	}
	r := ExplainResult{Code: req.Code, System: system, Version: version}
	if c := req.Coding; c != nil {
		r.Code, r.System, r.Version = c.Code, cmp.Or(c.System, system), cmp.Or(c.Version, version)
		if r.Code == "" {
			return nil, issue.Missing("coding", "it has no code")
		}
	}
	want, err := language.Parse(req.DisplayLanguage)
	if err != nil {
		return nil, err
	}
	src, err := e.source().About(ctx, resolve.Asked{System: r.System, Version: r.Version, Code: r.Code})
	if err != nil {
		return nil, err
	}
	if src, err = src.Ruled(&req.Versions); err != nil {
		return nil, err
	}
	t, err := src.Named(req.ID, req.URL, req.ValueSetVersion, req.ValueSet)
	if err != nil {
		return nil, err
	}
	vs, err := t.Definition()
	if err != nil {
		return nil, err
	}
	r.Tree, err = valueset.Explain(ctx, src, vs, r.System, r.Version, r.Code, nil)
	if err != nil {
		return nil, t.Failed(err)
	}
	if x, err := src.CodeSystem(ctx, r.System, r.Version); err == nil {
		if o, ok := x.Find(r.Code); ok {
			c := language.Concept{Index: x, Ord: o, Display: x.Display(o)}
			r.Display = c.PickDisplay(&want)
		}
	}
	return &r, nil
}

// AppendJSON appends the Parameters resource.
func (r *ExplainResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Boolean("result", r.Tree.Verdict)
	if r.Display != "" {
		w.String("display", r.Display)
	}
	w.Code("code", r.Code)
	if r.System != "" {
		w.URI("system", r.System)
	}
	if r.Version != "" {
		w.String("version", r.Version)
	}
	w.String("message", r.Tree.Reason)
	appendExplanation(&w, r.Tree)
	return w.Finish()
}

func appendExplanation(w *r4.ParametersWriter, e *valueset.Explanation) {
	w.Begin("explanation")
	w.String("label", e.Label)
	w.Boolean("verdict", e.Verdict)
	if e.Reason != "" {
		w.String("reason", e.Reason)
	}
	if e.Expression != "" {
		w.String("expression", e.Expression)
	}
	for _, child := range e.Children {
		appendExplanation(w, child)
	}
	w.End()
}

// Yes reports whether the code is in the value set.
func (r *ExplainResult) Yes() bool { return r.Tree.Verdict }

// Table has one row for each element of the tree, indented by its depth.
func (r *ExplainResult) Table() *Table {
	verdict := "is not in"
	if r.Tree.Verdict {
		verdict = "is in"
	}
	t := &Table{
		Title:  strings.TrimSpace(fmt.Sprintf("%s %s", r.Code, r.Display)) + " " + verdict + " " + r.Tree.Label,
		Header: []string{"", "ELEMENT", "REASON"},
	}
	var add func(e *valueset.Explanation, depth int)
	add = func(e *valueset.Explanation, depth int) {
		mark := "no"
		if e.Verdict {
			mark = "yes"
		}
		t.Rows = append(t.Rows, []string{mark, strings.Repeat("  ", depth) + e.Label, e.Reason})
		for _, child := range e.Children {
			add(child, depth+1)
		}
	}
	add(r.Tree, 0)
	return t
}
