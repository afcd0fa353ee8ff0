package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/access/audit/balp"
	"github.com/roget-health/roget/adapters/auditevents"
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

// openAudit opens the audit log and begins the AuditEvents that the options ask for, and adds their
// checks.
func (s *Service) openAudit(ctx context.Context, o *cliadapter.ServeOptions) (err error) {
	if folder := o.Audit.Folder; folder != "" {
		s.audit.log, err = auditlog.Open(folder, auditlog.Options{
			Sync: auditlog.Sync(o.Audit.Sync), FileSize: o.Audit.FileSize, Keep: o.Audit.Keep, Compress: o.Audit.Compress,
			Key: []byte(o.Audit.Key.Reveal()), Logger: o.Logger,
		})
		if err != nil {
			return fmt.Errorf("--audit: %w", err)
		}
		s.damages.recordTo(s.audit.log)
		s.checks = append(s.checks, httpadapter.Check{Name: "audit", Problem: "the audit log cannot be written", Test: s.audit.log.Check})
	}
	if !o.Audit.Events {
		return nil
	}
	if o.Audit.EventsKeep > 0 && !s.resources.CanForget() {
		return errKeepsAll()
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	s.audit.events, err = auditevents.Open(ctx, s.resources, auditevents.Options{Writer: balp.NewWriter(host, o.Edge.BaseURL), Logger: o.Logger})
	if err != nil {
		return fmt.Errorf("--audit-events: %w", err)
	}
	s.damages.recordTo(s.audit.events)
	s.checks = append(s.checks, httpadapter.Check{Name: "audit-events", Problem: "audit events cannot be stored", Test: s.audit.events.Check})
	return nil
}

// errKeepsAll is the error of --audit-events-keep with a store that removes nothing.
func errKeepsAll() error {
	return &cliadapter.UsageError{Err: errors.New("--audit-events-keep: the store in memory keeps all resources until the server ends; use another --store")}
}

// auditing is what records requests. Its parts are nil if they are not asked for.
type auditing struct {
	log    *auditlog.Log
	events *auditevents.Events
}

// auditor returns the auditor for the handler, nil if there is none.
func (a *auditing) auditor() httpadapter.Auditor {
	switch {
	case a.log != nil && a.events != nil:
		return auditors{a.log, a.events}
	case a.log != nil:
		return a.log
	case a.events != nil:
		return a.events
	}
	return nil
}

// auditor returns the auditor for the handler, which records damage that was found before the requests
// that met it. It is nil if there is none.
func (s *Service) auditor() httpadapter.Auditor {
	to := s.audit.auditor()
	if to == nil {
		return nil
	}
	return damageAuditor{to, s.damages}
}

// figures returns the metrics of what records requests.
func (a *auditing) figures() []httpadapter.Figure {
	type numbers struct {
		to              string
		written, failed int64
		took            time.Duration
	}
	read := func() (list []numbers) {
		if a.log != nil {
			s := a.log.Stats()
			list = append(list, numbers{"log", s.Written, s.Failed, s.Time})
		}
		if a.events != nil {
			s := a.events.Stats()
			list = append(list, numbers{"events", s.Stored, s.Failed, s.Time})
		}
		return list
	}
	if len(read()) == 0 {
		return nil
	}
	total := func(name, help string, of func(numbers) float64) httpadapter.Figure {
		return httpadapter.Figure{Name: name, Help: help, Counter: true, Label: "to", Read: func(emit func(float64, string)) {
			for _, n := range read() {
				emit(of(n), n.to)
			}
		}}
	}
	return []httpadapter.Figure{
		total("roget_audit_written_total", "Lines of the audit log (log) and AuditEvents (events) that were written.", func(n numbers) float64 { return float64(n.written) }),
		total("roget_audit_failed_total", "Lines of the audit log (log) and AuditEvents (events) that could not be written. Their requests were refused.", func(n numbers) float64 { return float64(n.failed) }),
		total("roget_audit_seconds_total", "Time that writing them took. Nothing else is written meanwhile.", func(n numbers) float64 { return n.took.Seconds() }),
	}
}

// close ends the audit log and the AuditEvents.
func (a *auditing) close(log *slog.Logger) {
	if a.events != nil {
		if err := a.events.Close(); err != nil {
			log.Error("the audit events did not end well", "err", err)
		}
	}
	if a.log != nil {
		if err := a.log.Close(); err != nil {
			log.Error("the audit log did not end well", "err", err)
		}
	}
}

// auditors record each request one after the other. A request is recorded if all of them have it.
type auditors []httpadapter.Auditor

// Append implements httpadapter.Auditor.
func (a auditors) Append(ctx context.Context, records ...audit.Record) error {
	return a.each(func(one httpadapter.Auditor) error { return one.Append(ctx, records...) })
}

// AppendRefused implements httpadapter.Auditor.
func (a auditors) AppendRefused(ctx context.Context, r audit.Record) error {
	return a.each(func(one httpadapter.Auditor) error { return one.AppendRefused(ctx, r) })
}

// Check implements httpadapter.Auditor.
func (a auditors) Check(ctx context.Context) error {
	return a.each(func(one httpadapter.Auditor) error { return one.Check(ctx) })
}

func (a auditors) each(fn func(httpadapter.Auditor) error) error {
	for _, one := range a {
		if err := fn(one); err != nil {
			return err
		}
	}
	return nil
}
