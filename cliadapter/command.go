package cliadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

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

// find gives the command of a group by its name.
func (cmd *command) find(name string) *command {
	for _, sub := range cmd.commands {
		if sub.name == name || slices.Contains(sub.aliases, name) {
			return sub
		}
	}
	return nil
}

// shows tells that a command is in help and completion, where a version of the platform is assumed.
func (cmd *command) shows(major platform.Major) bool {
	return !cmd.hidden && cmd.fits(major)
}

// fits tells that a version of the platform has what the command is about.
func (cmd *command) fits(major platform.Major) bool {
	return major >= cmd.minMajor && (cmd.maxMajor == 0 || major <= cmd.maxMajor)
}

// of gives the command for some arguments, and those that are left.
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

// An invocation is one run of a command with its parsed arguments.
type invocation struct {
	cli     *CLI
	cmd     *command
	parsed  *cli.Context
	streams Streams
	global  globals
	ctx     context.Context // of the run, for questions to the user
	atEnd   []io.Closer     // what to close when the command has run
}

// errNo ends a command with a clean no: exit code 1 and nothing more to say.
var errNo = errors.New("no")

// given reports that a flag, or its environment variable, was given.
func (inv *invocation) given(name string) bool {
	if inv.parsed.IsSet(name) {
		return true
	}
	opt := inv.cmd.options.find(name)
	return opt != nil && opt.env != "" && inv.cli.config.Getenv(opt.env) != ""
}

// text is the value of a flag: as given, else from the environment, else the preset.
func (inv *invocation) text(name string) string {
	if inv.parsed.IsSet(name) {
		return inv.parsed.String(name)
	}
	opt := inv.cmd.options.find(name)
	if opt == nil {
		return ""
	}
	if opt.env != "" {
		if v := inv.cli.config.Getenv(opt.env); v != "" {
			return v
		}
	}
	return opt.preset
}

// list gives the values of a repeatable flag.
func (inv *invocation) list(name string) []string {
	values, _ := inv.parsed.Generic(name).(*repeated)
	if values == nil {
		return nil
	}
	return *values
}

// is gives a boolean flag.
func (inv *invocation) is(name string) bool { return inv.parsed.Bool(name) }

// args gives the positional arguments.
func (inv *invocation) args() []string { return inv.parsed.Args().Slice() }

// duration reads a flag such as 30s; 0 stands for no limit.
func (inv *invocation) duration(name string) (time.Duration, error) {
	text := inv.text(name)
	if text == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, usagef("flag --%s is a duration such as 30s or 2m, not %q", name, text)
	}
	return d, nil
}

// integer reads a flag that is a whole number not below least.
func (inv *invocation) integer(name string, least int) (int, error) {
	n, err := strconv.Atoi(inv.text(name))
	if err != nil || n < least {
		return 0, usagef("flag --%s is a whole number from %d, not %q", name, least, inv.text(name))
	}
	return n, nil
}

// size reads a flag that is a number of bytes: 16MiB, 500k, 1048576.
func (inv *invocation) size(name string) (int64, error) {
	n, ok := parseSize(inv.text(name))
	if !ok {
		return 0, usagef("flag --%s is a size such as 16MiB, not %q", name, inv.text(name))
	}
	return n, nil
}

func parseSize(text string) (int64, bool) {
	number := strings.TrimRight(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz ")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	shift := 0
	switch strings.TrimSpace(strings.ToLower(text[len(number):])) {
	case "", "b":
	case "k", "kb", "kib":
		shift = 10
	case "m", "mb", "mib":
		shift = 20
	case "g", "gb", "gib":
		shift = 30
	default:
		return 0, false
	}
	if n > (1<<62)>>shift {
		return 0, false
	}
	return n << shift, true
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
