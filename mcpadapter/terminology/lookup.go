package terminology

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter/answer"
)

// LookupInput is what lookup is asked.
type LookupInput struct {
	Code       string   `json:"code"`
	System     string   `json:"system,omitempty" jsonschema:"url, url|version or name; without it, the loaded systems are tried"`
	Properties []string `json:"properties,omitempty" jsonschema:"only these: parent, child, designation or properties of the system"`
	Language   string   `json:"language,omitempty"`
	Cursor     string   `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

// LookupOutput is a concept.
type LookupOutput struct {
	Code       string        `json:"code"`
	Display    string        `json:"display"`
	System     string        `json:"system"`
	Version    string        `json:"version,omitempty"`
	Definition string        `json:"definition,omitempty"`
	Inactive   bool          `json:"inactive,omitempty"`
	Abstract   bool          `json:"abstract,omitempty"`
	ReplacedBy []Replacement `json:"replaced_by,omitempty"`
	Facts      []Fact        `json:"facts" jsonschema:"parents, synonyms, properties, children"`
	Total      int           `json:"total" jsonschema:"facts in all"`
	Next       string        `json:"next,omitempty" jsonschema:"cursor for more"`
}

// A Fact is a property or designation of a concept.
type Fact struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Display string `json:"display,omitempty"`
}

// A Replacement is a code to use instead of an inactive one.
type Replacement struct {
	Relation string `json:"relation"`
	Code     string `json:"code"`
	Display  string `json:"display,omitempty"`
}

func (t *Tools) addLookup(s *mcp.Server) {
	add(s, tool("lookup", "Look up a code",
		"Returns what a code means: display, definition, parents, synonyms, properties, children, whether it is inactive, and what replaced it."), t.lookup)
}

var errNoCode = errors.New("code is empty: give the code, or use find to look for one by its meaning")

// maxCode bounds a code.
const maxCode = 500

func checkCode(code string) error {
	switch {
	case strings.TrimSpace(code) == "":
		return errNoCode
	case len(code) > maxCode:
		return fmt.Errorf("the code has more than %d bytes: give one code", maxCode)
	}
	return nil
}

func (t *Tools) lookup(ctx context.Context, in LookupInput) (LookupOutput, error) {
	if err := checkCode(in.Code); err != nil {
		return LookupOutput{}, err
	}
	same := in
	same.Cursor = ""
	_, offset, arguments, err := page(0, 1, in.Cursor, call{"lookup", same})
	if err != nil {
		return LookupOutput{}, err
	}
	system, err := t.systemOf(ctx, in.Code, in.System)
	if err != nil {
		return LookupOutput{}, err
	}
	p := parameters{}.text("code", in.Code).text("system", system).text("displayLanguage", in.Language)
	for _, name := range in.Properties {
		p = p.text("property", name)
	}
	if len(in.Properties) > 0 {
		p = p.text("property", "inactive")
	}
	a, err := t.ask(ctx, "CodeSystem", "lookup", p)
	if err != nil {
		return LookupOutput{}, t.noSuchCode(ctx, err, in.Code, system)
	}
	out := LookupOutput{
		Code: a.text("code"), Display: answer.Short(a.text("display"), maxDisplay), System: a.text("system"), Version: a.text("version"),
		Definition: answer.Cut(answer.Clean(a.text("definition")), maxText), Abstract: a.is("abstract"),
	}
	facts := factsOf(a)
	for _, f := range facts {
		out.Inactive = out.Inactive || f.Name == "inactive" && f.Value == "true"
	}
	if offset == 0 {
		out.ReplacedBy = t.replacements(ctx, out.System, out.Code, out.Inactive, facts)
	}
	facts = slices.DeleteFunc(facts, func(f Fact) bool { return f.Name == "inactive" })
	return out.fill(facts, offset, arguments), nil
}

// fill adds facts from offset on: as many as the answer has room for.
func (o LookupOutput) fill(facts []Fact, offset int, arguments any) LookupOutput {
	o.Total = len(facts)
	rest := facts[min(offset, len(facts)):]
	with := func(n int) LookupOutput {
		out := o
		out.Facts = append([]Fact{}, rest[:n]...)
		if n < len(rest) {
			out.Next = answer.Cursor(offset+n, arguments)
		}
		return out
	}
	return with(answer.Fit(len(rest), budget, func(n int) (any, string) { out := with(n); return out, out.text() }))
}

// ranks is the order of facts; others stand between.
var ranks = map[string]int{"parent": -2, "synonym": -1, "child": 1}

// factsOf returns the designations and properties of a concept.
func factsOf(a *answered) []Fact {
	var facts []Fact
	display := a.text("display")
	for _, d := range a.all("designation") {
		value := answer.Line(d.text("value"))
		if value == answer.Line(display) && d.text("language") == "" {
			continue
		}
		facts = append(facts, Fact{Name: "synonym", Value: answer.Cut(value, maxDisplay), Display: strings.TrimSpace(d.text("language") + " " + d.coding("use").Display)})
	}
	properties := a.all("property")
	in := grouped(properties)
	for i := range properties {
		if p := &properties[i]; !in[stated(p)] {
			facts = append(facts, factOf(p))
		}
	}
	slices.SortStableFunc(facts, func(x, y Fact) int { return cmp.Compare(ranks[x.Name], ranks[y.Name]) })
	return facts
}

// A statement is a property with its value.
type statement struct{ code, value string }

func stated(p *answered) statement {
	s := statement{code: p.text("code")}
	if v := p.find("value"); v != nil {
		s.value, _ = valueText(v.Value)
	}
	return s
}

// grouped returns the properties that are part of role groups, which say more.
func grouped(properties []answered) map[statement]bool {
	in := map[statement]bool{}
	for i := range properties {
		for _, sub := range properties[i].all("subproperty") {
			in[stated(&sub)] = true
		}
	}
	return in
}

func factOf(p *answered) Fact {
	f := Fact{Name: p.text("code"), Display: answer.Short(p.text("description"), maxDisplay)}
	if v := p.find("value"); v != nil {
		var display string
		f.Value, display = valueText(v.Value)
		f.Display = cmp.Or(f.Display, answer.Short(display, maxDisplay))
	}
	var inner []string // attributes of a role group, or what qualifies the value
	for _, sub := range p.all("subproperty") {
		g := factOf(&sub)
		inner = append(inner, strings.TrimSpace(g.Name+" = "+g.Value+" "+g.Display))
	}
	if len(inner) > 0 {
		f.Value = strings.TrimPrefix(f.Value+"; "+strings.Join(inner, "; "), "; ")
	}
	f.Value = answer.Cut(answer.Clean(f.Value), maxText)
	return f
}

func (o *LookupOutput) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n%s", o.Code, o.Display, joined(o.System, o.Version))
	if o.Inactive {
		b.WriteString("\ninactive: do not use it in new data")
	}
	if o.Abstract {
		b.WriteString("\nabstract: it groups other codes and is not used in data")
	}
	for _, r := range o.ReplacedBy {
		fmt.Fprintf(&b, "\n%s: %s %s", r.Relation, r.Code, r.Display)
	}
	if o.Definition != "" {
		b.WriteString("\n" + o.Definition)
	}
	for _, f := range o.Facts {
		fmt.Fprintf(&b, "\n%s: %s", f.Name, strings.TrimSpace(f.Value+" "+f.Display))
	}
	if o.Next != "" {
		b.WriteString("\nmore: cursor " + o.Next)
	}
	return b.String()
}
