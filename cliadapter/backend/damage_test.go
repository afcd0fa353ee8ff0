package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/adapters/sqlite"
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

// A data folder whose store is missing or empty is refused by the server and by every command that
// would miss it, until a backup is restored or the user wants an empty store.
func TestLostStore(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			data, _, _ := loadLetters(t)
			openPatients(t, data, 2).Close()
			target := t.TempDir()
			if code, _, errs := cli(t, "backup", target, "--data", data); code != 0 {
				t.Fatal(errs)
			}
			if err := spoil(filepath.Join(data, storeFile)); err != nil {
				t.Fatal(err)
			}
			starts := func() error {
				svc, err := Open(t.Context(), cliadapter.ServeOptions{Data: data, Logger: slog.New(slog.DiscardHandler)}, silent{})
				if err == nil {
					svc.Close()
				}
				return err
			}
			if err := starts(); err == nil || !strings.Contains(err.Error(), "roget restore") || strings.Contains(err.Error(), "memory:") {
				t.Errorf("the server starts, or names another remedy: %v", err)
			}
			for _, line := range []string{
				"verify", "read Patient/p1", "backup --keep 1 " + target, "lookup a --system http://example.org/letters",
				"import ../../examples/samples",
			} {
				if code, out, errs := cli(t, append(strings.Fields(line), "--data", data)...); code != 3 || !strings.Contains(errs, sqlite.ErrLost.Error()) {
					t.Errorf("%s: exit code %d: %s%s", line, code, out, errs)
				}
			}
			backups, err := filepath.Glob(filepath.Join(target, "*"))
			if err != nil || len(backups) != 1 {
				t.Fatal(backups, err)
			}
			if code, _, errs := cli(t, "restore", backups[0], "--data", data, "--replace"); code != 0 {
				t.Fatalf("restore: exit code %d: %s", code, errs)
			}
			svc := openService(t, data)
			if status, text := send(svc, "GET", "/Patient/p1", ""); status != 200 {
				t.Errorf("restored: status %d: %s", status, text)
			}
			svc.Close()
			if err := spoil(filepath.Join(data, storeFile)); err != nil {
				t.Fatal(err)
			}
			if err := starts(); err == nil {
				t.Error("the server starts without the restored store")
			}
			remove(t, filepath.Join(data, storeFile+".marker"))
			if err := starts(); err != nil {
				t.Errorf("the marker is removed: %v", err)
			}
		})
	}
}

// A backup of a store that is named and is not there is no backup.
func TestBackupOfNoStore(t *testing.T) {
	data, _, _ := loadLetters(t)
	if code, _, errs := cli(t, "backup", t.TempDir(), "--data", data, "--store", "sqlite:"+filepath.Join(data, "other.db")); code != 3 || !strings.Contains(errs, "other.db") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if code, out, errs := cli(t, "backup", t.TempDir(), "--data", data); code != 0 { // nothing was stored yet
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

// A load says what it replaces: a code system with its date and number of concepts, other
// resources by their number.
func TestReplaced(t *testing.T) {
	folder := t.TempDir()
	data, source := filepath.Join(folder, "data"), filepath.Join(folder, "letters.json")
	load := func(text string) string {
		t.Helper()
		if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := cli(t, "load", source, "--data", data)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		return errs
	}
	if errs := load(letters); strings.Contains(errs, "warning") {
		t.Errorf("the first load: %s", errs)
	}
	dated := strings.Replace(letters, `"status"`, `"date":"2024-01-01","status"`, 1)
	errs := load(strings.Replace(dated, `,{"code":"b"}`, "", 1))
	want := "roget: warning: CodeSystem http://example.org/letters replaces the one loaded from letters.json: 2 concepts, now 1 concept dated 2024-01-01\n"
	if !strings.Contains(errs, want) {
		t.Errorf("the second load lacks %q:\n%s", want, errs)
	}
	if code, _, errs := cli(t, "load", filepath.Join(folder, "nothing.json"), "--data", data); code == 0 || strings.Contains(errs, "replaces") {
		t.Errorf("a load that fails: exit code %d: %s", code, errs)
	}
	var b strings.Builder
	for n := range maxReplacedLines + 2 {
		fmt.Fprintln(&b, strings.ReplaceAll(strings.ReplaceAll(letters, "letters", fmt.Sprintf("letters%d", n)), "\n", ""))
	}
	b.WriteString(`{"resourceType":"ValueSet","id":"v","url":"http://example.org/v","status":"active","compose":{"include":[{"system":"http://example.org/letters"}]}}` + "\n")
	source = filepath.Join(folder, "many.ndjson")
	load(b.String())
	errs = load(b.String())
	if got := strings.Count(errs, " replaces the one "); got != maxReplacedLines {
		t.Errorf("%d lines, want %d", got, maxReplacedLines)
	}
	if want := "were replaced: 2 of type CodeSystem, 1 of type ValueSet\n"; !strings.Contains(errs, want) {
		t.Errorf("no %q in\n%s", want, errs)
	}
}

// A resource without url is loaded with a warning that names its file.
func TestWithoutURL(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "letters.json")
	if err := os.WriteFile(source, []byte(strings.Replace(letters, `"url":"http://example.org/letters",`, "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	want := source + `: the CodeSystem "letters" has no url`
	if code, _, errs := cli(t, "load", source, "--data", filepath.Join(folder, "data")); code != 0 || !strings.Contains(errs, want) {
		t.Errorf("load: exit code %d, no %q in\n%s", code, want, errs)
	}
	if code, _, errs := cli(t, "list", "--load", source); code != 0 || !strings.Contains(errs, want) {
		t.Errorf("list --load: exit code %d, no %q in\n%s", code, want, errs)
	}
}
