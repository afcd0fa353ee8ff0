package cliadapter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/resources/synth"
)

// population is what generate makes beside resources of one type.
const population = "population"

// generated are what generate can make.
func generated() []string { return append(synth.TypeNames(), population) }

func (c builder) generateCommand() *cli.Command {
	examples := []string{
		"roget generate Patient --count 1000 --seed 42 > patients.ndjson",
		"roget generate Condition --count 3 --patient-ref Patient/17 --output bundle",
		"roget generate QuestionnaireResponse --questionnaire-template phq-9",
		"roget generate population --patients 100000 --seed 42 | gzip > population.ndjson.gz",
		"roget generate population --patients 1000 --output store --data /var/lib/roget",
	}
	return c.Add(&cli.Command{
		Name: "generate", Category: groupResources, Usage: "Make synthetic resources",
		Description: "Makes synthetic resources of a type, or a population: patients with their histories. The seed determines the " +
			"result: resource number n of a type, and patient number n of a population, are always the same for the same seed and " +
			"flags. Resources with the same seed refer to each other. All of them are labelled as test data (_security=HTEST).\n\n" +
			"With --output ndjson, roget prints one resource per line. With bundle, it prints a transaction that creates the resources " +
			"under their ids (for a population, one transaction per line and patient). With store, it stores the resources as roget " +
			"import does, and prints their number.\n\n" +
			"Types have further flags: see roget generate TYPE --help.",
		Flags:       typeOptions(new(synth.Type)),
		Subcommands: c.typeCommands(examples[len(examples)-2:]),
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{{Name: "TYPE", Required: true, Choices: generated()}},
		Examples: examples,
		Order:    typeFirst,
		Run: c.run(func(_ context.Context, inv *invocation) error { // there was no type
			typ := inv.Args()[0]
			return command.Usagef("cannot generate resources of type %q%s", typ, command.DidYouMean(command.Nearest(typ, generated())))
		}),
	})
}

// typeFirst moves the type before its flags, which may be written before it. Flags after an
// unknown type are dropped: the type is the mistake to report.
func typeFirst(words []string) []string {
	for i, word := range words {
		if slices.Contains(generated(), word) {
			return slices.Concat(words[i:i+1], words[:i], words[i+1:])
		}
	}
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		return words[:1]
	}
	return words
}

const populationDoc = "Makes patients with their histories, and before them the resources that several patients refer to: practitioners, " +
	"organizations, studies, questionnaires and others. Every reference points to a resource of the population. A larger " +
	"population with the same seed contains the smaller one."

// typeCommands are the commands below generate: one for each type, and one for a population.
func (c builder) typeCommands(populationExamples []string) []*cli.Command {
	make := func(name, usage, doc string, flags []cli.Flag, examples []string, begin func(context.Context, *invocation) (*maker, error)) *cli.Command {
		return c.Add(&cli.Command{Name: name, Category: "Types", Usage: usage, Description: doc, Flags: flags}, command.Details{
			Access:   command.Writes,
			Examples: examples,
			Run:      c.run(func(ctx context.Context, inv *invocation) error { return inv.generate(ctx, begin) }),
		})
	}
	var list []*cli.Command
	types := synth.Types()
	for i := range types {
		t := &types[i]
		list = append(list, make(t.Name, strings.TrimSuffix(t.Doc, "."), "", typeOptions(t), []string{"roget generate " + t.Name + " --count 1000 --seed 42 > " + t.Name + ".ndjson"},
			func(ctx context.Context, inv *invocation) (*maker, error) { return typeMaker(ctx, inv, t) }))
	}
	return append(list, make(population, "Patients with coherent histories, and the resources they refer to", populationDoc, populationOptions(), populationExamples, populationMaker))
}

// typeOptions are the flags for resources of a type.
func typeOptions(t *synth.Type) []cli.Flag {
	list := []cli.Flag{
		seedOption(),
		&cli.StringFlag{Name: "count", Value: "1", Usage: "`N` Number of resources to make."},
		&cli.StringFlag{Name: "first", Value: "0", Usage: "`N` Number of the first resource."},
		&cli.BoolFlag{Name: "with-references", Usage: "Also make the resources that they refer to, before them."},
	}
	for i := range t.Options {
		list = append(list, generatorOption(&t.Options[i]))
	}
	return append(list, generatedOptions(strings.Join(t.Codes, ", "))...)
}

// populationOptions are the flags for a population.
func populationOptions() []cli.Flag {
	return append([]cli.Flag{
		seedOption(),
		&cli.StringFlag{Name: "patients", Value: "100", Usage: "`N` Number of patients to make."},
		&cli.StringFlag{Name: "first", Value: "0", Usage: "`N` Number of the first patient, to make a population in parts. Start each part at a multiple of 200."},
	}, generatedOptions("one that the help of a type lists, such as Condition.code")...)
}

// seedOption is the flag --seed.
func seedOption() cli.Flag {
	return &cli.StringFlag{Name: "seed", Value: "0", Usage: "`N` Seed of the synthetic data. The same seed always makes the same data."}
}

// generatedOptions are the flags for the codes to draw (paths describes the elements) and for the
// output.
func generatedOptions(paths string) []cli.Flag {
	var list []cli.Flag
	if paths != "" {
		list = []cli.Flag{
			&cli.StringSliceFlag{Name: "codes", Usage: "`PATH=CODES` Draw the codes of the element PATH from CODES, which is ecl:EXPRESSION (of " +
				"SNOMED CT), ecl:SYSTEM|EXPRESSION or valueset:CANONICAL. PATH is " + paths + "."},
			sourceOptions()[0],
		}
	}
	return append(append(append(list, []cli.Flag{
		&command.Flag{StringFlag: cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "ndjson", Usage: "Print the resources one per line, print them as a transaction, or store them."}, Choices: []string{"ndjson", "bundle", "store"}},
	}...), storeOptions("Data folder with the resource store, for --output store, and with code systems, for --codes. Created if it does not exist.")...),
		&cli.StringFlag{Name: "workers", Value: "0", Usage: "`N` Number of patients to make, or batches to store, in parallel; 0 to choose by the number of processors."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "summary", Value: "table", Usage: "Output format of the summary that --output store prints."}, Choices: []string{"table", "json"}},
		&cli.BoolFlag{Name: "pretty", Usage: "Indent the JSON of the summary."}, quietOption())
}

// generatorOption makes the flag of an option. Its name with underscores is understood too.
func generatorOption(o *synth.Option) cli.Flag {
	value := o.Type
	switch {
	case strings.HasSuffix(o.Name, "_ref") && o.Type == "string":
		value = "TYPE/ID"
	case o.Type == "integer":
		value = fmt.Sprintf("%d..%d", o.Low, o.High)
	}
	f := &command.Flag{StringFlag: cli.StringFlag{Name: flagOf(o), Value: o.Default, Usage: "`" + value + "` " + o.Doc}, Choices: o.Choices}
	if o.Name != f.Name {
		f.Aliases = []string{o.Name}
	}
	return f
}

// flagOf returns the name of the flag of an option.
func flagOf(o *synth.Option) string { return strings.ReplaceAll(o.Name, "_", "-") }
