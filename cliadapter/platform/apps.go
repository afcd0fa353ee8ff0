package platform

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// appsCommand is about apps, installed and in the hub. Platform toolkit, sections 3.1 and 3.4.
func (c commands) appsCommand() *cli.Command {
	return &cli.Command{
		Name: "apps", Usage: "Manage the apps of the platform, and browse the app hub",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "list", Aliases: []string{"ls"}, Usage: "List installed apps",
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget apps list"},
				Run:      c.run(listApps),
			}),
			c.Add(&cli.Command{
				Name: "add", Usage: "Install an app, from a file or the app hub",
				Description: "If SOURCE is a file, uploads it. Otherwise looks for SOURCE on the app hub, first as the id of a version, then as " +
					"the id of an app, whose latest version is installed.",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{{Name: "SOURCE", Required: true, Usage: "Zip archive, id of a version, or id of an app."}},
				Examples: []string{"roget apps add ./widget.zip", "roget apps add 5f7a2b1c-0d3e-4f60-8a9b-1c2d3e4f5a6b"},
				Run:      c.run(addApp),
			}),
			c.Add(&cli.Command{
				Name: "remove", Aliases: []string{"rm"}, Usage: "Remove an app",
				Description: "Removes an app. Asks for confirmation.",
				Flags:       []cli.Flag{command.YesFlag()},
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{{Name: "KEY", Required: true, Usage: "Key of the app, as in roget apps list."}},
				Examples: []string{"roget apps remove widget --yes"},
				Run:      c.run(removeApp),
			}),
			c.Add(&cli.Command{
				Name: "reload", Usage: "Make the platform reload its apps",
			}, command.Details{
				Access:   command.Writes,
				Examples: []string{"roget apps reload"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					client, err := inv.platform(ctx)
					if err != nil {
						return err
					}
					if err := client.Apps().Reload(ctx); err != nil {
						return err
					}
					return inv.did("reloaded", "the apps", map[string]string{})
				}),
			}),
			c.Add(&cli.Command{
				Name: "hub-list", Usage: "List the apps of the app hub",
				Flags: []cli.Flag{&cli.StringFlag{Name: "search", Aliases: []string{"s"}, Usage: "`TEXT` List only apps with this text in id, name, type, description or developer."}},
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget apps hub-list --search tracker"},
				Run:      c.run(listHub),
			}),
			c.Add(&cli.Command{
				Name: "hub-versions", Usage: "List the versions of an app on the app hub, newest first",
				Description: "Versions are compared by their numbers; a part that is not a number counts as 0. With --json, prints the whole entry of the app.",
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{{Name: "APP", Required: true, Usage: "Id of the app, as in roget apps hub-list."}},
				Examples: []string{"roget apps hub-versions 5f7a2b1c-0d3e-4f60-8a9b-1c2d3e4f5a6b"},
				Run:      c.run(listHubVersions),
			}),
			c.Add(&cli.Command{
				Name: "hub-url", Usage: "Print or set the address of the app hub",
				Description: "Prints the system setting " + hubSetting + ", the address of the app hub, or changes it with --set. The exit code is 1 if it is unset.",
				Flags:       []cli.Flag{&cli.StringFlag{Name: "set", Usage: "`URL` Set the address of the app hub."}},
			}, command.Details{
				Access:   command.Writes,
				Examples: []string{"roget apps hub-url", "roget apps hub-url --set https://apps.example.org"},
				Run:      c.run(hubURL),
			}),
		},
	}
}

// hubSetting is the system setting that selects the app hub.
const hubSetting = "keyAppHubUrl"

func listApps(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	apps, err := client.Apps().List(ctx)
	if err != nil {
		return err
	}
	t := &engine.Table{Header: []string{"KEY", "NAME", "VERSION", "TYPE", "BUNDLED", "CORE", "HUB ID"}}
	for _, a := range apps {
		t.Rows = append(t.Rows, []string{
			a.Key, cmp.Or(a.DisplayName, a.Name), dash(a.Version), dash(a.AppType), yesNo(a.Bundled), yesNo(a.CoreApp), dash(a.AppHubID),
		})
	}
	return inv.Show(apps, t)
}

func addApp(ctx context.Context, inv *invocation) error {
	source := inv.Args()[0]
	info, err := os.Stat(source)
	switch {
	case err == nil && info.Mode().IsRegular():
		return inv.uploadApp(ctx, source)
	case strings.EqualFold(filepath.Ext(source), ".zip"):
		return fmt.Errorf("%s: no such file", source)
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	hub := client.AppHub()
	target, err := hub.Resolve(ctx, source)
	if err != nil {
		return err
	}
	if err := hub.Install(ctx, target.Version.ID); err != nil {
		return err
	}
	how, by := "by the id of the version", "version"
	if target.ByApp {
		how, by = "latest version, by the id of the app", "app"
	}
	what := fmt.Sprintf("%s %s (version id %s; %s)", target.App.Name, target.Version.Version, target.Version.ID, how)
	return inv.did("installed", what, map[string]string{
		"name": target.App.Name, "version": target.Version.Version, "version_id": target.Version.ID, "app_id": target.App.ID, "resolved_by": by,
	})
}

func (inv *invocation) uploadApp(ctx context.Context, path string) error {
	file, err := command.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	app, err := client.Apps().Upload(ctx, path, file)
	if err != nil {
		return err
	}
	members := map[string]string{"path": path, "resolved_by": "file"}
	what := path
	if app != nil {
		members["key"], members["name"], members["version"] = app.Key, app.Name, app.Version
		what = fmt.Sprintf("%s %s (key %s; from %s)", app.Name, app.Version, app.Key, path)
	}
	return inv.did("installed", what, members)
}

func removeApp(ctx context.Context, inv *invocation) error {
	key := inv.Args()[0]
	if err := inv.Confirm(fmt.Sprintf("Remove the app %s?", key)); err != nil {
		return err
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	if err := client.Apps().Delete(ctx, key); err != nil {
		return err
	}
	return inv.did("removed", key, map[string]string{"key": key})
}

// maxDescription is the length to which a row cuts a description, in characters.
const maxDescription = 80

func listHub(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	catalogue, err := client.AppHub().Catalogue(ctx)
	if err != nil {
		return err
	}
	wanted := strings.ToLower(inv.Text("search"))
	found := []platform.HubApp{}
	t := &engine.Table{Header: []string{"ID", "NAME", "TYPE", "LATEST", "DESCRIPTION"}}
	for _, a := range catalogue {
		text := strings.Join([]string{a.ID, a.Name, a.AppType, a.Description, string(a.Developer)}, "\n")
		if !strings.Contains(strings.ToLower(text), wanted) {
			continue
		}
		latest := ""
		if versions := a.NewestFirst(); len(versions) > 0 {
			latest = versions[0].Version
		}
		found = append(found, a)
		t.Rows = append(t.Rows, []string{a.ID, a.Name, dash(a.AppType), dash(latest), dash(auth.Printable(a.Description, maxDescription))})
	}
	return inv.Show(found, t)
}

func listHubVersions(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	app, err := client.AppHub().App(ctx, inv.Args()[0])
	if err != nil {
		return err
	}
	app.Versions = app.NewestFirst()
	t := &engine.Table{Header: []string{"VERSION", "ID", "CHANNEL", "MIN", "MAX"}}
	for _, v := range app.Versions {
		t.Rows = append(t.Rows, []string{v.Version, v.ID, dash(v.Channel), dash(v.MinPlatformVersion), dash(v.MaxPlatformVersion)})
	}
	return inv.Show(app, t)
}

func hubURL(ctx context.Context, inv *invocation) error {
	wanted := inv.Text("set")
	if inv.Given("set") {
		if u, err := url.Parse(wanted); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return command.Usagef("flag --set must be a URL such as https://apps.example.org, not %q", wanted)
		}
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	if inv.Given("set") {
		if err := client.System().SetSetting(ctx, hubSetting, wanted); err != nil {
			return err
		}
		return inv.did("set", hubSetting, map[string]string{"key": hubSetting, "url": wanted})
	}
	value, set, err := client.System().Setting(ctx, hubSetting)
	if err != nil {
		return err
	}
	if !set {
		return errUnset(hubSetting)
	}
	text := platform.SettingText(value)
	return inv.Show(map[string]string{"url": text}, &engine.Table{Rows: [][]string{{text}}})
}
