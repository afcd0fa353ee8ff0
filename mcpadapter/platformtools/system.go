package platformtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/roget-health/roget/adapters/platform"
)

// calendarSetting is the system setting with the calendar.
const calendarSetting = "keyCalendar"

// SettingKey names a system setting.
type SettingKey struct {
	On
	Key string `json:"key"`
}

// SettingValue is a system setting: a text, a number or a boolean as text.
type SettingValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// ServerInfo is what is known without a request.
type ServerInfo struct {
	Bound     string   `json:"bound"`
	Supported []string `json:"supported"`
	Program   string   `json:"program"`
	ReadOnly  bool     `json:"read_only"`
}

func addSystem(r *registry) {
	add(r, reads, "system_info", "System information", "Version, build, calendar and state of the server.",
		func(ctx context.Context, c *platform.Client, _ On) (Object, error) {
			info, err := c.System().Info(ctx)
			if err != nil {
				return nil, err
			}
			return object(info)
		})
	add(r, reads, "system_whoami", "Who am I", "The account: groups, roles, organisation units, authorities.",
		func(ctx context.Context, c *platform.Client, _ On) (Object, error) {
			me, err := c.System().WhoAmI(ctx)
			if err != nil {
				return nil, err
			}
			return object(me)
		})
	addPlain(r, reads, "system_server_info", "About this tool server", "Version it is bound to, and versions it supports. No request.",
		func(context.Context, On) (ServerInfo, error) { return r.tools.info(), nil })
	add(r, reads, "system_settings_get", "Get a setting", "One system setting.", getSetting)
	add(r, reads, "system_settings_list", "List settings", "All system settings.",
		func(ctx context.Context, c *platform.Client, _ On) (Object, error) {
			settings, err := c.System().Settings(ctx)
			if err != nil {
				return nil, err
			}
			return object(settings)
		})
	add(r, destroys, "system_settings_set", "Set a setting", "Sets one system setting to a text.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			Key   string `json:"key"`
			Value string `json:"value"`
		},
		) (Done, error) {
			return doneOr(c.System().SetSetting(ctx, in.Key, in.Value), "set %s", in.Key)
		})
	add(r, destroys, "system_settings_set_many", "Set settings", "Sets several system settings: texts, numbers or booleans by key.", setSettings)
	add(r, reads, "system_calendar_get", "Get the calendar", "The calendar of the server.",
		func(ctx context.Context, c *platform.Client, in On) (SettingValue, error) {
			return getSetting(ctx, c, SettingKey{in, calendarSetting})
		})
	add(r, destroys, "system_calendar_set", "Set the calendar", "Sets the calendar, such as iso8601 or ethiopian.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			Calendar string `json:"calendar"`
		},
		) (Done, error) {
			return doneOr(c.System().SetSetting(ctx, calendarSetting, in.Calendar), "set %s", calendarSetting)
		})
}

// info is what is known without a request.
func (t *Tools) info() ServerInfo {
	info := ServerInfo{Bound: "auto", Program: t.config.Version, ReadOnly: t.config.ReadOnly, Supported: []string{}}
	for _, major := range platform.Majors() {
		info.Supported = append(info.Supported, major.String())
	}
	t.clients.mu.Lock()
	defer t.clients.mu.Unlock()
	if t.clients.bound != 0 {
		info.Bound = t.clients.bound.String()
	}
	return info
}

func getSetting(ctx context.Context, c *platform.Client, in SettingKey) (SettingValue, error) {
	value, set, err := c.System().Setting(ctx, in.Key)
	switch {
	case err != nil:
		return SettingValue{}, err
	case !set:
		return SettingValue{}, fmt.Errorf("the setting %s is unset; system_settings_list has those that are set", in.Key)
	}
	return SettingValue{in.Key, platform.SettingText(value)}, nil
}

// ManySettings are settings by key.
type ManySettings struct {
	On
	Settings map[string]any `json:"settings"`
}

// setSettings sets one setting after the other, in the order of their keys. All are checked
// before anything is set.
func setSettings(ctx context.Context, c *platform.Client, in ManySettings) (Done, error) {
	if len(in.Settings) == 0 {
		return Done{}, errors.New("settings is empty: give values by key")
	}
	keys := slices.Sorted(maps.Keys(in.Settings))
	texts := map[string]string{}
	for _, key := range keys {
		doc, err := json.Marshal(in.Settings[key])
		if err != nil || key == "" || string(doc) == "null" {
			return Done{}, fmt.Errorf("the setting %q has no value: nothing was set", key)
		}
		texts[key] = platform.SettingText(doc)
	}
	for i, key := range keys {
		if err := c.System().SetSetting(ctx, key, texts[key]); err != nil {
			return Done{}, fmt.Errorf("%w; set before: %v", err, keys[:i])
		}
	}
	return done("set %d settings", len(keys))
}
