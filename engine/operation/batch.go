package operation

import (
	"context"
	"fmt"
	"slices"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// paramValidation is the name of the batch parameter that has the parameters of one validation.
const paramValidation = "validation"

// maxValidations bounds the validations of a request, because all answers are in memory at once.
const maxValidations = 10_000

var batchValidateCode = Operation{
	Name: "batch-validate-code", Type: "ValueSet", Ruled: true,
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
	runner := NewRunner(env, engine.OverlayLimits{}) // a validation may have resources too
	shared := sharedArgs(in)
	out := BatchResult{answers: make([]Result, 0, len(validations))}
	for i, body := range validations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		answer, err := runOne(ctx, runner, in, shared, body, row)
		if err != nil {
			err = fmt.Errorf("%s[%d]: %w", paramValidation, i, err)
			class, outcome := Outcome(err)
			if class == internal || class == unavailable {
				return nil, err
			}
			answer = failed{outcome}
		}
		out.answers = append(out.answers, answer)
	}
	return &out, nil
}

// sharedArgs returns the parameters of a batch that apply to its validations. The resources of the
// batch are left out: the engine has them already.
func sharedArgs(batch *Input) []arg {
	var shared []arg
	for _, a := range batch.args {
		switch a.param.Name {
		case paramValidation, paramResources, paramCacheID:
		default:
			shared = append(shared, a)
		}
	}
	return shared
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

// A BatchResult has the answers of a batch, in the order of the request.
type BatchResult struct {
	answers []Result
}

// AppendJSON appends the Parameters resource: an answer as each parameter.
func (r *BatchResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	for _, answer := range r.answers {
		w.Resource(paramValidation, answer.AppendJSON)
	}
	return w.Finish()
}

// Yes reports whether every code is valid.
func (r *BatchResult) Yes() bool {
	return !slices.ContainsFunc(r.answers, func(answer Result) bool { return !answer.Yes() })
}

// Table has the rows of every answer, numbered.
func (r *BatchResult) Table() *Table {
	t := &Table{Header: []string{"VALIDATION", "NAME", "VALUE"}}
	for i, answer := range r.answers {
		for _, row := range answer.Table().Rows {
			t.Rows = append(t.Rows, append([]string{fmt.Sprint(i + 1)}, row...))
		}
	}
	return t
}

// failed is the answer to a validation that failed.
type failed struct {
	outcome *r4.OperationOutcome
}

func (f failed) AppendJSON(dst []byte) []byte { return f.outcome.AppendJSON(dst) }

func (f failed) Yes() bool { return false }

func (f failed) Table() *Table {
	t := &Table{Header: []string{"NAME", "VALUE"}}
	for i := range f.outcome.Issue {
		is := &f.outcome.Issue[i]
		text := is.Diagnostics
		if is.Details != nil && is.Details.Text != "" {
			text = is.Details.Text
		}
		t.Rows = append(t.Rows, []string{is.Severity, text})
	}
	return t
}
