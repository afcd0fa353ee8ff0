package platform

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// securityCommand is about how secure a platform is. Platform toolkit, sections 3.1 and 3.3.
func (c commands) securityCommand() *cli.Command {
	return &cli.Command{
		Name: "security", Usage: "Audit the platform and show its security settings",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "settings", Usage: "Show the settings for passwords, registration and lockout",
				Description: "Shows the system settings that concern security. A setting that is unset is shown as a hyphen, and left out with --json.",
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget security settings"},
				Run:      c.run(securitySettings),
			}),
			c.authoritiesCommand(),
			c.auditCommand(),
			c.reportCommand(),
		},
	}
}

func securitySettings(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	s, err := client.System().SecuritySettings(ctx)
	if err != nil {
		return err
	}
	doc, err := json.Marshal(s)
	if err != nil {
		return err
	}
	var present platform.Settings
	if err := json.Unmarshal(doc, &present); err != nil {
		return err
	}
	t := &engine.Table{Header: []string{"SETTING", "VALUE"}}
	add := labels(t)
	for _, key := range platform.SecurityKeys() {
		value, _ := present.Get(key)
		add(key, platform.SettingText(value))
	}
	if n := s.CredentialsExpires; n != nil {
		i := slices.IndexFunc(t.Rows, func(row []string) bool { return row[0] == "credentialsExpires" })
		t.Rows[i][1] = months(*n)
	}
	return inv.Show(s, t)
}

// months writes a time until credentials expire.
func months(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "1 month"
	}
	return strconv.Itoa(n) + " months"
}
