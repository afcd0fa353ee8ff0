package engine

import (
	"context"
	"strconv"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// MemberOfRequest is the request of MemberOf (clinical document 4.2). All fields are required;
// ValueSetURL may be url|version.
type MemberOfRequest struct{ Code, System, ValueSetURL string }

// MemberOfResult is the result of MemberOf.
type MemberOfResult struct {
	Member                    bool
	Display                   string // of the code, if it is a member
	Code, System, ValueSetURL string // of the request
}

// MemberOf reports whether a code is in a value set. For an unknown code or code system the answer
// is no. It does not allocate if the compiled value set is cached. Errors: ErrUnknownValueSet,
// ErrMissingParameter, and errors of compiling the value set.
func (e *Engine) MemberOf(ctx context.Context, req *MemberOfRequest) (MemberOfResult, error) {
	ctx, span := e.observe(ctx, "member-of", req.ValueSetURL)
	r, err := e.memberOf(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) memberOf(ctx context.Context, req *MemberOfRequest) (MemberOfResult, error) {
	r := MemberOfResult{Code: req.Code, System: req.System, ValueSetURL: req.ValueSetURL}
	switch "" {
	case req.Code:
		return r, issue.Missing("code", "the code to seek")
	case req.System:
		return r, issue.Missing("system", "the code system of the code")
	case req.ValueSetURL:
		return r, issue.Missing("valueSetUrl", "the canonical of the value set")
	}
	src := e.source()
	system, version, err := src.State.SplitSystem("system", req.System, "")
	if err != nil {
		return r, err
	}
	if src, err = src.About(ctx, resolve.Asked{System: system, Version: version, Code: req.Code}); err != nil {
		return r, err
	}
	t, err := src.Target("valueSetUrl", req.ValueSetURL, "")
	if err != nil {
		return r, err
	}
	set, err := src.Set(ctx, &t)
	if err != nil {
		return r, err
	}
	entry, ok := set.Contains(system, version, req.Code)
	if ok {
		r.Member, r.Display = true, entry.Display
	}
	return r, nil
}

// AppendJSON appends the Parameters resource.
func (r *MemberOfResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Boolean("result", r.Member)
	if r.Member && r.Display != "" {
		w.String("display", r.Display)
	}
	w.Code("code", r.Code)
	w.URI("system", r.System)
	w.URI("valueSetUrl", r.ValueSetURL)
	return w.Finish()
}

// Yes reports whether the code is a member.
func (r *MemberOfResult) Yes() bool { return r.Member }

// Table has one row for each fact.
func (r *MemberOfResult) Table() *Table {
	t := &Table{Header: []string{"NAME", "VALUE"}, Rows: [][]string{{"result", strconv.FormatBool(r.Member)}}}
	if r.Display != "" {
		t.Rows = append(t.Rows, []string{"display", r.Display})
	}
	t.Rows = append(t.Rows, []string{"code", r.Code}, []string{"system", r.System}, []string{"valueSetUrl", r.ValueSetURL})
	return t
}
