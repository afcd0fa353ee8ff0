package cliadapter

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter/command"
)

// AuditOptions configure the audit log of the service.
type AuditOptions struct {
	Folder     string // "" for no log
	Sync       string // always, interval or off
	FileSize   int64
	Keep       time.Duration // 0 for ever
	Compress   bool
	Key        auth.Secret   // of the sums, empty for none
	Purpose    string        // name of the header with the purpose of use
	Events     bool          // store AuditEvents
	EventsKeep time.Duration // of AuditEvents, 0 for ever
}

// auditFlags are about the log of who did what.
func auditFlags() []cli.Flag {
	return []cli.Flag{
		&command.Flag{Env: "ROGET_AUDIT", StringFlag: cli.StringFlag{Name: "audit", TakesFile: true, Usage: "`DIR` Log who reads and changes which resources, to files in this folder. What cannot be logged is not answered. Each server needs a folder of its own."}},
		&command.Flag{StringFlag: cli.StringFlag{Name: "audit-sync", Value: "interval", Usage: "When lines are synced to the disk: before each answer, every second, or when the system does. Without sync, a power failure loses lines; a crash of roget does not."}, Choices: []string{"always", "interval", "off"}},
		&cli.StringFlag{Name: "audit-file-size", Value: "100MiB", Usage: "`SIZE` Size of a file from which another one is begun. Each day has another file in any case."},
		&cli.StringFlag{Name: "audit-keep", Value: "0", Usage: "`SPAN` Age from which files are removed: 400d, 8w; 0 keeps all."},
		&cli.BoolFlag{Name: "audit-gzip", Usage: "Compress files that are complete."},
		&cli.StringFlag{Name: "audit-key", TakesFile: true, Usage: "`FILE` File with a key for the sums of the lines. Without the key, nobody can alter the log without a trace."},
		&cli.BoolFlag{Name: "audit-events", Usage: "Store AuditEvents about who reads and changes which resources, one for each resource and patient, in the resource store. Clients cannot change or delete them. What cannot be stored is not answered."},
		&cli.StringFlag{Name: "audit-events-keep", Value: "0", Usage: "`SPAN` Age from which AuditEvents are removed from the resource store: 400d, 8w; 0 keeps all."},
		&cli.StringFlag{Name: "audit-purpose", Usage: "`HEADER` Name of the request header in which clients state the purpose of use. It is logged as they state it."},
	}
}

func (inv *invocation) readAudit(o *ServeOptions) (err error) {
	a := &o.Audit
	a.Folder, a.Sync, a.Compress = inv.Text("audit"), inv.Text("audit-sync"), inv.Is("audit-gzip")
	a.Purpose, a.Events = inv.Text("audit-purpose"), inv.Is("audit-events")
	if a.Folder == "" {
		switch {
		case a.Compress:
			return command.Usagef("flag --audit-gzip needs --audit DIR")
		case inv.Text("audit-key") != "":
			return command.Usagef("flag --audit-key needs --audit DIR")
		case a.Purpose != "" && !a.Events:
			return command.Usagef("flag --audit-purpose needs --audit DIR or --audit-events")
		}
	}
	if a.FileSize, err = inv.Size("audit-file-size"); err != nil {
		return err
	}
	const least = 64 << 10
	if a.FileSize < least {
		return command.Usagef("flag --audit-file-size must be at least %s", bytesText(least))
	}
	if keep := inv.Text("audit-keep"); keep != "0" {
		if a.Keep, err = span(keep); err != nil {
			return command.Usagef("--audit-keep: %w", err)
		}
	}
	if keep := inv.Text("audit-events-keep"); keep != "0" {
		if !a.Events {
			return command.Usagef("flag --audit-events-keep needs --audit-events")
		}
		if a.EventsKeep, err = span(keep); err != nil {
			return command.Usagef("--audit-events-keep: %w", err)
		}
	}
	a.Key, err = auditKey(inv.Text("audit-key"))
	return err
}
