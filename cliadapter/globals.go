package cliadapter

import (
	"fmt"
	"slices"
	"strings"
)

// globals are the flags that may stand before a command. Commands of the platform take
// the first three after their names as well. Platform toolkit, section 3.
type globals struct {
	profile       string
	json, debug   bool
	version, help bool
}

func globalOptions() options {
	return append(platformOptions(),
		&option{names: []string{"version", "V"}, also: "v", usage: "Print the version, and the version of the platform that is assumed offline."},
		helpOption())
}

// platformOptions are the flags that every command of the platform has.
func platformOptions() options {
	return options{
		{names: []string{"profile", "p"}, value: true, hint: "NAME", usage: "Profile of the platform to use; else PLATFORM_PROFILE, or the default (see roget profile).", complete: profileNames},
		{names: []string{"json", "j"}, usage: "Print JSON; the same as --output json where there is that."},
		{names: []string{"debug", "d"}, usage: "Write a line for each request to the platform to standard error."},
	}
}

func helpOption() *option {
	return &option{names: []string{"help", "h"}, usage: "show this help"}
}

// take reads the flags that args begin with, of those that are known, and gives the others.
func (g *globals) take(args []string, known options) ([]string, error) {
	n := 0
	for n < len(args) && isFlag(args[n]) {
		opt := known.find(flagName(args[n]))
		if opt == nil {
			if flags := known.cluster(args[n]); flags != nil {
				args = slices.Concat(args[:n], flags, args[n+1:])
				continue
			}
			return nil, fmt.Errorf("%w; flags of a command come after its name", unknownFlag(args[n], flagName(args[n]), known))
		}
		if n++; opt.value && !strings.Contains(args[n-1], "=") {
			n++
		}
	}
	arranged, err := arrange(args[:min(n, len(args))], known)
	if err != nil {
		return nil, err
	}
	for _, arg := range arranged[:len(arranged)-1] {
		_, value, _ := strings.Cut(arg, "=")
		on := value != "false"
		switch flagName(arg) {
		case "profile":
			if g.profile = value; value == "" {
				return nil, errNoName
			}
		case "json":
			g.json = on
		case "debug":
			g.debug = on
		case "version":
			g.version = on
		case "help":
			g.help = on
		}
	}
	return args[n:], nil
}

// flagName is the name in a flag as it is written: of --output=json it is output.
func flagName(arg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	return name
}

// jsonOption lets a command that prints JSON by --output do so by --json.
func (cmd *command) jsonOption() *option {
	if out := cmd.options.find("output"); out == nil || !slices.Contains(out.choices, "json") || cmd.options.find("json") != nil {
		return nil
	}
	return &option{names: []string{"json", "j"}, usage: "The same as --output json."}
}

// asJSON puts --output=json in the place of --json, in arguments that are arranged. A form
// that was chosen for the command goes before a --json before its name.
func (cmd *command) asJSON(arranged []string, before bool) ([]string, error) {
	out := cmd.options.find("output")
	if out == nil || !slices.Contains(out.choices, "json") {
		return arranged, nil
	}
	flags := arranged[:slices.Index(arranged, "--")]
	form := slices.IndexFunc(flags, func(arg string) bool { return flagName(arg) == "output" })
	asked := slices.ContainsFunc(flags, func(arg string) bool { return arg == "--json" || arg == "--json=true" })
	switch {
	case form >= 0 && asked && flags[form] != "--output=json":
		return nil, fmt.Errorf("flags %s and --json ask for two forms", flags[form])
	case form < 0 && (asked || before):
		return append([]string{"--output=json"}, arranged...), nil
	}
	return arranged, nil
}
