package platform

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// systemCommand is about the platform itself and who is asking. Platform toolkit, section 3.1.
func (c commands) systemCommand() *cli.Command {
	return &cli.Command{
		Name: "system", Usage: "Show the platform and the current user, and manage system settings",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "whoami", Usage: "Show the current user",
				Description: "Shows the account, roles, groups and organisation units of the current user, and the authorities of all roles " +
					"together. With --json, prints the complete record of the platform.",
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget system whoami", "roget -p prod --json system whoami"},
				Run:      c.run(whoami),
			}),
			c.Add(&cli.Command{
				Name: "info", Usage: "Show the version and address of the platform",
				Description: "Shows the system information of the platform. With --json, prints the complete record.",
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget system info"},
				Run:      c.run(systemInfo),
			}),
			c.settingsCommand(),
		},
	}
}

func whoami(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	user, err := client.System().WhoAmI(ctx)
	if err != nil {
		return err
	}
	return inv.Show(user, userTable(user))
}

func systemInfo(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	info, err := client.System().Info(ctx)
	if err != nil {
		return err
	}
	t := &engine.Table{}
	add := labels(t)
	posture := platform.ClassifyVersion(info.Version)
	add("version", fmt.Sprintf("%s (%s)", info.Version, posture.Posture))
	if major, err := client.Major(); err == nil {
		add("bound as", major.String())
	}
	add("revision", info.Revision)
	add("build time", info.BuildTime)
	add("name", info.SystemName)
	add("system id", info.SystemID)
	add("address", client.BaseURL())
	add("context path", info.ContextPath)
	add("instance", info.InstanceBaseURL)
	add("server date", info.ServerDate)
	add("calendar", info.Calendar)
	add("date format", info.DateFormat)
	add("analytics made", info.LastAnalyticsTableSuccess)
	add("java", info.JavaVersion)
	if info.CPUCores > 0 {
		add("processors", strconv.Itoa(info.CPUCores))
	}
	return inv.Show(info, t)
}
