package platformtools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/roget-health/roget/adapters/platform"
)

// AppKey names an installed app.
type AppKey struct {
	On
	Key string `json:"key"`
}

// FilePath names a file of the machine of the server of tools.
type FilePath struct {
	On
	Path string `json:"path"`
}

func addApps(r *registry) {
	add(r, reads, "apps_list", "List apps", "Installed apps.",
		func(ctx context.Context, c *platform.Client, _ On) (List, error) {
			apps, err := c.Apps().List(ctx)
			if err != nil {
				return List{}, err
			}
			return listOf(apps)
		})
	add(r, reads, "apps_get", "Get an app", "One installed app.",
		func(ctx context.Context, c *platform.Client, in AppKey) (Object, error) {
			app, err := installed(ctx, c, in.Key)
			if err != nil {
				return nil, err
			}
			return object(app)
		})
	add(r, changes, "apps_install_from_file", "Install an app from a file", "Installs a zip archive.",
		func(ctx context.Context, c *platform.Client, in FilePath) (Done, error) {
			file, err := openRegular(in.Path)
			if err != nil {
				return Done{}, err
			}
			defer func() { _ = file.Close() }()
			app, err := c.Apps().Upload(ctx, filepath.Base(in.Path), file)
			if err != nil || app == nil {
				return doneOr(err, "installed %s", filepath.Base(in.Path))
			}
			return done("installed %s %s, key %s", app.Name, app.Version, app.Key)
		})
	add(r, destroys, "apps_uninstall", "Uninstall an app", "Removes an app.",
		func(ctx context.Context, c *platform.Client, in AppKey) (Done, error) {
			return doneOr(c.Apps().Delete(ctx, in.Key), "removed %s", in.Key)
		})
	add(r, changes, "apps_reload", "Reload apps", "Has the server read its apps again.",
		func(ctx context.Context, c *platform.Client, _ On) (Done, error) {
			return doneOr(c.Apps().Reload(ctx), "reloaded the apps")
		})
	add(r, reads, "apps_snapshot", "Snapshot apps", "Key, version and hub id of each app, for apps_restore.",
		func(ctx context.Context, c *platform.Client, _ On) (List, error) {
			apps, err := c.Apps().List(ctx)
			if err != nil {
				return List{}, err
			}
			var rows []SnapshotApp
			for _, a := range apps {
				rows = append(rows, SnapshotApp{Key: a.Key, Name: a.Name, Version: a.Version, HubID: a.AppHubID, Bundled: a.Bundled})
			}
			return listOf(rows)
		})
}

// installed returns an installed app by its key.
func installed(ctx context.Context, c *platform.Client, key string) (*platform.App, error) {
	apps, err := c.Apps().List(ctx)
	if err != nil {
		return nil, err
	}
	for i := range apps {
		if apps[i].Key == key {
			return &apps[i], nil
		}
	}
	return nil, fmt.Errorf("no app with the key %q is installed; apps_list has the keys", key)
}

var errNoFile = errors.New("the path is not a file; tools read files of the machine that they run on")

// openRegular opens a file, and nothing that is a device or a folder.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: there is no such file on the machine of this tool server", path)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, errNoFile)
	}
	return os.Open(path) //nolint:gosec // an argument of a tool that works on local files
}
