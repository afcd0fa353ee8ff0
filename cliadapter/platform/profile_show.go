package platform

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// hiddenSecret stands for a secret that is there.
const hiddenSecret = "***"

func (c commands) profileShowCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "show", Usage: "Show a profile",
		Description: "Shows the settings of a profile. Secrets are shown as " + hiddenSecret + " without --secrets.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "secrets", Usage: "Show secrets in clear text."},
		},
	}, command.Details{
		Access:   command.Reads,
		Args:     []command.Argument{c.profileArgument(false)},
		Examples: []string{"roget profile show prod", "roget profile show prod --json"},
		Run: c.run(func(_ context.Context, inv *invocation) error {
			chosen, err := inv.chosen()
			if err != nil {
				return err
			}
			from := source(chosen.Scope, chosen.Name)
			shown := map[string]any{"meta": map[string]any{"name": chosen.Name, "source": from, "source_path": chosen.Path}}
			table := &engine.Table{Rows: [][]string{{"name", chosen.Name}}}
			for _, field := range chosen.Profile.Fields() {
				value := field.Value
				switch {
				case field.Name == "base_url" && !inv.Is("secrets"):
					value = auth.ShownURL(value)
				case field.Secret.IsZero():
				case inv.Is("secrets"):
					value = field.Secret.Reveal()
				default:
					value = hiddenSecret
				}
				shown[field.Name] = value
				table.Rows = append(table.Rows, []string{field.Name, value})
			}
			table.Rows = append(table.Rows, []string{"source", string(from)})
			if chosen.Path != "" {
				table.Rows = append(table.Rows, []string{"source path", chosen.Path})
			}
			return inv.Show(shown, table)
		}),
	})
}
