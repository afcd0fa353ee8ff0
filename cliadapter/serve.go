package cliadapter

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

func (c builder) serveCommand() *cli.Command {
	data := dataFlag(defaultData, "Data folder, with the packs of roget load and the resource store. Created if it does not exist.")
	return c.Add(&cli.Command{
		Name: "serve", Category: groupRun, Usage: "Run the HTTP service",
		Description: "Serves the terminology operations and the resources of FHIR R4 over HTTP. At the server root and under " +
			"/baseR4 they follow the clinical rules, under /r4 those of HL7's terminology ecosystem, and /r5 is /r4 for terminology in R5. The command reads the data folder and the files of --load first. When the server accepts requests, it prints\n\n" +
			"    roget: listening on http://HOST:PORT\n\n" +
			"Resources that clients write go to the store. On SIGINT or SIGTERM the server stops accepting connections, finishes the " +
			"requests in progress within the time of --drain, and exits.",
		Flags: []cli.Flag{
			&command.Flag{Env: "ROGET_ADDR", StringFlag: cli.StringFlag{Name: "addr", Aliases: []string{"a"}, Value: "127.0.0.1:8080", Usage: "`HOST:PORT` Address to listen on; port 0 picks a free one."}},
			data,
			sourceOptions()[0],
			&command.Flag{Env: "ROGET_STORE", StringFlag: cli.StringFlag{Name: "store", Usage: "`ADDRESS` Resource store: memory:, sqlite:PATH or postgres://... By default SQLite in the data folder."}},
			&command.Flag{StringFlag: cli.StringFlag{Name: "validation", Value: "full", Usage: "full rejects resources that do not conform to R4; relaxed stores whatever parses."}, Choices: []string{"full", "relaxed"}},
			&command.Flag{StringFlag: cli.StringFlag{Name: "lifecycle", Value: "enforce", Usage: "Reject a QuestionnaireResponse with a change of status that is not allowed, warn about it, or accept it."}, Choices: []string{"enforce", "warn", "off"}},
			&cli.BoolFlag{Name: "delete-many", Usage: "Let a conditional delete remove several resources. Without this flag, one that matches several is rejected."},
			&cli.BoolFlag{Name: "no-samples", Usage: "Leave out the built-in sample code systems."},
			&cli.BoolFlag{Name: "no-base", Usage: "Leave out the built-in code systems and value sets of FHIR R4."},
			&cli.StringFlag{Name: "expand-default-count", Value: "100", Usage: "`N` Codes on a page of an expansion under the clinical rules if the request has no count. 0 returns all of them up to --expand-limit, flat."},
			&cli.StringFlag{Name: "expand-limit", Value: strconv.Itoa(engine.DefaultExpandLimit), Usage: "`N` Most codes of an expansion without pages, unless the request has a limit. An expansion with more is refused as too costly."},
			&cli.StringFlag{Name: "cache-size", Value: "256MiB", Usage: "`SIZE` Memory for the cache of compiled value sets."},
			&cli.StringFlag{Name: "max-body", Value: "16MiB", Usage: "`SIZE` Largest request body."},
			&cli.StringFlag{Name: "timeout", Value: "30s", Usage: "`DURATION` Time limit of a request; 0 for no limit."},
			&cli.StringFlag{Name: "drain", Value: "10s", Usage: "`DURATION` Time limit for requests in progress at shutdown."},
			&cli.StringSliceFlag{Name: "cors-origin", Usage: "`ORIGIN` Origin from which browsers may call the server; * for any."},
			&cli.StringFlag{Name: "patients", Value: "0", Usage: "`N` Store a synthetic population of N patients before listening, as roget generate population does. Resources that exist are kept."},
			seedOption(),
			&cli.BoolFlag{Name: "generate", Usage: "Enable $generate, which makes synthetic resources and can store them."},
			&cli.BoolFlag{Name: "metrics", Usage: "Serve Prometheus metrics at /metrics."},
			&cli.BoolFlag{Name: "access-log", Usage: "Log every request."},
			&command.Flag{Env: "ROGET_LOG_LEVEL", StringFlag: cli.StringFlag{Name: "log-level", Value: "info", Usage: "Lowest level to log."}, Choices: []string{"debug", "info", "warn", "error"}},
			&command.Flag{StringFlag: cli.StringFlag{Name: "log-format", Value: "text", Usage: "Format of the log on standard error."}, Choices: []string{"text", "json"}},
			quietOption(),
		},
	}, command.Details{
		Access: command.Writes,
		Examples: []string{
			"roget serve",
			"roget serve --addr :8080 --data /var/lib/roget --load hl7.fhir.r4.core.tgz",
			"roget serve --store postgres://roget@db/roget --no-samples --metrics",
			"roget serve --store memory: --patients 100 --seed 42",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			o, err := inv.serveOptions()
			if err != nil {
				return err
			}
			obs := inv.loud()
			return c.config.Backend.Serve(ctx, o, obs, func(url string) {
				obs.finish()
				fmt.Fprintln(inv.Out, "roget: listening on "+url)
			})
		}),
	})
}

// lifecycles are the values of --lifecycle.
var lifecycles = map[string]resources.Lifecycle{
	"enforce": resources.EnforceLifecycle, "warn": resources.WarnLifecycle, "off": resources.IgnoreLifecycle,
}

func (inv *invocation) serveOptions() (ServeOptions, error) {
	o := ServeOptions{
		Addr: inv.Text("addr"), Data: inv.Text("data"), Load: inv.List("load"), Store: inv.Text("store"),
		Samples: !inv.Is("no-samples"), Base: !inv.Is("no-base"), CORSOrigins: inv.List("cors-origin"), Metrics: inv.Is("metrics"), Generate: inv.Is("generate"),
		AccessLog: inv.Is("access-log"), Version: inv.cli.config.Version, DeleteMany: inv.Is("delete-many"),
		Relaxed: inv.Text("validation") == "relaxed", Lifecycle: lifecycles[inv.Text("lifecycle")],
	}
	var err error
	read := func(into *time.Duration, name string) {
		if err == nil {
			*into, err = inv.Duration(name)
		}
	}
	read(&o.Timeout, "timeout")
	read(&o.Drain, "drain")
	if err == nil {
		o.CacheSize, err = inv.Size("cache-size")
	}
	if err == nil {
		o.MaxBody, err = inv.Size("max-body")
	}
	if err == nil {
		o.ExpandDefaultCount, err = inv.Integer("expand-default-count", 0)
	}
	if err == nil {
		o.ExpandLimit, err = inv.Integer("expand-limit", 1)
	}
	if err == nil && o.ExpandLimit > engine.DefaultMaxCount {
		err = command.Usagef("flag --expand-limit may be at most %d, not %d", engine.DefaultMaxCount, o.ExpandLimit)
	}
	if err == nil {
		err = inv.naturals(map[string]*uint64{"patients": &o.Population.Patients, "seed": &o.Population.Seed})
	}
	if err != nil {
		return o, err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(inv.Text("log-level"))); err != nil {
		return o, command.Usagef("--log-level: %w", err)
	}
	if inv.Is("quiet") {
		level = max(level, slog.LevelError)
	}
	handlerOptions := &slog.HandlerOptions{Level: level}
	if inv.Text("log-format") == "json" {
		o.Logger = slog.New(slog.NewJSONHandler(inv.Err, handlerOptions))
	} else {
		o.Logger = slog.New(slog.NewTextHandler(inv.Err, handlerOptions))
	}
	return o, nil
}
