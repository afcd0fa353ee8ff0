package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/codesystem/expression/expressiontest"
	"github.com/roget-health/roget/engine"
)

var errUnreadable = errors.New("cannot be read")

// faulty returns a read that fails once, when left is 0.
func faulty[T any](left *int, read func() (T, error)) func() (T, error) {
	if read == nil {
		return nil
	}
	return func() (v T, err error) {
		if *left--; *left == -1 {
			return v, errUnreadable
		}
		return read()
	}
}

// TestNoAnswerAfterFailure lets each read of a resource fail that an operation makes, and its context
// end at each look: the client hears of it, or the answer is the same.
func TestNoAnswerAfterFailure(t *testing.T) {
	edition, other, zoo := engine.CodeSystemEntry(expressiontest.Edition(t), ""), engine.CodeSystemEntry(expressiontest.Edition(t), ""), engine.CodeSystemEntry(animalSystem(t, "1"), "")
	other.Header.Version = strings.Replace(other.Header.Version, "2026", "2025", 1)
	text := strings.NewReplacer("SCT", `"system":"`+sct+`","version":"`+edition.Header.Version+`"`, "OLD", `"system":"`+sct+`","version":"`+other.Header.Version+`"`,
		"ZOO", `"system":"`+animals+`","version":"1"`, "INFECTION", expressiontest.Codes()["infection"])
	entries := append(engine.GrammarEntries(), edition, other, zoo,
		engine.ConceptMapEntry(decodeConceptMap(t, `{"url":"http://m","sourceUri":"http://pets","group":[{"source":"http://example.org/animals","target":"http://t","element":[{"code":"cat","target":[{"code":"c","equivalence":"equal"}]}]}]}`), ""))
	for _, doc := range []string{
		`{"url":"http://pets","compose":{"include":[{ZOO,"filter":[{"property":"concept","op":"is-a","value":"pet"}]}]}}`,
		`{"url":"http://stored","expansion":{"contains":[{ZOO,"code":"dog"}]}}`,
		`{"url":"http://less","compose":{"include":[{"valueSet":["http://pets"]}],"exclude":[{ZOO,"filter":[{"property":"code","op":"regex","value":"c.*"}]},{"valueSet":["http://pets","http://stored"]}]}}`,
		`{"url":"http://editions","compose":{"include":[{SCT}],"exclude":[{OLD,"filter":[{"property":"concept","op":"is-a","value":"INFECTION"}]}]}}`,
	} {
		entries = append(entries, valueSet(text.Replace(doc)))
	}
	code := expressiontest.Write(severeAsthma)
	questions := map[string]func(context.Context, *engine.Engine) (string, error){
		"translate": func(ctx context.Context, e *engine.Engine) (string, error) {
			r, err := e.Translate(ctx, &engine.TranslateRequest{System: animals, Code: "cat", Source: "http://pets"})
			return fmt.Sprint(r != nil && r.Result), err
		},
		"lookup": func(ctx context.Context, e *engine.Engine) (string, error) {
			r, err := e.Lookup(ctx, &engine.LookupRequest{System: units, Code: "[ly]/wk{x}"})
			return r.Display, err
		},
	}
	for coding, set := range map[string]string{animals + "#pet": "less", animals + "#dog": "less", sct + "#" + code: "editions", "#" + code: "editions"} {
		questions[coding] = func(ctx context.Context, e *engine.Engine) (string, error) {
			system, code, _ := strings.Cut(coding, "#")
			r, err := e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: "http://" + set, System: system, Code: code, MembershipOnly: true})
			return string(r.AppendJSON(nil)), err
		}
	}
	for name, ask := range questions {
		for _, rules := range []engine.Rules{engine.Clinical, engine.Ecosystem} {
			answer := func(ctx context.Context, left int) (string, bool, error) {
				e := engine.New(engine.WithRules(rules))
				for _, entry := range entries {
					read := *entry
					read.CodeSystem, read.ValueSet, read.ConceptMap = faulty(&left, read.CodeSystem), faulty(&left, read.ValueSet), faulty(&left, read.ConceptMap)
					publish(t, e, &read)
				}
				got, err := ask(ctx, e)
				return got, left < 0, err
			}
			want, _, _ := answer(t.Context(), 1e9)
			for n, more := 0, true; more; n++ {
				ctx := contexttest.After(t.Context(), n)
				got, failed, err := answer(t.Context(), n)
				late, _, ended := answer(ctx, 1e9)
				if err == nil && got != want || err != nil && !errors.Is(err, errUnreadable) || ended == nil && late != want || ended != nil && !errors.Is(ended, context.Canceled) {
					t.Errorf("%s after %d: %s, %v; %s, %v; want %s", name, n, got, err, late, ended, want)
				}
				more = failed || ctx.Seen()
			}
		}
	}
}
