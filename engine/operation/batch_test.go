package operation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// batchInput returns the parameters of a batch, as an edge decodes them.
func batchInput(t testing.TB, typ, parameters string, validations []string) *operation.Input {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"resourceType":"Parameters","parameter":[` + parameters)
	for i, v := range validations {
		if i > 0 || parameters != "" {
			b.WriteByte(',')
		}
		b.WriteString(`{"name":"validation","resource":{"resourceType":"Parameters","parameter":[` + v + `]}}`)
	}
	b.WriteString(`]}`)
	p, err := r4.DecodeParameters([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	in := new(operation.Input)
	in.Reset(row(t, typ, "batch-validate-code"))
	if err := in.DecodeParameters(p, false); err != nil {
		t.Fatal(err)
	}
	return in
}

// listing returns a parameter with a value set that lists n codes of a code system: c0, c1 and so on.
func listing(name, system string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"code":"c%d"}`, i)
	}
	return `{"name":"` + name + `","resource":{"resourceType":"ValueSet","url":"http://listed","status":"active","compose":{"include":[{"system":"` + system + `","concept":[{"code":"x"}` + b.String() + `]}]}}}`
}

// posted returns a parameter with a code system of n codes.
func posted(name, system string, n int) string {
	return `{"name":"` + name + `","resource":{"resourceType":"CodeSystem","url":"` + system + `","status":"active","content":"complete","concept":[` + concepts(n) + `]}}`
}

func concepts(n int) string {
	var b strings.Builder
	b.WriteString(`{"code":"y"}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"code":"c%d"}`, i)
	}
	return b.String()
}

// code returns the parameter of a code without its system.
func code(code string) string { return `{"name":"code","valueCode":"` + code + `"}` }

// posts are resources that come with batches, of n codes each.
func posts(n int) []struct{ name, typ, parameters, system string } {
	composed := func(compose string) string {
		return `{"name":"valueSet","resource":{"resourceType":"ValueSet","url":"http://listed","status":"active",` + compose + `}}`
	}
	return []struct{ name, typ, parameters, system string }{
		{"listed codes of no code system", "ValueSet", listing("valueSet", "http://none", n), "http://none"},
		{"listed codes of a code system", "ValueSet", listing("valueSet", "http://posted", n) + "," + posted("tx-resource", "http://posted", n), "http://posted"},
		{"a value set as tx-resource", "ValueSet", listing("tx-resource", "http://none", n) + `,{"name":"url","valueUri":"http://listed"}`, "http://none"},
		{"a code system", "CodeSystem", posted("codeSystem", "http://posted", n), "http://posted"},
		{"an import", "ValueSet", composed(`"compose":{"include":[{"valueSet":["http://listed2"]}]}`) + "," + strings.Replace(listing("tx-resource", "http://none", n), "http://listed", "http://listed2", 1), "http://none"},
		{"a contained value set", "ValueSet", composed(`"contained":[{"resourceType":"ValueSet","id":"a","status":"active","compose":{"include":[{"system":"http://none","concept":[` + concepts(n) + `]}]}}],"compose":{"include":[{"valueSet":["#a"]}]}`), "http://none"},
		{"an expansion", "ValueSet", composed(`"expansion":{"timestamp":"2026-01-01","contains":[` + strings.ReplaceAll(concepts(n), `{"code"`, `{"system":"http://none","code"`) + `]}`), "http://none"},
		{"a filter", "ValueSet", posted("tx-resource", "http://posted", 10) + "," + composed(`"compose":{"include":[{"system":"http://posted","filter":[{"property":"code","op":"in","value":"c1`+strings.Repeat(",c2", n)+`"}]}]}`), "http://posted"},
		{"a filter that is not understood", "ValueSet", posted("tx-resource", "http://posted", 10) + "," + composed(`"compose":{"include":[{"system":"http://posted","filter":[{"property":"code","op":"regex","value":"`+strings.Repeat("(", n)+`"}]}]}`), "http://posted"},
		{"a value set that is not valid", "ValueSet", composed(`"compose":{"include":[{"system":"http://none","concept":[` + concepts(n) + `]},{"system":7}]}`), "http://none"},
		{"a code system that is not valid", "CodeSystem", `{"name":"codeSystem","resource":{"resourceType":"CodeSystem","url":"http://posted","content":"complete","concept":[` + concepts(n) + `,{"code":7}]}}`, "http://posted"},
		{"many includes", "ValueSet", composed(`"compose":{"include":[` + strings.ReplaceAll(concepts(n), `{"code":`, `{"concept":[{"code":"c1"}],"system":`) + `,{"system":"http://none","concept":[{"code":"c2"}]}]}`), "http://none"},
	}
}

// TestBatchLaw: the answers of a batch are those of its validations one by one.
func TestBatchLaw(t *testing.T) {
	for _, rules := range []engine.Rules{engine.Clinical, engine.Ecosystem} {
		r := operation.NewRunner(operation.Env{Engine: tableEngine(t).Under(rules)}, engine.OverlayLimits{})
		for _, tt := range posts(40) {
			var validations []string
			for _, c := range []string{"c1", "c2", "c39", "x", "y", "c40", "c1"} {
				validations = append(validations, coding(tt.system, c), coding("http://s", c), code(c)+`,{"name":"display","valueString":"No"}`,
					coding(tt.system, c)+`,{"name":"system-version","valueCanonical":"http://s|1"}`)
			}
			validations = append(validations, fruit1+","+fruits+`,{"name":"url","valueUri":"http://fruits"},`+coding("http://fruit", "fig"), `{"name":"code","valueInteger":1}`)
			got, err := r.Run(t.Context(), batchInput(t, tt.typ, tt.parameters, validations))
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			doc, err := r4.DecodeParameters(got.AppendJSON(nil))
			if err != nil || len(doc.Parameter) != len(validations) {
				t.Fatalf("%s: %d answers, %v", tt.name, len(doc.Parameter), err)
			}
			for i, validation := range validations {
				all := tt.parameters + "," + validation
				if strings.Contains(validation, `"url"`) { // instead of the value set of the batch
					all = validation
				}
				want, err := post(t, r, tt.typ, "validate-code", all)
				if err != nil {
					_, outcome := operation.Outcome(err)
					want = string(outcome.AppendJSON(nil))
				}
				if answer := strings.ReplaceAll(string(doc.Parameter[i].Resource), fmt.Sprintf("validation[%d]: ", i), ""); answer != want {
					t.Errorf("%s, %s:\n%s, alone\n%s", tt.name, validation, answer, want)
				}
			}
		}
	}
}

// TestBatchPreparesOnce counts allocations: a validation more does not need as many as its value set
// has codes. It would if the value set were decoded, compiled or walked for each.
func TestBatchPreparesOnce(t *testing.T) {
	const codes, few, many = 5000, 20, 60
	r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{})
	for _, tt := range posts(codes) {
		for _, form := range []string{"coding", "code"} {
			run := func(n int) float64 {
				var validations []string
				for i := range n {
					validation := coding(tt.system, fmt.Sprint("c", i*97))
					if form == "code" {
						validation = code(fmt.Sprint("c", i*97))
					}
					validations = append(validations, validation)
				}
				in := batchInput(t, tt.typ, tt.parameters, validations)
				return testing.AllocsPerRun(1, func() {
					if _, err := r.Run(t.Context(), in); err != nil {
						t.Fatal(err)
					}
				})
			}
			if each := (run(many) - run(few)) / (many - few); each > codes/5 {
				t.Errorf("%s, by %s: %.0f allocations for each validation", tt.name, form, each)
			}
		}
	}
}

// TestBatchLimits checks what a batch refuses: much text that each validation would read again, and
// more answers than the memory is meant for.
func TestBatchLimits(t *testing.T) {
	r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{})
	concept := func(text int) string {
		return `{"name":"codeableConcept","valueCodeableConcept":{"coding":[{"system":"http://s","code":"a"}],"text":"` + strings.Repeat("x", text) + `"}}`
	}
	url := `{"name":"url","valueUri":"http://v"},`
	for _, tt := range []struct {
		name, parameters string
		validations      int
		class            issue.Class
		want             string
	}{
		{"a long text", url + concept(17<<10), 1, issue.ClassInvalid, "more than 16384 bytes"},
		{"many short ones", url + concept(1) + strings.Repeat(`,{"name":"useSupplement","valueCanonical":"a"}`, 300), 1, issue.ClassInvalid, "more than 16384 bytes"},
		{"large answers", url + concept(15<<10), 5000, issue.ClassTooLarge, "send the validations in several requests"},
	} {
		_, err := r.Run(t.Context(), batchInput(t, "ValueSet", tt.parameters, make([]string, tt.validations)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if class, _ := operation.Outcome(err); class != tt.class {
			t.Errorf("%s: class %d", tt.name, class)
		}
	}
	if _, err := r.Run(t.Context(), batchInput(t, "ValueSet", url+concept(15<<10), make([]string, 100))); err != nil {
		t.Error("within the limits:", err)
	}
}

// TestBatchLooksAtTheContext: a batch whose time is over ends with that error and has no answers.
func TestBatchLooksAtTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{})
	if _, err := r.Run(ctx, batchInput(t, "ValueSet", listing("valueSet", "http://none", 10), []string{code("c1")})); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestBatchPieces: written in pieces, the answers are the same.
func TestBatchPieces(t *testing.T) {
	r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{})
	for n := 1; n < 4; n++ {
		result, err := r.Run(t.Context(), batchInput(t, "ValueSet", listing("valueSet", "http://none", 10), []string{code("c1"), coding("http://none", "c2"), code("no")}[:n]))
		if err != nil {
			t.Fatal(err)
		}
		batch := result.(*operation.BatchResult)
		var b bytes.Buffer
		if err := batch.WriteJSON(&b); err != nil || b.String() != string(batch.AppendJSON(nil)) || batch.Size() == 0 || batch.Size() >= b.Len() {
			t.Errorf("%d: %v, %s", n, err, b.String())
		}
		if batch.Yes() != (n < 3) {
			t.Errorf("%d: %v", n, batch.Yes())
		}
	}
}
