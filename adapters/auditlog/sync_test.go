//go:build unix

package auditlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/auditlog"
)

// TestSync writes to a pipe, which takes every line and cannot be synced. SyncAlways acknowledges
// nothing, SyncInterval reports it within seconds, and SyncOff never asks. All of them go on in a new
// file.
func TestSync(t *testing.T) {
	for sync, row := range map[auditlog.Sync]struct{ append, later bool }{
		auditlog.SyncAlways:   {append: true, later: true},
		auditlog.SyncInterval: {later: true},
		auditlog.SyncOff:      {},
		"":                    {later: true}, // the default is SyncInterval
	} {
		t.Run("sync "+string(sync), func(t *testing.T) {
			t.Parallel()
			l := open(t, t.TempDir(), auditlog.Options{Sync: sync})
			in, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			l.WriteTo(out)
			if err := l.Append(t.Context(), record(1)); (err != nil) != row.append {
				t.Errorf("Append: %v", err)
			}
			for range 100 { // SyncInterval is a second
				if time.Sleep(30 * time.Millisecond); l.Failing() {
					break
				}
			}
			if l.Failing() != row.later {
				t.Errorf("failing is %v", l.Failing())
			}
			if err := l.Check(t.Context()); err != nil {
				t.Errorf("Check: %v", err)
			}
			if err := l.Append(t.Context(), record(2)); err != nil {
				t.Errorf("the next line: %v", err)
			}
			if err := l.Close(); err != nil && row.later {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

// TestKeepAll checks that a log without limits keeps the files of years as they are.
func TestKeepAll(t *testing.T) {
	folder := t.TempDir()
	began := time.Date(2016, 1, 1, 12, 0, 0, 0, time.UTC)
	for year := range 11 {
		l := open(t, folder, auditlog.Options{Now: func() time.Time { return began.AddDate(year, 0, 0) }})
		appendOne(t, l, year)
		if err := l.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := filepath.Glob(filepath.Join(folder, "audit-*"))
	if err != nil || len(paths) != 11 || strings.Contains(strings.Join(paths, " "), ".gz") {
		t.Errorf("%d files: %v, %v", len(paths), paths, err)
	}
	if r := verify(t, folder, nil); len(r.Problems) > 0 || len(requests(t, folder)) != 11 {
		t.Errorf("%v", r.Problems)
	}
}
