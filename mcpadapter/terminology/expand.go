package terminology

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter/answer"
)

// ExpandInput is what expand is asked.
type ExpandInput struct {
	Scope
	Filter     string `json:"filter,omitempty" jsonschema:"words that the codes must have"`
	Language   string `json:"language,omitempty"`
	ActiveOnly bool   `json:"active_only,omitempty"`
	CountOnly  bool   `json:"count_only,omitempty" jsonschema:"only how many codes there are"`
	Limit      int    `json:"limit,omitempty" jsonschema:"codes wanted, 50 by default"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

func (t *Tools) addExpand(s *mcp.Server) {
	add(s, tool("expand", "List codes",
		"Lists or counts the codes of a value set, a code system, a subtree (below) or an expression constraint (ecl); together they intersect. Pages by cursor."), t.expand)
}

func (t *Tools) expand(ctx context.Context, in ExpandInput) (ListOutput, error) {
	limit, offset, arguments, err := page(in.Limit, listLimit, in.Cursor, call{"expand", ExpandInput{Scope: in.Scope, Filter: in.Filter, Language: in.Language, ActiveOnly: in.ActiveOnly}})
	if err != nil {
		return ListOutput{}, err
	}
	if len(in.Filter) > maxQuery {
		return ListOutput{}, fmt.Errorf("filter has more than %d bytes: give the few words that matter", maxQuery)
	}
	vs, err := t.set(ctx, in.Scope)
	if err != nil {
		return ListOutput{}, err
	}
	if vs == nil {
		return ListOutput{}, errScope
	}
	if in.CountOnly {
		limit, arguments = 0, nil
	}
	found, err := t.expanded(ctx, parameters{}.resource("valueSet", vs).text("filter", answer.Line(in.Filter)).
		text("displayLanguage", in.Language).yes("activeOnly", in.ActiveOnly).number("offset", offset).number("count", limit))
	if err != nil {
		return ListOutput{}, t.advise(ctx, err, in.Scope)
	}
	out := fill(found, offset, arguments, "", "")
	if out.Total == 0 {
		out.Note = "no code is in this scope"
	}
	return out, nil
}
