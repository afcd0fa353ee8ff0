package operation

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/synth"
)

// Limits of what one call of $generate makes.
const (
	maxGenerated      = 1000
	maxGeneratedBytes = 64 << 20
	maxGeneratedSize  = 10_000 // of what an option counts: concepts, members
)

// Names of the parameters that all rows of $generate have.
const (
	paramSeed  = "seed"
	paramCount = "count"
	paramFirst = "first"
	paramStore = "store"
	paramWith  = "with_references"
)

// Generate returns the rows of $generate, which makes synthetic resources: one for each type
// of synth.Types, and that of the system, which makes patients with their histories. They are
// not among All: who serves them chooses to,
//
//	httpadapter.Config{Operations: append(operation.All(), operation.Generate()...)}
func Generate() []*Operation {
	types := synth.Types()
	rows := make([]*Operation, len(types), len(types)+1)
	for i := range types {
		rows[i] = generateRow(&types[i])
	}
	return append(rows, populationRow())
}

func generateRow(t *synth.Type) *Operation {
	op := &Operation{
		Name: "generate", Type: t.Name, AffectsState: true,
		Summary: "Make synthetic resources",
		Doc: t.Doc + " What is made follows from the parameters alone: the resource of a number is always the same. It is labelled " +
			"as test data (_security=HTEST), and refers to what is made of the same seed where no reference is given.",
		Spec: "clinical document 1.6",
		In: with([]Param{
			seedParam(),
			{Name: paramCount, Type: "positiveInt", Default: "1", Doc: fmt.Sprintf("How many resources, at most %s.", engine.Thousands(maxGenerated))},
			{Name: paramFirst, Type: "unsignedInt", Default: "0", Doc: "Number of the first resource."},
		}, optionParams(t.Options)),
		Out: generateOut(),
		Run: func(ctx context.Context, env Env, in *Input) (Result, error) { return runGenerate(ctx, env, in, t) },
	}
	if len(t.Codes) > 0 {
		op.In = append(op.In, Param{
			Name: paramCodes, Type: "string", Many: true,
			Doc: "Codes that an element is drawn from: " + codesForm + ". The element is one of " + strings.Join(t.Codes, ", ") + ".",
		})
	}
	op.In = append(op.In,
		Param{Name: paramWith, Type: "boolean", Default: "false", Doc: "Make what the resources refer to as well, before them."},
		storeParam())
	return op
}

func seedParam() Param {
	return Param{Name: paramSeed, Type: "decimal", Default: "0", Doc: "What everything follows from: a whole number from 0 to 18446744073709551615."}
}

func storeParam() Param {
	return Param{Name: paramStore, Type: "boolean", Default: "false", Doc: "Store the resources here, by their ids, in one change; the answer tells where they are."}
}

func generateOut() []Param {
	return []Param{{Name: "return", Type: "Bundle", Min: 1, Doc: "A collection of what was made; of what was stored, a batch-response."}}
}

// optionParams are the options of a type as parameters.
func optionParams(options []synth.Option) []Param {
	list := make([]Param, len(options))
	for i := range options {
		o := &options[i]
		p := Param{Name: o.Name, Type: o.Type, Default: o.Default, Doc: o.Doc}
		switch {
		case o.Type == "integer":
			p.Doc += fmt.Sprintf(" From %s to %s.", engine.Thousands(o.Low), engine.Thousands(min(o.High, maxGeneratedSize)))
		case len(o.Choices) > 0:
			p.Doc += " One of " + strings.Join(o.Choices, ", ") + "."
		}
		list[i] = p
	}
	return list
}

func runGenerate(ctx context.Context, env Env, in *Input, t *synth.Type) (Result, error) {
	o := synth.Options{Values: map[string]string{}}
	s := synth.Selection{References: isTrue(in, paramWith)}
	var err error
	if o.Seed, err = seed(in); err != nil {
		return nil, err
	}
	if s.First, s.Count, err = numbers(in, paramCount, maxGenerated); err != nil {
		return nil, err
	}
	for i := range t.Options {
		name := t.Options[i].Name
		if n, given := in.Int(name); given && t.Options[i].Type == "integer" && n > maxGeneratedSize {
			return nil, Invalid(name, fmt.Sprintf("%d is more than %d; what is larger is made with roget generate", n, maxGeneratedSize))
		}
		if in.Has(name) {
			o.Values[name] = in.String(name)
		}
	}
	if o.Codes, err = GeneratorCodes(ctx, env.Engine, t.Codes, in.Strings(paramCodes)); err != nil {
		return nil, err
	}
	g, err := synth.New(t.Name, o)
	if err != nil {
		return nil, err
	}
	out := &generated{base: in.Base}
	if err := g.Each(ctx, s, out.add); err != nil {
		return nil, err
	}
	return out.stored(ctx, env, in)
}

// numbers reads which resources or patients to make: the number of the first, and how many.
func numbers(in *Input, name string, most int) (first, count uint64, err error) {
	from, _ := in.Int(paramFirst)
	n, given := in.Int(name)
	switch {
	case !given:
		n = 1
	case n > most:
		return 0, 0, Invalid(name, fmt.Sprintf("%d is more than the %d that are made at a time; go on with %s=%d", n, most, paramFirst, from+most))
	}
	return uint64(from), uint64(n), nil
}

// seed reads the seed.
func seed(in *Input) (uint64, error) {
	text := in.String(paramSeed)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, Invalid(paramSeed, fmt.Sprintf("%s is no whole number from 0 to 18446744073709551615", quote(text)))
	}
	return n, nil
}
