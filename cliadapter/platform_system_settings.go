package cliadapter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/engine"
)

// settingsCommand reads and writes system settings. Platform toolkit, section 3.1.
func settingsCommand() *command {
	key := argument{name: "KEY", required: true, usage: "key of the setting, such as applicationTitle"}
	return &command{
		name: "settings", summary: "Read and write system settings",
		commands: []*command{
			{
				name: "get", access: accessRead, summary: "Print the value of a setting",
				doc:      "Prints the value: a text as it is, anything else as JSON; with --json always as JSON. The exit code is 1 where the setting is unset.",
				args:     []argument{key},
				examples: []string{"roget system settings get applicationTitle"},
				run:      getSetting,
			},
			{
				name: "list", aliases: []string{"ls"}, access: accessRead, summary: "Print all settings",
				doc:      "Prints a line key = value for each setting, sorted by key. With --json an object.",
				examples: []string{"roget system settings list", "roget system settings list --json"},
				run:      listSettings,
			},
			{
				name: "set", access: accessWrite, summary: "Set a setting",
				doc:      "Sets a setting to a text; the platform reads booleans and numbers in it where it expects them.",
				args:     []argument{key, {name: "VALUE", required: true, usage: "the value"}},
				examples: []string{"roget system settings set applicationTitle 'District office'"},
				run: func(ctx context.Context, inv *invocation) error {
					value, err := json.Marshal(inv.args()[1])
					if err != nil {
						return err
					}
					return inv.setSettings(ctx, platform.Settings{{Key: inv.args()[0], Value: value}})
				},
			},
			{
				name: "set-many", access: accessWrite, summary: "Set the settings that a file has",
				doc: "Sets each setting of a JSON object, in its order: texts as they are, booleans and numbers plain, objects and " +
					"arrays as compact JSON. All of the file is checked before anything is set.",
				args:     []argument{{name: "FILE", required: true, files: true, usage: "JSON file with an object; - reads standard input"}},
				examples: []string{"roget system settings set-many settings.json"},
				run: func(ctx context.Context, inv *invocation) error {
					settings, err := inv.settingsOf(inv.args()[0])
					if err != nil {
						return err
					}
					return inv.setSettings(ctx, settings)
				},
			},
			{
				name: "delete", access: accessWrite, summary: "Unset a setting",
				doc:      "Unsets a setting, so that the platform's default counts again. Asks first.",
				args:     []argument{key},
				options:  options{yesOption()},
				examples: []string{"roget system settings delete applicationTitle --yes"},
				run:      deleteSetting,
			},
		},
	}
}

func getSetting(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	key := inv.args()[0]
	value, set, err := client.System().Setting(ctx, key)
	if err != nil {
		return err
	}
	if !set {
		return errUnset(key)
	}
	if inv.json() {
		return inv.show(value, nil)
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
	return inv.show(settings, t)
}

// setSettings sets one after the other and tells which are set, also where one fails.
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
	if told := inv.show(map[string]any{"action": "set", "keys": done}, t); err == nil {
		err = told
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
			return nil, usagef("%s has a setting without a key", path)
		case string(s.Value) == "null":
			return nil, usagef("%s has null for %s; to unset it, use roget system settings delete %s", path, s.Key, s.Key)
		}
	}
	return settings, nil
}

func deleteSetting(ctx context.Context, inv *invocation) error {
	key := inv.args()[0]
	if err := inv.confirm(fmt.Sprintf("Unset the setting %s?", key)); err != nil {
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
