package platformtools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/audit/runfolder"
	"github.com/roget-health/roget/mcpadapter/answer"
)

// auditURI is the resource with the newest report of the security audit.
const auditURI = "roget://platform/audit"

// An AuditReport is a report of the security audit in the size of an answer.
type AuditReport struct {
	Folder   string         `json:"folder"` // with the whole report
	Manifest audit.Manifest `json:"manifest"`
	Summary  audit.Summary  `json:"summary"`
	Checks   []AuditCheck   `json:"checks"`
	Findings []AuditFinding `json:"findings"`          // worst first
	Omitted  int            `json:"omitted,omitempty"` // findings that did not fit
}

// An AuditCheck is the result of a check.
type AuditCheck struct {
	Check  audit.Key         `json:"check"`
	Status audit.CheckStatus `json:"status"`
	Note   string            `json:"note,omitempty"`
}

// An AuditFinding is a finding without its evidence.
type AuditFinding struct {
	Severity audit.Severity `json:"severity"`
	Control  string         `json:"control,omitempty"`
	Title    string         `json:"title"`
	Subject  string         `json:"subject,omitempty"`
	Detail   string         `json:"detail,omitempty"`
}

// addAudit adds the resource with the newest report of the audit. The audit itself is a command.
func (t *Tools) addAudit(s *mcp.Server) {
	s.AddResource(&mcp.Resource{
		URI: auditURI, Name: "security-audit", Title: "Newest security audit", MIMEType: "application/json",
		Description: "Summary, checks and findings of the newest report that roget security audit wrote in the working directory.",
	}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		report, err := t.newestAudit()
		if err != nil {
			return nil, err
		}
		doc, err := json.Marshal(report)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: answer.Clean(string(doc))}}}, nil
	})
}

// errNoAudit is returned where no audit has run.
var errNoAudit = errors.New("there is no report of a security audit in the working directory; run: roget security audit")

// newestAudit reads the newest report of an audit.
func (t *Tools) newestAudit() (AuditReport, error) {
	folders, err := filepath.Glob(filepath.Join(cmp.Or(t.config.Folder, "."), "platform-security-*"))
	if err != nil {
		return AuditReport{}, err
	}
	var newest string
	var manifest audit.Manifest
	for _, folder := range folders {
		m, err := manifestOf(folder)
		if err == nil && m.StartedAt.After(manifest.StartedAt) {
			newest, manifest = folder, m
		}
	}
	if newest == "" {
		return AuditReport{}, errNoAudit
	}
	run, err := runfolder.Open(newest)
	if err != nil {
		return AuditReport{}, fmt.Errorf("the report in %s cannot be read: %w", newest, err)
	}
	defer func() { _ = run.Close() }()
	return auditReport(newest, run.Report()), nil
}

// manifestOf reads the manifest of a folder.
func manifestOf(folder string) (m audit.Manifest, err error) {
	const limit = 1 << 20
	path := filepath.Join(folder, "manifest.json")
	if info, err := os.Stat(path); err != nil || info.Size() > limit {
		return m, errors.Join(err, errNoAudit)
	}
	doc, err := os.ReadFile(path) //nolint:gosec // a file of the folder that the tool made
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(doc, &m)
}

// auditReport returns as many findings as fit, the worst first.
func auditReport(folder string, full audit.Report) AuditReport {
	report := AuditReport{Folder: folder, Manifest: full.Manifest, Summary: full.Summary, Checks: []AuditCheck{}}
	var all []AuditFinding
	for i := range full.Results {
		r := &full.Results[i]
		report.Checks = append(report.Checks, AuditCheck{r.Check, r.Status, answer.Short(r.Note, 200)})
		for _, f := range r.Findings {
			all = append(all, AuditFinding{f.Severity, f.Control, answer.Short(f.Title, 200), answer.Short(f.Subject, 100), answer.Short(f.Detail, 300)})
		}
	}
	order := []audit.Severity{audit.Critical, audit.High, audit.Medium, audit.Warn, audit.Info}
	slices.SortStableFunc(all, func(a, b AuditFinding) int {
		return cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity))
	})
	with := func(n int) AuditReport {
		some := report
		some.Findings, some.Omitted = append([]AuditFinding{}, all[:n]...), len(all)-n
		return some
	}
	return with(answer.Fit(len(all), budget, func(n int) (any, string) {
		doc, err := json.Marshal(with(n))
		if err != nil {
			return nil, ""
		}
		return nil, string(doc) // as the text of a resource, in which quotes are escaped
	}))
}
