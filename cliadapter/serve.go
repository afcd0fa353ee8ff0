package cliadapter

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/roget-health/roget/resources"
)

func (c *CLI) serveCommand() *command {
	data := dataOption("Data folder: packs made by roget load, and the resource store. Made when it is not there.")
	data.preset = defaultData
	return &command{
		name: "serve", group: groupRun, access: accessWrite, summary: "Run the HTTP service",
		doc: "Serves the terminology operations and resources of all types of FHIR R4 over HTTP, from the server root and " +
			"under /baseR4. What is loaded is read before the service listens; then it prints the line\n\n" +
			"    roget: listening on http://HOST:PORT\n\n" +
			"Resources that clients write are kept in the store. SIGINT and SIGTERM end the service after the requests " +
			"that are under way, within --drain.",
		options: options{
			{names: []string{"addr", "a"}, value: true, hint: "HOST:PORT", preset: "127.0.0.1:8080", env: "ROGET_ADDR", usage: "Address to listen on; port 0 picks a free one."},
			data,
			sourceOptions()[0],
			{names: []string{"store"}, value: true, hint: "ADDRESS", env: "ROGET_STORE", usage: "Where resources are kept: memory:, sqlite:PATH or postgres://... By default SQLite in the data folder."},
			{names: []string{"validation"}, value: true, choices: []string{"full", "relaxed"}, preset: "full", usage: "Whether resources that are not what R4 asks of them are refused, or whatever parses is stored."},
			{names: []string{"lifecycle"}, value: true, choices: []string{"enforce", "warn", "off"}, preset: "enforce", usage: "What to do about a QuestionnaireResponse whose status does not follow the one before."},
			{names: []string{"delete-many"}, usage: "Let a conditional delete delete all that it finds, instead of refusing when that is more than one."},
			{names: []string{"no-samples"}, usage: "Leave out the built-in sample code systems."},
			{names: []string{"no-base"}, usage: "Leave out the built-in code systems and value sets of FHIR R4."},
			{names: []string{"expand-default-count"}, value: true, hint: "N", preset: "100", usage: "Codes of an expansion when the request has no count; 0 for all of them, nested where the hierarchy is a tree, and too-costly when they are too many."},
			{names: []string{"cache-size"}, value: true, hint: "SIZE", preset: "256MiB", usage: "Memory for compiled value sets."},
			{names: []string{"max-body"}, value: true, hint: "SIZE", preset: "16MiB", usage: "Largest request body."},
			{names: []string{"timeout"}, value: true, hint: "DURATION", preset: "30s", usage: "Longest time a request may take; 0 for no limit."},
			{names: []string{"drain"}, value: true, hint: "DURATION", preset: "10s", usage: "Longest time to finish requests at the end."},
			{names: []string{"cors-origin"}, value: true, many: true, hint: "ORIGIN", usage: "Origin that browsers may call from; * for any."},
			{names: []string{"patients"}, value: true, hint: "N", preset: "0", usage: "Store a synthetic population of N patients first, as roget generate population makes it; what is there already stays."},
			seedOption(),
			{names: []string{"generate"}, usage: "Offer $generate, which makes synthetic resources and may store them."},
			{names: []string{"metrics"}, usage: "Serve Prometheus metrics at /metrics."},
			{names: []string{"access-log"}, usage: "Log every request."},
			{names: []string{"log-level"}, value: true, choices: []string{"debug", "info", "warn", "error"}, preset: "info", env: "ROGET_LOG_LEVEL", usage: "Least level to log."},
			{names: []string{"log-format"}, value: true, choices: []string{"text", "json"}, preset: "text", usage: "Form of the log on standard error."},
			quietOption(),
		},
		examples: []string{
			"roget serve",
			"roget serve --addr :8080 --data /var/lib/roget --load hl7.fhir.r4.core.tgz",
			"roget serve --store postgres://roget@db/roget --no-samples --metrics",
			"roget serve --store memory: --patients 100 --seed 42",
		},
		run: func(ctx context.Context, inv *invocation) error {
			o, err := inv.serveOptions()
			if err != nil {
				return err
			}
			obs := inv.loud()
			return c.config.Backend.Serve(ctx, o, obs, func(url string) {
				obs.finish()
				fmt.Fprintln(inv.streams.Out, "roget: listening on "+url)
			})
		},
	}
}

// lifecycles are the values of --lifecycle.
var lifecycles = map[string]resources.Lifecycle{
	"enforce": resources.EnforceLifecycle, "warn": resources.WarnLifecycle, "off": resources.IgnoreLifecycle,
}

func (inv *invocation) serveOptions() (ServeOptions, error) {
	o := ServeOptions{
		Addr: inv.text("addr"), Data: inv.text("data"), Load: inv.list("load"), Store: inv.text("store"),
		Samples: !inv.is("no-samples"), Base: !inv.is("no-base"), CORSOrigins: inv.list("cors-origin"), Metrics: inv.is("metrics"), Generate: inv.is("generate"),
		AccessLog: inv.is("access-log"), Version: inv.cli.config.Version, DeleteMany: inv.is("delete-many"),
		Relaxed: inv.text("validation") == "relaxed", Lifecycle: lifecycles[inv.text("lifecycle")],
	}
	var err error
	read := func(into *time.Duration, name string) {
		if err == nil {
			*into, err = inv.duration(name)
		}
	}
	read(&o.Timeout, "timeout")
	read(&o.Drain, "drain")
	if err == nil {
		o.CacheSize, err = inv.size("cache-size")
	}
	if err == nil {
		o.MaxBody, err = inv.size("max-body")
	}
	if err == nil {
		o.ExpandDefaultCount, err = inv.integer("expand-default-count", 0)
	}
	if err == nil {
		err = inv.naturals(map[string]*uint64{"patients": &o.Population.Patients, "seed": &o.Population.Seed})
	}
	if err != nil {
		return o, err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(inv.text("log-level"))); err != nil {
		return o, usagef("--log-level: %w", err)
	}
	if inv.is("quiet") {
		level = max(level, slog.LevelError)
	}
	handlerOptions := &slog.HandlerOptions{Level: level}
	if inv.text("log-format") == "json" {
		o.Logger = slog.New(slog.NewJSONHandler(inv.streams.Err, handlerOptions))
	} else {
		o.Logger = slog.New(slog.NewTextHandler(inv.streams.Err, handlerOptions))
	}
	return o, nil
}
