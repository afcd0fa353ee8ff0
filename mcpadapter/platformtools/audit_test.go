package platformtools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/audit/report"
	"github.com/roget-health/roget/adapters/platform/audit/runfolder"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/mcpadapter/platformtools"
)

// TestAuditReport: the newest report of the audit is a resource, the worst findings first, in the
// size of an answer.
func TestAuditReport(t *testing.T) {
	w := newWorld(t, platformtest.Options{})
	read := func() (string, error) {
		result, err := w.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "roget://platform/audit"})
		if err != nil {
			return "", err
		}
		return result.Contents[0].Text, nil
	}
	if _, err := read(); err == nil || !strings.Contains(err.Error(), "roget security audit") {
		t.Errorf("without an audit: %v", err)
	}
	folder := w.home + "/work"
	if err := os.MkdirAll(folder+"/platform-security-damaged", 0o700); err != nil {
		t.Fatal(err)
	}
	for i, target := range []string{"https://new.example", "https://old.example"} {
		run, err := runfolder.Create(folder, audit.Manifest{
			Target: target, Profile: "prod", StartedAt: time.Date(2026, 11, 20-i, 0, 0, 0, 0, time.UTC), CheckOrder: []audit.Key{audit.CheckRoles},
		}, []report.Format{})
		if err != nil {
			t.Fatal(err)
		}
		result := audit.Result{Check: audit.CheckRoles, Label: "Roles", Status: audit.StatusOK}
		for n := range 400 {
			result.Findings = append(result.Findings, audit.Finding{Check: audit.CheckRoles, Severity: audit.Medium, Title: fmt.Sprintf("role %d", n), Detail: strings.Repeat("long ", 100)})
		}
		result.Findings = append(result.Findings, audit.Finding{Check: audit.CheckRoles, Severity: audit.Critical, Title: "the worst\u202e"})
		if err := run.Add(result); err != nil {
			t.Fatal(err)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := read()
	var got platformtools.AuditReport
	if err == nil {
		err = json.Unmarshal([]byte(text), &got)
	}
	if err != nil || got.Manifest.Target != "https://new.example" || len(text) > platformtools.MaxAnswer || strings.Contains(text, "\u202e") {
		t.Fatalf("%v: %d bytes, %+v", err, len(text), got.Manifest)
	}
	if len(got.Findings) < 50 || got.Findings[0].Severity != audit.Critical || got.Omitted != 401-len(got.Findings) || got.Summary.Findings != 401 || len(got.Checks) != 1 {
		t.Errorf("%d findings, %d omitted, %+v", len(got.Findings), got.Omitted, got.Summary)
	}
}
