package operation

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/synth"
)

// Limits of one call of $generate.
const (
	maxGenerated      = 1000
	maxGeneratedBytes = 64 << 20
	maxGeneratedSize  = 10_000 // of what an option counts: concepts, members
)

// Names of the parameters of all rows of $generate.
const (
	paramSeed  = "seed"
	paramCount = "count"
	paramFirst = "first"
	paramStore = "store"
	paramWith  = "with_references"
)

// Generate returns the rows of $generate, which makes synthetic resources: one for each type of
// synth.Types, and one for the system level, which makes patients with their histories. All does
// not include them; a server offers them with
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
		Example: []Argument{{paramSeed, "1"}, {paramCount, "2"}},
		Summary: "Make synthetic resources",
		Doc: t.Doc + " The parameters alone determine the resources: a resource number always yields the same resource. Resources are labelled " +
			"as test data (_security=HTEST). Unless a reference is given, they refer to resources made with the same seed.",
		Spec: "clinical document 1.6",
		In: with([]Param{
			seedParam(),
			{Name: paramCount, Type: "positiveInt", Default: "1", Doc: fmt.Sprintf("Number of resources, at most %s.", engine.Thousands(maxGenerated))},
			{Name: paramFirst, Type: "unsignedInt", Default: "0", Doc: "Number of the first resource."},
		}, optionParams(t.Options)),
		Out: generateOut(),
		Run: func(ctx context.Context, env Env, in *Input) (Result, error) { return runGenerate(ctx, env, in, t) },
	}
	if len(t.Codes) > 0 {
		op.In = append(op.In, Param{
			Name: paramCodes, Type: "string", Many: true,
			Doc: "Codes to draw the values of an element from: " + codesForm + ". The element is one of " + strings.Join(t.Codes, ", ") + ".",
		})
	}
	op.In = append(op.In,
		Param{Name: paramWith, Type: "boolean", Default: "false", Doc: "Also make the resources that they refer to, before them."},
		storeParam())
	return op
}

func seedParam() Param {
	return Param{Name: paramSeed, Type: "decimal", Default: "0", Doc: "Seed of the random numbers: an integer from 0 to 18446744073709551615."}
}

func storeParam() Param {
	return Param{Name: paramStore, Type: "boolean", Default: "false", Doc: "Store the resources on this server, under their ids, in one transaction; the answer has their locations."}
}

func generateOut() []Param {
	return []Param{{Name: "return", Type: "Bundle", Min: 1, Doc: "A collection of the resources; if they were stored, a batch-response."}}
}

// optionParams returns the options of a type as parameters.
func optionParams(options []synth.Option) []Param {
	list := make([]Param, len(options))
	for i := range options {
		o := &options[i]
		p := Param{Name: o.Name, Type: o.Type, Codes: o.Choices, Default: o.Default, Doc: o.Doc}
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
			return nil, Invalid(name, fmt.Sprintf("%d is more than %d; use the command roget generate for larger resources", n, maxGeneratedSize))
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

// numbers reads the number of the first resource or patient to make, and the count.
func numbers(in *Input, name string, limit int) (first, count uint64, err error) {
	from, _ := in.Int(paramFirst)
	n, given := in.Int(name)
	switch {
	case !given:
		n = 1
	case n > limit:
		return 0, 0, Invalid(name, fmt.Sprintf("%d is more than %d, the most in one request; continue with %s=%d", n, limit, paramFirst, from+limit))
	}
	return uint64(from), uint64(n), nil //nolint:gosec // both are of type unsignedInt, which a request cannot make negative
}

// seed reads the seed.
func seed(in *Input) (uint64, error) {
	text := in.String(paramSeed)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, Invalid(paramSeed, fmt.Sprintf("%s is not an integer from 0 to 18446744073709551615", quote(text)))
	}
	return n, nil
}
