package platform

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
)

func (c commands) profileRenameCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "rename", Usage: "Rename a profile",
		Description: "The profile keeps its place, its being the default, and its token.",
		Flags:       scopeOptions(),
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{c.profileArgument(true), {Name: "NEW", Required: true, Usage: "The new name."}},
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
					return fmt.Errorf("the profile was renamed, its token was not; run roget profile login %s: %w", to, err)
				}
			}
			inv.warnOther(registry, entry)
			return inv.done(entry, "renamed: %s", inFile(entry))
		}),
	})
}

// moveToken returns the token of a profile to another name, while no other process refreshes
// it. One that is left of an earlier profile of that name goes.
func (inv *invocation) moveToken(ctx context.Context, entry profile.Entry, from, to string) error {
	store := inv.tokens(filepath.Dir(entry.Path))
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
