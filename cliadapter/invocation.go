package cliadapter

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

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

// list returns the values of a repeatable flag.
func (inv *invocation) list(name string) []string {
	values, _ := inv.parsed.Generic(name).(*repeated)
	if values == nil {
		return nil
	}
	return *values
}

// is returns a boolean flag.
func (inv *invocation) is(name string) bool { return inv.parsed.Bool(name) }

// args returns the positional arguments.
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
