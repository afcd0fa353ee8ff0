package cliadapter

import (
	"context"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/engine"
)

// hiddenSecret stands for a secret that is there.
const hiddenSecret = "***"

func (c *CLI) profileShowCommand() *command {
	return &command{
		name: "show", access: accessRead, summary: "Show a profile",
		doc:  "Shows what a profile says. Secrets are shown as " + hiddenSecret + " unless --secrets is given.",
		args: []argument{profileArgument(false)},
		options: options{
			{names: []string{"secrets"}, usage: "Show secrets as they are."},
		},
		examples: []string{"roget profile show prod", "roget profile show prod --json"},
		run: func(_ context.Context, inv *invocation) error {
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
				case field.Name == "base_url" && !inv.is("secrets"):
					value = auth.ShownURL(value)
				case field.Secret.IsZero():
				case inv.is("secrets"):
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
			return inv.show(shown, table)
		},
	}
}
