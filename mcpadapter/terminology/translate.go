package terminology

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter/answer"
)

// TranslateInput is what translate is asked.
type TranslateInput struct {
	Code         string `json:"code"`
	System       string `json:"system,omitempty" jsonschema:"code system of the code"`
	TargetSystem string `json:"target_system,omitempty" jsonschema:"code system to translate to"`
	Map          string `json:"map,omitempty" jsonschema:"concept map: url or name; without it, all that fit"`
	Reverse      bool   `json:"reverse,omitempty" jsonschema:"the code is a target: find its sources"`
	// Facts about the patient.
	Gender     string   `json:"gender,omitempty" jsonschema:"for map rules of SNOMED CT: male, female, other"`
	AgeAtOnset string   `json:"age_at_onset,omitempty" jsonschema:"for map rules: 12 a, 3 mo, 28 d"`
	Age        string   `json:"age,omitempty"`
	Findings   []string `json:"findings,omitempty" jsonschema:"for map rules: all SNOMED CT codes of the patient"`
	Cursor     string   `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

// fact adds a fact about the patient to a request, unless it is empty.
func (p parameters) fact(concept, value string) parameters {
	text, err := json.Marshal(value)
	if value == "" || err != nil {
		return p
	}
	return append(p, map[string]any{"name": "dependency", "part": json.RawMessage(
		`[{"name":"element","valueUri":"http://snomed.info/id/` + concept + `"},{"name":"concept","valueCodeableConcept":{"text":` + string(text) + `}}]`,
	)})
}

// TranslateOutput are the translations of a code.
type TranslateOutput struct {
	Found    bool    `json:"found"`
	Matches  []Match `json:"matches"`
	Total    int     `json:"total"`
	Message  string  `json:"message,omitempty"`
	NextStep string  `json:"next_step,omitempty"`
	Next     string  `json:"next,omitempty" jsonschema:"cursor for more"`
}

// A Match is a translation.
type Match struct {
	Relation string `json:"relation" jsonschema:"equivalent, wider (the match is wider), narrower, inexact, …"`
	Code     string `json:"code,omitempty"`
	Display  string `json:"display,omitempty"`
	System   string `json:"system,omitempty"`
	Map      string `json:"map,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

func (t *Tools) addTranslate(s *mcp.Server) {
	add(s, tool("translate", "Translate a code",
		"Translates a code to another code system by the loaded concept maps, or back with reverse. comment says which map rule decided, or what is missing."), t.translate)
}

func (t *Tools) translate(ctx context.Context, in TranslateInput) (TranslateOutput, error) {
	if err := checkCode(in.Code); err != nil {
		return TranslateOutput{}, err
	}
	same := in
	same.Cursor = ""
	_, offset, arguments, err := page(0, 1, in.Cursor, call{"translate", same})
	if err != nil {
		return TranslateOutput{}, err
	}
	system, err := t.systemOf(ctx, in.Code, in.System)
	if err != nil {
		return TranslateOutput{}, err
	}
	target, err := t.resolveTarget(ctx, in.TargetSystem)
	if err != nil {
		return TranslateOutput{}, err
	}
	url, err := t.resolve(ctx, "ConceptMap", in.Map)
	if err != nil {
		return TranslateOutput{}, err
	}
	plain, version, _ := strings.Cut(system, "|")
	url, mapVersion, _ := strings.Cut(url, "|")
	facts := [][2]string{{"263495000", in.Gender}, {"445518008", in.AgeAtOnset}, {"424144002", in.Age}}
	for _, code := range in.Findings {
		facts = append(facts, [2]string{"404684003", code})
	}
	var p parameters
	for _, f := range facts {
		p = p.fact(f[0], f[1])
	}
	a, err := t.ask(ctx, "ConceptMap", "translate", p.text("code", in.Code).text("system", plain).text("version", version).
		text("targetsystem", target).text("url", url).text("conceptMapVersion", mapVersion).yes("reverse", in.Reverse))
	if err != nil {
		return TranslateOutput{}, t.advise(ctx, err, Scope{System: system})
	}
	out := TranslateOutput{Found: a.is("result"), Message: answer.Short(a.text("message"), maxText)}
	var matches []Match
	for _, m := range a.all("match") {
		c := m.coding("concept")
		if source := m.coding("source"); source.Code != "" { // back, under the rules of the ecosystem
			c = source
		}
		matches = append(matches, Match{
			Relation: m.text("equivalence"), Code: c.Code, System: c.System, Display: answer.Short(c.Display, maxDisplay),
			Map: cmp.Or(m.text("source"), m.text("originMap")), Comment: answer.Short(m.text("comment"), maxDisplay),
		})
	}
	if !out.Found {
		out.NextStep = t.withoutTranslation(ctx, plain, target, in)
	}
	return out.fill(matches, offset, arguments), nil
}

// resolveTarget is resolve for a code system that concept maps may translate to without its
// being loaded: a url stays as it is.
func (t *Tools) resolveTarget(ctx context.Context, system string) (string, error) {
	if strings.Contains(system, "://") || strings.HasPrefix(system, "urn:") {
		return system, nil
	}
	return t.resolve(ctx, "CodeSystem", system)
}

// withoutTranslation says what to do when there is no translation.
func (t *Tools) withoutTranslation(ctx context.Context, system, target string, in TranslateInput) string {
	if _, err := t.concept(ctx, system, in.Code); isRefusal(err) {
		return "the code is not in " + system + ": use find to look for it by its meaning"
	}
	maps, err := t.source.Resources(ctx, "ConceptMap")
	if err != nil {
		return ""
	}
	var names []string
	for i := range maps {
		if maps[i].URL != "" && !maps[i].basic() {
			names = append(names, maps[i].URL)
		}
	}
	next := "no loaded map has a translation; maps are " + some(names)
	if !in.Reverse {
		next += "; reverse=true translates the other way"
	}
	if target != "" {
		next += "; or use find with the display in " + target
	}
	return next
}

// fill adds matches from offset on: as many as the answer has room for.
func (o TranslateOutput) fill(matches []Match, offset int, arguments any) TranslateOutput {
	o.Total = len(matches)
	rest := matches[min(offset, len(matches)):]
	with := func(n int) TranslateOutput {
		out := o
		out.Matches = append([]Match{}, rest[:n]...)
		if n < len(rest) {
			out.Next = answer.Cursor(offset+n, arguments)
		}
		return out
	}
	return with(answer.Fit(len(rest), budget, func(n int) (any, string) { out := with(n); return out, out.text() }))
}

func (o *TranslateOutput) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d translations", len(o.Matches), o.Total)
	if o.Message != "" {
		b.WriteString("\n" + o.Message)
	}
	for _, m := range o.Matches {
		fmt.Fprintf(&b, "\n%s: %s %s %s", m.Relation, m.Code, m.Display, m.System)
		if m.Comment != "" {
			b.WriteString(" (" + m.Comment + ")")
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
