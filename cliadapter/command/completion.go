package command

import (
	"bytes"
	"context"
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
func (t *Tree) candidates(before []string, current string) []candidate {
	l := t.newLine()
	for len(before) > 0 {
		before, _ = l.next(before) // what is wrong is said when the line is run
	}
	flag := func(name string) string { return l.given[name] }
	name, _, joined := strings.Cut(strings.TrimLeft(current, "-"), "=")
	var list []candidate
	switch d := t.Details(l.cmd); {
	case l.waiting != nil:
		return values("", l.waiting, flag)
	case l.only || !strings.HasPrefix(current, "-"):
		if t.isGroup(l.cmd) {
			for _, sub := range t.shown(l.cmd, flag) {
				if len(l.args) == 0 { // else an unknown command was named
					list = append(list, candidate{sub.Name, sub.Usage})
				}
			}
		} else if len(l.args) < len(d.Args) {
			a := d.Args[len(l.args)]
			return sorted("", a.Choices, a.Complete, flag)
		}
	case joined:
		return values(current[:strings.IndexByte(current, '=')+1], FindFlag(l.cmd.Flags, name), flag)
	default:
		for _, f := range l.cmd.Flags {
			if !l.seen[f] || repeatable(f) {
				_, usage := described(f)
				list = append(list, candidate{dashed(shownNames(f)[0]), usage})
			}
		}
	}
	return list
}

// values are those of a flag, as far as they are known, each after a prefix.
func values(prefix string, f cli.Flag, flag func(string) string) []candidate {
	own, ok := f.(*Flag)
	if !ok {
		return nil
	}
	return sorted(prefix, own.Choices, own.Complete, flag)
}

func sorted(prefix string, words []string, more Completer, flag func(string) string) []candidate {
	if more != nil {
		words = slices.Concat(words, more(flag))
	}
	list := make([]candidate, 0, len(words))
	for _, w := range slices.Sorted(slices.Values(words)) {
		list = append(list, candidate{word: prefix + w})
	}
	return list
}

// Completion returns the command that prints completion scripts.
func (t *Tree) Completion(category string) *cli.Command {
	scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
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
			script, ok := scripts[inv.Args()[0]]
			if !ok {
				return Usagef("no completion for %q: there is bash, zsh and fish", inv.Args()[0])
			}
			return Write(inv.Out, []byte(script))
		},
	})
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
