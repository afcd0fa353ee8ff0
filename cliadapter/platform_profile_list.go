package cliadapter

import (
	"context"

	"github.com/roget-health/roget/engine"
)

func (c *CLI) profileListCommand() *command {
	return &command{
		name: "list", aliases: []string{"ls"}, access: accessRead, summary: "List the profiles",
		doc: "Lists the profiles of the project and of the user. The one that commands use where nothing else is said has a *.",
		options: options{
			{names: []string{"all", "a"}, usage: "Also profiles of the user that a profile of the project hides."},
		},
		examples: []string{"roget profile list", "roget profile list --all --json"},
		run: func(_ context.Context, inv *invocation) error {
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
				if entry.Shadowed && !inv.is("all") {
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
				inv.notice("there is no profile; make one with roget profile add")
				table = nil
			}
			return inv.show(rows, table)
		},
	}
}
