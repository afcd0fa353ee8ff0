package cliadapter

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

func (c builder) serveCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "serve", Category: groupRun, Usage: "Run the HTTP service",
		Description: "Serves the terminology operations and the resources of FHIR R4 over HTTP. At the server root and under " +
			"/baseR4 they follow the clinical rules, under /r4 those of HL7's terminology ecosystem, and /r5 is /r4 for terminology in R5. The command reads the data folder and the files of --load first. When the server accepts requests, it prints\n\n" +
			"    roget: listening on http://HOST:PORT\n\n" +
			"Each flag is also an environment variable and a key of the configuration file: --log-level is ROGET_LOG_LEVEL and " +
			"log-level. A flag goes before the environment, the environment before the file. In a variable, commas separate the " +
			"values of a flag that may be repeated.\n\n" +
			"Resources that clients write go to the store. On SIGINT or SIGTERM the server stops accepting connections, finishes the " +
			"requests in progress within the time of --drain, and exits.",
		Flags: serveFlags(),
	}, command.Details{
		Access:   command.Writes,
		Settings: serveSettings(),
		Examples: []string{
			"roget serve",
			"roget serve --addr :8080 --data /var/lib/roget --load hl7.fhir.r4.core.tgz",
			"roget serve --store postgres://roget@db/roget --no-samples --metrics",
			"roget serve --store memory: --patients 100 --seed 42",
			"roget serve --config /etc/roget/roget.toml --print-config",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			o, err := inv.serveOptions()
			if err != nil {
				return err
			}
			if inv.Is("print-config") {
				if err := c.config.Backend.CheckServe(ctx, o); err != nil {
					return err
				}
				return inv.printConfig()
			}
			obs := inv.loud()
			return c.config.Backend.Serve(ctx, o, obs, func(url string) {
				obs.finish()
				if inv.ErrTerminal { // a log has it in a line of its own
					inv.note("data in " + storeName(StoreOptions{Data: o.Data, Store: o.Store}))
				}
				fmt.Fprintln(inv.Out, "roget: listening on "+url)
			})
		}),
	})
}

// A serveGroup is a set of flags of serve about one thing.
type serveGroup struct {
	title string // of the section of the help that lists them
	flags []cli.Flag
	read  func(inv *invocation, o *ServeOptions) error // sets the options from the flags
}

// serveGroups returns the flags of serve in the order of its help.
func serveGroups() []serveGroup {
	return []serveGroup{
		{"Service", serviceFlags(), (*invocation).readService},
		{"Network", edgeFlags(), (*invocation).readEdge},
		{"Access", accessFlags(), (*invocation).readAccess},
		{"Rates", rateFlags(), (*invocation).readRates},
		{"Content", contentFlags(), (*invocation).readContent},
		{"Limits", limitFlags(), (*invocation).readLimits},
		{"Memory and connections", boundsFlags(), (*invocation).readBounds},
		{"Operations", operationFlags(), (*invocation).readOperations},
		{"Log", logFlags(), (*invocation).readLog},
		{"Exports", exportFlags(), (*invocation).readExports},
		{"Audit", auditFlags(), (*invocation).readAudit},
		{"Configuration", configFlags(), (*invocation).readConfig},
	}
}

func serveFlags() (flags []cli.Flag) {
	for _, g := range serveGroups() {
		flags = append(flags, command.Titled(g.title, g.flags)...)
	}
	return flags
}

func (inv *invocation) serveOptions() (ServeOptions, error) {
	o := ServeOptions{Version: inv.cli.config.Version}
	for _, g := range serveGroups() {
		if err := g.read(inv, &o); err != nil {
			return o, err
		}
	}
	return o, nil
}
