package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/validation"
	"github.com/roget-health/roget/resources/r4"
)

// lengthen adds codes and includes to the value sets of a world, so that they are looked up in maps.
func (w *lawWorld) lengthen(t *rapid.T) {
	for i, body := range w.documents {
		var doc map[string]any
		if err := json.Unmarshal(body, &doc); err != nil {
			t.Fatal(err)
		}
		compose, is := doc["compose"].(map[string]any)
		if !is {
			continue
		}
		for _, name := range []string{"include", "exclude"} {
			list, _ := compose[name].([]any)
			for _, part := range list {
				if part, _ := part.(map[string]any); part["concept"] != nil {
					part["concept"] = slices.Insert(part["concept"].([]any), 0, fillers(40)...)
				}
			}
			for k := range 20 {
				list = slices.Insert(list, len(list)/2, any(map[string]any{"system": fmt.Sprint("http://example.org/filler", k), "concept": fillers(1)}))
			}
			if compose[name] != nil {
				compose[name] = list
			}
		}
		w.documents[i] = encode(t, doc)
	}
}

func fillers(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = map[string]any{"code": fmt.Sprint("filler", i)}
	}
	return list
}

// TestValidateLawShared: checks that share what they prepare reply like checks alone, whatever they
// are about, on the same resources or others.
func TestValidateLawShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := worldKind{versions: true, fragments: true, excludes: true, imports: true}
		w := drawWorld(t, kind)
		w.lengthen(t)
		e := w.engine(t).Under(rapid.SampledFrom([]Rules{Clinical, Ecosystem}).Draw(t, "rules of engine"))
		other, err := NewOverlays(e, OverlayLimits{}).For("tx-resource", []json.RawMessage{drawSystem(t, kind, w.systems[0], "1.0.0")})
		if err != nil {
			t.Fatal(err)
		}
		given, systems := map[string]*r4.ValueSet{}, []json.RawMessage{}
		for _, body := range w.documents {
			vs, err := r4.DecodeValueSet(body)
			if err != nil {
				systems = append(systems, body)
				continue
			}
			given[vs.URL] = vs
		}
		var shared validation.Shared
		for range 30 {
			q := w.drawQuestion(t, kind)
			if rapid.Bool().Draw(t, "given") {
				q.ValueSet, q.URL = given[q.URL], ""
			}
			asked := forms(q)
			without := asked[1]
			without.System, without.SystemVersion = "", ""
			on := rapid.SampledFrom([]*Engine{e, other}).Draw(t, "engine")
			for _, req := range append(asked, without) {
				want := told(on.ValidateCode(context.Background(), &req))
				req.Shared = &shared
				if diff := cmp.Diff(want, told(on.ValidateCode(context.Background(), &req))); diff != "" {
					t.Fatalf("%s\n%+v %+v (-alone +shared): %s", w.documents, req, req.Coding, diff)
				}
			}
			inSystem := validation.InSystemRequest{CodeSystem: rapid.SampledFrom(systems).Draw(t, "code system"), Code: q.Coding.Code, Display: q.Coding.Display}
			want := told(on.ValidateCodeInSystem(context.Background(), &inSystem))
			inSystem.Shared = &shared
			if diff := cmp.Diff(want, told(on.ValidateCodeInSystem(context.Background(), &inSystem))); diff != "" {
				t.Fatalf("%s\n%+v (-alone +shared): %s", w.documents, inSystem, diff)
			}
		}
	})
}

// told returns everything that a client is told.
func told(r validation.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(r.AppendJSON(nil))
}

// TestValidateManyListed: the codes of a long list are found, each in its first entry, and others
// are not. The list has codes twice, and codes of a case-insensitive system in another case.
func TestValidateManyListed(t *testing.T) {
	const n = 100
	system := `{"resourceType":"CodeSystem","url":"http://s","status":"active","content":"complete","caseSensitive":false,"concept":[{"code":"outside"}`
	listed := `{"resourceType":"ValueSet","url":"http://v","status":"active","compose":{"include":[{"system":"http://s","concept":[{"code":"nothing"}`
	for i := range n {
		system += fmt.Sprintf(`,{"code":"c%d","display":"C %d"}`, i, i)
		listed += fmt.Sprintf(`,{"code":"%s%d","display":"First %d"},{"code":"c%d","display":"Second"}`, []string{"c", "C"}[i%2], i, i, i)
	}
	vs, err := r4.DecodeValueSet([]byte(listed + `]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"", system + `]}`} {
		e := New()
		if body != "" {
			if e, err = NewOverlays(e, OverlayLimits{}).For("tx-resource", []json.RawMessage{json.RawMessage(body)}); err != nil {
				t.Fatal(err)
			}
		}
		var shared validation.Shared
		for i := range n {
			want := "First " + strconv.Itoa(i)
			if i%2 == 1 { // the entry with the code as it is asked comes before one in another case
				want = "Second"
			}
			r, err := e.ValidateCode(t.Context(), &ValidateCodeRequest{ValueSet: vs, System: "http://s", Code: "c" + strconv.Itoa(i), Shared: &shared})
			if err != nil || !r.Result || r.Display != want {
				t.Fatalf("c%d: %v, display %q, want %q, %v", i, r.Result, r.Display, want, err)
			}
			for _, code := range []string{"outside", "c" + strconv.Itoa(n+i)} {
				if r, err := e.ValidateCode(t.Context(), &ValidateCodeRequest{ValueSet: vs, System: "http://s", Code: code, Shared: &shared}); err != nil || r.Result {
					t.Fatalf("%s: %v, %v", code, r.Result, err)
				}
			}
		}
	}
}

// versionsOf returns a value set that includes many versions of a code system that is not loaded.
func versionsOf(n int) *r4.ValueSet {
	vs := &r4.ValueSet{Header: r4.Header{ResourceType: "ValueSet", URL: "http://v", Status: "active"}, Compose: &r4.Compose{}}
	for i := range n {
		vs.Compose.Include = append(vs.Compose.Include, r4.Include{System: "http://none", Version: strconv.Itoa(i), Concept: []r4.ConceptReference{{Code: "x"}}})
	}
	return vs
}

// TestValidateManyIncludes: a value set of 30,000 includes is checked, which took minutes when each
// was compared with all others, and so is one of as many excludes. An answer of thousands of issues is
// refused with a hint.
func TestValidateManyIncludes(t *testing.T) {
	vs := versionsOf(30_000)
	e := New()
	r, err := e.ValidateCode(t.Context(), &ValidateCodeRequest{ValueSet: vs, System: "http://none", Code: "x"})
	if err != nil || !r.Result {
		t.Errorf("without a version: %v, %v", r.Result, err)
	}
	r, err = e.ValidateCode(t.Context(), &ValidateCodeRequest{ValueSet: vs, System: "http://none", SystemVersion: "29999", Code: "x"})
	if err != nil || !r.Result {
		t.Errorf("in a version: %v, %v", r.Result, err)
	}
	less := versionsOf(30_000)
	less.Compose.Exclude = versionsOf(29_999).Compose.Include // without version 29999
	for version, want := range map[string]bool{"29999": true, "5": false} {
		r, err = e.ValidateCode(t.Context(), &ValidateCodeRequest{ValueSet: less, System: "http://none", SystemVersion: version, Code: "x"})
		if err != nil || r.Result != want {
			t.Errorf("in version %s with excludes: %v, %v", version, r.Result, err)
		}
	}
	_, err = e.ValidateCode(t.Context(), &ValidateCodeRequest{ValueSet: vs, System: "http://none", SystemVersion: "other", Code: "y"})
	own, is := errors.AsType[OutcomeError](err)
	if !is || own.Class() != issue.ClassUnprocessable || own.Issues()[0].Code != "too-costly" {
		t.Errorf("in an unknown version: %v", err)
	}
}

// TestValidateLooksAtTheContext ends the time of a check at many points of its work. It stops there,
// and what it shares with later checks is not spoilt.
func TestValidateLooksAtTheContext(t *testing.T) {
	vs, e := versionsOf(1000), New()
	req := ValidateCodeRequest{ValueSet: vs, System: "http://none", Code: "y", MembershipOnly: true}
	want := told(e.ValidateCode(t.Context(), &req))
	var shared validation.Shared
	req.Shared = &shared
	for looks := 0; looks < 2000; looks += 100 {
		ctx := contexttest.After(t.Context(), looks)
		if _, err := e.ValidateCode(ctx, &req); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: %v", looks, err)
		}
		if looks > 1000 {
			shared = validation.Shared{}
		}
	}
	if got := told(e.ValidateCode(t.Context(), &req)); got != want {
		t.Errorf("afterwards: %s, want %s", got, want)
	}
}
