package terminology

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/roget-health/roget/engine/spelling"
	"github.com/roget-health/roget/mcpadapter/answer"
)

// maxSuggested bounds suggestions.
const maxSuggested = 5

// nearCodes returns codes of a code system that a person may have meant by one that does not
// exist: the same in another spelling; codes with the display that was given; the code that
// it begins with, and the codes below that.
func (t *Tools) nearCodes(ctx context.Context, code, display, system string) []Concept {
	s := suggesting{tools: t, ctx: ctx}
	s.system, s.version, _ = strings.Cut(system, "|")
	code = strings.TrimSpace(code)
	s.alternate(code)
	for _, other := range spelling.Codes(code) {
		s.exists(other)
	}
	if len(s.found) == 0 {
		s.text(display)
	}
	if strings.ContainsFunc(code, unicode.IsDigit) {
		s.beginning(code)
	} else {
		s.text(code)
	}
	return s.found[:min(len(s.found), maxSuggested)]
}

// suggesting collects suggestions. Suggestions are an extra: its errors are not reported.
type suggesting struct {
	tools           *Tools
	ctx             context.Context
	system, version string
	found           []Concept
}

func (s *suggesting) add(c Concept) {
	if c.Code != "" && !slices.ContainsFunc(s.found, func(other Concept) bool { return other.Code == c.Code }) {
		s.found = append(s.found, c)
	}
}

// exists adds a code if the code system has it.
func (s *suggesting) exists(code string) bool {
	c, err := s.tools.concept(s.ctx, joined(s.system, s.version), code)
	if err != nil {
		return false
	}
	s.add(c)
	return true
}

// alternate adds codes that have the code as a former or secondary one.
func (s *suggesting) alternate(code string) {
	for _, property := range []string{"alternateCode", "alt_id"} {
		p := parameters{}.text("system", joined(s.system, s.version)).number("count", maxSuggested)
		p = append(p, map[string]any{"name": "property", "part": []map[string]any{
			{"name": "code", "valueCode": property}, {"name": "value", "valueString": code},
		}})
		a, err := s.tools.ask(s.ctx, "CodeSystem", "find-matches", p)
		if err != nil {
			continue // the code system has no such property
		}
		for _, match := range a.all("match") {
			if c := match.coding("code"); c.Code != "" {
				s.exists(c.Code)
			}
		}
	}
}

// beginning adds the longest beginning of a code that is a code, and codes below it.
func (s *suggesting) beginning(code string) {
	letters := []rune(code)
	for n := min(len(letters)-1, 20); n >= 3 && len(s.found) < maxSuggested; n-- {
		start := strings.TrimRight(string(letters[:n]), ".-_:/ ")
		if !s.exists(start) {
			continue
		}
		vs, err := s.tools.set(s.ctx, Scope{System: joined(s.system, s.version), Below: start})
		if err != nil {
			return
		}
		if e, err := s.tools.expanded(s.ctx, parameters{}.resource("valueSet", vs).number("count", maxSuggested)); err == nil {
			for i := range e.Contains {
				c := conceptOf(&e.Contains[i])
				c.System = ""
				s.add(c)
			}
		}
		return
	}
}

// text adds codes with the words of a text, or with words that are spelled nearly so.
func (s *suggesting) text(text string) {
	text = strings.Join(words(answer.Cut(text, maxQuery)), " ")
	if text == "" || len(s.found) >= maxSuggested {
		return
	}
	include := map[string]any{"system": s.system}
	if s.version != "" {
		include["version"] = s.version
	}
	search := searching{tools: s.tools, in: FindInput{Text: text}, set: composed(include), limit: maxSuggested}
	found, err := search.run(s.ctx)
	if err == nil && len(found.Contains) == 0 {
		var near []member
		if near, _, err = search.nearly(s.ctx); err == nil {
			found = &expansion{Contains: near}
		}
	}
	if err != nil {
		return
	}
	for i := range found.Contains {
		c := conceptOf(&found.Contains[i])
		c.System = ""
		s.add(c)
	}
}

// inScope returns codes of a scope that may be meant by one that is not in it: with the same
// meaning; or all codes, if they are few.
func (t *Tools) inScope(ctx context.Context, in *ValidateInput, display string) []Concept {
	scope := in.Scope
	if scope.ValueSet != "" {
		scope.System = "" // of the code, which may be what is wrong
	}
	vs, err := t.set(ctx, scope)
	if err != nil || vs == nil {
		return nil
	}
	var found []member
	for _, text := range []string{in.Display, display, in.Code} {
		if text = strings.Join(words(answer.Cut(text, maxQuery)), " "); text != "" && len(found) == 0 {
			search := searching{tools: t, in: FindInput{Text: text}, set: vs, limit: maxSuggested}
			if e, err := search.run(ctx); err == nil {
				found = e.Contains
			}
		}
	}
	if len(found) == 0 {
		const few = 12
		if e, err := t.expanded(ctx, parameters{}.resource("valueSet", vs).number("count", few)); err == nil && e.total() <= few {
			found = e.Contains
		}
	}
	var list []Concept
	for i := range found {
		list = append(list, conceptOf(&found[i]))
	}
	return list
}
