package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Flags are cli.BoolFlag, cli.StringFlag and, where a flag may be repeated,
// cli.StringSliceFlag. Three conventions hold for all of them:
//
//   - A word in backquotes at the beginning of Usage names the value: "`FILE` Write to a
//     file." is shown as --name FILE.
//   - Category is the title of the section of the help that lists the flag, where a command has
//     many; "" is the section Flags.
//   - Aliases of more than one letter are understood, but not shown; of those of one letter
//     the first is shown.

// A Flag is a cli.StringFlag with more that help and completion know.
type Flag struct {
	cli.StringFlag
	Env      string             // environment variable that stands in for the flag; Invocation.Text reads it
	Choices  []string           // the values, where there are few
	Complete Completer          // finds further values when completion asks for them
	Check    func(string) error // refuses values
	Masked   bool               // the value is a secret, which is never printed
	Writes   bool               // the command writes to the disk when the flag is given: see Access
	// Discloses is true if the command prints what is in the file that the flag names. Programs that
	// run commands for others refuse it.
	Discloses bool
}

// A description is a flag of any type as the parser, help and completion see it.
type description struct {
	Flag
	short       string   // "o" where help shows -o
	placeholder string   // the value in help: "FILE"; empty for flags without a value
	many        bool     // may be repeated
	list        []string // values of a flag that may be repeated and is not given
}

// describe reads a flag. Its method Names is not used: it runs a regular expression for each
// name, which makes the start of the program slow.
func describe(f cli.Flag) (d description) {
	d.placeholder = "value"
	switch f := f.(type) {
	case *cli.BoolFlag:
		d.Name, d.Aliases, d.Usage, d.Value, d.placeholder, d.Category = f.Name, f.Aliases, f.Usage, f.DefaultText, "", f.Category
	case *cli.StringFlag:
		d.StringFlag = *f
	case *cli.StringSliceFlag:
		d.Name, d.Aliases, d.Usage, d.many, d.Category = f.Name, f.Aliases, f.Usage, true, f.Category
		if f.Value != nil {
			d.list = f.Value.Value()
		}
	case *Flag:
		d.Flag = *f
	}
	if word, found := strings.CutPrefix(d.Usage, "`"); found {
		d.placeholder, d.Usage, _ = strings.Cut(word, "` ")
	}
	if len(d.Choices) > 0 {
		d.placeholder = strings.Join(d.Choices, "|")
	}
	if i := slices.IndexFunc(d.Aliases, func(name string) bool { return len(name) == 1 }); i >= 0 {
		d.short = d.Aliases[i]
	}
	return d
}

// Titled sets the Category of flags, and returns them.
func Titled(title string, flags []cli.Flag) []cli.Flag {
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.BoolFlag:
			f.Category = title
		case *cli.StringFlag:
			f.Category = title
		case *cli.StringSliceFlag:
			f.Category = title
		case *Flag:
			f.Category = title
		}
	}
	return flags
}

// check refuses a value that the flag cannot have; written is how the flag was written.
func (d *description) check(written, value string) error {
	switch {
	case d.placeholder == "" && value != "true" && value != "false":
		return fmt.Errorf("flag %s must be true or false, not %q", written, value)
	case len(d.Choices) > 0 && !slices.Contains(d.Choices, value):
		return fmt.Errorf("flag %s must be one of %s, not %q%s", written, strings.Join(d.Choices, ", "), value, DidYouMean(Nearest(value, d.Choices)))
	case d.Check != nil:
		return d.Check(value)
	}
	return nil
}

// FindFlag returns the flag that has a name or alias, or nil.
func FindFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if d := describe(f); d.Name == name || slices.Contains(d.Aliases, name) {
			return f
		}
	}
	return nil
}

// dashed writes the name of a flag with its dashes.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
