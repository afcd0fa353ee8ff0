package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// customizeCommand is about the platform's look. Platform toolkit, sections 2.8 and 3.1.
func (c commands) customizeCommand() *cli.Command {
	logo := func(name, summary string, place platform.Logo) *cli.Command {
		return c.Add(&cli.Command{
			Name: name, Usage: summary,
		}, command.Details{
			Access:   command.Writes,
			Args:     []command.Argument{{Name: "FILE", Required: true, Usage: "PNG image, or - for standard input."}},
			Examples: []string{"roget customize " + name + " logo.png"},
			Run: c.run(func(ctx context.Context, inv *invocation) error {
				return inv.customize(ctx, func(client *platform.Client, image []byte) error {
					return client.Customize().SetLogo(ctx, place, image)
				})
			}),
		})
	}
	return &cli.Command{
		Name: "customize", Usage: "Change the logos, style and appearance settings of the platform",
		Subcommands: []*cli.Command{
			logo("logo-front", "Upload the image of the login page and use it", platform.LogoFront),
			logo("logo-banner", "Upload the image on top of every page and use it", platform.LogoBanner),
			c.Add(&cli.Command{
				Name: "style", Usage: "Upload a style sheet and use it",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{{Name: "FILE", Required: true, Usage: "Style sheet (CSS), or - for standard input."}},
				Examples: []string{"roget customize style style.css"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					return inv.customize(ctx, func(client *platform.Client, css []byte) error {
						return client.Customize().SetStyle(ctx, css)
					})
				}),
			}),
			c.Add(&cli.Command{
				Name: "apply", Usage: "Apply the images, style and settings in a folder",
				Description: "Uploads logo_front.png, logo_banner.png and style.css, and sets the system settings in preset.json, a JSON object. " +
					"Files that do not exist are skipped. All files are read and checked before anything is sent.",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{{Name: "DIR", Required: true, Usage: "Folder to read."}},
				Examples: []string{"roget customize apply ./branding"},
				Run:      c.run(applyPreset),
			}),
			c.Add(&cli.Command{
				Name: "show", Usage: "Show the texts and images of the login page",
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget customize show"},
				Run:      c.run(showLook),
			}),
		},
	}
}

// customize reads the file of the argument and has it sent.
func (inv *invocation) customize(ctx context.Context, send func(client *platform.Client, content []byte) error) error {
	path := inv.Args()[0]
	content, err := inv.input(path)
	if err != nil {
		return err
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	if err := send(client, content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return inv.showApplied([]string{path})
}

func applyPreset(ctx context.Context, inv *invocation) error {
	folder, err := os.OpenRoot(inv.Args()[0])
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	preset, err := platform.ReadPreset(folder.FS())
	if err != nil {
		return fmt.Errorf("%s: %w", inv.Args()[0], err)
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	var done []string
	err = client.Customize().Apply(ctx, preset, func(what string) { done = append(done, what) })
	if err != nil {
		for _, what := range done {
			inv.Notice("applied %s", what)
		}
		return err
	}
	return inv.showApplied(done)
}

func (inv *invocation) showApplied(done []string) error {
	t := &engine.Table{}
	for _, what := range done {
		t.Rows = append(t.Rows, []string{"applied " + what})
	}
	return inv.Show(map[string][]string{"applied": done}, t)
}

func showLook(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	look, err := client.Customize().Show(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(look)
	if err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	t := &engine.Table{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		t.Rows = append(t.Rows, []string{name, platform.Setting{Key: name, Value: members[name]}.Text()})
	}
	return inv.Show(look, t)
}
