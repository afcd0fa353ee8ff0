package cliadapter

import (
	"context"
	"flag"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// invoke parses the arranged arguments of a command and runs it. All its output goes
// through our streams.
//
// The command line library gives the flags and the parsed context. Its App is not used:
// help is our own, and the library's renders text/template, which calls methods by name.
// The linker then keeps every exported method of the program, 3 MB of them
// (docs/decisions/0028-size.md).
func (c *CLI) invoke(ctx context.Context, cmd *command, arranged []string, global globals, s Streams) error {
	set := flag.NewFlagSet(cmd.path, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, f := range cmd.flags() {
		if err := f.Apply(set); err != nil {
			return err
		}
	}
	if err := set.Parse(arranged); err != nil {
		return &UsageError{Err: err}
	}
	inv := &invocation{cli: c, cmd: cmd, parsed: cli.NewContext(nil, set, nil), streams: s, global: global, ctx: ctx}
	defer func() {
		for _, end := range inv.atEnd {
			end.Close()
		}
	}()
	err := cmd.checkArgs(inv.args())
	if err == nil {
		err = cmd.run(ctx, inv)
	}
	return inv.report(err)
}

// flags returns the options as the command line library wants them. Other names of an
// option need no flag: arrange writes the first.
func (cmd *command) flags() []cli.Flag {
	var out []cli.Flag
	for _, opt := range cmd.options {
		switch name := opt.names[0]; {
		case !opt.value:
			out = append(out, &cli.BoolFlag{Name: name})
		case opt.many:
			out = append(out, &cli.GenericFlag{Name: name, Value: new(repeated)})
		default:
			out = append(out, &cli.StringFlag{Name: name})
		}
	}
	return out
}

// repeated collects the values of a flag that may be given more than once. A comma is
// part of a value.
type repeated []string

// Set adds a value.
func (r *repeated) Set(value string) error {
	*r = append(*r, strings.TrimSpace(value))
	return nil
}

// String shows the values.
func (r *repeated) String() string { return strings.Join(*r, ", ") }
