package cliadapter

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/roget-health/roget/auth/login"
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

func (c *CLI) profileRenameCommand() *command {
	return &command{
		name: "rename", access: accessWrite, summary: "Rename a profile",
		doc:     "The profile keeps its place, its being the default, and its token.",
		args:    []argument{profileArgument(true), {name: "NEW", required: true, usage: "The new name."}},
		options: scopeOptions(), examples: []string{"roget profile rename prod production"},
		run: func(ctx context.Context, inv *invocation) error {
			registry, scope, err := inv.registry()
			if err != nil {
				return err
			}
			from, to := inv.args()[0], inv.args()[1]
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
		},
	}
}

// moveToken gives the token of a profile to another name, while no other process refreshes
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
