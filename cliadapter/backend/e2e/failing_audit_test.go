//go:build linux

package e2e_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestFullAuditDisk fills the disk of the audit log, and that of the store with audit events. Nothing is
// answered that is not recorded, /readyz and the metrics report it, and all is well when there is room.
func TestFullAuditDisk(t *testing.T) {
	for _, tt := range []struct {
		name, check, size string
		args              func(disk string) []string
	}{
		{"log", "audit", "256k", func(disk string) []string {
			return []string{"--data", t.TempDir(), "--audit", filepath.Join(disk, "audit")}
		}},
		{"events", "audit-events", "4m", func(disk string) []string {
			return []string{"--data", filepath.Join(disk, "data"), "--audit-events"}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			disk := t.TempDir()
			switch err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size="+tt.size); {
			case errors.Is(err, syscall.EPERM) && os.Getenv("CI") != "true":
				t.Skip("only root can make a small disk")
			case err != nil:
				t.Fatal(err)
			}
			defer func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }()
			server := backendtest.Serve(t, backendtest.Tested, append(tt.args(disk), "--no-samples", "--no-base", "--metrics")...)
			const late = 10 * time.Second
			if got := ask(t, server, late, "PUT", "/Patient/a", patientOf("a", "first")); got != http.StatusCreated {
				t.Fatalf("status %d", got)
			}
			filler := filepath.Join(disk, "filler")
			if err := os.WriteFile(filler, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err)
			}
			refused := false // what is free in the last page of a file may take a few more
			for range 100 {
				if refused = ask(t, server, late, "GET", "/Patient/a", "") == http.StatusServiceUnavailable; refused {
					break
				}
			}
			if !refused {
				t.Fatal("100 reads on a full disk are answered")
			}
			becomes(t, server, http.StatusServiceUnavailable, 5*time.Second)
			for _, request := range [][3]string{
				{"PUT", "/Patient/a", patientOf("a", "second")},
				{"GET", "/Patient?_id=a", ""},
				{"GET", "/Patient/a/_history", ""},
				{"POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"Patient/a"}}]}`},
			} {
				if got := ask(t, server, late, request[0], request[1], request[2]); got != http.StatusServiceUnavailable {
					t.Errorf("%s %s: status %d", request[0], request[1], got)
				}
			}
			if _, body := server.Do(t, "GET", "/readyz", ""); !strings.Contains(body, tt.check) {
				t.Errorf("/readyz does not name %s: %s", tt.check, body)
			}
			_, metrics := server.Do(t, "GET", "/metrics", "")
			if strings.Contains(metrics, `roget_audit_failed_total{to="`+tt.name+`"} 0`) || !strings.Contains(metrics, `roget_ready{check="`+tt.check+`"} 0`) {
				t.Error("the metrics do not report the failure")
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			becomes(t, server, http.StatusOK, 10*time.Second)
			if _, body := server.Do(t, "GET", "/Patient/a", ""); !strings.Contains(body, "first") {
				t.Errorf("afterwards: %s", body)
			}
			if got := ask(t, server, late, "PUT", "/Patient/a", patientOf("a", "third")); got != http.StatusOK {
				t.Errorf("afterwards: status %d", got)
			}
		})
	}
}
