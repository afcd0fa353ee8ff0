package cliadapter

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/browse"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/engine/names"
)

// browseName is the name of the command that draws on a terminal.
const browseName = "browse"

func (c builder) browseCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: browseName, Category: groupQuery, Usage: "Walk through code systems in the terminal",
		Description: "Shows the hierarchy of a code system as a tree, and what is known of the concept at the cursor. / finds concepts, the arrows " +
			"open, close and walk, tab reads, p goes to one of several parents, s to another code system, and ? lists all keys. y copies the code " +
			"to the clipboard of the terminal (OSC 52), Y system|code, J a Coding, E an expression constraint. What was copied last is printed at the end.\n\n" +
			"The code systems are those that are loaded, in their default version, and the one that --system names. The command needs a terminal; " +
			"roget tree and roget search are for scripts.\n\n" + shortNames,
		Flags: append(c.systemOptions(), append(sourceOptions(), quietOption())...),
	}, command.Details{
		Access:   command.Reads,
		Args:     []command.Argument{c.codeArgument(false, "The concept to begin at.")},
		Examples: []string{"roget browse", "roget browse A00.0 --system icd-10-cm"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			if !inv.InTerminal || !inv.OutTerminal {
				return command.Usagef("there is no terminal to draw on: roget tree, roget ancestors and roget search print")
			}
			copied := ""
			err := inv.ask(ctx, Sources{Base: true}, func(eng *engine.Engine) error {
				m, err := inv.browser(eng)
				if err != nil {
					return err
				}
				err = browse.Run(ctx, m, nil)
				copied = m.Copied()
				return err
			})
			if err != nil || copied == "" {
				return err
			}
			return command.Write(inv.Out, []byte(command.Printable(copied)+"\n"))
		}),
	})
}

// browser returns a browser at the concept that the command line names.
func (inv *invocation) browser(eng *engine.Engine) (*browse.Model, error) {
	code := strings.Join(inv.Args(), "")
	list := browsable(eng)
	at := 0
	var first *codesystem.Index
	if code != "" || inv.IsSet("system") || len(list) == 0 {
		x, err := inv.index(eng, code)
		if err != nil {
			return nil, err
		}
		if at = position(list, x); at < 0 {
			name := newDictionary(eng).list(kinds[0]).Short(x.URL())
			if slices.ContainsFunc(list, func(s browse.System) bool { return s.Name == name }) {
				name += "|" + x.Version()
			}
			at, list = len(list), append(list, browse.System{Name: name, Index: x})
		}
		first = x
	}
	m := browse.New(list, at)
	if code != "" {
		o, err := concept(first, code)
		if err != nil {
			return nil, err
		}
		m.Show(o)
	}
	return m, nil
}

func position(list []browse.System, x *codesystem.Index) int {
	for i, s := range list {
		if s.Index.URL() == x.URL() && s.Index.Version() == x.Version() {
			return i
		}
	}
	return -1
}

// browsable returns the code systems that are no part of FHIR, in their default versions.
func browsable(eng *engine.Engine) (list []browse.System) {
	var short *names.List
	for _, e := range eng.Entries(kinds[0]) {
		if e.Header.URL == "" || e.Origin == base.Origin || e.Grammar != nil || e.Supplements != "" || !eng.IsDefault(e) {
			continue
		}
		x, err := e.CodeSystem()
		if err != nil || x.Len() == 0 {
			continue // roget doctor and roget verify are about damage
		}
		if short == nil {
			short = newDictionary(eng).list(kinds[0])
		}
		list = append(list, browse.System{Name: short.Short(x.URL()), Index: x})
	}
	return list
}
