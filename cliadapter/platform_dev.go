package cliadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/catalogue"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/engine"
)

func (c *CLI) devCommand() *command {
	return &command{
		name: "dev", group: groupPlatform, summary: "Tools for developers of clients of the platform",
		commands: []*command{{
			name: "codegen", access: accessWrite, summary: "Write catalogues of the types of a server",
			doc: "Asks a server for its types and writes a catalogue of each view: v42-oas.json.gz and v42-schemas.json.gz, say. A catalogue is JSON with the names of types, their addresses and fields.\n\n" +
				"With --url, credentials are those of the profile if it is of that server, else of PLATFORM_PAT, or of PLATFORM_USERNAME and PLATFORM_PASSWORD.",
			options: options{
				{names: []string{"url"}, value: true, hint: "URL", usage: "Base URL of the server; else that of the profile."},
				{names: []string{"output-dir"}, value: true, hint: "DIR", files: true, preset: ".", writes: true, usage: "Where to write the files, made where it is not there; else the working directory."},
				{names: []string{"source"}, value: true, choices: []string{"all", "oas", "schemas"}, preset: "all", usage: "The views to write."},
			},
			examples: []string{"roget dev codegen --url https://platform.example.org --output-dir catalogues"},
			run:      writeCatalogues,
		}},
	}
}

type writtenCatalogue struct {
	Source     catalogue.Source `json:"source"`
	Version    string           `json:"version"`
	RawVersion string           `json:"raw_version"`
	Types      int              `json:"types"`
	Path       string           `json:"path"`
}

func writeCatalogues(ctx context.Context, inv *invocation) error {
	client, base, err := inv.clientOf(ctx, inv.text("url"))
	if err != nil {
		return err
	}
	types, err := inv.typesOf(client)
	if err != nil {
		return err
	}
	types.BaseURL = base
	var rows []writtenCatalogue
	table := &engine.Table{Header: []string{"SOURCE", "VERSION", "TYPES", "PATH"}}
	for _, source := range []catalogue.Source{catalogue.OpenAPI, catalogue.Schemas} {
		wanted := inv.text("source")
		if wanted != "all" && wanted != string(source) {
			continue
		}
		c, err := types.Refresh(ctx, source)
		if errors.Is(err, catalogue.ErrNoDocument) && wanted == "all" && source == catalogue.OpenAPI {
			inv.notice("%v: no catalogue of oas", err)
			continue
		}
		if c == nil {
			return err
		}
		if err != nil {
			inv.notice("warning: %v", err)
		}
		row := writtenCatalogue{source, c.Version, c.RawVersion, len(c.Types), filepath.Join(inv.text("output-dir"), fmt.Sprintf("%s-%s.json.gz", c.Version, source))}
		packed, err := c.Encode()
		if err == nil {
			err = os.MkdirAll(inv.text("output-dir"), 0o755) //nolint:gosec // no secret is in it
		}
		if err != nil {
			return err
		}
		if err := replaceFile(row.Path, func(w io.Writer) error { return write(w, packed) }); err != nil {
			return err
		}
		rows = append(rows, row)
		table.Rows = append(table.Rows, []string{string(source), row.RawVersion, engine.Thousands(row.Types), row.Path})
	}
	return inv.show(rows, table)
}

// clientOf connects to a server that may be another than the profile's, and gives its base
// URL. Credentials of one server are never sent to another.
func (inv *invocation) clientOf(ctx context.Context, address string) (*platform.Client, string, error) {
	chosen, none := inv.profile()
	if address == "" {
		client, err := inv.platform(ctx)
		return client, chosen.Profile.BaseURL, err
	}
	base, err := auth.CleanBaseURL(address)
	if err != nil {
		return nil, "", &UsageError{Err: err}
	}
	if none == nil && chosen.Profile.BaseURL == base {
		client, err := inv.platform(ctx)
		return client, base, err
	}
	getenv := inv.cli.config.Getenv
	if other := getenv("PLATFORM_URL"); other != "" && other != address && other != base {
		return nil, "", fmt.Errorf("credentials of the environment are for the server of PLATFORM_URL, not for %s", base)
	}
	registry, err := profile.Open(profile.Options{
		Folder: inv.cli.config.Platform.Folder, Home: inv.cli.config.Platform.Home,
		Getenv: func(name string) string {
			switch name {
			case "PLATFORM_URL":
				return base
			case "PLATFORM_PROFILE":
				return ""
			}
			return getenv(name)
		},
	})
	if err != nil {
		return nil, "", err
	}
	chosen, err = registry.Resolve("")
	if err != nil || chosen.Source != profile.FromEnvironment {
		return nil, "", fmt.Errorf("there are no credentials for %s: set PLATFORM_PAT, or PLATFORM_USERNAME and PLATFORM_PASSWORD, or choose a profile of that server with --profile", base)
	}
	provider, err := profile.BuildAuthProvider(chosen.Profile)
	if err != nil {
		return nil, "", err
	}
	client, err := inv.connect(ctx, chosen, provider)
	return client, base, err
}
