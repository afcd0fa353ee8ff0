package operation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// paramValidation is the name of the batch parameter that has the parameters of one validation.
const paramValidation = "validation"

// maxValidations bounds the validations of a request, because all answers are in memory at once.
const maxValidations = 10_000

var batchValidateCode = Operation{
	Name: "batch-validate-code", Type: "ValueSet", Ruled: true,
	Example: []Argument{{"url", "https://roget.health/fhir/ValueSet/pets"}, {"system", "https://roget.health/fhir/CodeSystem/animals"}, {paramValidation, `{"resourceType":"Parameters","parameter":[{"name":"code","valueCode":"dog"}]}`}, {paramValidation, `{"resourceType":"Parameters","parameter":[{"name":"code","valueCode":"unicorn"}]}`}},
	Summary: "Check many codes in one request",
	Doc: "Runs $validate-code once for each validation. The other parameters of $validate-code apply to all " +
		"validations that do not have them. A validation without a value set checks the code in its code system. " +
		"A validation that fails is answered with an OperationOutcome; the others are not affected.",
	Spec: "https://build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig/ (ValueSet/$batch-validate-code)",
	In:   batchParams(validateCode.In),
	Out:  batchOut(),
	Run: func(ctx context.Context, env Env, in *Input) (Result, error) {
		return runBatch(ctx, env, in, func(valueSet bool) *Operation {
			if valueSet {
				return &validateCode
			}
			return &validateCodeInSystem
		})
	},
}

var batchValidateCodeInSystem = Operation{
	Name: "batch-validate-code", Type: "CodeSystem", Ruled: true,
	Example: []Argument{{"url", "https://roget.health/fhir/CodeSystem/animals"}, {paramValidation, `{"resourceType":"Parameters","parameter":[{"name":"code","valueCode":"dog"}]}`}, {paramValidation, `{"resourceType":"Parameters","parameter":[{"name":"code","valueCode":"unicorn"}]}`}},
	Summary: "Check many codes in one request",
	Doc: "Runs $validate-code once for each validation. The other parameters of $validate-code apply to all " +
		"validations that do not have them. A validation that fails is answered with an OperationOutcome; the " +
		"others are not affected.",
	Spec: "https://build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig/ ($batch-validate-code, here for code systems)",
	In:   batchParams(validateCodeInSystem.In),
	Out:  batchOut(),
	Run: func(ctx context.Context, env Env, in *Input) (Result, error) {
		return runBatch(ctx, env, in, func(bool) *Operation { return &validateCodeInSystem })
	},
}

// batchParams returns the parameters of a single validation, all optional, and the parameter of
// the validations.
func batchParams(single []Param) []Param {
	params := slices.Clone(single)
	for i := range params {
		params[i].Min, params[i].Arg = 0, 0
	}
	return append([]Param{{
		Name: paramValidation, Type: "Parameters", Min: 1, Many: true, HTTPOnly: true,
		Doc: "The parameters of one validation: those of $validate-code.",
	}}, params...)
}

func batchOut() []Param {
	return []Param{{
		Name: paramValidation, Type: "Resource", Min: 1, Many: true,
		Doc: "The answer of one validation, in the order of the request: Parameters, or an OperationOutcome.",
	}}
}

// runBatch runs the validations of in. row returns the operation for a validation with or without
// a value set.
func runBatch(ctx context.Context, env Env, in *Input, row func(valueSet bool) *Operation) (Result, error) {
	validations := in.Resources(paramValidation)
	if len(validations) == 0 {
		return nil, Missing(paramValidation, "the codes to check")
	}
	if len(validations) > maxValidations {
		return nil, Invalid(paramValidation, fmt.Sprintf("%d validations; a request may have at most %d", len(validations), maxValidations))
	}
	env.Shared = new(engine.SharedValidation)
	runner := NewRunner(env, engine.OverlayLimits{}) // a validation may have resources too
	shared, err := sharedArgs(in)
	if err != nil {
		return nil, err
	}
	out := BatchResult{valid: true}
	for i, body := range validations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		answer, err := runOne(ctx, runner, in, shared, body, row)
		if err != nil {
			err = &validationError{i, err}
			class, outcome := Outcome(err)
			if class == internal || class == unavailable {
				return nil, err
			}
			answer = failed{outcome}
		}
		if err := out.add(ctx, answer); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// A validationError is the error of one validation. Its text, which may quote much of the request, is
// made when it is needed.
type validationError struct {
	index int
	err   error
}

// Error returns the validation and the cause.
func (e *validationError) Error() string {
	return fmt.Sprintf("%s[%d]: %v", paramValidation, e.index, e.err)
}

// Unwrap returns the cause.
func (e *validationError) Unwrap() error { return e.err }

// maxSharedText bounds the parameters that each validation of a batch reads again, in bytes. It does
// not count resources, which are read once.
const maxSharedText = 16 << 10

// sharedArgs returns the parameters of a batch that apply to its validations. The resources of the
// batch are left out: the engine has them already.
func sharedArgs(batch *Input) ([]arg, error) {
	var shared []arg
	size := 0
	for _, a := range batch.args {
		switch a.param.Name {
		case paramValidation, paramResources, paramCacheID:
		default:
			shared = append(shared, a)
			size += a.size()
		}
	}
	if size > maxSharedText {
		return nil, Invalid(paramValidation, fmt.Sprintf("the parameters beside the validations, without resources, have more than %d bytes; give long ones to the validations that need them", maxSharedText))
	}
	return shared, nil
}

// namesSet reports whether a parameter names the value set or code system to check against. A
// validation that has such a parameter takes none of them from the batch.
func namesSet(a arg) bool {
	switch a.param.Name {
	case "url", "valueSet", "valueSetVersion", "codeSystem":
		return true
	}
	return false
}

// runOne runs one validation of a batch with its own parameters, and with those that all share if
// it lacks them. The runner has the resources of the batch and of its cache.
func runOne(ctx context.Context, runner *Runner, batch *Input, shared []arg, body []byte, row func(valueSet bool) *Operation) (Result, error) {
	doc, err := r4.DecodeParameters(body)
	if err != nil {
		return nil, err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(shared, func(a arg) bool { return a.param.Name == name }) ||
			slices.ContainsFunc(doc.Parameter, func(p r4.Parameter) bool { return p.Name == name })
	}
	var in Input
	in.Reset(row(has("url") || has("valueSet")))
	in.AcceptLanguage = batch.AcceptLanguage
	if err := in.DecodeParameters(doc, false); err != nil {
		return nil, err
	}
	if err := in.cacheOfBatch(batch); err != nil {
		return nil, err
	}
	in.args = slices.DeleteFunc(in.args, func(a arg) bool { return a.param.Name == paramCacheID })
	own := in.args
	ownSet := slices.ContainsFunc(own, namesSet)
	for _, a := range shared {
		p, known := in.Op.Param(a.param.Name)
		if !known || ownSet && namesSet(a) || slices.ContainsFunc(own, func(b arg) bool { return b.param.Name == p.Name }) {
			continue
		}
		a.param = p
		if err := in.put(a); err != nil {
			return nil, err
		}
	}
	return runner.Run(ctx, &in)
}

// A BatchResult has the answers of a batch, in the order of the request, as JSON.
type BatchResult struct {
	answers [][]byte
	size    int
	held    int // of size, what memory was taken for
	valid   bool
	scratch []byte
}

// maxBatchBytes bounds the answers of a batch.
const maxBatchBytes = 64 << 20

// add adds an answer, and takes memory for it.
func (r *BatchResult) add(ctx context.Context, answer Result) error {
	r.valid = r.valid && answer.Yes()
	r.scratch = answer.AppendJSON(r.scratch[:0])
	r.answers = append(r.answers, bytes.Clone(r.scratch))
	r.size += len(r.scratch)
	if r.size > maxBatchBytes {
		return &Problem{
			Class: issue.ClassTooLarge, Exit: ExitFailure, Code: "too-costly",
			Text: fmt.Sprintf("the answers to the first %d validations have more than %s bytes; send the validations in several requests", len(r.answers), engine.Thousands(maxBatchBytes)),
		}
	}
	if n := r.size - r.held; n >= budget.Small {
		r.held = r.size
		return budget.Take(ctx, int64(n))
	}
	return nil
}

// Size returns the number of bytes of the answers.
func (r *BatchResult) Size() int { return r.size }

// AppendJSON appends the Parameters resource: an answer as each parameter.
func (r *BatchResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(slices.Grow(dst, r.size+64*len(r.answers)))
	for _, answer := range r.answers {
		w.Resource(paramValidation, func(dst []byte) []byte { return append(dst, answer...) })
	}
	return w.Finish()
}

// WriteJSON writes the Parameters resource in pieces.
func (r *BatchResult) WriteJSON(w io.Writer) error {
	before := []byte(`{"resourceType":"Parameters","parameter":[`)
	for _, answer := range r.answers {
		before = append(before, `{"name":"`+paramValidation+`","resource":`...)
		for _, part := range [...][]byte{before, answer} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		before = append(before[:0], `},`...)
	}
	_, err := io.WriteString(w, `}]}`)
	return err
}

// Yes reports whether every code is valid.
func (r *BatchResult) Yes() bool { return r.valid }

// Table has the rows of every answer, numbered.
func (r *BatchResult) Table() *Table {
	t := &Table{Header: []string{"VALIDATION", "NAME", "VALUE"}}
	for i, answer := range r.answers {
		for _, row := range rowsOf(answer) {
			t.Rows = append(t.Rows, append([]string{strconv.Itoa(i + 1)}, row...))
		}
	}
	return t
}

// rowsOf returns the names and values of an answer: Parameters, or an OperationOutcome.
func rowsOf(answer []byte) (rows [][]string) {
	if doc, err := r4.DecodeParameters(answer); err == nil {
		for i := range doc.Parameter {
			if p := &doc.Parameter[i]; p.Value.Text != "" {
				rows = append(rows, []string{p.Name, p.Value.Text})
			}
		}
		return rows
	}
	var outcome struct {
		Issue []struct {
			Severity, Diagnostics string
			Details               struct{ Text string }
		}
	}
	if err := json.Unmarshal(answer, &outcome); err != nil {
		return nil // cannot happen: this program wrote it
	}
	for _, is := range outcome.Issue {
		rows = append(rows, []string{is.Severity, cmp.Or(is.Details.Text, is.Diagnostics)})
	}
	return rows
}

// failed is the answer to a validation that failed.
type failed struct {
	outcome *r4.OperationOutcome
}

func (f failed) AppendJSON(dst []byte) []byte { return f.outcome.AppendJSON(dst) }

func (f failed) Yes() bool { return false }

func (f failed) Table() *Table {
	return &Table{Header: []string{"NAME", "VALUE"}, Rows: rowsOf(f.AppendJSON(nil))}
}
