package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// TestValidateManyCodings: a CodeableConcept has a limit, and below it all is said.
func TestValidateManyCodings(t *testing.T) {
	e := zoo(t)
	concept := func(n int) *r4.CodeableConcept {
		var c r4.CodeableConcept
		for i := range n {
			c.Coding = append(c.Coding, r4.Coding{System: animals, Code: fmt.Sprintf("beast-%d", i)})
		}
		return &c
	}
	r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept(1000)})
	if err != nil || r.Result || len(r.Issues) != 2001 {
		t.Errorf("%v, %d issues", err, len(r.Issues))
	}
	_, err = e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept(1001)})
	var p *engine.ParameterError
	if !errors.As(err, &p) || !errors.Is(err, engine.ErrInvalidParameter) || p.Name != "codeableConcept" {
		t.Error(err)
	}
	_, err = e.ValidateCodeInSystem(context.Background(), &engine.ValidateCodeInSystemRequest{URL: animals, CodeableConcept: concept(1001)})
	if !errors.Is(err, engine.ErrInvalidParameter) {
		t.Error(err)
	}
}

// chain makes value sets that each import the next one twice, n deep; the last one
// has the animals. Both ways lead through all others: 2^n of them.
func chain(n int) []*engine.Entry {
	var list []*engine.Entry
	for i := range n {
		next := fmt.Sprintf(`{"valueSet":["http://example.org/chain/%d"]}`, i+1)
		list = append(list, valueSet(fmt.Sprintf(`{"url":"http://example.org/chain/%d","status":"active","compose":{"include":[%s,%s],"exclude":[%s]}}`,
			i, next, next, `{"system":"http://example.org/animals","concept":[{"code":"dog"}]}`)))
	}
	return append(list, valueSet(fmt.Sprintf(`{"url":"http://example.org/chain/%d","status":"active","compose":{"include":[{"system":"http://example.org/animals"}]}}`, n)))
}

// TestValidateDeepImports: value sets that are reached in many ways are asked once.
func TestValidateDeepImports(t *testing.T) {
	e := zoo(t)
	publish(t, e, chain(100)...)
	for code, want := range map[string]bool{"cat": true, "dog": false, "dodo": true, "unicorn": false} {
		r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: "http://example.org/chain/0", System: animals, Code: code, Display: "?", LenientDisplay: true})
		if err != nil || r.Result != want {
			t.Errorf("%s: %v, %v", code, r.Result, err)
		}
	}
	deep := zoo(t)
	publish(t, deep, chain(101)...)
	if _, err := deep.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: "http://example.org/chain/0", System: animals, Code: "cat"}); err == nil {
		t.Error("more than a hundred imports deep")
	}
}

// TestValidateContainedImports: the same inside one resource.
func TestValidateContainedImports(t *testing.T) {
	const n = 40
	var contained []string
	for i := range n {
		contained = append(contained, fmt.Sprintf(`{"resourceType":"ValueSet","id":"v%d","status":"active","compose":{"include":[{"valueSet":["#v%d"]},{"valueSet":["#v%d"]}]}}`, i, i+1, i+1))
	}
	contained = append(contained, fmt.Sprintf(`{"resourceType":"ValueSet","id":"v%d","status":"active","compose":{"include":[{"system":"http://example.org/animals","concept":[{"code":"cat"}]}]}}`, n))
	e := zoo(t)
	publish(t, e, valueSet(`{"url":"http://example.org/contained","status":"active","contained":[`+strings.Join(contained, ",")+`],"compose":{"include":[{"valueSet":["#v0"]}]}}`))
	for code, want := range map[string]bool{"cat": true, "dog": false} {
		r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: "http://example.org/contained", Coding: &r4.Coding{System: animals, Code: code, Display: code}})
		if err != nil || r.Result != want {
			t.Errorf("%s: %v, %v", code, r.Result, err)
		}
	}
}

// TestValidateCancelled: a request that nobody waits for any more is given up.
func TestValidateCancelled(t *testing.T) {
	e := zoo(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: pets, Coding: &r4.Coding{System: animals, Code: "cat", Display: "wrong"}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, err = e.ValidateCodeInSystem(ctx, &engine.ValidateCodeInSystemRequest{URL: animals, Code: "cat", Display: "wrong"})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestValidateAmongVersions: several versions of a system in one value set.
func TestValidateAmongVersions(t *testing.T) {
	th := newTheme(t, paint("2.0.0", "red", "blue"), paint("2.5.0", "red", "pink"), paint("3.1.0", "red", "green"),
		`{"resourceType":"ValueSet","url":"http://example.org/vs/two","status":"active","compose":{"include":[
			{"system":"http://example.org/paint","version":"2.0.0"},{"system":"http://example.org/paint","version":"3.1.0"}]}}`,
		`{"resourceType":"ValueSet","url":"http://example.org/vs/one-and-any","status":"active","compose":{"include":[
			{"system":"http://example.org/paint","version":"2.0.0","concept":[{"code":"blue"}]},{"system":"http://example.org/paint"}]}}`,
		`{"resourceType":"ValueSet","url":"http://example.org/vs/less","status":"active","compose":{"include":[{"system":"http://example.org/paint","version":"2.0.0"},{"system":"http://example.org/paint","version":"3.1.0"}],
			"exclude":[{"system":"http://example.org/paint","version":"3.1.0","concept":[{"code":"green"},{"code":"red"}]}]}}`)
	for _, vs := range []string{"two", "one-and-any", "less"} {
		for _, code := range []string{"red", "blue", "green", "pink"} {
			for _, version := range []string{"", "2.0.0", "2.5.0", "3.1.0"} {
				th.ask(fmt.Sprintf("%s of %q in %s", code, version, vs), engine.ValidateCodeRequest{URL: "http://example.org/vs/" + vs, Coding: &r4.Coding{System: "http://example.org/paint", Version: version, Code: code}})
			}
		}
	}
	th.ask("display of 2.0.0", engine.ValidateCodeRequest{URL: "http://example.org/vs/two", Coding: &r4.Coding{System: "http://example.org/paint", Code: "red", Display: "red of 2.0.0"}})
	th.check()
}

// BenchmarkValidateListed asks about a code of a long list, with a wrong display, so that
// the definition is walked through.
func BenchmarkValidateListed(b *testing.B) {
	var concepts, listed []string
	for i := range 20_000 {
		concepts = append(concepts, fmt.Sprintf(`{"code":"c%d","display":"C %d"}`, i, i))
		listed = append(listed, fmt.Sprintf(`{"code":"c%d"}`, i))
	}
	for _, sensitive := range []bool{true, false} {
		system := fmt.Sprintf(`{"resourceType":"CodeSystem","url":"http://example.org/long","status":"active","content":"complete","caseSensitive":%v,"concept":[%s]}`, sensitive, strings.Join(concepts, ","))
		set := `{"resourceType":"ValueSet","url":"http://example.org/vs/long","status":"active","compose":{"include":[{"system":"http://example.org/long","concept":[` + strings.Join(listed, ",") + `]}]}}`
		e, err := engine.NewOverlays(engine.New(engine.WithRules(engine.Ecosystem)), engine.OverlayLimits{}).For("tx-resource", []json.RawMessage{json.RawMessage(system), json.RawMessage(set)})
		if err != nil {
			b.Fatal(err)
		}
		for _, code := range []string{"c19999", "none"} {
			b.Run(fmt.Sprintf("caseSensitive=%v/%s", sensitive, code), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: "http://example.org/vs/long", System: "http://example.org/long", Code: code, Display: "wrong"})
					if err != nil || r.Result {
						b.Fatal(r, err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("caseSensitive=%v/inferred", sensitive), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: "http://example.org/vs/long", Code: "c19999"}); err != nil || !r.Result {
					b.Fatal(r, err)
				}
			}
		})
	}
}
