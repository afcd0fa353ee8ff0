package cliadapter

import (
	"log/slog"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// logFlags are about what the service writes to standard error.
func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "access-log", Usage: "Log every request: its interaction, resource type, status, time and size, the address of the client, and who made it. Paths and queries are left out."},
		&cli.BoolFlag{Name: "log-paths", Usage: "Add the path to the log of a request. It may hold the id of a patient."},
		&command.Flag{Env: "ROGET_LOG_LEVEL", StringFlag: cli.StringFlag{Name: "log-level", Value: "info", Usage: "Lowest level to log."}, Choices: []string{"debug", "info", "warn", "error"}},
		&command.Flag{StringFlag: cli.StringFlag{Name: "log-format", Value: "text", Usage: "Format of the log on standard error."}, Choices: []string{"text", "json"}},
		quietOption(),
	}
}

func (inv *invocation) readLog(o *ServeOptions) error {
	o.AccessLog, o.LogPaths = inv.Is("access-log"), inv.Is("log-paths")
	level, err := inv.logLevel(inv.Text("log-level"))
	if err != nil {
		return err
	}
	o.LogLevel = new(slog.LevelVar)
	o.LogLevel.Set(level)
	options := &slog.HandlerOptions{Level: o.LogLevel}
	if inv.Text("log-format") == "json" {
		o.Logger = slog.New(slog.NewJSONHandler(inv.Err, options))
	} else {
		o.Logger = slog.New(slog.NewTextHandler(inv.Err, options))
	}
	return nil
}

// logLevel returns the level of a name, which --quiet raises.
func (inv *invocation) logLevel(name string) (level slog.Level, err error) {
	if err := level.UnmarshalText([]byte(name)); err != nil {
		return 0, command.Usagef("--log-level: %w", err)
	}
	if inv.Is("quiet") {
		level = max(level, slog.LevelError)
	}
	return level, nil
}
