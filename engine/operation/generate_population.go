package operation

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/resources/synth"
)

// maxGeneratedPatients bounds the patients of one call.
const maxGeneratedPatients = 100

const paramPatients = "patients"

// populationRow returns the row of $generate on the system level: patients with their histories.
func populationRow() *Operation {
	return &Operation{
		Name: "generate", Type: "", AffectsState: true,
		Example: []Argument{{paramSeed, "1"}, {paramPatients, "1"}},
		Summary: "Make synthetic patients with their histories",
		Doc: "Makes patients with their histories in chronological order, and before them the resources that several of them " +
			"refer to: practitioners, organizations and others. Every reference leads to a resource of the answer. The parameters alone " +
			"determine the resources: a patient number always yields the same patient. All are labelled as test data (_security=HTEST).",
		Spec: "clinical document 1.6",
		In: []Param{
			seedParam(),
			{Name: paramPatients, Type: "positiveInt", Default: "1", Doc: fmt.Sprintf("Number of patients, at most %d.", maxGeneratedPatients)},
			{Name: paramFirst, Type: "unsignedInt", Default: "0", Doc: "Number of the first patient."},
			{Name: paramCodes, Type: "string", Many: true, Doc: "Codes to draw the values of an element from: " + codesForm + "."},
			storeParam(),
		},
		Out: generateOut(),
		Run: runPopulate,
	}
}

func runPopulate(ctx context.Context, env Env, in *Input) (Result, error) {
	var o synth.PopulationOptions
	var err error
	if o.Seed, err = seed(in); err != nil {
		return nil, err
	}
	if o.First, o.Patients, err = numbers(in, paramPatients, maxGeneratedPatients); err != nil {
		return nil, err
	}
	if o.Codes, err = GeneratorCodes(ctx, env.Engine, synth.CodePaths(), in.Strings(paramCodes)); err != nil {
		return nil, err
	}
	p, err := synth.NewPopulation(o)
	if err != nil {
		return nil, err
	}
	out := &generated{base: in.Base}
	if err := p.Each(ctx, synth.NDJSON, out.add); err != nil {
		return nil, err
	}
	return out.stored(ctx, env, in)
}
