package platform

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

func (c commands) profileDefaultCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "default", Usage: "Show or set the default profile",
		Description: "The default profile is used when a command names none. The default of a project takes precedence over yours.",
		Flags:       scopeOptions(),
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{{Name: "NAME", Usage: "Name of the profile to make the default. Without it, the default is shown.", Complete: c.completeProfile()}},
		Examples: []string{"roget profile default", "roget profile default prod"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			registry, scope, err := inv.registry()
			if err != nil {
				return err
			}
			if len(inv.Args()) == 0 {
				list, err := registry.List()
				for _, entry := range list {
					if entry.IsDefault {
						return inv.Show(rowOf(entry), &engine.Table{Footer: entry.Name})
					}
				}
				if err == nil {
					err = new(profile.NoProfileError)
				}
				return err
			}
			entry, err := registry.SetDefault(ctx, inv.Args()[0], scope)
			if err != nil {
				return err
			}
			inv.warnOther(registry, entry)
			return inv.done(entry, "default: %s", inFile(entry))
		}),
	})
}
