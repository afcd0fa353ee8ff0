package cliadapter

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter/command"
)

// AuditVerification is the request of Backend.VerifyAudit.
type AuditVerification struct {
	Sources  []string // see Backend.AuditLines
	Stdin    io.Reader
	Key      auth.Secret // of the sums, empty if they have none
	Expected string      // a sum that the log must have, "" for none
}

// AuditVerified is the result of Backend.VerifyAudit.
type AuditVerified struct {
	Files    int       `json:"files"`
	Lines    int       `json:"lines"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Sum      string    `json:"sum"`
	Problems []string  `json:"problems,omitempty"`
	More     int       `json:"more,omitempty"`
}

func (c builder) auditVerifyCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "verify", Usage: "Check whether an audit log was altered",
		Description: "Computes the sums of all lines of one audit log again, and reports lines and files that were changed, removed or added. " +
			"If there are any, the exit code is 3.\n\n" +
			"Sums alone do not show that the end of a log was cut off, or that somebody who can write to the log computed all sums " +
			"anew. Against the first, note the last sum, which this command prints, somewhere else, and pass it with --expect later. " +
			"Against the second, do the same, or give the server a key with --audit-key, which only it and those who verify can read.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "audit-key", TakesFile: true, Usage: "`FILE` File with the key of the sums, if the server has one."},
			&cli.StringFlag{Name: "expect", Usage: "`SUM` A sum that was printed earlier, and that the log must still have."},
		}, outputOptions()...),
	}, command.Details{
		Access:   command.Reads,
		Args:     []command.Argument{auditPaths()},
		Examples: []string{"roget audit verify /var/lib/roget/audit"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			sources, err := inv.auditSources()
			if err != nil {
				return err
			}
			key, err := auditKey(inv.Text("audit-key"))
			if err != nil {
				return err
			}
			expected := inv.Text("expect")
			if expected != "" {
				if _, err := audit.ParseSum(expected); err != nil {
					return command.Usagef("--expect: %w", err)
				}
			}
			done, err := c.config.Backend.VerifyAudit(ctx, AuditVerification{sources, inv.In, key, expected})
			if err != nil {
				return err
			}
			if inv.Text("output") == "json" {
				if err := inv.WriteValue(done); err != nil {
					return err
				}
			} else if err := command.Write(inv.Out, []byte(done.text())); err != nil {
				return err
			}
			if n := len(done.Problems) + done.More; n > 0 {
				return fmt.Errorf("the audit log was altered or is damaged: %s", command.Counted(n, "problem"))
			}
			return nil
		}),
	})
}

func (v *AuditVerified) text() string {
	var b strings.Builder
	for _, problem := range v.Problems {
		fmt.Fprintln(&b, problem)
	}
	if v.More > 0 {
		fmt.Fprintf(&b, "and %d more\n", v.More)
	}
	fmt.Fprintf(&b, "%s in %s", command.Counted(v.Lines, "line"), command.Counted(v.Files, "file"))
	if v.Lines > 0 {
		fmt.Fprintf(&b, ", from %s to %s\nlast sum: %s", v.First.Format(time.RFC3339), v.Last.Format(time.RFC3339), v.Sum)
	}
	b.WriteByte('\n')
	return b.String()
}
