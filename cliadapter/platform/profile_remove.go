package platform

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
)

func (c commands) profileRemoveCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "remove", Aliases: []string{"rm"}, Usage: "Remove a profile and its token",
		Description: "If the profile was the default, the next one in its file becomes the default.",
		Flags:       append(scopeOptions(), command.YesFlag()),
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{c.profileArgument(true)},
		Examples: []string{"roget profile remove old --yes"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			registry, scope, err := inv.registry()
			if err != nil {
				return err
			}
			entry, err := registry.Find(inv.Args()[0], scope)
			if err != nil {
				return err
			}
			if err := inv.Confirm("Remove " + inFile(entry) + "?"); err != nil {
				return err
			}
			if entry, err = registry.Remove(ctx, entry.Name, entry.Scope); err != nil {
				return err
			}
			if entry.Profile.Auth == profile.OAuth2 {
				if err := inv.deleteToken(ctx, entry); err != nil {
					return fmt.Errorf("the profile was removed, but its token was not: %w", err)
				}
			}
			return inv.done(entry, "removed %s", inFile(entry))
		}),
	})
}

// deleteToken deletes the token of a profile from its store.
func (inv *invocation) deleteToken(ctx context.Context, entry profile.Entry) error {
	store, err := inv.tokens(resolvedOf(entry))
	if err != nil {
		return err
	}
	return store.Delete(ctx, login.StoreKey(entry.Name))
}
