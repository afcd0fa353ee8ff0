package backend

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/roget-health/roget/adapters/auditlog"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
)

// AuditLines passes the lines of audit logs to fn.
func (Backend) AuditLines(ctx context.Context, sources []string, stdin io.Reader, fn func(where string, line []byte) error) error {
	return auditlog.Read(ctx, sources, stdin, fn)
}

// VerifyAudit verifies the sums of an audit log.
func (Backend) VerifyAudit(ctx context.Context, v cliadapter.AuditVerification) (cliadapter.AuditVerified, error) {
	r, err := auditlog.Verify(ctx, v.Sources, v.Stdin, []byte(v.Key.Reveal()), v.Expected)
	if err == nil && v.Expected != "" && !r.Found {
		r.Problems = append(r.Problems, fmt.Sprintf("no line has the sum %s: the log was cut off or written anew since", v.Expected))
	}
	return cliadapter.AuditVerified{Files: r.Files, Lines: r.Lines, First: r.First, Last: r.Last, Sum: r.Sum, Problems: r.Problems, More: r.More}, err
}

// openAudit opens the audit log that the options ask for, and adds its check.
func (s *Service) openAudit(o cliadapter.AuditOptions, log *slog.Logger) (err error) {
	if o.Folder == "" {
		return nil
	}
	s.audit, err = auditlog.Open(o.Folder, auditlog.Options{
		Sync: auditlog.Sync(o.Sync), FileSize: o.FileSize, Keep: o.Keep, Compress: o.Compress, Key: []byte(o.Key.Reveal()), Logger: log,
	})
	if err != nil {
		return fmt.Errorf("--audit: %w", err)
	}
	s.checks = append(s.checks, httpadapter.Check{Name: "audit", Problem: "the audit log cannot be written", Test: s.audit.Check})
	return nil
}

// auditor returns the audit log for the handler, nil if there is none.
func (s *Service) auditor() httpadapter.Auditor {
	if s.audit == nil {
		return nil
	}
	return s.audit
}

// closeAudit ends the audit log.
func (s *Service) closeAudit() {
	if s.audit == nil {
		return
	}
	if err := s.audit.Close(); err != nil {
		s.log.Error("the audit log did not end well", "err", err)
	}
}
