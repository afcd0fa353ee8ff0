package platformtools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
)

// hubApp finds the entry of an installed app in the catalogue of the hub.
func hubApp(id string, catalogue []platform.HubApp) *platform.HubApp {
	for i := range catalogue {
		if id != "" && catalogue[i].ID == id {
			return &catalogue[i]
		}
	}
	return nil
}

// appsAndHub returns the installed apps and the catalogue of the hub.
func appsAndHub(ctx context.Context, c *platform.Client) ([]platform.App, []platform.HubApp, error) {
	apps, err := c.Apps().List(ctx)
	if err != nil {
		return nil, nil, err
	}
	catalogue, err := c.AppHub().Catalogue(ctx)
	return apps, catalogue, err
}

// update installs the latest version of an app that fits the server.
func update(ctx context.Context, c *platform.Client, app *platform.App, catalogue []platform.HubApp, dry bool) AppStep {
	step := AppStep{Key: app.Key, From: app.Version}
	entry := hubApp(app.AppHubID, catalogue)
	if entry == nil {
		step.Action, step.Reason = "skipped", "the app is not from the hub"
		return step
	}
	for _, v := range entry.NewestFirst() {
		if !fits(&v, c.ServerVersion()) {
			continue
		}
		if order(v.Version, app.Version) <= 0 {
			break
		}
		return install(ctx, c, step, &v, dry)
	}
	step.Action, step.To = "current", app.Version
	return step
}

func install(ctx context.Context, c *platform.Client, step AppStep, v *platform.HubVersion, dry bool) AppStep {
	step.To, step.Action = v.Version, "installed"
	if dry {
		step.Action = "would install"
	} else if err := c.AppHub().Install(ctx, v.ID); err != nil {
		step.Action, step.Reason = "failed", told(err).Error()
	}
	return step
}

// maxSnapshot bounds the apps of a snapshot.
const maxSnapshot = 500

// restore installs the versions of a snapshot that are not installed.
func restore(ctx context.Context, c *platform.Client, snapshot []SnapshotApp, dry bool) (List, error) {
	if len(snapshot) == 0 || len(snapshot) > maxSnapshot {
		return List{}, fmt.Errorf("snapshot has %d apps: give the items of apps_snapshot, at most %d", len(snapshot), maxSnapshot)
	}
	apps, catalogue, err := appsAndHub(ctx, c)
	if err != nil {
		return List{}, err
	}
	steps := []AppStep{}
	for i := range snapshot {
		if ctx.Err() != nil {
			return List{}, ctx.Err()
		}
		wanted := &snapshot[i]
		step := AppStep{Key: wanted.Key, To: wanted.Version, Action: "skipped", Reason: "the hub has no such version"}
		for j := range apps {
			if apps[j].Key == wanted.Key {
				step.From = apps[j].Version
			}
		}
		if step.From == wanted.Version {
			step.Action, step.Reason = "current", ""
		} else if entry := hubApp(wanted.HubID, catalogue); entry != nil {
			for _, v := range entry.Versions {
				if v.Version == wanted.Version {
					step.Reason = ""
					step = install(ctx, c, step, &v, dry)
					break
				}
			}
		}
		steps = append(steps, step)
	}
	return listOf(steps)
}

// fits reports whether a version of an app is for a version of the platform.
func fits(v *platform.HubVersion, server string) bool {
	return (v.MinPlatformVersion == "" || order(server, v.MinPlatformVersion) >= 0) &&
		(v.MaxPlatformVersion == "" || order(prefix(server, v.MaxPlatformVersion), v.MaxPlatformVersion) <= 0)
}

// prefix cuts a version to as many numbers as another one has: 2.42.3 is within 2.42.
func prefix(version, like string) string {
	parts := strings.Split(version, ".")
	return strings.Join(parts[:min(len(parts), strings.Count(like, ".")+1)], ".")
}

// order compares versions by their numbers; what is no number counts as 0.
func order(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if d := number(x, i) - number(y, i); d != 0 {
			return d
		}
	}
	return 0
}

func number(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	digits := strings.IndexFunc(parts[i], func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(parts[i])
	}
	n, err := strconv.Atoi(parts[i][:digits])
	if err != nil {
		return 0
	}
	return n
}
