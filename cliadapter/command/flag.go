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

func helpFlag() cli.Flag {
	return &cli.BoolFlag{Name: helpName, Aliases: []string{"h"}, Usage: "show this help"}
}

// FindFlag returns the flag that has a name or alias, or nil.
func FindFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if main, aliases := names(f); main == name || slices.Contains(aliases, name) {
			return f
		}
	}
	return nil
}

// names returns the name of a flag and its aliases. Names does the same with a regular
// expression for each, which makes the start of the program slow.
func names(f cli.Flag) (name string, aliases []string) {
	switch f := f.(type) {
	case *cli.BoolFlag:
		return f.Name, f.Aliases
	case *cli.StringFlag:
		return f.Name, f.Aliases
	case *cli.StringSliceFlag:
		return f.Name, f.Aliases
	case *Flag:
		return f.Name, f.Aliases
	}
	all := f.Names()
	return all[0], all[1:]
}

func flagOf(cmd *cli.Command, name string) cli.Flag { return FindFlag(cmd.Flags, name) }

// shownNames returns the name of a flag and the short form that help shows.
func shownNames(f cli.Flag) []string {
	name, aliases := names(f)
	short := slices.IndexFunc(aliases, func(name string) bool { return len(name) == 1 })
	if short < 0 {
		return []string{name}
	}
	return []string{name, aliases[short]}
}

// dashed writes the name of a flag with its dashes.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func takesValue(f cli.Flag) bool { return f.(cli.DocGenerationFlag).TakesValue() }

func repeatable(f cli.Flag) bool {
	_, slice := f.(*cli.StringSliceFlag)
	return slice
}

func choices(f cli.Flag) []string {
	if f, ok := f.(*Flag); ok {
		return f.Choices
	}
	return nil
}

// described returns the name of a flag's value, as help shows it, and what the flag does.
func described(f cli.Flag) (value, usage string) {
	usage = f.(cli.DocGenerationFlag).GetUsage()
	if rest, found := strings.CutPrefix(usage, "`"); found {
		value, usage, _ = strings.Cut(rest, "` ")
	}
	if list := choices(f); len(list) > 0 {
		value = strings.Join(list, "|")
	}
	if value == "" && takesValue(f) {
		value = "value"
	}
	return value, usage
}
