package cliadapter

import (
	"log/slog"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// logFlags are about what the service writes to standard error.
func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "access-log", Usage: "Log every request."},
		&command.Flag{Env: "ROGET_LOG_LEVEL", StringFlag: cli.StringFlag{Name: "log-level", Value: "info", Usage: "Lowest level to log."}, Choices: []string{"debug", "info", "warn", "error"}},
		&command.Flag{StringFlag: cli.StringFlag{Name: "log-format", Value: "text", Usage: "Format of the log on standard error."}, Choices: []string{"text", "json"}},
		quietOption(),
	}
}

func (inv *invocation) readLog(o *ServeOptions) error {
	o.AccessLog = inv.Is("access-log")
	var level slog.Level
	if err := level.UnmarshalText([]byte(inv.Text("log-level"))); err != nil {
		return command.Usagef("--log-level: %w", err)
	}
	if inv.Is("quiet") {
		level = max(level, slog.LevelError)
	}
	options := &slog.HandlerOptions{Level: level}
	if inv.Text("log-format") == "json" {
		o.Logger = slog.New(slog.NewJSONHandler(inv.Err, options))
	} else {
		o.Logger = slog.New(slog.NewTextHandler(inv.Err, options))
	}
	return nil
}
