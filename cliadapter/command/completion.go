package command

import (
	"bytes"
	"context"
	"embed"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// completeName is the hidden command that the completion scripts call: the words typed so
// far follow it, the last one being completed. It prints a candidate a line, with a tab and
// a description where there is one, and nothing where a path belongs.
const completeName = "__complete"

func (t *Tree) completeCommand() *cli.Command {
	return &cli.Command{Name: completeName, Hidden: true, SkipFlagParsing: true, Action: func(c *cli.Context) error {
		words := c.Args().Slice()
		if len(words) == 0 {
			words = []string{""}
		}
		return t.complete(words[:len(words)-1], words[len(words)-1])
	}}
}

// A candidate is one way to complete a word.
type candidate struct{ word, note string }

// complete prints the candidates for the word after those before.
func (t *Tree) complete(before []string, current string) error {
	var out bytes.Buffer
	for _, c := range t.candidates(before, current) {
		if !strings.HasPrefix(c.word, current) {
			continue
		}
		out.WriteString(c.word)
		if c.note != "" {
			note, _, _ := strings.Cut(c.note, ". ")
			out.WriteString("\t" + strings.TrimSuffix(note, "."))
		}
		out.WriteByte('\n')
	}
	return Write(t.streams.Out, out.Bytes())
}

// candidates lists what may follow the words before.
func (t *Tree) candidates(before []string, current string) (list []candidate) {
	l := t.newLine()
	for len(before) > 0 {
		before, _ = l.next(before) // what is wrong is said when the line is run
	}
	flag := func(name string) string { return l.given[name] }
	values := func(prefix string, words []string, more Completer) {
		if more != nil {
			words = slices.Concat(words, more(flag))
		}
		for _, word := range slices.Sorted(slices.Values(words)) {
			list = append(list, candidate{word: prefix + word})
		}
	}
	name, _, joined := strings.Cut(strings.TrimLeft(current, "-"), "=")
	switch args := t.Details(l.cmd).Args; {
	case l.waiting != nil:
		f := features(l.waiting)
		values("", f.choices, f.complete)
	case !l.only && strings.HasPrefix(current, "-") && joined:
		if f := FindFlag(l.cmd.Flags, name); f != nil {
			values(current[:strings.IndexByte(current, '=')+1], features(f).choices, features(f).complete)
		}
	case !l.only && strings.HasPrefix(current, "-"):
		for _, f := range l.cmd.Flags {
			if f := features(f); !l.seen[f.name] || f.many {
				list = append(list, candidate{dashed(f.name), f.usage})
			}
		}
	case t.isGroup(l.cmd) && len(l.args) == 0: // else an unknown command was named
		for _, sub := range t.shown(l.cmd, flag) {
			list = append(list, candidate{sub.Name, sub.Usage})
		}
	case !t.isGroup(l.cmd) && len(l.args) < len(args):
		values("", args[len(l.args)].Choices, args[len(l.args)].Complete)
	}
	return list
}

// completionScripts has a script for each shell.
//
//go:embed completion
var completionScripts embed.FS

// Completion returns the command that prints completion scripts.
func (t *Tree) Completion(category string) *cli.Command {
	return t.Add(&cli.Command{
		Name: "completion", Category: category, Usage: "Print a shell completion script",
		Description: "Prints a script that makes the shell complete commands, flags and values. Files are completed where a path belongs.",
	}, Details{
		Access: Reads,
		Args:   []Argument{{Name: "SHELL", Required: true, Choices: []string{"bash", "zsh", "fish"}}},
		Examples: []string{
			`eval "$(roget completion bash)"                          in ~/.bashrc`,
			`eval "$(roget completion zsh)"                           in ~/.zshrc, after compinit`,
			`roget completion fish > ~/.config/fish/completions/roget.fish`,
		},
		Run: func(_ context.Context, inv *Invocation) error {
			script, err := completionScripts.ReadFile("completion/roget." + inv.Args()[0])
			if err != nil {
				return Usagef("no completion for %q: there is bash, zsh and fish", inv.Args()[0])
			}
			return Write(inv.Out, script)
		},
	})
}
