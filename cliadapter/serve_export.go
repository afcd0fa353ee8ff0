package cliadapter

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// ExportOptions configure the bulk exports and imports of the service.
type ExportOptions struct {
	Folder      string        // "" for no $export
	Keep        time.Duration // of finished exports and imports
	Imports     string        // folder, "" for no $import
	ImportHosts []string      // with the files of imports
}

// exportFlags are about $export and $import.
func exportFlags() []cli.Flag {
	return []cli.Flag{
		&command.Flag{Env: "ROGET_EXPORTS", StringFlag: cli.StringFlag{Name: "exports", TakesFile: true, Usage: "`DIR` Offer $export of all resources, of patients and of groups, which writes files to this folder. Each server needs a folder of its own."}},
		&cli.StringFlag{Name: "exports-keep", Value: "1d", Usage: "`SPAN` Age from which the files of a finished export or import are removed: 12h, 7d."},
		&cli.StringFlag{Name: "imports", TakesFile: true, Usage: "`DIR` Offer $import of files on the hosts of --import-hosts, whose progress and errors are written to this folder. Each server needs a folder of its own."},
		&cli.StringSliceFlag{Name: "import-hosts", Usage: "`HOST` Host, and its port if it has one, whose files $import may read: by https, by http only from this machine."},
	}
}

func (inv *invocation) readExports(o *ServeOptions) (err error) {
	o.Exports.Folder, o.Exports.Imports, o.Exports.ImportHosts = inv.Text("exports"), inv.Text("imports"), inv.List("import-hosts")
	if o.Exports.Keep, err = span(inv.Text("exports-keep")); err != nil {
		return command.Usagef("--exports-keep: %w", err)
	}
	return nil
}
