package cliadapter

import (
	"context"
	"embed"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// completionScripts has a script for each shell.
//
//go:embed completion
var completionScripts embed.FS

// shells are the shells that have a script.
var shells = [...]string{"bash", "zsh", "fish"}

// completionScript returns the script for a shell.
func completionScript(shell string) ([]byte, error) {
	return completionScripts.ReadFile("completion/roget." + shell)
}

func (c builder) completionCommand() *cli.Command {
	group := &cli.Command{
		Name: "completion", Category: groupOther, Usage: "Complete commands, flags, values and codes in a shell",
		Description: "Makes the shell complete commands, flags and values, and what is loaded: code systems, value sets, concept maps and " +
			"codes. Files are completed where a path belongs. Packages of roget bring the scripts.",
	}
	examples := map[string]string{
		"bash": `eval "$(roget completion bash)"                          in ~/.bashrc`,
		"zsh":  `eval "$(roget completion zsh)"                           in ~/.zshrc, after compinit`,
		"fish": `roget completion fish > ~/.config/fish/completions/roget.fish`,
	}
	for _, shell := range shells {
		group.Subcommands = append(group.Subcommands, c.Add(&cli.Command{
			Name: shell, Usage: "Print the script for " + shell, Description: "Prints the script that makes " + shell + " complete.",
		}, command.Details{
			Access: command.Reads, Examples: []string{examples[shell]},
			Run: func(_ context.Context, inv *command.Invocation) error {
				script, err := completionScript(shell)
				if err != nil {
					return err
				}
				return command.Write(inv.Out, script)
			},
		}))
	}
	group.Subcommands = append(group.Subcommands, c.completionInstallCommand())
	return group
}
