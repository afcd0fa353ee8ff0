package cliadapter

import (
	"bytes"
	"context"
	"flag"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// completeCommand is the hidden command that the completion scripts call: the words
// typed so far follow it, the last one being completed. It prints a candidate a line,
// with a tab and a description where there is one, and nothing where a path belongs.
const completeCommand = "__complete"

func (c *CLI) completionCommand() *command {
	return &command{
		name: "completion", group: groupOther, access: accessRead, summary: "Print a shell completion script",
		doc:  "Prints a script that makes the shell complete commands, flags and values. Files are completed where a path belongs.",
		args: []argument{{name: "SHELL", required: true, choices: []string{"bash", "zsh", "fish"}}},
		examples: []string{
			`eval "$(roget completion bash)"                          in ~/.bashrc`,
			`eval "$(roget completion zsh)"                           in ~/.zshrc, after compinit`,
			`roget completion fish > ~/.config/fish/completions/roget.fish`,
		},
		run: func(_ context.Context, inv *invocation) error {
			shell := inv.args()[0]
			script, ok := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[shell]
			if !ok {
				return usagef("no completion for %q: there is bash, zsh and fish", shell)
			}
			return write(inv.streams.Out, []byte(script))
		},
	}
}

// A candidate is one way to go on.
type candidate struct{ word, note string }

// complete prints the candidates for the last of words.
func (c *CLI) complete(w io.Writer, words []string) error {
	if len(words) == 0 {
		words = []string{""}
	}
	current := words[len(words)-1]
	var out bytes.Buffer
	for _, cand := range c.candidates(words[:len(words)-1], current) {
		if !strings.HasPrefix(cand.word, current) {
			continue
		}
		out.WriteString(cand.word)
		if cand.note != "" {
			note, _, _ := strings.Cut(cand.note, ". ")
			out.WriteString("\t" + strings.TrimSuffix(note, "."))
		}
		out.WriteByte('\n')
	}
	return write(w, out.Bytes())
}

// candidates lists what may follow the words before.
func (c *CLI) candidates(before []string, current string) []candidate {
	if len(before) > 0 && before[0] == "help" {
		before = before[1:]
	}
	cmd := c.root()
	used := map[*option]bool{}
	positional := 0
	var global globals
	var waiting *option // the flag whose value comes next
	for len(before) > 0 {
		word := before[0]
		before = before[1:]
		if waiting != nil {
			global.see(waiting, word)
			waiting = nil
			continue
		}
		if isFlag(word) {
			_, value, joined := strings.Cut(word, "=")
			opt := cmd.options.find(flagName(word))
			if opt == nil {
				continue
			}
			used[opt] = true
			if opt.value && !joined {
				waiting = opt
			}
			global.see(opt, value)
			continue
		}
		if len(cmd.commands) == 0 {
			positional++
			continue
		}
		if cmd = cmd.find(word); cmd == nil {
			return nil
		}
		cmd, before = cmd.of(before)
	}
	inv := &invocation{cli: c, cmd: cmd, parsed: cli.NewContext(nil, flag.NewFlagSet("", flag.ContinueOnError), nil), streams: Streams{Out: io.Discard, Err: io.Discard}, global: global}
	if waiting != nil {
		return plain("", waiting.values(inv))
	}
	if name, _, joined := strings.Cut(current, "="); joined && isFlag(name) {
		if opt := cmd.options.find(flagName(name)); opt != nil {
			return plain(name+"=", opt.values(inv))
		}
		return nil
	}
	var list []candidate
	switch {
	case strings.HasPrefix(current, "-"):
		for _, opt := range cmd.options {
			if !used[opt] || opt.many {
				list = append(list, candidate{shown(opt.names[0]), opt.usage})
			}
		}
	case len(cmd.commands) > 0:
		for _, sub := range c.shown(cmd, global) {
			list = append(list, candidate{sub.name, sub.summary})
		}
	case positional < len(cmd.args):
		arg := &cmd.args[positional]
		return plain("", known(arg.choices, arg.complete, inv))
	}
	return list
}

// see notes a flag of the words before that completion depends on.
func (g *globals) see(opt *option, value string) {
	if opt.names[0] == "profile" {
		g.profile = value
	}
}

// values are those that a flag may have, as far as they are known.
func (opt *option) values(inv *invocation) []string { return known(opt.choices, opt.complete, inv) }

func known(choices []string, complete func(*invocation) []string, inv *invocation) []string {
	if complete == nil {
		return choices
	}
	return append(slices.Clone(choices), complete(inv)...)
}

func plain(prefix string, words []string) []candidate {
	list := make([]candidate, 0, len(words))
	for _, w := range slices.Sorted(slices.Values(words)) {
		list = append(list, candidate{word: prefix + w})
	}
	return list
}

const bashCompletion = `# bash completion for roget
_roget() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _roget roget
`

const zshCompletion = `#compdef roget
# zsh completion for roget
_roget() {
    local -a candidates
    local line word tab=$'\t'
    while IFS= read -r line; do
        word=${line%%$tab*}
        word=${word//:/\\:}
        [[ $line == *$tab* ]] && word+=":${line#*$tab}"
        candidates+=("$word")
    done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#candidates} )); then
        _describe roget candidates
    else
        _files
    fi
}
compdef _roget roget
`

const fishCompletion = `# fish completion for roget
function __roget_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] __complete $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c roget -f -a '(__roget_complete)'
`
