package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/catalogue"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

func (c commands) devCommand() *cli.Command {
	return &cli.Command{
		Name: "dev", Usage: "Generate type catalogues for developers of platform clients",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "codegen", Usage: "Write catalogues of the types of a platform",
				Description: "Reads the types of a platform and writes a catalogue for each of its two descriptions (see roget schema --help), such as v42-oas.json.gz and v42-schemas.json.gz. A catalogue is JSON with the names, addresses and fields of the types.\n\n" +
					"With --url, the credentials come from the profile if it has the same address, or else from PLATFORM_PAT, or from PLATFORM_USERNAME and PLATFORM_PASSWORD.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "url", Usage: "`URL` Address of the platform. By default the address in the profile."},
					&command.Flag{StringFlag: cli.StringFlag{Name: "output-dir", Value: ".", TakesFile: true, Usage: "`DIR` Folder to write the files to. Created if it does not exist. By default the working directory."}, Writes: true},
					&command.Flag{StringFlag: cli.StringFlag{Name: "source", Value: "all", Usage: "Descriptions to write catalogues of."}, Choices: []string{"all", "oas", "schemas"}},
				},
			}, command.Details{
				Access:   command.Writes,
				Examples: []string{"roget dev codegen --url https://platform.example.org --output-dir catalogues"},
				Run:      c.run(writeCatalogues),
			}),
		},
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
	client, base, err := inv.clientOf(ctx, inv.Text("url"))
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
		wanted := inv.Text("source")
		if wanted != "all" && wanted != string(source) {
			continue
		}
		c, err := types.Refresh(ctx, source)
		if errors.Is(err, catalogue.ErrNoDocument) && wanted == "all" && source == catalogue.OpenAPI {
			inv.Notice("%v: no catalogue of the OpenAPI document was written", err)
			continue
		}
		if c == nil {
			return err
		}
		if err != nil {
			inv.Notice("warning: %v", err)
		}
		row := writtenCatalogue{source, c.Version, c.RawVersion, len(c.Types), filepath.Join(inv.Text("output-dir"), fmt.Sprintf("%s-%s.json.gz", c.Version, source))}
		packed, err := c.Encode()
		if err == nil {
			err = os.MkdirAll(inv.Text("output-dir"), 0o755) //nolint:gosec // no secret is in it
		}
		if err != nil {
			return err
		}
		if err := replaceFile(row.Path, func(w io.Writer) error { return command.Write(w, packed) }); err != nil {
			return err
		}
		rows = append(rows, row)
		table.Rows = append(table.Rows, []string{string(source), row.RawVersion, engine.Thousands(row.Types), row.Path})
	}
	return inv.Show(rows, table)
}

// clientOf connects to a server that may be another than the profile's, and returns its base
// URL. Credentials of one server are never sent to another.
func (inv *invocation) clientOf(ctx context.Context, address string) (*platform.Client, string, error) {
	chosen, none := inv.profile()
	if address == "" {
		client, err := inv.platform(ctx)
		return client, chosen.Profile.BaseURL, err
	}
	base, err := auth.CleanBaseURL(address)
	if err != nil {
		return nil, "", &command.UsageError{Err: err}
	}
	if none == nil && chosen.Profile.BaseURL == base {
		client, err := inv.platform(ctx)
		return client, base, err
	}
	getenv := inv.Getenv
	if other := getenv("PLATFORM_URL"); other != "" && other != address && other != base {
		return nil, "", fmt.Errorf("the credentials in the environment are for the server of PLATFORM_URL, not for %s", base)
	}
	registry, err := profile.Open(profile.Options{
		Folder: inv.cli.Folder, Home: inv.cli.Home,
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
