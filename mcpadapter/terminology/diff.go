package terminology

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter/answer"
)

// DiffInput is what diff is asked.
type DiffInput struct {
	System    string `json:"system,omitempty" jsonschema:"code system, to compare two of its versions"`
	From      string `json:"from,omitempty" jsonschema:"version before"`
	To        string `json:"to,omitempty" jsonschema:"version after"`
	ValueSetA string `json:"valueset_a,omitempty" jsonschema:"value set before: url or name"`
	ValueSetB string `json:"valueset_b,omitempty" jsonschema:"value set after"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

// DiffOutput are the changes from one set of codes to another.
type DiffOutput struct {
	Relation string   `json:"relation" jsonschema:"of the first to the second: same, subset, superset, overlapping, disjoint, empty, indeterminate"`
	Added    int      `json:"added"`
	Removed  int      `json:"removed"`
	Changed  int      `json:"changed" jsonschema:"other display, or inactive in one only"`
	Changes  []Change `json:"changes"`
	Next     string   `json:"next,omitempty" jsonschema:"cursor for more"`
	Note     string   `json:"note,omitempty"`
}

// A Change is about one code.
type Change struct {
	Kind   string `json:"kind" jsonschema:"added, removed, renamed, inactivated, activated"`
	Code   string `json:"code"`
	System string `json:"system,omitempty"`
	Before string `json:"before,omitempty" jsonschema:"display before"`
	After  string `json:"after,omitempty" jsonschema:"display after"`
}

func (t *Tools) addDiff(s *mcp.Server) {
	add(s, tool("diff", "Compare versions or value sets",
		"Compares two versions of a code system (system, from, to), or two value sets (valueset_a, valueset_b): codes added, removed, renamed, inactivated."), t.diff)
}

var errDiff = errors.New("give system with the versions from and to, or valueset_a and valueset_b; catalogue lists the versions that are loaded")

// maxCodes bounds the codes of a side; servers have the same bound.
const maxCodes = 1_000_000

// maxCompared bounds the codes of a side whose displays are compared.
const maxCompared = 20_000

func (t *Tools) diff(ctx context.Context, in DiffInput) (DiffOutput, error) {
	same := in
	same.Cursor = ""
	_, offset, arguments, err := page(0, 1, in.Cursor, call{"diff", same})
	if err != nil {
		return DiffOutput{}, err
	}
	before, after, err := t.sides(ctx, &in)
	if err != nil {
		return DiffOutput{}, err
	}
	a, err := t.ask(ctx, "ValueSet", "compare", parameters{}.resource("thisValueSet", before).resource("otherValueSet", after).
		text("version-policy", "never").yes("diagnostics", true).number("limit", maxCodes))
	if err != nil {
		return DiffOutput{}, t.advise(ctx, err, Scope{System: in.System})
	}
	out := DiffOutput{Relation: a.text("result")}
	if out.Relation == "indeterminate" {
		out.Note, out.Changes = answer.Short(a.text("message"), maxText), []Change{}
		return out, nil
	}
	changes, err := t.changes(ctx, before, after, a, &out)
	if err != nil {
		return DiffOutput{}, err
	}
	return out.fill(changes, offset, arguments), nil
}

// sides returns the two value sets to compare.
func (t *Tools) sides(ctx context.Context, in *DiffInput) (before, after map[string]any, err error) {
	switch {
	case in.System != "" && in.From != "" && in.To != "" && in.ValueSetA == "" && in.ValueSetB == "":
		plain, _, _ := strings.Cut(in.System, "|")
		sides := [2]map[string]any{}
		for i, version := range []string{in.From, in.To} {
			canonical, err := t.resolve(ctx, "CodeSystem", plain+"|"+version)
			if err != nil {
				return nil, nil, err
			}
			url, version, _ := strings.Cut(canonical, "|")
			sides[i] = composed(map[string]any{"system": url, "version": version})
		}
		return sides[0], sides[1], nil
	case in.ValueSetA != "" && in.ValueSetB != "" && in.System == "":
		sides := [2]map[string]any{}
		for i, name := range []string{in.ValueSetA, in.ValueSetB} {
			canonical, err := t.resolve(ctx, "ValueSet", name)
			if err != nil {
				return nil, nil, err
			}
			sides[i] = composed(map[string]any{"valueSet": []string{canonical}})
		}
		return sides[0], sides[1], nil
	}
	return nil, nil, errDiff
}

// changes compares the expansions of both sides, where they are not too large; else it takes
// the codes of the comparison.
func (t *Tools) changes(ctx context.Context, before, after map[string]any, a *answered, out *DiffOutput) ([]Change, error) {
	old, err := t.members(ctx, before)
	if err != nil {
		return nil, err
	}
	current, err := t.members(ctx, after)
	if err != nil {
		return nil, err
	}
	var changes []Change
	if old != nil && current != nil {
		changes = between(old, current)
	} else {
		out.Note = fmt.Sprintf("a side has more than %d codes: displays were not compared", maxCompared)
		for _, list := range []struct{ kind, name string }{{"added", "extra-codes"}, {"removed", "missing-codes"}} {
			for _, code := range strings.Split(a.text(list.name), ",") {
				if code != "" {
					changes = append(changes, Change{Kind: list.kind, Code: code})
				}
			}
		}
		if len(changes) == 0 && out.Relation != "same" {
			out.Note += "; and they differ in more than 10,000 codes, which are not listed"
		}
	}
	for i := range changes {
		switch changes[i].Kind {
		case "added":
			out.Added++
		case "removed":
			out.Removed++
		default:
			out.Changed++
		}
	}
	return changes, nil
}

// members returns the codes of a value set by system and code; nil if there are too many.
func (t *Tools) members(ctx context.Context, vs map[string]any) (map[[2]string]member, error) {
	const pageSize = 5000
	all := map[[2]string]member{}
	for offset := 0; ; offset += pageSize {
		e, err := t.expanded(ctx, parameters{}.resource("valueSet", vs).number("offset", offset).number("count", pageSize))
		if err != nil {
			return nil, t.advise(ctx, err, Scope{})
		}
		if e.total() > maxCompared {
			return nil, nil
		}
		for _, m := range e.Contains {
			all[[2]string{m.System, m.Code}] = m
		}
		if len(e.Contains) < pageSize {
			return all, nil
		}
	}
}

// between returns the changes from old to current codes, by kind and code.
func between(old, current map[[2]string]member) []Change {
	var changes []Change
	add := func(kind string, m *member, before, after string) {
		changes = append(changes, Change{
			Kind: kind, Code: m.Code, System: m.System,
			Before: answer.Short(before, maxDisplay), After: answer.Short(after, maxDisplay),
		})
	}
	for key, now := range current {
		was, there := old[key]
		switch {
		case !there:
			add("added", &now, "", now.Display)
		case now.Inactive && !was.Inactive:
			add("inactivated", &now, was.Display, now.Display)
		case was.Inactive && !now.Inactive:
			add("activated", &now, was.Display, now.Display)
		case was.Display != now.Display:
			add("renamed", &now, was.Display, now.Display)
		}
	}
	for key, was := range old {
		if _, there := current[key]; !there {
			add("removed", &was, was.Display, "")
		}
	}
	sort.Slice(changes, func(i, j int) bool {
		x, y := &changes[i], &changes[j]
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.System, y.System), cmp.Compare(x.Code, y.Code)) < 0
	})
	return changes
}

// fill adds changes from offset on: as many as the answer has room for.
func (o DiffOutput) fill(all []Change, offset int, arguments any) DiffOutput {
	rest := all[min(offset, len(all)):]
	with := func(n int) DiffOutput {
		out := o
		out.Changes = append([]Change{}, rest[:n]...)
		if n < len(rest) {
			out.Next = answer.Cursor(offset+n, arguments)
		}
		return out
	}
	return with(answer.Fit(len(rest), budget, func(n int) (any, string) { out := with(n); return out, out.text() }))
}

func (o *DiffOutput) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d added, %d removed, %d changed", o.Relation, o.Added, o.Removed, o.Changed)
	if o.Note != "" {
		b.WriteString("\n" + o.Note)
	}
	for _, c := range o.Changes {
		fmt.Fprintf(&b, "\n%s %s", c.Kind, c.Code)
		switch {
		case c.Before != "" && c.After != "" && c.Before != c.After:
			fmt.Fprintf(&b, " %s -> %s", c.Before, c.After)
		default:
			b.WriteString(" " + cmp.Or(c.After, c.Before))
		}
	}
	if o.Next != "" {
		b.WriteString("\nmore: cursor " + o.Next)
	}
	return b.String()
}
