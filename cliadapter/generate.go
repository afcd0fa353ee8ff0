package cliadapter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/synth"
)

// population is what generate makes beside resources of one type.
const population = "population"

// generated are what generate can make.
func generated() []string { return append(synth.TypeNames(), population) }

func (c *CLI) generateCommand() *command {
	return &command{
		name: "generate", group: groupResources, access: accessWrite, summary: "Make synthetic resources",
		doc: "Makes resources of a type, or a population: patients with their histories. What is made follows from --seed alone: " +
			"resource n of a type, and patient n of a population, is always the same, whatever else is made. All of one seed fits " +
			"together. Resources are labelled as test data (_security=HTEST).\n\n" +
			"The form of --output is ndjson, one resource a line; bundle, a transaction that puts the resources by their ids (of a " +
			"population one a line for each patient); or store, which stores them as roget import does and prints what was stored.\n\n" +
			"roget generate TYPE --help tells what else can be said of a type.\n\n" + typeList(),
		args:    []argument{{name: "TYPE", required: true, choices: generated()}},
		options: typeOptions(new(synth.Type)),
		examples: []string{
			"roget generate Patient --count 1000 --seed 42 > patients.ndjson",
			"roget generate Condition --count 3 --patient-ref Patient/17 --output bundle",
			"roget generate QuestionnaireResponse --questionnaire-template phq-9",
			"roget generate population --patients 100000 --seed 42 | gzip > population.ndjson.gz",
			"roget generate population --patients 1000 --output store --data /var/lib/roget",
		},
		variant: generateVariant,
		run: func(_ context.Context, inv *invocation) error { // there was no type
			typ := inv.args()[0]
			return usagef("no resources of type %q are made%s", typ, didYouMean(nearest(typ, generated())))
		},
	}
}

const populationDoc = "Patients with their histories, and before them what several refer to: practitioners, organizations, " +
	"studies, questionnaires and others. Every reference leads to what is made too. A population of more patients begins as " +
	"that of fewer does."

// typeList lists what can be made, for help.
func typeList() string {
	var b strings.Builder
	for _, t := range synth.Types() {
		writeItem(&b, t.Name, t.Doc)
	}
	writeItem(&b, population, "Patients with coherent histories, and all that these refer to.")
	return strings.TrimSuffix(b.String(), "\n")
}

// generateVariant returns the command for the type that is among the arguments, and the others.
// Where none is, all flags of all types are understood, so that it is the type that is asked for.
func generateVariant(cmd *command, args []string) (*command, []string) {
	v := *cmd
	types := synth.Types()
	var begin func(context.Context, *invocation) (*maker, error)
	for i, arg := range args {
		at := slices.IndexFunc(types, func(t synth.Type) bool { return t.Name == arg })
		switch {
		case at >= 0:
			v.doc, v.options = types[at].Doc, typeOptions(&types[at])
			begin = func(ctx context.Context, inv *invocation) (*maker, error) { return typeMaker(ctx, inv, &types[at]) }
			v.examples = []string{"roget generate " + arg + " --count 1000 --seed 42 > " + arg + ".ndjson"}
		case arg == population:
			v.doc, v.options = populationDoc, populationOptions()
			begin = populationMaker
			v.examples = v.examples[len(v.examples)-2:]
		default:
			continue
		}
		v.path, v.args = cmd.path+" "+arg, nil
		v.options = append(v.options, cmd.options.find("help"))
		v.run = func(ctx context.Context, inv *invocation) error { return inv.generate(ctx, begin) }
		return &v, slices.Delete(slices.Clone(args), i, i+1)
	}
	if len(args) == 0 || slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		return cmd, args
	}
	v.options = slices.Clone(v.options)
	add := func(list options) {
		for _, opt := range list {
			if v.options.find(opt.names[0]) == nil {
				loose := *opt
				loose.choices = nil
				v.options = append(v.options, &loose)
			}
		}
	}
	add(populationOptions())
	for i := range types {
		add(typeOptions(&types[i]))
	}
	return &v, args
}

// typeOptions are the flags for resources of a type.
func typeOptions(t *synth.Type) options {
	list := options{
		seedOption(),
		{names: []string{"count"}, value: true, hint: "N", preset: "1", usage: "How many resources."},
		{names: []string{"first"}, value: true, hint: "N", preset: "0", usage: "Number of the first resource."},
		{names: []string{"with-references"}, usage: "Make what they refer to as well, before them."},
	}
	for i := range t.Options {
		list = append(list, generatorOption(&t.Options[i]))
	}
	return append(list, generatedOptions(strings.Join(t.Codes, ", "))...)
}

// populationOptions are the flags for a population.
func populationOptions() options {
	return append(options{
		seedOption(),
		{names: []string{"patients"}, value: true, hint: "N", preset: "100", usage: "How many patients."},
		{names: []string{"first"}, value: true, hint: "N", preset: "0", usage: "Number of the first patient: parts of a population can be made apart; let them begin at multiples of 200."},
	}, generatedOptions("any that the help of a type lists, such as Condition.code")...)
}

// seedOption says what to make all from.
func seedOption() *option {
	return &option{names: []string{"seed"}, value: true, hint: "N", preset: "0", usage: "What everything follows from."}
}

// generatedOptions are the flags that say which codes are drawn, for the paths that a text
// names, and what becomes of what is made.
func generatedOptions(paths string) options {
	var list options
	if paths != "" {
		list = options{
			{names: []string{"codes"}, value: true, many: true, hint: "PATH=CODES", usage: "Draw the codes of an element from CODES: ecl:EXPRESSION of " +
				"SNOMED CT, ecl:SYSTEM|EXPRESSION or valueset:CANONICAL. PATH is " + paths + "."},
			sourceOptions()[0],
		}
	}
	return append(append(append(list, options{
		{names: []string{"output", "o"}, value: true, choices: []string{"ndjson", "bundle", "store"}, preset: "ndjson", usage: "What becomes of the resources."},
	}...), storeOptions("Data folder with the resource store, for --output store, made when it is not there; and with code systems, for --codes.")...),
		&option{names: []string{"workers"}, value: true, hint: "N", preset: "0", usage: "How many batches to store, or patients to make, at a time; 0 leaves it to the number of processors."},
		&option{names: []string{"summary"}, value: true, choices: []string{"table", "json"}, preset: "table", usage: "How --output store prints what was stored."},
		&option{names: []string{"pretty"}, usage: "Indent the summary in JSON."}, quietOption())
}

// generatorOption makes the flag of an option. Its name with underscores is understood too.
func generatorOption(o *synth.Option) *option {
	opt := &option{names: []string{flagOf(o)}, also: o.Name, value: true, choices: o.Choices, preset: o.Default, usage: o.Doc, hint: o.Type}
	switch {
	case strings.HasSuffix(o.Name, "_ref") && o.Type == "string":
		opt.hint = "TYPE/ID"
	case o.Type == "integer":
		opt.hint = fmt.Sprintf("%d..%d", o.Low, o.High)
	}
	return opt
}

// flagOf returns the name of the flag of an option.
func flagOf(o *synth.Option) string { return strings.ReplaceAll(o.Name, "_", "-") }
