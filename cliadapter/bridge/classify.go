package bridge

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// A Kind is what a line of arguments may do.
type Kind string

// The kinds of lines.
const (
	Read    Kind = "read"    // changes nothing: neither the platform nor files nor profiles
	Write   Kind = "write"   // may change something
	Refused Kind = "refused" // is never run, in no mode
)

// A Verdict is what the bridge thinks of a line of arguments.
type Verdict struct {
	Kind   Kind
	Reason string   // why a line is refused, or is not one that reads
	Hosts  []string // hosts that the line names itself, beside that of the profile
}

// Classify reads a line of arguments with the parser of the program and returns what it may
// do. A line that the program would not understand counts as one that writes.
func (b *Bridge) Classify(args []string) Verdict {
	tree := b.config.Tree()
	line, err := tree.Read(args)
	if _, given := line.Flags["profile"]; given || err != nil && namesProfile(args) {
		return Verdict{Kind: Refused, Reason: "the arguments name a profile; use the argument profile of the tool"}
	}
	switch {
	case err != nil:
		return Verdict{Kind: Write, Reason: err.Error()}
	case line.Help:
		return Verdict{Kind: Read}
	}
	path, details := tree.Path(line.Command), tree.Details(line.Command)
	switch {
	case details.Run == nil: // a group prints its commands
		return Verdict{Kind: Read}
	case !b.config.Offered(path, category(tree, path)):
		return Verdict{Kind: Refused, Reason: quote(strings.Fields(path)) + " is not offered here; --help lists commands, of which those of the platform and the questions about codes are"}
	case details.PrintsSecret != nil && details.PrintsSecret(line.Value):
		return Verdict{Kind: Refused, Reason: quote(strings.Fields(path)) + " prints a secret; run it in a terminal"}
	}
	verdict := Verdict{Kind: Read, Hosts: hosts(line)}
	if details.Access != command.Reads {
		verdict.Kind, verdict.Reason = Write, quote(strings.Fields(path))+" may change something"
	}
	for _, f := range line.Command.Flags {
		own, _ := f.(*command.Flag)
		_, given := line.Flags[nameOf(own)]
		if given && own.Discloses {
			return Verdict{Kind: Refused, Reason: fmt.Sprintf("--%s of %s prints what is in a file; run it in a terminal", own.Name, quote(strings.Fields(path)))}
		}
		if given && own.Writes {
			verdict.Kind, verdict.Reason = Write, fmt.Sprintf("--%s of %s writes files", own.Name, quote(strings.Fields(path)))
		}
	}
	return verdict
}

// namesProfile reports whether a line that the program does not understand seems to name a
// profile: -p x, -px, -jpx, --profile x or --profile=x.
func namesProfile(args []string) bool {
	for _, arg := range args {
		if arg == "--" {
			return false
		}
		short, isShort := strings.CutPrefix(arg, "-")
		if name, _, _ := strings.Cut(arg, "="); name == "--profile" || isShort && strings.HasPrefix(strings.TrimLeft(short, "jdhvV"), "p") {
			return true
		}
	}
	return false
}

func nameOf(f *command.Flag) string {
	if f == nil {
		return ""
	}
	return f.Name
}

// hosts returns the hosts of the addresses among the values of flags and the arguments.
func hosts(line *command.Line) []string {
	var found []string
	add := func(text string) {
		if u, err := url.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			found = append(found, u.Hostname())
		}
	}
	for _, value := range line.Flags {
		add(value)
	}
	for _, arg := range line.Args {
		add(arg)
	}
	return found
}

// quote writes a command for a message: "system info".
func quote(words []string) string {
	return `"` + command.Printable(strings.Join(words, " ")) + `"`
}

// Reads returns the paths of the commands that read, without flags, in the order of the help.
func (b *Bridge) Reads() []string { return b.paths(Read) }

// Writes returns the paths of the commands that may change something.
func (b *Bridge) Writes() []string { return b.paths(Write) }

func (b *Bridge) paths(kind Kind) []string {
	var paths []string
	tree := b.config.Tree()
	for _, cmd := range tree.Commands() {
		if tree.Details(cmd).Run == nil {
			continue
		}
		if path := tree.Path(cmd); b.Classify(strings.Fields(path)).Kind == kind {
			paths = append(paths, path)
		}
	}
	return paths
}

// A Filter reports whether the bridge offers a command, by its path and by the category of
// the group that it is in.
type Filter func(path, category string) bool

// category returns the category of the first command of a path.
func category(tree *command.Tree, path string) string {
	top, _, _ := strings.Cut(path, " ")
	all := tree.Commands()
	if i := slices.IndexFunc(all, func(cmd *cli.Command) bool { return tree.Path(cmd) == top }); i >= 0 {
		return all[i].Category
	}
	return ""
}
