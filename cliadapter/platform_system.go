package cliadapter

import (
	"context"
	"fmt"
	"strconv"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/engine"
)

// systemCommand is about the platform itself and who is asking. Platform toolkit, section 3.1.
func (c *CLI) systemCommand() *command {
	return &command{
		name: "system", group: groupPlatform, summary: "The platform, its settings and the current user",
		commands: []*command{
			{
				name: "whoami", access: accessRead, summary: "Show the current user",
				doc: "Shows all that the platform tells of the user who asks: account, roles, groups, organisation units, and the " +
					"authorities of all roles together. With --json the whole record of the user, with members that this program does not know.",
				examples: []string{"roget system whoami", "roget -p prod --json system whoami"},
				run:      whoami,
			},
			{
				name: "info", access: accessRead, summary: "Show version and address of the platform",
				doc:      "Shows what the platform tells of itself. With --json the whole record.",
				examples: []string{"roget system info"},
				run:      systemInfo,
			},
			settingsCommand(),
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
	return inv.show(user, userTable(user))
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
	return inv.show(info, t)
}
