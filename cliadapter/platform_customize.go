package cliadapter

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/engine"
)

// customizeCommand is about the platform's look. Platform toolkit, sections 2.8 and 3.1.
func (c *CLI) customizeCommand() *command {
	logo := func(name, summary string, place platform.Logo) *command {
		return &command{
			name: name, access: accessWrite, summary: summary,
			args: []argument{{name: "FILE", required: true, files: true, usage: "A PNG image, - for standard input."}},
			run: func(ctx context.Context, inv *invocation) error {
				return inv.customize(ctx, func(client *platform.Client, image []byte) error {
					return client.Customize().SetLogo(ctx, place, image)
				})
			},
		}
	}
	return &command{
		name: "customize", group: groupPlatform, summary: "Change logos, style and settings of the platform's look",
		commands: []*command{
			logo("logo-front", "Upload the image of the login page and use it", platform.LogoFront),
			logo("logo-banner", "Upload the image on top of every page and use it", platform.LogoBanner),
			{
				name: "style", access: accessWrite, summary: "Upload a style sheet and use it",
				args: []argument{{name: "FILE", required: true, files: true, usage: "A style sheet (CSS), - for standard input."}},
				run: func(ctx context.Context, inv *invocation) error {
					return inv.customize(ctx, func(client *platform.Client, css []byte) error {
						return client.Customize().SetStyle(ctx, css)
					})
				},
			},
			{
				name: "apply", access: accessWrite, summary: "Apply all that a folder has: images, style, settings",
				doc: "The folder may have logo_front.png, logo_banner.png, style.css and preset.json, an object of system settings. " +
					"Files that are missing are left out. They are all read and checked before anything is sent.",
				args:     []argument{{name: "DIR", required: true, files: true}},
				examples: []string{"roget customize apply ./branding"},
				run:      applyPreset,
			},
			{
				name: "show", access: accessRead, summary: "Show what the login page shows",
				run: showLook,
			},
		},
	}
}

// customize reads the file of the argument and has it sent.
func (inv *invocation) customize(ctx context.Context, send func(client *platform.Client, content []byte) error) error {
	path := inv.args()[0]
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
	folder, err := os.OpenRoot(inv.args()[0])
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	preset, err := platform.ReadPreset(folder.FS())
	if err != nil {
		return fmt.Errorf("%s: %w", inv.args()[0], err)
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	var done []string
	err = client.Customize().Apply(ctx, preset, func(what string) { done = append(done, what) })
	if err != nil {
		for _, what := range done {
			inv.notice("applied %s", what)
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
	return inv.show(map[string][]string{"applied": done}, t)
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
	return inv.show(look, t)
}
