package platform

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

func (c commands) profileListCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "list", Aliases: []string{"ls"}, Usage: "List the profiles",
		Description: "Lists the profiles of the project and of the user. The default profile is marked with *.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "Include profiles of the user that a profile of the project hides."},
		},
	}, command.Details{
		Access:   command.Reads,
		Examples: []string{"roget profile list", "roget profile list --all --json"},
		Run: c.run(func(_ context.Context, inv *invocation) error {
			registry, err := c.profiles()
			if err != nil {
				return err
			}
			list, err := registry.List()
			if err != nil {
				return err
			}
			rows := []profileRow{}
			table := &engine.Table{Header: []string{"NAME", "AUTH", "URL", "SCOPE"}}
			for _, entry := range list {
				if entry.Shadowed && !inv.Is("all") {
					continue
				}
				name, scope := entry.Name, string(entry.Scope)
				if entry.IsDefault {
					name += " *"
				}
				if entry.Shadowed {
					scope += ", hidden by the project"
				}
				rows = append(rows, rowOf(entry))
				table.Rows = append(table.Rows, []string{name, string(entry.Profile.Auth), rowOf(entry).BaseURL, scope})
			}
			if len(rows) == 0 {
				inv.Notice("there is no profile; create one with roget profile add")
				table = nil
			}
			return inv.Show(rows, table)
		}),
	})
}
