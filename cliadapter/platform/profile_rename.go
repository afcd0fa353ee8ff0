package platform

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
)

func (c commands) profileRenameCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "rename", Usage: "Rename a profile",
		Description: "The profile keeps its position in the file and its token, and remains the default if it was.",
		Flags:       scopeOptions(),
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{c.profileArgument(true), {Name: "NEW", Required: true, Usage: "New name of the profile."}},
		Examples: []string{"roget profile rename prod production"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			registry, scope, err := inv.registry()
			if err != nil {
				return err
			}
			from, to := inv.Args()[0], inv.Args()[1]
			entry, err := registry.Rename(ctx, from, to, scope)
			if err != nil {
				return err
			}
			if entry.Profile.Auth == profile.OAuth2 && from != to {
				if err := inv.moveToken(ctx, entry, from, to); err != nil {
					return fmt.Errorf("the profile was renamed, but its token was not; run roget profile login %s: %w", to, err)
				}
			}
			inv.warnOther(registry, entry)
			return inv.done(entry, "renamed: %s", inFile(entry))
		}),
	})
}

// moveToken moves the token of a profile to another name, while no other process refreshes it. It
// deletes the token of an earlier profile with the new name.
func (inv *invocation) moveToken(ctx context.Context, entry profile.Entry, from, to string) error {
	store, err := inv.tokens(resolvedOf(entry))
	if err != nil {
		return err
	}
	unlock, err := store.Lock(ctx, login.StoreKey(from))
	if err != nil {
		return err
	}
	defer unlock()
	token, err := store.Get(ctx, login.StoreKey(from))
	if err != nil {
		return err
	}
	if token == nil {
		return store.Delete(ctx, login.StoreKey(to))
	}
	if err := store.Set(ctx, login.StoreKey(to), token); err != nil {
		return err
	}
	return store.Delete(ctx, login.StoreKey(from))
}
