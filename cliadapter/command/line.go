package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// A line is a command line as far as it has been read. Words are read one after the other,
// for running and for completion alike.
type line struct {
	tree  *Tree
	cmd   *cli.Command      // the command that the words so far name
	seen  map[string]bool   // flags of cmd that were given
	given map[string]string // values of flags, of cmd and of the groups before it

	argv    []string // names and flags in the order that cli.App understands
	args    []string // positional arguments
	waiting cli.Flag // the flag whose value comes next
	written string   // how that flag was written: "-o"
	help    bool     // --help, or the command help
	version bool     // --version
	only    bool     // "--" was read: arguments only
}

func (t *Tree) newLine() *line {
	l := &line{tree: t, given: map[string]string{}}
	l.enter(t.root)
	return l
}

// enter goes on with a command.
func (l *line) enter(cmd *cli.Command) {
	l.cmd, l.seen = cmd, map[string]bool{}
	if cmd != l.tree.root {
		l.argv = append(l.argv, cmd.Name)
	}
}

// read brings the arguments of the program into the order that cli.App understands: flags
// behind the command that has them, each joined to its value by "=", then "--" and the
// positional arguments. Flags may come before and after arguments. Nothing is left to be
// misread: an unknown flag, a missing value and a flag given twice are errors that say what
// to write instead.
func (t *Tree) read(args []string) ([]string, error) {
	if len(args) > 0 && args[0] == completeName {
		return args, nil
	}
	l, err := t.parse(args)
	switch {
	case err != nil && t.isGroup(l.cmd):
		return nil, t.usage(l.cmd, "", err)
	case err != nil:
		return nil, t.usage(l.cmd, t.Path(l.cmd), err)
	case l.help && (len(l.args) == 0 || !t.isGroup(l.cmd)):
		names := append([]string{helpName}, strings.Fields(t.Path(l.cmd))...)
		if profile := l.given["profile"]; profile != "" {
			names = append([]string{"--profile=" + profile}, names...)
		}
		return names, nil
	case l.version && l.cmd == t.root:
		l.enter(l.cmd.Command(t.program.Version))
	}
	return append(append(l.argv, "--"), l.args...), nil
}

// parse reads a whole command line.
func (t *Tree) parse(args []string) (*line, error) {
	l := t.newLine()
	for len(args) > 0 {
		var err error
		if args, err = l.next(args); err != nil {
			return l, err
		}
	}
	if l.waiting != nil {
		return l, fmt.Errorf("flag %s needs a value", dashed(l.written))
	}
	return l, nil
}

// A Reading is what a command line asks for, as Run understands it.
type Reading struct {
	Command *cli.Command      // the command or group that is named; nil if a word is no command
	Help    bool              // only help is printed
	Flags   map[string]string // values of the flags that are given, by name
	Args    []string          // positional arguments
}

// Read reads a command line as Run does, but runs nothing. It returns the error with which
// Run would refuse the line.
func (t *Tree) Read(args []string) (Reading, error) {
	l, err := t.parse(args)
	if err != nil {
		return Reading{}, err
	}
	r := Reading{Command: l.cmd, Flags: l.given, Args: l.args, Help: l.help && (len(l.args) == 0 || !t.isGroup(l.cmd))}
	switch {
	case r.Help:
	case l.version && l.cmd == t.root:
		r.Command = l.cmd.Command(t.program.Version)
	case t.isGroup(l.cmd) && len(l.args) > 0, len(args) > 0 && args[0] == completeName:
		r.Command = nil
	}
	return r, nil
}

// next reads the first of some words and returns those that are left.
func (l *line) next(words []string) ([]string, error) {
	word, rest := words[0], words[1:]
	group := l.tree.isGroup(l.cmd)
	switch sub := l.subcommand(word); {
	case l.waiting != nil:
		return rest, l.value(word)
	case l.only:
		l.args = append(l.args, word)
	case word == "--" && !group:
		l.only = true
	case isFlag(word):
		return l.flag(word, rest)
	case l.help && l.seen[helpName] && group: // --help of a group goes before its commands
		return nil, nil
	case l.version && l.cmd == l.tree.root:
		l.enter(l.cmd.Command(l.tree.program.Version))
		return words, nil
	case l.cmd == l.tree.root && word == helpName:
		l.help = true
	case sub != nil:
		l.enter(sub)
		if order := l.tree.Details(sub).Order; order != nil {
			rest = order(rest)
		}
	default:
		l.args = append(l.args, word)
		if group {
			return nil, nil // its action says that the command is unknown
		}
	}
	return rest, nil
}

// subcommand returns the command that a word names after the words so far, or nil.
func (l *line) subcommand(word string) *cli.Command {
	if sub := l.cmd.Command(word); sub != nil && sub.Name != completeName && len(l.args) == 0 {
		return sub
	}
	return nil
}

// flag reads a flag.
func (l *line) flag(word string, rest []string) ([]string, error) {
	name, value, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
	f := FindFlag(l.cmd.Flags, name)
	if f == nil || name == "" {
		if letters := l.cluster(word); letters != nil {
			return append(letters, rest...), nil
		}
		return rest, l.unknown(word, name)
	}
	own := features(f)
	if l.seen[own.name] && !own.many {
		return rest, fmt.Errorf("flag %s is given twice", dashed(name))
	}
	l.seen[own.name] = true
	l.waiting, l.written = f, name
	switch {
	case joined:
		return rest, l.joined(value)
	case own.placeholder == "":
		return rest, l.joined("true")
	}
	return rest, nil
}

// value reads the word after a flag.
func (l *line) value(word string) error {
	if isFlag(word) {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if word == "--" || FindFlag(l.cmd.Flags, name) != nil {
			l.waiting = nil
			return fmt.Errorf("flag %s needs a value, but %s follows; write %s=%s if that is the value",
				dashed(l.written), word, dashed(l.written), word)
		}
	}
	return l.joined(word)
}

// joined takes the value of the flag that waits for it.
func (l *line) joined(value string) error {
	f := features(l.waiting)
	l.waiting = nil
	if f.placeholder == "" {
		if value != "true" && value != "false" {
			return fmt.Errorf("flag %s must be true or false, not %q", dashed(l.written), value)
		}
		l.help = l.help || f.name == helpName && value == "true"
		l.version = l.version || f.name == "version" && value == "true" && l.cmd == l.tree.root
	}
	if len(f.choices) > 0 && !slices.Contains(f.choices, value) {
		return fmt.Errorf("flag %s must be one of %s, not %q%s", dashed(l.written), strings.Join(f.choices, ", "), value, DidYouMean(Nearest(value, f.choices)))
	}
	if f.check != nil {
		if err := f.check(value); err != nil {
			return err
		}
	}
	l.given[f.name] = value
	l.argv = append(l.argv, "--"+f.name+"="+value)
	return nil
}

// cluster returns the flags that are written as one word: -j and -d for -jd. Only the last
// letter may want a value. It returns nil for any other word.
func (l *line) cluster(word string) []string {
	var flags []string
	letters := strings.TrimPrefix(word, "-")
	for i, letter := range letters {
		f := FindFlag(l.cmd.Flags, string(letter))
		if f == nil || features(f).placeholder != "" && i < len(letters)-1 {
			return nil
		}
		flags = append(flags, "-"+string(letter))
	}
	return flags
}

// isFlag reports whether a word is a flag and not a value: it begins with a dash, and is
// neither a dash alone nor a negative number.
func isFlag(word string) bool {
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	return word[1] != '.' && (word[1] < '0' || word[1] > '9')
}

func (l *line) unknown(word, name string) error {
	word, _, _ = strings.Cut(word, "=")
	var known []string
	for _, f := range l.cmd.Flags {
		known = append(known, features(f).name)
	}
	meant := Nearest(name, known)
	if meant != "" {
		meant = dashed(meant)
	}
	err := fmt.Errorf("unknown flag %s%s", word, DidYouMean(meant))
	if l.tree.isGroup(l.cmd) {
		err = fmt.Errorf("%w; flags of a command come after its name", err)
	}
	return err
}
