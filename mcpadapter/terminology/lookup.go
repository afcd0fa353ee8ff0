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
	answer.Add(s, tool("lookup", "Look up a code",
		"Returns what a code means: display, definition, parents, synonyms, properties, children, whether it is inactive, and what replaced it."),
		func(ctx context.Context, in LookupInput) (LookupOutput, string, error) {
			out, err := t.lookup(ctx, in)
			return out, out.text(), err
		})
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
	_, offset, arguments, err := page(0, 1, in.Cursor, struct {
		Tool string
		LookupInput
	}{"lookup", same})
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
	for _, p := range a.all("property") {
		facts = append(facts, factOf(&p))
	}
	slices.SortStableFunc(facts, func(x, y Fact) int { return cmp.Compare(ranks[x.Name], ranks[y.Name]) })
	return facts
}

func factOf(p *answered) Fact {
	f := Fact{Name: p.text("code"), Display: answer.Short(p.text("description"), maxDisplay)}
	if v := p.find("value"); v != nil {
		var display string
		f.Value, display = valueText(v.Value)
		f.Display = cmp.Or(f.Display, answer.Short(display, maxDisplay))
	}
	var inner []string // attributes of a role group
	for _, sub := range p.all("subproperty") {
		g := factOf(&sub)
		inner = append(inner, strings.TrimSpace(g.Name+" = "+g.Value+" "+g.Display))
	}
	if len(inner) > 0 {
		f.Value = strings.Join(inner, "; ")
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

// successors are properties that name the code to use instead.
var successors = []string{"replaced_by", "replacedby", "replacement", "successor", "consider", "successorof", "alternative", "moved-to", "movedto"}

// associations are the maps of SNOMED CT from inactive concepts to others, best first.
var associations = []struct{ id, relation string }{
	{"900000000000526001", "replaced by"},
	{"900000000000527005", "same as"},
	{"900000000000530003", "alternative"},
	{"900000000000523009", "possibly equivalent to"},
	{"900000000000528000", "was a"},
}

// replacements returns the codes to use instead of one, by its properties, and for SNOMED CT
// by the reference sets of historical associations.
func (t *Tools) replacements(ctx context.Context, system, code string, inactive bool, facts []Fact) []Replacement {
	var list []Replacement
	for _, f := range facts {
		if slices.Contains(successors, strings.ToLower(f.Name)) && len(list) < 10 {
			list = append(list, Replacement{Relation: strings.ReplaceAll(f.Name, "_", " "), Code: f.Value, Display: f.Display})
		}
	}
	if !inactive || system != snomed {
		return t.displayed(ctx, system, list)
	}
	for _, association := range associations {
		a, err := t.ask(ctx, "ConceptMap", "translate", parameters{}.text("url", snomed+"?fhir_cm="+association.id).text("system", system).text("code", code))
		if err != nil {
			continue // the release has no such reference set
		}
		for _, m := range a.all("match") {
			if c := m.coding("concept"); c.Code != "" && len(list) < 10 {
				list = append(list, Replacement{Relation: association.relation, Code: c.Code, Display: answer.Short(c.Display, maxDisplay)})
			}
		}
	}
	return t.displayed(ctx, system, list)
}

// displayed adds displays that are missing, and removes codes that do not exist.
func (t *Tools) displayed(ctx context.Context, system string, list []Replacement) []Replacement {
	var kept []Replacement
	for _, r := range list {
		if r.Display == "" {
			c, err := t.concept(ctx, system, r.Code)
			if err != nil {
				continue
			}
			r.Display = c.Display
		}
		kept = append(kept, r)
	}
	return kept
}

// concept returns a code of a code system. The error is a *Refusal for a code that does not
// exist. $validate-code does not serve here: of a system that is only partly loaded it
// accepts any code.
func (t *Tools) concept(ctx context.Context, system, code string) (Concept, error) {
	a, err := t.ask(ctx, "CodeSystem", "lookup", parameters{}.text("system", system).text("code", code).text("property", "inactive"))
	if err != nil {
		return Concept{}, err
	}
	c := Concept{Code: a.text("code"), Display: answer.Short(a.text("display"), maxDisplay)}
	for _, p := range a.all("property") {
		c.Inactive = c.Inactive || p.text("code") == "inactive" && p.is("value")
	}
	return c, nil
}

func isRefusal(err error) bool {
	_, refused := errors.AsType[*Refusal](err)
	return refused
}

// maxTried bounds the code systems that are tried for a code.
const maxTried = 60

// systemOf returns the canonical of the code system of a code: the one that is named, or the
// only loaded one that has the code.
func (t *Tools) systemOf(ctx context.Context, code, system string) (string, error) {
	if system != "" {
		return t.resolve(ctx, "CodeSystem", system)
	}
	own, _, err := t.systems(ctx)
	if err != nil {
		return "", err
	}
	var has []string
	for _, candidate := range own[:min(len(own), maxTried)] {
		switch _, err := t.concept(ctx, candidate, code); {
		case err == nil:
			has = append(has, candidate)
		case !isRefusal(err):
			return "", err
		}
	}
	switch len(has) {
	case 1:
		return has[0], nil
	case 0:
		return "", fmt.Errorf("none of the loaded code systems (%s) has the code %q; give system if it is one of FHIR, or use find to look for the code by its meaning", some(own), answer.Short(code, 80))
	}
	return "", fmt.Errorf("several code systems have the code %q: give system, one of %s", answer.Short(code, 80), some(has))
}

// noSuchCode adds to an error about an unknown code the codes that are spelled nearly so.
func (t *Tools) noSuchCode(ctx context.Context, err error, code, system string) error {
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok || refusal.Detail != "invalid-code" {
		return t.advise(ctx, err, Scope{System: system})
	}
	near := t.nearCodes(ctx, code, "", system)
	if len(near) == 0 {
		return &advised{err, "Use find to look for the code by its meaning"}
	}
	var lines []string
	for i := range near {
		lines = append(lines, near[i].Code+" "+near[i].Display)
	}
	return &advised{err, "Codes spelled nearly so: " + strings.Join(lines, "; ") + ". Or use find to look for the code by its meaning"}
}
