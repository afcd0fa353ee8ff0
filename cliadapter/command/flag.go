package command

import (
	"flag"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Flags are cli.BoolFlag, cli.StringFlag and, where a flag may be repeated,
// cli.StringSliceFlag. Two conventions hold for all of them:
//
//   - A word in backquotes at the beginning of Usage names the value: "`FILE` Write to a
//     file." is shown as --name FILE.
//   - Aliases of more than one letter are understood, but not shown; of those of one letter
//     the first is shown.

// A Flag is a cli.StringFlag with more that help and completion know. Its environment
// variable stands in for the flag: Invocation.Text reads it.
type Flag struct {
	cli.StringFlag
	Choices  []string           // the values, where there are few
	Complete Completer          // finds further values when completion asks for them
	Check    func(string) error // refuses values
	Writes   bool               // the command writes to the disk when the flag is given: see Access
}

// Apply adds the flag to a set; the environment is not read here.
func (f *Flag) Apply(set *flag.FlagSet) error {
	for _, name := range f.Names() {
		set.String(name, f.Value, f.Usage)
	}
	return nil
}

// flagFeatures are what the parser, help and completion need of a flag.
type flagFeatures struct {
	name, short string // "output", and "o" where help shows it
	aliases     []string
	usage       string
	placeholder string // the value in help: "FILE"; empty for flags without a value
	preset, env string
	many        bool
	choices     []string
	complete    Completer
	check       func(string) error
}

// features reads a flag. Its method Names is not used: it runs a regular expression for each
// name, which makes the start of the program slow.
func features(f cli.Flag) (t flagFeatures) {
	text := func(f *cli.StringFlag) {
		t.name, t.aliases, t.usage, t.placeholder, t.preset = f.Name, f.Aliases, f.Usage, "value", f.Value
	}
	switch f := f.(type) {
	case *cli.BoolFlag:
		t.name, t.aliases, t.usage, t.preset = f.Name, f.Aliases, f.Usage, f.DefaultText
	case *cli.StringFlag:
		text(f)
	case *cli.StringSliceFlag:
		t.name, t.aliases, t.usage, t.placeholder, t.many = f.Name, f.Aliases, f.Usage, "value", true
	case *Flag:
		text(&f.StringFlag)
		t.choices, t.complete, t.check, t.env = f.Choices, f.Complete, f.Check, strings.Join(f.EnvVars, ", ")
	}
	if word, found := strings.CutPrefix(t.usage, "`"); found {
		t.placeholder, t.usage, _ = strings.Cut(word, "` ")
	}
	if len(t.choices) > 0 {
		t.placeholder = strings.Join(t.choices, "|")
	}
	if i := slices.IndexFunc(t.aliases, func(name string) bool { return len(name) == 1 }); i >= 0 {
		t.short = t.aliases[i]
	}
	return t
}

// FindFlag returns the flag that has a name or alias, or nil.
func FindFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if t := features(f); t.name == name || slices.Contains(t.aliases, name) {
			return f
		}
	}
	return nil
}

func flagOf(cmd *cli.Command, name string) cli.Flag { return FindFlag(cmd.Flags, name) }

func helpFlag() cli.Flag {
	return &cli.BoolFlag{Name: helpName, Aliases: []string{"h"}, Usage: "Show this help."}
}

// dashed writes the name of a flag with its dashes.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
