package cliadapter

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// serveSettings makes the flags of serve settings of the environment and of a file.
func serveSettings() *command.Settings {
	return &command.Settings{Prefix: "ROGET_", File: "config", Not: []string{"print-config"}}
}

// configFlags are about the settings themselves.
func configFlags() []cli.Flag {
	return []cli.Flag{
		&command.Flag{Env: "ROGET_CONFIG", StringFlag: cli.StringFlag{Name: "config", TakesFile: true, Usage: "`FILE` Configuration file in TOML, whose keys are the names of the flags: log-level = \"debug\"."}},
		&cli.BoolFlag{Name: "print-config", Usage: "Check all settings, print them as a configuration file with the source of each value, and exit."},
	}
}

func (inv *invocation) readConfig(o *ServeOptions) error {
	o.ConfigFile = inv.Text("config")
	settings := serveSettings()
	o.Reload = func() ([]string, error) {
		changed, err := inv.Reread(settings)
		if err != nil {
			return nil, err
		}
		var pending []string
		for name := range changed {
			if name != "log-level" {
				pending = append(pending, name)
			}
		}
		slices.Sort(pending)
		text := inv.Text("log-level")
		if now, differs := changed["log-level"]; differs {
			text = now[0]
		}
		level, err := inv.logLevel(text)
		if err == nil {
			o.LogLevel.Set(level)
		}
		return pending, err
	}
	return nil
}

// printConfig prints the settings in force.
func (inv *invocation) printConfig() error {
	return inv.PrintSettings(serveSettings(), "Configuration of roget serve, "+inv.cli.config.Version.Version+". A flag goes before the environment, the environment before the file.")
}
