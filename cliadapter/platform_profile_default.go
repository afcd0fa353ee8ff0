package cliadapter

import (
	"context"

	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/engine"
)

func (c *CLI) profileDefaultCommand() *command {
	return &command{
		name: "default", access: accessWrite, summary: "Show or set the profile that is used where none is named",
		args: []argument{{name: "NAME", usage: "Name of the profile that becomes the default of its file; without one, the default is shown.", complete: profileNames}},
		doc:  "The default of the project goes before that of the user.", options: scopeOptions(),
		examples: []string{"roget profile default", "roget profile default prod"},
		run: func(ctx context.Context, inv *invocation) error {
			registry, scope, err := inv.registry()
			if err != nil {
				return err
			}
			if len(inv.args()) == 0 {
				list, err := registry.List()
				for _, entry := range list {
					if entry.IsDefault {
						return inv.show(rowOf(entry), &engine.Table{Footer: entry.Name})
					}
				}
				if err == nil {
					err = new(profile.NoProfileError)
				}
				return err
			}
			entry, err := registry.SetDefault(ctx, inv.args()[0], scope)
			if err != nil {
				return err
			}
			inv.warnOther(registry, entry)
			return inv.done(entry, "default: %s", inFile(entry))
		},
	}
}
