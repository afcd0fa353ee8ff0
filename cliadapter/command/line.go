package command

import (
	"fmt"
	"strings"

	"github.com/samber/lo"
	"github.com/urfave/cli/v2"
)

// A Line is a command line as far as it has been read. Words are read one after the other,
// for running and for completion alike.
type Line struct {
	Command *cli.Command      // the command or group that the words so far name
	Flags   map[string]string // values of flags, of Command and of the groups before it
	Args    []string          // positional arguments
	Help    bool              // only help is asked for

	tree    *Tree
	argv    []string        // names and flags in the order that cli.App understands
	seen    map[string]bool // flags of Command that were given
	waiting cli.Flag        // the flag whose value comes next
	written string          // how that flag was written: "-o"
	only    bool            // "--" was read: arguments only
}

func (t *Tree) newLine() *Line {
	l := &Line{tree: t, Flags: map[string]string{}}
	l.enter(t.root)
	return l
}

// enter goes on with a command.
func (l *Line) enter(cmd *cli.Command) {
	l.Command, l.seen = cmd, map[string]bool{}
	l.argv = append(l.argv, cmd.Name)
}

// Value returns the value of a flag that was given to the command, or else to the group
// nearest to it.
func (l *Line) Value(name string) string { return l.Flags[name] }

// Read reads a command line, but runs nothing. Flags may come before and after arguments.
// Nothing is left to be misread: an unknown name, a missing value and a flag given twice are
// errors that say what to write instead. With an error, the line is what came before it.
func (t *Tree) Read(args []string) (*Line, error) {
	l := t.newLine()
	for len(args) > 0 {
		var err error
		if args, err = l.next(args); err != nil {
			return l, &UsageError{Err: err}
		}
	}
	if l.waiting != nil {
		return l, Usagef("flag %s needs a value", l.written)
	}
	return l, nil
}

// next reads the first of some words and returns those that are left.
func (l *Line) next(words []string) ([]string, error) {
	word, rest := words[0], words[1:]
	group := l.tree.isGroup(l.Command)
	switch sub := l.Command.Command(word); {
	case l.waiting != nil:
		return rest, l.value(word)
	case l.only:
		l.Args = append(l.Args, word)
	case word == "--" && !group:
		l.only = true
	case isFlag(word):
		return l.flag(word, rest)
	case l.Help && l.seen[helpName] && group: // --help of a group goes before its commands
		return nil, nil
	case l.Command == l.tree.root && word == helpName:
		l.Help = true
	case sub != nil && len(l.Args) == 0:
		l.enter(sub)
		if order := l.tree.Details(sub).Order; order != nil {
			rest = order(rest)
		}
	default:
		l.Args = append(l.Args, word)
		if group {
			return nil, l.unknownCommand(word)
		}
	}
	return rest, nil
}

// flag reads a flag.
func (l *Line) flag(word string, rest []string) ([]string, error) {
	name, value, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
	f := FindFlag(l.Command.Flags, name)
	if f == nil {
		if letters := l.cluster(word); letters != nil {
			return append(letters, rest...), nil
		}
		return rest, l.unknownFlag(word, name)
	}
	d := describe(f)
	l.written = dashed(name)
	if l.seen[d.Name] && !d.many {
		return rest, fmt.Errorf("flag %s is given twice", l.written)
	}
	l.seen[d.Name] = true
	l.waiting = f
	switch {
	case joined:
		return rest, l.set(value)
	case d.placeholder == "":
		return rest, l.set("true")
	}
	return rest, nil
}

// value reads the word after a flag.
func (l *Line) value(word string) error {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if isFlag(word) && (word == "--" || FindFlag(l.Command.Flags, name) != nil) {
		l.waiting = nil
		return fmt.Errorf("flag %s needs a value, but %s follows; write %[1]s=%[2]s if that is the value", l.written, word)
	}
	return l.set(word)
}

// set takes the value of the flag that waits for it.
func (l *Line) set(value string) error {
	f := describe(l.waiting)
	l.waiting = nil
	if err := f.check(l.written, value); err != nil {
		return err
	}
	l.Flags[f.Name] = value
	l.argv = append(l.argv, "--"+f.Name+"="+value)
	if value != "true" || f.placeholder != "" {
		return nil
	}
	l.Help = l.Help || f.Name == helpName
	if sub := l.Command.Command(f.Name); sub != nil && !l.Help { // --version is the command version
		l.enter(sub)
	}
	return nil
}

// cluster returns the flags that are written as one word: -j and -d for -jd. Only the last
// letter may want a value. It returns nil for any other word.
func (l *Line) cluster(word string) []string {
	var flags []string
	letters := strings.TrimPrefix(word, "-")
	for i, letter := range letters {
		f := FindFlag(l.Command.Flags, string(letter))
		if f == nil || describe(f).placeholder != "" && i < len(letters)-1 {
			return nil
		}
		flags = append(flags, "-"+string(letter))
	}
	return flags
}

// isFlag reports whether a word is a flag and not a value: it begins with a dash, and is
// neither a dash alone nor a negative number.
func isFlag(word string) bool {
	return len(word) > 1 && word[0] == '-' && !strings.ContainsRune(".0123456789", rune(word[1]))
}

func (l *Line) unknownFlag(word, name string) error {
	word, _, _ = strings.Cut(word, "=")
	known := lo.Map(l.Command.Flags, func(f cli.Flag, _ int) string { return dashed(describe(f).Name) })
	err := fmt.Errorf("unknown flag %s%s", word, DidYouMean(Nearest("--"+name, known)))
	if l.tree.isGroup(l.Command) {
		err = fmt.Errorf("%w; flags of a command come after its name", err)
	}
	return err
}

func (l *Line) unknownCommand(word string) error {
	known := lo.Map(l.tree.shown(l), func(sub *cli.Command, _ int) string { return sub.Name })
	if l.Command == l.tree.root {
		known = append(known, helpName)
	}
	return fmt.Errorf("unknown command %q%s", word, DidYouMean(Nearest(word, known)))
}
