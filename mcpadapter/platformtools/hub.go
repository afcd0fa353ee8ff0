package platformtools

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
)

// hubSetting is the system setting that selects the app hub.
const hubSetting = "keyAppHubUrl"

// Dry is the argument of tools that may only say what they would do.
type Dry struct {
	On
	DryRun bool `json:"dry_run,omitempty"`
}

// SnapshotApp is an app of a snapshot.
type SnapshotApp struct {
	Key     string `json:"key"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	HubID   string `json:"app_hub_id,omitempty"`
	Bundled bool   `json:"bundled,omitempty"`
}

// AppStep is what becomes of an app.
type AppStep struct {
	Key    string `json:"key"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Action string `json:"action"`
	Reason string `json:"reason,omitempty"`
}

func addHub(r *registry) {
	add(r, reads, "apps_hub_list", "List hub apps", "Apps of the app hub; query is a text in name, type or description.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			Query string `json:"query,omitempty"`
		},
		) (List, error) {
			catalogue, err := c.AppHub().Catalogue(ctx)
			if err != nil {
				return List{}, err
			}
			rows := []Object{}
			for i := range catalogue {
				if row, found := hubRow(&catalogue[i], in.Query); found {
					rows = append(rows, row)
				}
			}
			return listOf(rows)
		})
	add(r, reads, "apps_hub_versions", "List hub versions", "Versions of a hub app, newest first.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			AppID string `json:"app_id"`
		},
		) (List, error) {
			app, err := c.AppHub().App(ctx, in.AppID)
			if err != nil {
				return List{}, err
			}
			return listOf(app.NewestFirst())
		})
	add(r, reads, "apps_hub_url_get", "Get the hub address", "Which app hub the server uses.",
		func(ctx context.Context, c *platform.Client, in On) (SettingValue, error) {
			return getSetting(ctx, c, SettingKey{in, hubSetting})
		})
	add(r, destroys, "apps_hub_url_set", "Set the hub address", "Selects the app hub.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			URL string `json:"url"`
		},
		) (Done, error) {
			if u, err := url.Parse(in.URL); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
				return Done{}, errors.New("url is not an address such as https://apps.example.org")
			}
			return doneOr(c.System().SetSetting(ctx, hubSetting, in.URL), "set %s", hubSetting)
		})
	add(r, changes, "apps_install_from_hub", "Install an app from the hub", "Installs a version by its id, or the latest version by the id of the app.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			ID string `json:"app_or_version_id"`
		},
		) (Done, error) {
			target, err := c.AppHub().Resolve(ctx, in.ID)
			if err != nil {
				return Done{}, err
			}
			return doneOr(c.AppHub().Install(ctx, target.Version.ID), "installed %s %s", target.App.Name, target.Version.Version)
		})
	add(r, changes, "apps_update", "Update an app", "Installs the latest version that fits the server.",
		func(ctx context.Context, c *platform.Client, in struct {
			Dry
			Key string `json:"key"`
		},
		) (AppStep, error) {
			app, err := installed(ctx, c, in.Key)
			if err != nil {
				return AppStep{}, err
			}
			catalogue, err := c.AppHub().Catalogue(ctx)
			if err != nil {
				return AppStep{}, err
			}
			step := update(ctx, c, app, catalogue, in.DryRun)
			if step.Action == "failed" {
				return AppStep{}, errors.New(step.Reason)
			}
			return step, nil
		})
	add(r, changes, "apps_update_all", "Update all apps", "apps_update for each app of the hub.",
		func(ctx context.Context, c *platform.Client, in Dry) (List, error) {
			apps, catalogue, err := appsAndHub(ctx, c)
			if err != nil {
				return List{}, err
			}
			steps := []AppStep{}
			for i := range apps {
				if ctx.Err() != nil {
					return List{}, ctx.Err()
				}
				steps = append(steps, update(ctx, c, &apps[i], catalogue, in.DryRun))
			}
			return listOf(steps)
		})
	add(r, changes, "apps_restore", "Restore apps", "Installs the versions of a snapshot from the hub.",
		func(ctx context.Context, c *platform.Client, in struct {
			Dry
			Snapshot []SnapshotApp `json:"snapshot"`
		},
		) (List, error) {
			return restore(ctx, c, in.Snapshot, in.DryRun)
		})
}

// hubRow returns an app of the hub as a row, if it has a text.
func hubRow(a *platform.HubApp, query string) (Object, bool) {
	text := strings.ToLower(strings.Join([]string{a.ID, a.Name, a.AppType, a.Description, string(a.Developer)}, "\n"))
	if !strings.Contains(text, strings.ToLower(query)) {
		return nil, false
	}
	row := Object{"id": a.ID, "name": a.Name, "appType": a.AppType, "description": a.Description}
	if versions := a.NewestFirst(); len(versions) > 0 {
		row["latest"] = versions[0].Version
	}
	return row, true
}
