package cliadapter

import (
	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
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
var commonOptions = []string{"load", "data", "output", "pretty", "quiet", "json", "help"}

// dataFlag is --data; preset is its default.
func dataFlag(preset, usage string) cli.Flag {
	return &command.Flag{StringFlag: cli.StringFlag{Name: "data", Value: preset, Aliases: []string{"d"}, EnvVars: []string{"ROGET_DATA"}, TakesFile: true, Usage: "`" + "DIR" + "` " + usage}}
}

// sourceOptions are the flags for the sources of a query.
func sourceOptions() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "load", Aliases: []string{"l"}, TakesFile: true, Usage: "`PATH` Read a file, folder or archive in a format of roget load, without storing it."},
		dataFlag("", "Data folder of roget load or serve to read. Without --load and --data: "+
			defaultData+" if it exists, and the built-in samples."),
	}
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
