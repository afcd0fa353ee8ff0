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
		Description: "Makes resources of a type, or a population: patients with their histories. What is made follows from --seed alone: " +
			"resource n of a type, and patient n of a population, is always the same, whatever else is made. All of one seed fits " +
			"together. Resources are labelled as test data (_security=HTEST).\n\n" +
			"The form of --output is ndjson, one resource a line; bundle, a transaction that puts the resources by their ids (of a " +
			"population one a line for each patient); or store, which stores them as roget import does and prints what was stored.\n\n" +
			"roget generate TYPE --help tells what else can be said of a type.",
		Flags:       typeOptions(new(synth.Type)),
		Subcommands: c.typeCommands(examples[len(examples)-2:]),
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{{Name: "TYPE", Required: true, Choices: generated()}},
		Examples: examples,
		Order:    typeFirst,
		Run: c.run(func(_ context.Context, inv *invocation) error { // there was no type
			typ := inv.Args()[0]
			return command.Usagef("no resources of type %q are made%s", typ, command.DidYouMean(command.Nearest(typ, generated())))
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

const populationDoc = "Patients with their histories, and before them what several refer to: practitioners, organizations, " +
	"studies, questionnaires and others. Every reference leads to what is made too. A population of more patients begins as " +
	"that of fewer does."

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
		list = append(list, make(t.Name, t.Doc, "", typeOptions(t), []string{"roget generate " + t.Name + " --count 1000 --seed 42 > " + t.Name + ".ndjson"},
			func(ctx context.Context, inv *invocation) (*maker, error) { return typeMaker(ctx, inv, t) }))
	}
	return append(list, make(population, "Patients with coherent histories, and all that these refer to.", populationDoc, populationOptions(), populationExamples, populationMaker))
}

// typeOptions are the flags for resources of a type.
func typeOptions(t *synth.Type) []cli.Flag {
	list := []cli.Flag{
		seedOption(),
		&cli.StringFlag{Name: "count", Value: "1", Usage: "`N` How many resources."},
		&cli.StringFlag{Name: "first", Value: "0", Usage: "`N` Number of the first resource."},
		&cli.BoolFlag{Name: "with-references", Usage: "Make what they refer to as well, before them."},
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
		&cli.StringFlag{Name: "patients", Value: "100", Usage: "`N` How many patients."},
		&cli.StringFlag{Name: "first", Value: "0", Usage: "`N` Number of the first patient: parts of a population can be made apart; let them begin at multiples of 200."},
	}, generatedOptions("any that the help of a type lists, such as Condition.code")...)
}

// seedOption says what to make all from.
func seedOption() cli.Flag {
	return &cli.StringFlag{Name: "seed", Value: "0", Usage: "`N` What everything follows from."}
}

// generatedOptions are the flags that say which codes are drawn, for the paths that a text
// names, and what becomes of what is made.
func generatedOptions(paths string) []cli.Flag {
	var list []cli.Flag
	if paths != "" {
		list = []cli.Flag{
			&cli.StringSliceFlag{Name: "codes", Usage: "`PATH=CODES` Draw the codes of an element from CODES: ecl:EXPRESSION of " +
				"SNOMED CT, ecl:SYSTEM|EXPRESSION or valueset:CANONICAL. PATH is " + paths + "."},
			sourceOptions()[0],
		}
	}
	return append(append(append(list, []cli.Flag{
		&command.Flag{StringFlag: cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "ndjson", Usage: "What becomes of the resources."}, Choices: []string{"ndjson", "bundle", "store"}},
	}...), storeOptions("Data folder with the resource store, for --output store, made when it is not there; and with code systems, for --codes.")...),
		&cli.StringFlag{Name: "workers", Value: "0", Usage: "`N` How many batches to store, or patients to make, at a time; 0 leaves it to the number of processors."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "summary", Value: "table", Usage: "How --output store prints what was stored."}, Choices: []string{"table", "json"}},
		&cli.BoolFlag{Name: "pretty", Usage: "Indent the summary in JSON."}, quietOption())
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
