package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/resources"
)

// openAudited opens a service with an audit log and AuditEvents, and runs what writes damage in the
// background.
func openAudited(t *testing.T, data, log string) *Service {
	t.Helper()
	o := cliadapter.ServeOptions{Data: data, Logger: slog.New(slog.DiscardHandler)}
	o.Audit.Folder, o.Audit.Events = log, true
	svc, err := Open(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	return svc
}

// Damage has a line in the audit log and an AuditEvent, whatever finds it, each once: before the line of
// the request that met it, and also if it was found before there was an audit.
func TestDamageIsAudited(t *testing.T) {
	data, _, pack := loadLetters(t)
	folder := filepath.Join(t.TempDir(), "audit")
	openPatients(t, data, 4).Close()
	spoil(t, pack) // found when it is opened, and compiled again
	svc := openAudited(t, data, folder)
	stop := svc.damages.start(t.Context())
	discard := slog.New(slog.DiscardHandler)

	if status, text := send(svc, http.MethodGet, "/CodeSystem/$lookup?system=http://example.org/letters&code=a", ""); status != http.StatusOK {
		t.Fatalf("lookup: status %d: %s", status, text)
	}
	alter(t, data, `UPDATE document SET body = CAST(replace(CAST(body AS text), 'Family3', 'Family4') AS blob)`+current)
	for range 3 {
		if status, text := send(svc, http.MethodGet, "/Patient/p3", ""); status != http.StatusInternalServerError {
			t.Fatalf("status %d: %s", status, text)
		}
	}
	alter(t, data, `DELETE FROM document WHERE seq = (SELECT seq FROM version WHERE id = 'p2' AND version_id = 1)`)
	for range 2 {
		if err := svc.walk(t.Context(), discard); err != nil {
			t.Fatal(err)
		}
	}
	spoil(t, pack)
	for range 2 {
		if svc.scrub(t.Context(), discard) != 0 {
			t.Error("the scrub finds nothing")
		}
	}
	stop()

	for _, row := range []struct {
		filter string
		want   []string
	}{
		{"", []string{"open packs/0000000001.pack", "read Patient/p3/_history/2", "scrub packs/0000000001.pack", "walk Patient/p2/_history/1", "walk Patient/p3/_history/2"}},
		{"--resource Patient/p3", []string{"read Patient/p3/_history/2", "walk Patient/p3/_history/2"}},
		{"--resource Patient/p3/_history/1", nil},
		{"--patient p2", []string{"walk Patient/p2/_history/1"}},
		{"--resource packs/0000000001.pack --since 1h", []string{"open packs/0000000001.pack", "scrub packs/0000000001.pack"}},
	} {
		args := append([]string{"audit", folder, "-o", "ndjson", "--action", "damage"}, strings.Fields(row.filter)...)
		code, out, errs := cli(t, args...)
		if code != 0 {
			t.Fatalf("audit: exit code %d: %s", code, errs)
		}
		var got []string
		for line := range strings.Lines(out) {
			l, err := audit.ParseLine([]byte(strings.TrimSuffix(line, "\n")))
			if err != nil || len(l.Damaged) != 1 || l.Note == "" || l.Time.IsZero() || l.Status != 0 {
				t.Fatalf("%s: %v", line, err)
			}
			got = append(got, l.Found+" "+l.Damaged[0])
		}
		if slices.Sort(got); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.filter, got, row.want)
		}
	}
	_, table, _ := cli(t, "audit", folder, "--resource", "Patient/p3", "--since", "1h")
	lines := strings.Split(table, "\n")
	found := slices.IndexFunc(lines, func(l string) bool {
		return strings.Contains(l, "damage") && strings.Contains(l, "damaged Patient/p3@2: the document does not match its checksum (found by read)")
	})
	if found < 0 {
		t.Errorf("no damage in the table:\n%s", table)
	}
	_, all, _ := cli(t, "audit", folder)
	if damage, failed := strings.Index(all, "(found by read)"), strings.Index(all, " 500 "); damage < 0 || failed < damage {
		t.Errorf("the line of the request is before that of the damage:\n%s", all)
	}
	if _, csv, _ := cli(t, "audit", folder, "-o", "csv", "--action", "damage", "--patient", "p2"); !strings.Contains(csv, ",Patient/p2/_history/1,walk,") {
		t.Errorf("csv: %s", csv)
	}
	for query, want := range map[string]string{
		"/AuditEvent?outcome=8&type=http://dicom.nema.org/resources/ontology/DCM|110113&_total=accurate&_summary=count": `"total":5`,
		"/AuditEvent?entity=Patient/p2&_summary=count&outcome=8":                                                        `"total":1`,
	} {
		if status, text := send(svc, http.MethodGet, query, ""); status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: status %d: %s", query, status, text)
		}
	}
	svc.Close()
	if code, out, errs := cli(t, "audit", "verify", folder); code != 0 {
		t.Errorf("audit verify: exit code %d: %s%s", code, out, errs)
	}
}

// sink is an audit that fails on demand.
type sink struct {
	err     error
	records []audit.Record
}

func (s *sink) Append(_ context.Context, records ...audit.Record) error {
	if s.err == nil {
		s.records = append(s.records, records...)
	}
	return s.err
}

func (s *sink) AppendRefused(context.Context, audit.Record) error { return s.err }
func (s *sink) Check(context.Context) error                       { return s.err }

// What an audit cannot record is recorded later, by each audit once, and there are not more records than
// a bound.
func TestDamageIsRecordedOnce(t *testing.T) {
	full := errors.New("no space left on device")
	one, two := new(sink), &sink{err: full}
	d := newDamages(slog.New(slog.DiscardHandler))
	d.read(fmt.Errorf("page 7: %w", resources.ErrDamaged)) // before there is an audit
	d.recordTo(one)
	d.recordTo(two)
	for range 3 {
		d.read(&resources.DamageError{Key: resources.Key{Type: "Patient", ID: "a"}, VersionID: 2, Problem: "p"})
		if err := d.flush(t.Context()); !errors.Is(err, full) {
			t.Errorf("flush: %v", err)
		}
	}
	if len(one.records) != 2 || len(two.records) != 0 || !d.pending.Load() {
		t.Errorf("%d and %d records, pending %v", len(one.records), len(two.records), d.pending.Load())
	}
	two.err = nil
	of := damageAuditor{two, d}
	if err := of.Append(t.Context(), audit.Record{Event: "read", Status: 500}); err != nil {
		t.Fatal(err)
	}
	if len(one.records) != 2 || len(two.records) != 3 || two.records[2].Event != "read" || d.pending.Load() {
		t.Errorf("%+v, pending %v", two.records, d.pending.Load())
	}
	if r := two.records[0]; r.Event != audit.EventDamage || r.Found != "read" || r.Damaged != nil || !strings.Contains(r.Note, "page 7") || time.Since(r.Time) > time.Hour {
		t.Errorf("%+v", r)
	}
	for n := range 3 * maxDamages {
		d.walked(resources.Problem{Key: resources.Key{Type: "Patient", ID: fmt.Sprint(n)}, VersionID: 1, Text: strings.Repeat("é", maxProblem)})
	}
	if err := d.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	last := one.records[len(one.records)-1]
	if len(one.records) != maxDamages+1 || !strings.Contains(last.Note, "roget verify") || len(one.records[5].Note) > maxProblem+10 {
		t.Errorf("%d records, the last one %+v", len(one.records), last)
	}
}
