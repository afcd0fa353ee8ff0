package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// settingsCommand reads and writes system settings. Platform toolkit, section 3.1.
func (c commands) settingsCommand() *cli.Command {
	key := command.Argument{Name: "KEY", Required: true, Usage: "Key of the setting, such as applicationTitle."}
	return &cli.Command{
		Name: "settings", Usage: "Read and write system settings",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "get", Usage: "Print the value of a setting",
				Description: "Prints a text as it is, and any other value as JSON. With --json, prints texts as JSON too. The exit code is 1 if the setting is unset or unknown.",
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{key},
				Examples: []string{"roget system settings get applicationTitle"},
				Run:      c.run(getSetting),
			}),
			c.Add(&cli.Command{
				Name: "list", Aliases: []string{"ls"}, Usage: "Print all settings",
				Description: "Prints a line KEY = VALUE for each setting, sorted by key. With --json, prints an object.",
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget system settings list", "roget system settings list --json"},
				Run:      c.run(listSettings),
			}),
			c.Add(&cli.Command{
				Name: "set", Usage: "Set a setting",
				Description: "Sets a setting to a text. If the setting is a boolean or a number, the platform converts the text.",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{key, {Name: "VALUE", Required: true, Usage: "New value of the setting."}},
				Examples: []string{"roget system settings set applicationTitle 'District office'"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					value, err := json.Marshal(inv.Args()[1])
					if err != nil {
						return err
					}
					return inv.setSettings(ctx, platform.Settings{{Key: inv.Args()[0], Value: value}})
				}),
			}),
			c.Add(&cli.Command{
				Name: "set-many", Usage: "Set the settings in a file",
				Description: "FILE has a JSON object with a member for each setting. The settings are set in the order of the file; objects and " +
					"arrays are set as compact JSON. The whole file is checked before the first setting is set.",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{{Name: "FILE", Required: true, Usage: "JSON file, or - for standard input."}},
				Examples: []string{"roget system settings set-many settings.json"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					settings, err := inv.settingsOf(inv.Args()[0])
					if err != nil {
						return err
					}
					return inv.setSettings(ctx, settings)
				}),
			}),
			c.Add(&cli.Command{
				Name: "delete", Usage: "Unset a setting",
				Description: "Unsets a setting, so that the platform uses its default again. Asks for confirmation.",
				Flags:       []cli.Flag{command.YesFlag()},
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{key},
				Examples: []string{"roget system settings delete applicationTitle --yes"},
				Run:      c.run(deleteSetting),
			}),
		},
	}
}

func getSetting(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	key := inv.Args()[0]
	value, set, err := client.System().Setting(ctx, key)
	if err != nil {
		return err
	}
	if !set {
		return errUnset(key)
	}
	if inv.JSON() {
		return inv.Show(value, nil)
	}
	return inv.writeText(platform.SettingText(value))
}

func listSettings(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	settings, err := client.System().Settings(ctx)
	if err != nil {
		return err
	}
	t := &engine.Table{}
	for _, s := range settings {
		t.Rows = append(t.Rows, []string{s.Key + " = " + s.Text()})
	}
	slices.SortFunc(t.Rows, slices.Compare)
	return inv.Show(settings, t)
}

// setSettings sets settings one after the other and prints those that were set, even if one of them
// fails.
func (inv *invocation) setSettings(ctx context.Context, settings platform.Settings) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	t, done := &engine.Table{}, []string{}
	for _, s := range settings {
		if err = client.System().SetSetting(ctx, s.Key, s.Text()); err != nil {
			break
		}
		t.Rows, done = append(t.Rows, []string{"set " + s.Key}), append(done, s.Key)
	}
	if err != nil && len(done) == 0 {
		return err
	}
	if showErr := inv.Show(map[string]any{"action": "set", "keys": done}, t); err == nil {
		err = showErr
	}
	return err
}

// settingsOf reads a file of settings and checks all of it.
func (inv *invocation) settingsOf(path string) (platform.Settings, error) {
	var settings platform.Settings
	if err := inv.inputJSON(path, &settings); err != nil {
		return nil, err
	}
	for _, s := range settings {
		switch {
		case s.Key == "":
			return nil, command.Usagef("%s has a setting without a key", path)
		case string(s.Value) == "null":
			return nil, command.Usagef("%s has null for %s; to unset it, use roget system settings delete %s", path, s.Key, s.Key)
		}
	}
	return settings, nil
}

func deleteSetting(ctx context.Context, inv *invocation) error {
	key := inv.Args()[0]
	if err := inv.Confirm(fmt.Sprintf("Unset the setting %s?", key)); err != nil {
		return err
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	if err := client.System().DeleteSetting(ctx, key); err != nil {
		return err
	}
	return inv.did("deleted", key, map[string]string{"key": key})
}

// errUnset reports whether a setting has no value.
func errUnset(key string) error { return fmt.Errorf("the setting %s is unset", key) }
