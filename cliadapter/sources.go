package cliadapter

import (
	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// defaultData is the data folder of serve, and of queries when it is there.
const defaultData = "./roget-data"

// Groups of commands in the overview.
const (
	groupRun       = "Run"
	groupData      = "Data"
	groupResources = "Resources"
	groupQuery     = "Ask"
	groupPlatform  = "Platform (DHIS2-compatible servers, majors 41 to 43)"
	groupOther     = "Other"
)

// commonOptions are the flags that every query command has beside its parameters.
var commonOptions = []string{"load", "data", "rules", "output", "pretty", "quiet", "json", "help"}

// dataFlag is --data; preset is its default.
func dataFlag(preset, usage string) cli.Flag {
	return &command.Flag{Env: "ROGET_DATA", StringFlag: cli.StringFlag{Name: "data", Value: preset, Aliases: []string{"d"}, TakesFile: true, Usage: "`" + "DIR" + "` " + usage}}
}

// sourceOptions are the flags for the sources of a query.
func sourceOptions() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "load", Aliases: []string{"l"}, TakesFile: true, Usage: "`PATH` Read a file, folder or archive in a format of roget load, without storing it."},
		dataFlag("", "Data folder of roget load or serve to read. Without --load and --data: "+
			defaultData+" if it exists, and the built-in samples."),
	}
}

// rulesOption is the flag of commands whose answer may depend on the rules.
func rulesOption() cli.Flag {
	return &command.Flag{
		StringFlag: cli.StringFlag{Name: "rules", Value: engine.Clinical.String(), Usage: "Rules to follow where nothing is stated: clinical, as under / and /baseR4 of roget serve, or those of HL7's terminology ecosystem, as under /r4."},
		Choices:    []string{engine.Clinical.String(), engine.Ecosystem.String()},
	}
}

// rules reads --rules.
func (inv *invocation) rules() (engine.Rules, error) {
	rules, err := engine.ParseRules(inv.Text("rules"))
	if err != nil {
		return 0, command.Usagef("--rules: %w", err)
	}
	return rules, nil
}

// outputOptions are the flags for the output.
func outputOptions() []cli.Flag {
	return []cli.Flag{
		&command.Flag{StringFlag: cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "table", Usage: "`FORMAT` Output format: table for people, json for programs."}, Choices: []string{"table", "json"}},
		&cli.BoolFlag{Name: "pretty", Usage: "Indent JSON."},
		quietOption(),
	}
}

func quietOption() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "Print only errors on standard error, without progress and notes."}
}
