package platform

import (
	"context"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// authoritiesCommand shows the authorities of the account. Platform toolkit, section 3.3.
func (c commands) authoritiesCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "authorities", Usage: "Show the dangerous authorities of the account",
		Description: "Shows how many authorities the account of the profile has, whether it is a superuser, and which dangerous authorities it has, by category. With --json all of its authorities.",
	}, command.Details{
		Access:   command.Reads,
		Examples: []string{"roget security authorities", "roget -p prod security authorities --json"},
		Run:      c.run(securityAuthorities),
	})
}

func securityAuthorities(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	list, err := client.System().Authorization(ctx)
	if err != nil {
		return err
	}
	account := audit.NewAccount(list)
	t := &engine.Table{Header: []string{"CATEGORY", "MEANING", "AUTHORITIES"}}
	t.Title = command.Counted(len(account.Authorities), "authority")
	if len(account.Authorities) != 1 {
		t.Title = engine.Thousands(len(account.Authorities)) + " authorities"
	}
	t.Title += "; superuser: " + strconv.FormatBool(account.IsSuperuser)
	for _, match := range account.Categories {
		t.Rows = append(t.Rows, []string{match.Key, match.Description, strings.Join(match.Matched, ", ")})
	}
	if t.Rows == nil {
		t.Header = nil
		t.Footer = "none of them is dangerous"
	}
	return inv.Show(account, t)
}
