package cliadapter

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
)

func (c *CLI) profileRemoveCommand() *command {
	return &command{
		name: "remove", aliases: []string{"rm"}, access: accessWrite, summary: "Remove a profile and its token",
		doc:     "Where it was the default of its file, the one after it becomes the default.",
		args:    []argument{profileArgument(true)},
		options: append(scopeOptions(), yesOption()), examples: []string{"roget profile remove old --yes"},
		run: func(ctx context.Context, inv *invocation) error {
			registry, scope, err := inv.registry()
			if err != nil {
				return err
			}
			entry, err := registry.Find(inv.args()[0], scope)
			if err != nil {
				return err
			}
			if err := inv.confirm("Remove " + inFile(entry) + "?"); err != nil {
				return err
			}
			if entry, err = registry.Remove(ctx, entry.Name, entry.Scope); err != nil {
				return err
			}
			if entry.Profile.Auth == profile.OAuth2 {
				if err := inv.tokens(filepath.Dir(entry.Path)).Delete(ctx, login.StoreKey(entry.Name)); err != nil {
					return fmt.Errorf("the profile was removed, its token was not: %w", err)
				}
			}
			return inv.done(entry, "removed %s", inFile(entry))
		},
	}
}
