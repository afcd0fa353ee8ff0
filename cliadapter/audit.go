package cliadapter

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter/command"
)

func (c builder) auditCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "patient", Usage: "`PATIENT` Only lines about a patient, Patient/123 or 123: the Patient itself and resources in its compartment."},
		&cli.StringFlag{Name: "resource", Usage: "`TYPE/ID` Only lines about a resource, in any version, or about one version: Observation/7/_history/2."},
		&cli.StringFlag{Name: "who", Usage: "`NAME` Only lines of a subject, a client, an address, or ISSUER|SUBJECT."},
		&cli.StringSliceFlag{Name: "action", Usage: "`EVENT` Only lines with an event: read, search, update, an operation such as everything, or damage to stored data."},
		&cli.StringFlag{Name: "status", Usage: "`STATUS` Only lines with a status of HTTP: 403, or 4xx."},
		&cli.StringFlag{Name: "since", Usage: "`TIME` Only lines from then on: a date in UTC (2026-10, 2026-10-31), an instant (2026-10-31T08:00:00Z), or how long ago: 12h, 30d, 8w."},
		&cli.StringFlag{Name: "until", Usage: "`TIME` Only lines up to then, in the same forms. A date includes its last moment."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "table", Usage: "Format. ndjson prints the lines as they are."}, Choices: []string{"table", "json", "ndjson", "csv"}},
	}
	return c.Add(&cli.Command{
		Name: "audit", Category: groupRun, Usage: "Show who did what, from an audit log",
		Description: "Prints the lines of an audit log that fit all filters. The log is one that roget serve --audit wrote: a folder, " +
			"files of it (compressed or not), or - for standard input. Several are read one after the other, as several servers " +
			"have several logs. Lines are printed as they are read, so the memory does not depend on the size of the log.\n\n" +
			"Who saw a patient is the question for --patient. It finds reads of the Patient, and of each resource that was in the " +
			"compartment of the patient when it was read, by whatever way: as match or include of a search, in a history, in " +
			"$everything, in a batch.\n\n" +
			"--action damage finds stored versions and packs that did not match their checksums, and what found that: a read, or one of " +
			"the daily checks.\n\n" +
			"A damaged line or file hides no others; if there are any, the exit code is 3.",
		Flags: flags,
		Subcommands: []*cli.Command{
			c.auditVerifyCommand(),
		},
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{auditPaths()},
		Examples: []string{
			"roget audit /var/lib/roget/audit --patient Patient/123 --since 2026-10 --until 2026-10",
			"roget audit /var/lib/roget/audit --who dr.meyer --since 30d -o csv",
			"roget audit /var/lib/roget/audit --status 403 -o ndjson",
			"roget audit verify /var/lib/roget/audit",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			s, err := inv.auditSelection(time.Now())
			if err != nil {
				return err
			}
			sources, err := inv.auditSources()
			if err != nil {
				return err
			}
			out := newAuditOutput(inv.Text("output"), inv.Out)
			var damaged error // the first damaged line; the others are shown
			err = c.config.Backend.AuditLines(ctx, sources, inv.In, func(where string, text []byte) error {
				if !s.MayHave(text) {
					return nil
				}
				line, err := audit.ParseLine(text)
				if err != nil {
					if damaged == nil {
						damaged = fmt.Errorf("%s: %w; roget audit verify reports each damaged line", where, err)
					}
					return nil
				}
				if !s.Has(&line.Record) {
					return nil
				}
				return out.line(text, &line)
			})
			if err != nil && out.lines == 0 {
				return errors.Join(damaged, err)
			}
			return errors.Join(out.end(), damaged, err)
		}),
	})
}

// auditPaths is the argument with the logs to read.
func auditPaths() command.Argument {
	return command.Argument{Name: "PATH", Many: true, Usage: "Folder or files of an audit log; - for standard input. Without it, the folder in ROGET_AUDIT."}
}

// auditSources returns the logs to read.
func (inv *invocation) auditSources() ([]string, error) {
	if paths := inv.Args(); len(paths) > 0 {
		return paths, nil
	}
	if folder := inv.Getenv("ROGET_AUDIT"); folder != "" {
		return []string{folder}, nil
	}
	return nil, command.Usagef("name the folder of the audit log, which is that of roget serve --audit")
}

// auditSelection reads the filters.
func (inv *invocation) auditSelection(now time.Time) (s audit.Selection, err error) {
	s.Patient = strings.TrimPrefix(inv.Text("patient"), "Patient/")
	if strings.Contains(s.Patient, "/") {
		return s, command.Usagef("--patient must be an id or Patient/ID, not %q", inv.Text("patient"))
	}
	s.Resource, s.Who, s.Events, s.Status = inv.Text("resource"), inv.Text("who"), inv.List("action"), inv.Text("status")
	if s.Resource != "" && !strings.Contains(s.Resource, "/") {
		return s, command.Usagef("--resource must be TYPE/ID, such as Patient/123, not %q", s.Resource)
	}
	if !regexp.MustCompile(`^([1-5]([0-9][0-9]|xx))?$`).MatchString(s.Status) {
		return s, command.Usagef("--status must be a status such as 403, or a class such as 4xx, not %.20q", s.Status)
	}
	for name, set := range map[string]func(from, to time.Time){
		"since": func(from, _ time.Time) { s.Since = from },
		"until": func(_, to time.Time) { s.Until = to },
	} {
		if text := inv.Text(name); text != "" {
			from, to, err := moment(text, now)
			if err != nil {
				return s, command.Usagef("--%s: %w", name, err)
			}
			set(from, to)
		}
	}
	if !s.Since.IsZero() && !s.Until.IsZero() && !s.Since.Before(s.Until) {
		return s, command.Usagef("--since is not before --until")
	}
	return s, nil
}

// moment reads a time, or a date with its first and last moment.
func moment(text string, now time.Time) (from, to time.Time, err error) {
	for _, form := range [...]struct {
		layout              string
		years, months, days int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {time.DateOnly, 0, 0, 1}} {
		if from, err := time.Parse(form.layout, text); err == nil {
			return from, from.AddDate(form.years, form.months, form.days), nil
		}
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, at, nil
	}
	ago, err := span(text)
	return now.Add(-ago), now.Add(-ago), err
}

// span reads a duration, also in days and weeks: 12h, 30d, 8w.
func span(text string) (time.Duration, error) {
	const most = 100 * 366
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		number, is := strings.CutSuffix(text, unit)
		if n, err := strconv.Atoi(number); is && err == nil && n >= 0 && n <= most/days {
			return time.Duration(n*days) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%.40q is not a date such as 2026-10-31, an instant such as 2026-10-31T08:00:00Z, or a span such as 12h, 30d or 8w", text)
	}
	return d, nil
}

// auditOutput writes lines as they come.
type auditOutput struct {
	format string
	out    io.Writer
	csv    *csv.Writer
	lines  int
}

func newAuditOutput(format string, out io.Writer) *auditOutput {
	o := &auditOutput{format: format, out: out}
	if format == "csv" {
		o.csv = csv.NewWriter(out)
		_ = o.csv.Write(auditColumns[:]) // Flush reports its error
	}
	return o
}

const auditRow = "%-20s  %-24s  %-15s  %-12s  %-6s  %s\n"

func (o *auditOutput) line(text []byte, l *audit.Line) error {
	o.lines++
	switch o.format {
	case "ndjson":
		return command.Write(o.out, append(command.Escaped(text), '\n'))
	case "json":
		before := ",\n"
		if o.lines == 1 {
			before = "[\n"
		}
		return command.Write(o.out, append([]byte(before), command.Escaped(text)...))
	case "csv":
		return o.csv.Write(auditCells(l))
	}
	if o.lines == 1 {
		if _, err := fmt.Fprintf(o.out, auditRow, "TIME", "WHO", "FROM", "EVENT", "STATUS", "WHAT"); err != nil {
			return err
		}
	}
	who := l.Subject
	if who == "" {
		who = l.Client
	}
	status := ""
	if l.Status != 0 {
		status = strconv.Itoa(l.Status)
	}
	row := fmt.Sprintf(auditRow, l.Time.UTC().Format("2006-01-02T15:04:05Z"), dash(who), dash(l.Address), l.Event, dash(status), whatIn(l))
	return command.Write(o.out, []byte(command.Printable(strings.TrimSuffix(row, "\n"))+"\n"))
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// shownResources is how many resources of a line a table shows.
const shownResources = 5

// whatIn returns the resources of a line in short, or if there are none, the path.
func whatIn(l *audit.Line) string {
	var b strings.Builder
	for _, list := range [...]struct {
		verb       string
		references []string
	}{{"", l.Read}, {"created ", l.Created}, {"updated ", l.Updated}, {"deleted ", l.Deleted}, {"damaged ", l.Damaged}} {
		if len(list.references) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(list.verb)
		for i, reference := range list.references[:min(len(list.references), shownResources)] {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strings.Replace(reference, "/_history/", "@", 1))
		}
		if more := len(list.references) - shownResources; more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
	}
	switch {
	case l.Event == audit.EventDamage:
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		return b.String() + l.Note + " (found by " + l.Found + ")"
	case b.Len() > 0:
		return b.String()
	case l.Count > 0:
		return fmt.Sprintf("%d refused requests", l.Count)
	case l.Note != "":
		return l.Note
	case l.Query != "":
		return l.Path + "?" + l.Query
	}
	return l.Path
}

var auditColumns = [...]string{
	"n", "time", "event", "status", "subject", "issuer", "client", "auth", "address", "purpose", "request", "entry", "part",
	"method", "type", "path", "query", "read", "created", "updated", "deleted", "patients", "damaged", "found", "count", "note",
}

// auditCells returns the cells of a line. A cell that a spreadsheet would run as a formula begins with
// an apostrophe.
func auditCells(l *audit.Line) []string {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	cells := []string{
		strconv.FormatUint(l.N, 10), l.Time.UTC().Format(time.RFC3339Nano), l.Event, number(l.Status), l.Subject, l.Issuer, l.Client, l.Auth, l.Address, l.Purpose,
		l.Request, number(l.Entry), number(l.Part), l.Method, l.Type, l.Path, l.Query, strings.Join(l.Read, " "), strings.Join(l.Created, " "),
		strings.Join(l.Updated, " "), strings.Join(l.Deleted, " "), strings.Join(l.Patients, " "), strings.Join(l.Damaged, " "), l.Found, number(l.Count), l.Note,
	}
	for i, cell := range cells {
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			cells[i] = "'" + cell
		}
	}
	return cells
}

// end writes what comes after the last line.
func (o *auditOutput) end() error {
	switch {
	case o.format == "csv":
		o.csv.Flush()
		return o.csv.Error()
	case o.format == "json" && o.lines == 0:
		return command.Write(o.out, []byte("[]\n"))
	case o.format == "json":
		return command.Write(o.out, []byte("\n]\n"))
	case o.format == "table" && o.lines == 0:
		return command.Write(o.out, []byte("no line fits\n"))
	}
	return nil
}

// auditKey reads the file with the key of the sums; "" means no key.
func auditKey(path string) (secret auth.Secret, err error) {
	if path == "" {
		return secret, nil
	}
	const least, most = 32, 4 << 10
	file, err := os.Open(path)
	if err != nil {
		return secret, command.Usagef("--audit-key: %w", err)
	}
	defer file.Close()
	key, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return secret, command.Usagef("--audit-key: %w", err)
	}
	if len(key) < least || len(key) > most {
		return secret, command.Usagef("--audit-key: %s must have %d to %d bytes, such as those of: head -c 32 /dev/urandom", path, least, most)
	}
	return auth.NewSecret(string(key)), nil
}
