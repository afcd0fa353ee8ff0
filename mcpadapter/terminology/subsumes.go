package terminology

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// SubsumesInput is what subsumes is asked.
type SubsumesInput struct {
	CodeA  string `json:"code_a"`
	CodeB  string `json:"code_b"`
	System string `json:"system,omitempty" jsonschema:"url, url|version or name; without it, the loaded systems are tried"`
}

// SubsumesOutput is how two codes stand in the hierarchy.
type SubsumesOutput struct {
	Relation  string `json:"relation" jsonschema:"subsumes (b is a kind of a), subsumed-by (a is a kind of b), equivalent, not-subsumed"`
	Statement string `json:"statement"`
	DisplayA  string `json:"display_a"`
	DisplayB  string `json:"display_b"`
	System    string `json:"system"`
}

func (o *SubsumesOutput) text() string { return o.Statement }

func (t *Tools) addSubsumes(s *mcp.Server) {
	add(s, tool("subsumes", "Compare two codes by the hierarchy",
		"Says whether one code is a kind of another, in either direction."), t.subsumes)
}

func (t *Tools) subsumes(ctx context.Context, in SubsumesInput) (SubsumesOutput, error) {
	if err := errors.Join(checkCode(in.CodeA), checkCode(in.CodeB)); err != nil {
		return SubsumesOutput{}, errors.New("give code_a and code_b: two codes of one code system")
	}
	system, err := t.systemOf(ctx, in.CodeA, in.System)
	if err != nil {
		return SubsumesOutput{}, err
	}
	var displays [2]string
	for i, code := range []string{in.CodeA, in.CodeB} {
		c, err := t.concept(ctx, system, code)
		if err != nil {
			return SubsumesOutput{}, t.noSuchCode(ctx, err, code, system)
		}
		displays[i] = c.Display
	}
	a, err := t.ask(ctx, "CodeSystem", "subsumes", parameters{}.text("codeA", in.CodeA).text("codeB", in.CodeB).text("system", system))
	if err != nil {
		return SubsumesOutput{}, t.advise(ctx, err, Scope{System: system})
	}
	out := SubsumesOutput{Relation: a.text("outcome"), DisplayA: displays[0], DisplayB: displays[1], System: system}
	nameA, nameB := in.CodeA+" "+out.DisplayA, in.CodeB+" "+out.DisplayB
	switch out.Relation {
	case "subsumes":
		out.Statement = nameB + " is a kind of " + nameA
	case "subsumed-by":
		out.Statement = nameA + " is a kind of " + nameB
	case "equivalent":
		out.Statement = nameA + " and " + nameB + " are the same"
	default:
		out.Statement = "neither is a kind of the other: " + nameA + "; " + nameB
	}
	return out, nil
}
