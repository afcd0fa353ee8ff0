package terminology

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/engine/spelling"
	"github.com/roget-health/roget/mcpadapter/answer"
)

// FindInput is what find is asked.
type FindInput struct {
	Text string `json:"text" jsonschema:"words, or beginnings of words, in any order; also a code"`
	Scope
	Language   string `json:"language,omitempty" jsonschema:"language of the displays, such as de"`
	ActiveOnly bool   `json:"active_only,omitempty" jsonschema:"leave out inactive codes"`
	Limit      int    `json:"limit,omitempty" jsonschema:"codes wanted, 10 by default"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

// ListOutput is a page of codes.
type ListOutput struct {
	Total  int       `json:"total" jsonschema:"codes in all"`
	System string    `json:"system,omitempty" jsonschema:"code system of all codes"`
	Codes  []Concept `json:"codes"`
	Next   string    `json:"next,omitempty" jsonschema:"cursor for more"`
	Note   string    `json:"note,omitempty"`
}

func (t *Tools) addFind(s *mcp.Server) {
	add(s, tool("find", "Find codes by text",
		"Finds codes by the words of their displays and synonyms, best first. Searches all loaded code systems unless system, valueset, below or ecl narrow it. Forgives misspellings."), t.find)
}

const (
	// findLimit and listLimit are the codes of an answer by default, maxList the most.
	findLimit, listLimit, maxList = 10, 50, 200
	maxQuery                      = 500 // bytes of a text to find
)

var errNoText = errors.New("text is empty: give words to find, or use expand to list all codes of a scope")

func (t *Tools) find(ctx context.Context, in FindInput) (ListOutput, error) {
	in.Text = strings.Join(words(in.Text), " ")
	switch {
	case in.Text == "":
		return ListOutput{}, errNoText
	case len(in.Text) > maxQuery:
		return ListOutput{}, fmt.Errorf("text has more than %d bytes: give the few words that matter", maxQuery)
	}
	limit, offset, arguments, err := page(in.Limit, findLimit, in.Cursor, call{"find", FindInput{Text: in.Text, Scope: in.Scope, Language: in.Language, ActiveOnly: in.ActiveOnly}})
	if err != nil {
		return ListOutput{}, err
	}
	vs, err := t.set(ctx, in.Scope)
	if err != nil {
		return ListOutput{}, err
	}
	var scopes []any
	if vs != nil {
		scopes = []any{vs}
	} else if scopes, err = t.everywhere(ctx); err != nil {
		return ListOutput{}, err
	}
	search := searching{tools: t, in: in, limit: limit, offset: offset}
	for _, vs := range scopes {
		search.set = vs
		found, err := search.run(ctx)
		if err != nil {
			return ListOutput{}, t.advise(ctx, err, in.Scope)
		}
		if found.total() > 0 {
			return fill(found, offset, arguments, "", in.Text), nil
		}
	}
	for _, vs := range scopes {
		search.set = vs
		found, note, err := search.nearly(ctx)
		if err != nil {
			return ListOutput{}, t.advise(ctx, err, in.Scope)
		}
		if len(found) > 0 {
			return fill(&expansion{Contains: found}, 0, nil, note, in.Text), nil
		}
	}
	return ListOutput{Codes: []Concept{}, Note: "nothing found, not even with other spellings; try a synonym, fewer words or another code system"}, nil
}

// everywhere returns the value sets to search one after the other when nothing narrows the
// search: all code systems that are not part of FHIR, then those that are.
func (t *Tools) everywhere(ctx context.Context) ([]any, error) {
	own, basic, err := t.systems(ctx)
	if err != nil {
		return nil, err
	}
	var scopes []any
	for _, systems := range [][]string{own, basic} {
		if len(systems) > 0 {
			scopes = append(scopes, all(systems))
		}
	}
	if scopes == nil {
		return nil, errors.New("no code system is loaded: load one with roget load")
	}
	return scopes, nil
}

// words returns the words of a text.
func words(text string) []string {
	return strings.FieldsFunc(answer.Clean(text), unicode.IsSpace)
}

// A call is a tool with the arguments that stay the same from page to page.
type call struct {
	Tool      string
	Arguments any
}

// page reads the size of a page and the cursor. Arguments are returned for the next cursor.
func page(limit, preset int, cursor string, arguments call) (size, offset int, same any, err error) {
	if limit < 0 {
		return 0, 0, nil, fmt.Errorf("limit is %d: give a number from 1 to %d, or leave it out", limit, maxList)
	}
	if limit == 0 {
		limit = preset
	}
	offset, err = answer.Offset(cursor, arguments)
	return min(limit, maxList), offset, arguments, err
}

// fill makes a page of an expansion that begins at offset: as many codes as an answer has
// room for. Without arguments there is no cursor.
func fill(found *expansion, offset int, arguments any, note, sought string) ListOutput {
	list := make([]Concept, len(found.Contains))
	for i := range found.Contains {
		m := &found.Contains[i]
		list[i] = conceptOf(m)
		list[i].Matched = matched(m, sought)
	}
	with := func(n int) ListOutput {
		out := ListOutput{Total: max(found.total(), offset+len(list)), Codes: append([]Concept{}, list[:n]...), Note: note}
		out.System = hoist(out.Codes)
		if end := offset + n; arguments != nil && end < out.Total {
			out.Next = answer.Cursor(end, arguments)
		}
		return out
	}
	n := answer.Fit(len(list), budget, func(n int) (any, string) { out := with(n); return out, out.text() })
	return with(max(n, min(len(list), 1)))
}

// matched returns the designation that has the words of a text, or has them spelled nearly so;
// "" if the display has them.
func matched(m *member, sought string) string {
	if m.near != "" {
		return answer.Short(m.near, 100)
	}
	want := words(sought)
	if len(want) == 0 || hasWords(m.Display, want) || hasWords(m.Code, want) {
		return ""
	}
	for _, d := range m.Designation {
		if hasWords(d.Value, want) {
			return answer.Short(d.Value, 100)
		}
	}
	return ""
}

// hasWords reports whether each of some words begins a word of a text.
func hasWords(text string, want []string) bool {
	have := spelling.Words(text)
	for _, w := range want {
		for _, part := range spelling.Words(w) {
			found := false
			for _, h := range have {
				found = found || strings.HasPrefix(h, part)
			}
			if !found {
				return false
			}
		}
	}
	return true
}

// text writes the page for people.
func (o *ListOutput) text() string {
	var b strings.Builder
	if o.Note != "" {
		b.WriteString(o.Note + "\n")
	}
	fmt.Fprintf(&b, "%d of %d", len(o.Codes), o.Total)
	if o.System != "" {
		b.WriteString(" of " + o.System)
	}
	for i := range o.Codes {
		b.WriteString("\n" + o.Codes[i].line())
	}
	if o.Next != "" {
		b.WriteString("\nmore: cursor " + o.Next)
	}
	return b.String()
}
