package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/audit/report"
	"github.com/roget-health/roget/adapters/platform/audit/runfolder"
	"github.com/roget-health/roget/cliadapter/command"
)

// auditCommand audits the platform. Platform toolkit, sections 3.3 and 5.
func (c commands) auditCommand() *cli.Command {
	text := func(name, value, usage string) *command.Flag {
		return &command.Flag{StringFlag: cli.StringFlag{Name: name, Value: value, Usage: usage}}
	}
	checkNames := func(func(string) string) []string {
		var list []string
		for _, key := range audit.Keys() {
			list = append(list, string(key))
		}
		return list
	}
	only, skip := text("checks", "", "`A,B` Run these checks. By default all."), text("skip", "", "`A,B` Leave these checks out.")
	only.Complete, skip.Complete = command.Words(checkNames), command.Words(checkNames)
	conf := text("server-conf", "", "`FILE` Copy of the server configuration file to judge.")
	conf.Env, conf.TakesFile = "PLATFORM_CONF_LOCATION", true
	folder := text("output-dir", ".", "`DIR` Where to make the folder of the run.")
	folder.TakesFile, folder.Writes = true, true
	resume := text("resume", "", "`FOLDER` Continue an interrupted run.")
	resume.TakesFile = true
	failOn := text("fail-on", "", "`SEVERITY` Exit with 1 if there is a finding of this severity or worse.")
	failOn.Complete = command.Words(func(func(string) string) []string { return severityNames() })
	return c.Add(&cli.Command{
		Name: "audit", Usage: "Audit the security of the platform with GET requests",
		Description: "Runs up to 14 checks with 72 controls and writes a report into a new folder, as md, txt, csv and html. The checks are " + strings.Join(checkNames(nil), ", ") + ".\n\n" +
			"The audit only reads: it sends GET requests to a fixed list of paths. It tries one login, as admin with the password of a new installation, unless --no-credential-probe is given, and reads the public list of releases. " +
			"Results are stored as each check finishes; --resume continues a run that was interrupted.\n\n" +
			"The exit code is 0 whatever was found, unless --fail-on is given.",
		Flags: []cli.Flag{
			folder, formatFlag(), only, skip,
			&cli.BoolFlag{Name: "progress", Usage: "Show progress on standard error; the default on a terminal."},
			&cli.BoolFlag{Name: "no-progress", Usage: "Show no progress."},
			&cli.BoolFlag{Name: "credential-probe", Usage: "Try the login of a new installation once; the default."},
			&cli.BoolFlag{Name: "no-credential-probe", Usage: "Do not try the login of a new installation."},
			text("stale-days", "90", "`N` Days without a login after which an account is stale."),
			text("max-password-age", "365", "`N` Days after which a password is old."),
			&cli.BoolFlag{Name: "two-factor-detail", Usage: "Name the superusers without a second factor; from version 42."},
			text("max-objects", "5000", "`N` Objects whose sharing is read."),
			&cli.BoolFlag{Name: "sharing-graph", Usage: "Also write sharing-graph.json: who may do what with which object."},
			resume, conf,
			&cli.BoolFlag{Name: "version-fallback", Usage: "Audit a server of an unknown version as the nearest known one."},
			failOn,
		},
	}, command.Details{
		Access: command.Writes,
		Examples: []string{
			"roget security audit", "roget -p prod security audit --output-dir audits --format html,csv", "roget security audit --checks roles,hygiene --fail-on critical",
			"roget security audit --resume platform-security-prod-20260102T030405000000Z",
		},
		Run: c.run(securityAudit),
	})
}

func formatFlag() *command.Flag {
	return &command.Flag{
		StringFlag: cli.StringFlag{Name: "format", Usage: "`A,B` Formats of the report: md, txt, csv, html. By default all."},
		Complete: command.Words(func(func(string) string) []string {
			var list []string
			for _, format := range report.Formats() {
				list = append(list, string(format))
			}
			return list
		}),
	}
}

func severityNames() []string {
	var list []string
	for _, severity := range audit.Severities() {
		list = append(list, strings.ToLower(string(severity)))
	}
	return list
}

// words are the values of a flag that is a list with commas.
func (inv *invocation) words(name string) []string {
	var list []string
	for word := range strings.SplitSeq(inv.Text(name), ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list
}

// toggle returns a flag that has a counterpart with no-.
func (inv *invocation) toggle(name string, preset bool) (bool, error) {
	on, off := inv.IsSet(name), inv.IsSet("no-"+name)
	switch {
	case on && off:
		return false, command.Usagef("flags --%s and --no-%s exclude each other", name, name)
	case on:
		return inv.Is(name), nil
	case off:
		return !inv.Is("no-" + name), nil
	}
	return preset, nil
}

// An auditPlan has the options that the flags of an audit set.
type auditPlan struct {
	options  audit.Options
	formats  []report.Format
	failOn   audit.Severity
	progress bool
}

// auditPlan reads the flags. Its errors are about wrong usage.
func (inv *invocation) auditPlan() (p auditPlan, err error) {
	o := &p.options
	if p.formats, err = inv.formats(); err != nil {
		return p, err
	}
	if o.Checks, err = audit.Select(inv.words("checks"), inv.words("skip")); err != nil {
		return p, &command.UsageError{Err: err}
	}
	if inv.IsSet("checks") && inv.words("checks") == nil {
		return p, command.Usagef("flag --checks names no check")
	}
	if text := inv.Text("fail-on"); text != "" {
		if p.failOn, err = audit.ParseSeverity(text); err != nil {
			return p, &command.UsageError{Err: err}
		}
	}
	for name, n := range map[string]*int{"stale-days": &o.StaleDays, "max-password-age": &o.MaxPasswordAge, "max-objects": &o.MaxObjects} {
		if *n, err = inv.Integer(name, 1); err != nil {
			return p, err
		}
	}
	if p.progress, err = inv.toggle("progress", inv.ErrTerminal); err != nil {
		return p, err
	}
	if o.CredentialProbe, err = inv.toggle("credential-probe", true); err != nil {
		return p, err
	}
	if inv.Text("resume") != "" && (inv.IsSet("checks") || inv.IsSet("skip") || inv.IsSet("output-dir")) {
		return p, command.Usagef("--resume continues a run with its checks in its folder; leave out --checks, --skip and --output-dir")
	}
	o.TwoFactorDetail, o.ServerConfig = inv.Is("two-factor-detail"), inv.Text("server-conf")
	return p, nil
}

// formats are those of the flag --format.
func (inv *invocation) formats() ([]report.Format, error) {
	words := inv.words("format")
	if words == nil && inv.IsSet("format") {
		return nil, command.Usagef("flag --format names no format; write md, txt, csv or html")
	}
	formats, err := report.ParseFormats(words)
	if err != nil {
		return nil, &command.UsageError{Err: err}
	}
	return formats, nil
}

func securityAudit(ctx context.Context, inv *invocation) error {
	plan, err := inv.auditPlan()
	if err != nil {
		return err
	}
	chosen, err := inv.profile()
	if err != nil {
		return err
	}
	provider, err := inv.provider(chosen)
	if err != nil {
		return err
	}
	inv.fresh = true // the guard lets no remembered address pass unseen
	client, err := inv.clientOptions()
	if err != nil {
		return err
	}
	client.UserAgent = "roget-security-audit"
	scanner, err := audit.Connect(ctx, audit.Target{
		BaseURL: chosen.Profile.BaseURL, Provider: provider, Client: client, Fallback: inv.Is("version-fallback"),
	})
	if _, unsupported := errors.AsType[*platform.UnsupportedVersionError](err); unsupported {
		return fmt.Errorf("%w; --version-fallback audits it as the nearest of them", err)
	}
	if err != nil {
		return err
	}
	defer scanner.Close()
	if version, err := platform.ParseVersion(scanner.PlatformVersion()); err != nil || version.Major != scanner.Major() {
		inv.Notice("warning: the platform has version %q, which this program does not know; it is audited as %s", scanner.PlatformVersion(), scanner.Major())
	}
	run, err := inv.auditRun(plan, scanner, chosen.Name)
	if err != nil {
		return err
	}
	defer func() { _ = run.Close() }()
	feed, err := inv.transport()
	if err != nil {
		return err
	}
	plan.options.Releases = audit.Feed{Transport: feed, UserAgent: client.UserAgent, Folder: inv.cli.feedFolder()}.Read
	plan.options.BeforeLogin = run.AttemptLogin
	if inv.Is("sharing-graph") {
		plan.options.Graph = run.WriteGraph
	}
	if err := inv.runAudit(ctx, plan, scanner, run); err != nil {
		return err
	}
	return inv.showRun(run, plan.failOn)
}

// auditRun makes the folder of a run, or opens the one to resume.
func (inv *invocation) auditRun(plan auditPlan, scanner *audit.Scanner, profile string) (*runfolder.Run, error) {
	if folder := inv.Text("resume"); folder != "" {
		return runfolder.Resume(folder, scanner.BaseURL(), profile, plan.formats)
	}
	return runfolder.Create(inv.Text("output-dir"), audit.Manifest{
		Target: scanner.BaseURL(), Profile: profile, ScannerVersion: cmp.Or(inv.cli.Version, "devel"), StartedAt: time.Now().UTC(),
		PlatformVersion: scanner.PlatformVersion(), CheckOrder: plan.options.Checks,
	}, plan.formats)
}

// runAudit runs the checks that are left. A completed run is only rendered.
func (inv *invocation) runAudit(ctx context.Context, plan auditPlan, scanner *audit.Scanner, run *runfolder.Run) error {
	if run.Manifest.Completed {
		return run.Render(plan.formats)
	}
	status := inv.Status()
	defer status.Clear()
	plan.options.Checks = run.Left()
	begin := func(key audit.Key) {
		text := fmt.Sprintf("check %d of %d: %s", slices.Index(run.Manifest.CheckOrder, key)+1, len(run.Manifest.CheckOrder), key)
		switch {
		case plan.progress && inv.ErrTerminal:
			status.Tell(text)
		case plan.progress:
			inv.Notice("%s", text)
		}
	}
	var err error
	if len(plan.options.Checks) > 0 {
		err = scanner.Run(ctx, plan.options, begin, run.Add)
	}
	if err != nil {
		status.Clear()
		inv.Notice("what was found so far is in %s; continue with --resume %s", run.Path, run.Path)
		return err
	}
	return run.Finish()
}

// showRun prints where a report is and what it comes to.
func (inv *invocation) showRun(run *runfolder.Run, failOn audit.Severity) error {
	doc := run.Report()
	var err error
	if inv.JSON() {
		err = inv.Show(doc, nil)
	} else {
		err = command.Write(inv.Out, []byte(command.Printable(run.Path)+"\n"+report.Conclusion(doc)+"\n"))
	}
	if err != nil {
		return err
	}
	if failOn != "" && doc.Summary.Worst.AtLeast(failOn) {
		return command.ErrNo
	}
	return nil
}

// feedFolder is where the list of releases is kept; "" for nowhere.
func (c commands) feedFolder() string {
	folder := c.Cache
	if folder == "" {
		var err error
		if folder, err = os.UserCacheDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(folder, "platform")
}

// reportCommand renders the report of an audit again. Platform toolkit, section 3.3.
func (c commands) reportCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "report", Usage: "Write the report of an audit again",
		Description: "Renders what an audit has stored in its folder, also of a run that was interrupted. It contacts no server.",
		Flags:       []cli.Flag{formatFlag()},
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{{Name: "FOLDER", Required: true, Usage: "The folder of the run."}},
		Examples: []string{"roget security report platform-security-prod-20260102T030405000000Z --format html"},
		Run:      c.run(securityReport),
	})
}

func securityReport(_ context.Context, inv *invocation) error {
	formats, err := inv.formats()
	if err != nil {
		return err
	}
	run, err := runfolder.Open(inv.Args()[0])
	if err != nil {
		return err
	}
	if err := run.Render(formats); err != nil {
		return err
	}
	return inv.showRun(run, "")
}
