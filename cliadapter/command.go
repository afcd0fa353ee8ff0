package cliadapter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
)

// A command is one command of the terminal: what help, completion and the parser
// need to know of it, and what it does.
//
// A command that has commands is a group: it does nothing itself. A leaf has run and access.
type command struct {
	name     string
	aliases  []string // understood, but not shown
	group    string   // heading in the list of commands
	summary  string   // one line
	doc      string   // paragraphs
	args     []argument
	options  options
	examples []string
	hidden   bool
	commands []*command // of a group, in the order of its help
	access   access
	// minMajor and maxMajor are the versions of the platform that have what the command is
	// about; 0 for no bound. Platform toolkit, section 7.3.
	minMajor, maxMajor platform.Major
	run                func(ctx context.Context, inv *invocation) error
	// variant, when not nil, gives the command to run in its place for some arguments, and
	// those that are left: where flags depend on an argument.
	variant func(cmd *command, args []string) (*command, []string)

	path       string // the name with those of the groups before it; prepare sets both
	ofPlatform bool
}

// prepare completes a command and those below it: paths, and the flags that all have. The
// path is that of the group it is in; ofPlatform tells that it is about the platform.
func (cmd *command) prepare(path string, ofPlatform bool) {
	cmd.path, cmd.ofPlatform = strings.TrimPrefix(path+" "+cmd.name, " "), ofPlatform
	for _, sub := range cmd.commands {
		sub.prepare(cmd.path, ofPlatform)
	}
	switch {
	case len(cmd.commands) > 0:
		cmd.options = append(platformOptions(), helpOption())
		return
	case ofPlatform:
		for _, opt := range platformOptions() {
			opt.names = slices.DeleteFunc(opt.names, func(name string) bool { return cmd.options.find(name) != nil })
			if len(opt.names) > 0 && len(opt.names[0]) > 1 {
				cmd.options = append(cmd.options, opt)
			}
		}
	default:
		if opt := cmd.jsonOption(); opt != nil {
			cmd.options = append(cmd.options, opt)
		}
	}
	cmd.options = append(cmd.options, helpOption())
}

// find returns the command of a group by its name.
func (cmd *command) find(name string) *command {
	for _, sub := range cmd.commands {
		if sub.name == name || slices.Contains(sub.aliases, name) {
			return sub
		}
	}
	return nil
}

// shows reports whether a command is in help and completion, where a version of the platform is assumed.
func (cmd *command) shows(major platform.Major) bool {
	return !cmd.hidden && cmd.fits(major)
}

// fits reports whether a version of the platform has what the command is about.
func (cmd *command) fits(major platform.Major) bool {
	return major >= cmd.minMajor && (cmd.maxMajor == 0 || major <= cmd.maxMajor)
}

// of returns the command for some arguments, and those that are left.
func (cmd *command) of(args []string) (*command, []string) {
	if cmd.variant == nil {
		return cmd, args
	}
	return cmd.variant(cmd, args)
}

// An argument is a positional argument, for help and checks.
type argument struct {
	name     string // "PATH"
	required bool
	many     bool // takes all that follow
	choices  []string
	files    bool
	usage    string
	complete func(inv *invocation) []string // what there is, found when it is asked for
}

// usagef makes a UsageError.
func usagef(format string, args ...any) error {
	return &UsageError{Err: fmt.Errorf(format, args...)}
}

// checkArgs refuses too few and too many positional arguments.
func (cmd *command) checkArgs(got []string) error {
	many := false
	required := 0
	for _, a := range cmd.args {
		many = many || a.many
		if a.required {
			required++
		}
	}
	if len(got) < required {
		return usagef("%s is missing", cmd.args[len(got)].name)
	}
	if !many && len(got) > len(cmd.args) {
		extra := got[len(cmd.args)]
		if extra == "true" || extra == "false" {
			return usagef("unexpected argument %q (a flag that is true or false takes its value after =, as in --flag=%s)", extra, extra)
		}
		return usagef("unexpected argument %q", extra)
	}
	return nil
}
