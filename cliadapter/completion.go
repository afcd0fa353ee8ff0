package cliadapter

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
)

// completeCommand is the hidden command that the completion scripts call: the words
// typed so far follow it, the last one being completed. It prints a candidate a line,
// with a tab and a description where there is one, and nothing where a path belongs.
const completeCommand = "__complete"

func (c *CLI) completionCommand() *command {
	return &command{
		name: "completion", group: groupOther, summary: "Print a shell completion script",
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
	if len(before) == 0 || len(before) == 1 && before[0] == "help" {
		var list []candidate
		for _, cmd := range c.commands {
			if !cmd.hidden {
				list = append(list, candidate{cmd.name, cmd.summary})
			}
		}
		return list
	}
	cmd := c.command(before[0])
	if cmd == nil {
		return nil
	}
	cmd, before = cmd.of(before[1:])
	used := map[*option]bool{}
	positional := 0
	var waiting *option // the flag whose value comes next
	for _, word := range before {
		if waiting != nil {
			waiting = nil
			continue
		}
		if !isFlag(word) {
			positional++
			continue
		}
		name, _, joined := strings.Cut(strings.TrimLeft(word, "-"), "=")
		opt := cmd.options.find(name)
		if opt == nil {
			continue
		}
		used[opt] = true
		if opt.value && !joined {
			waiting = opt
		}
	}
	if waiting != nil {
		return plain("", waiting.choices)
	}
	if name, _, joined := strings.Cut(current, "="); joined && isFlag(name) {
		if opt := cmd.options.find(strings.TrimLeft(name, "-")); opt != nil {
			return plain(name+"=", opt.choices)
		}
		return nil
	}
	if strings.HasPrefix(current, "-") {
		var list []candidate
		for _, opt := range cmd.options {
			if !used[opt] || opt.many {
				list = append(list, candidate{shown(opt.names[0]), opt.usage})
			}
		}
		return list
	}
	if positional < len(cmd.args) {
		return plain("", cmd.args[positional].choices)
	}
	return nil
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
