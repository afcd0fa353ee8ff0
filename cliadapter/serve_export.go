package cliadapter

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// ExportOptions configure the bulk exports of the service.
type ExportOptions struct {
	Folder string        // "" for no $export
	Keep   time.Duration // of finished exports
}

// exportFlags are about $export.
func exportFlags() []cli.Flag {
	return []cli.Flag{
		&command.Flag{Env: "ROGET_EXPORTS", StringFlag: cli.StringFlag{Name: "exports", TakesFile: true, Usage: "`DIR` Offer $export of all resources, of patients and of groups, which writes files to this folder. Each server needs a folder of its own."}},
		&cli.StringFlag{Name: "exports-keep", Value: "1d", Usage: "`SPAN` Age from which the files of a finished export are removed: 12h, 7d."},
	}
}

func (inv *invocation) readExports(o *ServeOptions) (err error) {
	o.Exports.Folder = inv.Text("exports")
	if o.Exports.Keep, err = span(inv.Text("exports-keep")); err != nil {
		return command.Usagef("--exports-keep: %w", err)
	}
	return nil
}
