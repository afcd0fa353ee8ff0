package cliadapter

import "slices"

// An option is a flag as the command line sees it.
type option struct {
	names   []string // the first is the one shown: "output", "o"
	also    string   // a further name, understood but not shown: "displayLanguage"
	value   bool     // takes a value
	many    bool     // may be repeated
	choices []string // the values there are, when they are few
	files   bool     // the value is a path
	env     string   // environment variable that stands in for the flag
	hint    string   // what the value is: "PATH", "uri"
	usage   string   // for help
	preset  string   // the default, for help
	writes  bool     // it has the command write to the disk, see access

	complete func(inv *invocation) []string // the values there are, found when they are asked for
}

// options finds flags by name.
type options []*option

func (o options) find(name string) *option {
	for _, opt := range o {
		if slices.Contains(opt.names, name) || opt.also == name && name != "" {
			return opt
		}
	}
	return nil
}

func (o options) names() []string {
	var names []string
	for _, opt := range o {
		names = append(names, opt.names...)
	}
	return names
}

// shown writes the name of a flag with its dashes.
func shown(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
