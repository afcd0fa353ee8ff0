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

func (c builder) completionCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "completion", Category: groupOther, Usage: "Print a shell completion script",
		Description: "Prints a script that makes the shell complete commands, flags and values. Files are completed where a path belongs.",
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{{Name: "SHELL", Required: true, Choices: []string{"bash", "zsh", "fish"}}},
		Examples: []string{
			`eval "$(roget completion bash)"                          in ~/.bashrc`,
			`eval "$(roget completion zsh)"                           in ~/.zshrc, after compinit`,
			`roget completion fish > ~/.config/fish/completions/roget.fish`,
		},
		Run: func(_ context.Context, inv *command.Invocation) error {
			script, err := completionScripts.ReadFile("completion/roget." + inv.Args()[0])
			if err != nil {
				return command.Usagef("no completion for %q: there is bash, zsh and fish", inv.Args()[0])
			}
			return command.Write(inv.Out, script)
		},
	})
}
