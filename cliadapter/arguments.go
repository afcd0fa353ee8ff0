package cliadapter

import (
	"fmt"
	"slices"
	"strings"
)

// arrange brings the arguments of a command into the order its parser understands:
// flags first, each value joined to its flag by "=", then "--", then the positional
// arguments in their order. It needs no flag to come first and leaves nothing to be
// misread: an unknown flag, a value that is missing, a flag given twice that may be
// given once are errors that say what to write instead.
func arrange(args []string, known options) ([]string, error) {
	var flags, positional []string
	seen := map[*option]bool{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			positional = append(positional, args[i+1:]...)
			break
		}
		if !isFlag(arg) {
			positional = append(positional, arg)
			continue
		}
		name, value, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		opt := known.find(name)
		if opt == nil {
			if flags := known.cluster(arg); flags != nil {
				args, i = slices.Concat(flags, args[i+1:]), -1
				continue
			}
			return nil, unknownFlag(arg, name, known)
		}
		if seen[opt] && !opt.many {
			return nil, fmt.Errorf("flag %s is given twice", shown(name))
		}
		seen[opt] = true
		switch {
		case !opt.value:
			if joined && value != "true" && value != "false" {
				return nil, fmt.Errorf("flag %s is true or false, not %q", shown(name), value)
			}
		case !joined:
			if i+1 == len(args) {
				return nil, fmt.Errorf("flag %s needs a value", shown(name))
			}
			i++
			value = args[i]
			if isFlag(value) {
				next, _, _ := strings.Cut(strings.TrimLeft(value, "-"), "=")
				if value == "--" || known.find(next) != nil {
					return nil, fmt.Errorf("flag %s needs a value, but %s follows; write %s=%s if that is the value",
						shown(name), value, shown(name), value)
				}
			}
		}
		if len(opt.choices) > 0 && !slices.Contains(opt.choices, value) {
			return nil, fmt.Errorf("flag %s is one of %s, not %q%s", shown(name),
				strings.Join(opt.choices, ", "), value, didYouMean(nearest(value, opt.choices)))
		}
		switch {
		case opt.value, joined:
			flags = append(flags, "--"+opt.names[0]+"="+value)
		default:
			flags = append(flags, "--"+opt.names[0])
		}
	}
	return append(append(flags, "--"), positional...), nil
}

// cluster returns the flags that are written as one, -jd for -j -d: letters of which only the
// last may want a value. What is none gives nothing.
func (o options) cluster(arg string) []string {
	letters := strings.TrimPrefix(arg, "-")
	var flags []string
	for i, letter := range letters {
		opt := o.find(string(letter))
		if opt == nil || opt.value && i < len(letters)-1 {
			return nil
		}
		flags = append(flags, "-"+string(letter))
	}
	return flags
}

// isFlag reports that an argument is a flag and not a value: it begins with a dash,
// and is neither a dash alone nor a negative number.
func isFlag(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	return arg[1] != '.' && (arg[1] < '0' || arg[1] > '9')
}

func unknownFlag(arg, name string, known options) error {
	if i := strings.IndexByte(arg, '='); i >= 0 {
		arg = arg[:i]
	}
	meant := nearest(name, known.names())
	if meant != "" {
		meant = shown(meant)
	}
	return fmt.Errorf("unknown flag %s%s", arg, didYouMean(meant))
}

func didYouMean(word string) string {
	if word == "" {
		return ""
	}
	return "; did you mean " + word + "?"
}
